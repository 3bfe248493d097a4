"""`POST /v1/evidence/read`: documents in, excerpts out, which can be sent as evidence."""

from typing import Any

import pytest
from aiohttp.test_utils import TestClient, TestServer

from citestream.proxy.config import Config, ProviderConfig, Server
from citestream.proxy.http.application import make_app

MARKDOWN = b"# Bridge\n\nThe Harlan bridge was opened on 4 May 1932."


async def read(data: bytes, name: str | None, **limits: Any) -> tuple[int, dict[str, Any]]:
    config = Config(providers={"extractive": ProviderConfig(kind="extractive")}, server=Server(**limits))
    params = {} if name is None else {"file_name": name}
    async with (
        TestClient(TestServer(make_app(config))) as client,
        client.post("/v1/evidence/read", data=data, params=params) as answer,
    ):
        return answer.status, await answer.json()


async def test_the_excerpts_of_a_document_are_evidence() -> None:
    config = Config(providers={"extractive": ProviderConfig(kind="extractive")})
    async with TestClient(TestServer(make_app(config))) as client:
        answer = await client.post("/v1/evidence/read?file_name=bridge.md", data=MARKDOWN)
        found = await answer.json()
        assert (found["object"], found["file_name"]) == ("evidence", "bridge.md")
        cited = await client.post("/v1/cite", json={"text": "It was opened in 1932.", "evidence": found["evidence"]})
        (reference,) = (await cited.json())["references"]
    assert (reference["file_name"], reference["title"]) == ("bridge.md", "Bridge")


REFUSED: dict[str, tuple[bytes, str | None, int, str]] = {
    "no name": (MARKDOWN, None, 400, "file_name: must be a file name"),
    "a name with a NUL": (MARKDOWN, "a\0.md", 400, "file_name: must be a file name"),
    "no data": (b"", "a.md", 400, "the body is empty"),
    "an unknown format": (MARKDOWN, "a.exe", 422, "a.exe has no reader; the formats are"),
    "a broken PDF": (MARKDOWN, "../../a.pdf", 422, "../../a.pdf is a broken PDF"),
    "too many bytes": (b"a" * 2000, "a.md", 413, "the body is larger than server.max_body_bytes allows"),
}


@pytest.mark.parametrize("case", REFUSED)
async def test_a_request_is_refused_with_the_reason(case: str) -> None:
    data, name, status, message = REFUSED[case]
    received_status, body = await read(data, name, max_body_bytes=1024)
    assert received_status == status
    assert body["error"]["message"].startswith(message)
