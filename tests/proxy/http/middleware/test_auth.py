"""Client keys: the admitted requests and headers; a wrong key and a missing key get the same answer."""

import asyncio
import hashlib
import logging
from pathlib import Path

import pytest
from aiohttp.test_utils import TestClient, TestServer

from citestream.proxy.config import ClientKey, Config, ConfigError, parse
from citestream.proxy.http.application import make_app
from citestream.proxy.http.middleware.auth import ANONYMOUS, Keys

HASHED = hashlib.sha256(b"hashed client key").hexdigest()


@pytest.fixture
def keys(tmp_path: Path) -> list[dict[str, str]]:
    (tmp_path / "key").write_text("the key of the file\n")
    return [
        {"name": "search", "key": "plain client key"},
        {"name": "notebooks", "file": str(tmp_path / "key")},
        {"sha256": HASHED.upper()},
    ]


@pytest.fixture
def config(keys: list[dict[str, str]]) -> Config:
    return parse({"server": {"keys": keys}, "providers": {"extractive": None}})


def test_each_key_has_a_name(config: Config) -> None:
    known = Keys(config.server.keys)
    names = [known.name_of(key) for key in ("plain client key", "the key of the file", "hashed client key")]
    assert names == ["search", "notebooks", "key 3"]
    for key in ("", "plain", "plain client key ", "PLAIN KEY", HASHED, "\udcff", "ключ"):
        assert known.name_of(key) is None


def test_without_keys_everyone_is_anonymous() -> None:
    assert Keys(()).name_of("") == Keys(()).name_of("anything") == ANONYMOUS


def test_an_empty_key_file_is_a_configuration_error(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("\n")
    with pytest.raises(ConfigError, match="is empty"):
        Keys([ClientKey(file=str(tmp_path / "key"))])


ACCEPTED = {
    "as OpenAI's clients send it": {"Authorization": "Bearer plain client key"},
    "bearer in lower case": {"Authorization": "bearer  hashed client key"},
    "as Google's clients send it": {"x-goog-api-key": "the key of the file"},
    "as Azure's clients send it": {"api-key": "plain client key"},
    "as Anthropic's clients send it": {"x-api-key": "plain client key"},
}
REFUSED = {
    "no key": {},
    "a wrong key": {"Authorization": "Bearer wrong"},
    "an empty key": {"Authorization": "Bearer "},
    "another scheme": {"Authorization": "Basic plain client key"},
    "the hash instead of the key": {"Authorization": f"Bearer {HASHED}"},
    "bytes that are not UTF-8": {"Authorization": "Bearer \udcff\udcfe"},
}


@pytest.mark.parametrize("headers", ACCEPTED.values(), ids=ACCEPTED)
async def test_a_client_with_a_valid_key_is_admitted(config: Config, headers: dict[str, str]) -> None:
    async with TestClient(TestServer(make_app(config))) as client:
        assert (await client.get("/v1/models", headers=headers)).status == 200


@pytest.mark.parametrize("headers", REFUSED.values(), ids=REFUSED)
async def test_all_rejected_clients_get_the_same_error(config: Config, headers: dict[str, str]) -> None:
    async with TestClient(TestServer(make_app(config))) as client:
        answer = await client.get("/v1/models", headers=headers)
        assert answer.status == 401
        assert await answer.json() == {
            "error": {
                "message": "a valid client key is required",
                "type": "invalid_request_error",
                "param": None,
                "code": "invalid_api_key",
            }
        }


async def test_only_health_checks_need_no_key(config: Config) -> None:
    async with TestClient(TestServer(make_app(config))) as client:
        for path in ("/healthz", "/readyz"):
            assert (await client.get(path)).status == 200
        for path in ("/v1/models", "/v1/nothing", "/v1/playground", "/healthz/x", "/api/tags", "/v1/references/x"):
            assert (await client.get(path)).status == 401, path


BYPASS_PATHS = [
    "/playground/../v1/models",
    "/playground/%2e%2e/v1/models",
    "/playground/..%2fv1/models",
    "/playground//../v1/models",
    "/playground/..\\v1/models",
    "/playground/%2e%2e/%2e%2e/auth.py",
    "/component/vendor/../../auth.py",
    "/component/../v1/models",
    "/component/__init__.py",
    "/playground/__init__.py",
    "/playground/%00",
    "/healthz/../v1/models",
    "//v1/models",
    "/V1/models",
    "/v1/models/",
    "http://127.0.0.1/v1/models",
]


@pytest.mark.parametrize("path", BYPASS_PATHS)
async def test_no_spelling_of_a_path_bypasses_the_key(config: Config, path: str) -> None:
    async with TestServer(make_app(config)) as server:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        writer.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
        answer = await reader.read()
        writer.close()
    assert answer.split(b" ")[1] in {b"401", b"404"}
    assert b"extractive" not in answer
    assert b"import" not in answer


async def test_the_access_log_has_the_name_and_never_the_key(config: Config, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        async with TestClient(TestServer(make_app(config))) as client:
            await client.get("/v1/models?key=sk-secret", headers={"Authorization": "Bearer plain client key"})
            await client.get("/v1/%0aforged", headers={"Authorization": "Bearer wrong sk-secret"})
    lines = [record.getMessage() for record in caplog.records if record.name == "citestream.access"]
    assert "'search' GET /v1/models 200" in lines[0]
    assert "'-' GET /v1/%0Aforged 401" in lines[1]
    assert "plain client key" not in caplog.text
    assert "sk-secret" not in "".join(lines)
