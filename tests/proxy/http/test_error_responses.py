"""Errors as clients read them: cause, status, time to retry, and no internal details."""

import asyncio
import json
import logging

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from citestream.citation.evidence import FieldError
from citestream.providers.errors import Rejected, TimedOut, Unreachable
from citestream.proxy.config import Config, parse
from citestream.proxy.http.application import make_app
from citestream.proxy.http.error_responses import RequestError, error_body, errors_as_json, headers_of, status_of
from citestream.proxy.observability.logs import access_log, set_response_headers

ERRORS = {
    "a wrong field": (
        FieldError("evidence[3].text", "must not be empty"),
        400,
        ("evidence[3].text: must not be empty", "invalid_request_error", "evidence[3].text", "invalid_value"),
        {},
    ),
    "an unknown model": (
        RequestError(404, "the model 'x' does not exist", param="model", code="model_not_found"),
        404,
        ("the model 'x' does not exist", "invalid_request_error", "model", "model_not_found"),
        {},
    ),
    "over capacity": (
        RequestError(503, "too many requests at once", code="over_capacity", retry_after=1),
        503,
        ("too many requests at once", "server_error", None, "over_capacity"),
        {"Retry-After": "1"},
    ),
    "a rate limit of the provider": (
        Rejected("slow down", status=429, headers={"retry-after": "7", "x-ratelimit-remaining-tokens": "0"}),
        429,
        ("slow down", "rate_limit_error", None, "provider_rejected"),
        {"retry-after": "7", "x-ratelimit-remaining-tokens": "0"},
    ),
    "an unreachable provider": (
        Unreachable("The provider could not be reached."),
        502,
        ("The provider could not be reached.", "upstream_error", None, "provider_unreachable"),
        {},
    ),
    "a provider that does not answer in time": (
        TimedOut("The provider stopped answering."),
        504,
        ("The provider stopped answering.", "upstream_error", None, "provider_timeout"),
        {},
    ),
    "a body that is too large": (
        web.HTTPRequestEntityTooLarge(max_size=1, actual_size=2),
        413,
        ("the body is larger than server.max_body_bytes allows", "invalid_request_error", None, "too_large"),
        {},
    ),
    "an unsupported method": (
        web.HTTPMethodNotAllowed("GET", ["POST", "DELETE"]),
        405,
        ("this path does not support this method", "invalid_request_error", None, "method_not_allowed"),
        {"Allow": "DELETE, POST"},
    ),
    "an internal error": (
        KeyError("sk-secret"),
        500,
        ("internal error", "server_error", None, "internal_error"),
        {},
    ),
}


@pytest.mark.parametrize(("error", "status", "fields", "headers"), ERRORS.values(), ids=ERRORS)
def test_an_error_has_its_status_body_and_headers(
    error: Exception, status: int, fields: tuple[str | None, ...], headers: dict[str, str]
) -> None:
    assert status_of(error) == status
    assert error_body(error) == {"error": dict(zip(("message", "type", "param", "code"), fields, strict=True))}
    assert headers_of(error) == headers


async def test_an_internal_error_contains_the_request_id_and_the_log_the_cause(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def broken(_: web.Request) -> web.Response:
        raise RuntimeError("a private reason")

    app = web.Application(
        middlewares=[access_log(enabled=True), errors_as_json(lambda _path: lambda error, _status: error)]
    )
    app.on_response_prepare.append(set_response_headers)
    app.router.add_get("/", broken)
    async with TestClient(TestServer(app)) as client:
        with caplog.at_level(logging.INFO, "citestream"):
            answer = await client.get("/?key=sk-secret")
        request_id = answer.headers["x-request-id"]
        text = await answer.text()
    assert answer.status == 500
    assert request_id in json.loads(text)["error"]["message"]
    assert "private reason" not in text
    assert request_id in caplog.text
    assert "a private reason" in caplog.text
    assert "sk-secret" not in caplog.text


async def send_request(config: Config, method: str, path: str, **given: object) -> tuple[int, dict[str, object], str]:
    async with TestClient(TestServer(make_app(config))) as client:
        answer = await client.request(method, path, **given)  # type: ignore[arg-type]
        body = await answer.json()
        return answer.status, body["error"], answer.headers["x-request-id"]


REQUEST_IDS = {
    "a valid id": ("trace-7:a.B_c", "trace-7:a.B_c"),
    "an id with a space": ("a b", "req_"),
    "an id with a line separator": ("a\u2028b", "req_"),
    "an id that is too long": ("x" * 129, "req_"),
}


@pytest.mark.parametrize(("given", "expected"), REQUEST_IDS.values(), ids=REQUEST_IDS)
async def test_a_valid_request_id_of_the_client_is_kept(given: str, expected: str) -> None:
    async with TestClient(TestServer(make_app(parse({"providers": {"extractive": {}}})))) as client:
        answer = await client.get("/v1/models", headers={"x-request-id": given})
    assert answer.headers["x-request-id"].startswith(expected)
    assert len(answer.headers["x-request-id"]) <= 128


@pytest.mark.parametrize("streamed", [False, True])
async def test_the_request_id_of_the_client_has_precedence_and_the_log_has_both(
    streamed: bool, caplog: pytest.LogCaptureFixture
) -> None:
    async def answer(request: web.Request) -> web.StreamResponse:
        if not streamed:
            return web.Response(headers={"x-request-id": "theirs"})
        response = web.StreamResponse(headers={"x-request-id": "theirs"})
        await response.prepare(request)
        return response

    app = web.Application(middlewares=[access_log(enabled=True)])
    app.on_response_prepare.append(set_response_headers)
    app.router.add_get("/", answer)
    caplog.set_level(logging.INFO, "citestream.access")
    async with TestClient(TestServer(app)) as client:
        answers = [(await client.get("/", headers=headers)).headers for headers in ({"x-request-id": "mine"}, {})]
    assert [headers.getall("x-request-id") for headers in answers] == [["mine"], ["theirs"]]
    lines = [record.getMessage() for record in caplog.records]
    assert lines[0].endswith("ms mine theirs")
    assert lines[1].endswith(" theirs")


async def test_every_rejection_is_an_error_object_with_a_request_id() -> None:
    config = parse({"server": {"max_body_bytes": 2000}, "providers": {"extractive": None}})
    chat = "/v1/chat/completions"
    for method, path, given, status, code in (
        ("GET", "/v1/nothing", {}, 404, "not_found"),
        ("GET", chat, {}, 405, "method_not_allowed"),
        ("POST", chat, {"data": b"{"}, 400, "invalid_json"),
        ("POST", chat, {"data": b"\xff"}, 400, "invalid_json"),
        ("POST", chat, {"data": b"[1]"}, 400, "invalid_json"),
        ("POST", chat, {"data": b"[" * 1500}, 400, "invalid_json"),
        ("POST", chat, {"data": b" " * 3000}, 413, "too_large"),
        (
            "POST",
            chat,
            {"json": {"model": "x/y", "messages": [{"role": "user", "content": "q"}]}},
            404,
            "model_not_found",
        ),
        ("POST", chat, {"json": {"model": "extractive"}}, 400, "invalid_value"),
    ):
        answered, error, request_id = await send_request(config, method, path, **given)
        assert (answered, error["code"]) == (status, code), (method, path)
        assert request_id.startswith("req_")


BODIES = {
    b"": "the body is empty, but must be a JSON object",
    b'{"model": "x",\n "messages": [}': "the body is not JSON: there is an error at line 2, column 15",
    b'{"model": "\xff"}': "the body is not JSON: byte 11 is not UTF-8",
    b'{"model": "' + b"x" * 200_000 + b'\xff"}': "the body is not JSON: byte 200011 is not UTF-8",
    b"[1]": "the body must be a JSON object",
}


@pytest.mark.parametrize("body", BODIES, ids=lambda body: body[:12])
async def test_a_body_that_is_not_json_is_explained(body: bytes) -> None:
    config = parse({"providers": {"extractive": None}})
    for path in ("/v1/chat/completions", "/v1/cite", "/api/chat", "/v1/messages"):
        answered, error, _ = await send_request(config, "POST", path, data=body)
        assert answered == 400
        assert (error["message"] if isinstance(error, dict) else error) == BODIES[body]


async def test_the_error_for_an_unknown_model_lists_the_existing_models() -> None:
    config = parse(
        {"providers": {"extractive": None, "ollama": None}, "models": {"fast": {"model": "ollama/llama3.2"}}}
    )
    body = {"model": "gpt", "messages": [{"role": "user", "content": "q"}]}
    _, error, _ = await send_request(config, "POST", "/v1/chat/completions", json=body)
    assert error["message"] == "the model 'gpt' does not exist; there are: fast, extractive, ollama/…"
    _, error, _ = await send_request(config, "POST", "/v1/chat/completions", json=body | {"model": "gpt-4o"})
    assert "the model 'gpt-4o' needs an API key: set OPENAI_API_KEY where Citestream runs" in str(error["message"])


async def test_an_incomplete_body_releases_its_admission() -> None:
    config = parse({"server": {"body_seconds": 0.05, "max_streams": 1}, "providers": {"extractive": None}})
    async with TestClient(TestServer(make_app(config))) as client:
        reader, writer = await asyncio.open_connection(client.host, client.port)
        head = "POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n\r\n"
        writer.write(head.encode() + b'{"model": "extr')
        answer = await reader.readuntil(b"}}")
        assert answer.startswith(b"HTTP/1.1 408 ")
        assert b'"code":"request_timeout"' in answer
        assert (await client.get("/v1/models")).status == 200
        writer.close()


async def test_a_body_with_a_too_large_content_length_is_refused_before_it_arrives() -> None:
    config = parse({"server": {"max_body_bytes": 2000, "body_seconds": 0.05}, "providers": {"extractive": None}})
    async with TestClient(TestServer(make_app(config))) as client:
        reader, writer = await asyncio.open_connection(client.host, client.port)
        head = "POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 3000\r\n\r\n"
        writer.write(head.encode())
        answer = await reader.readuntil(b"}}")
        assert answer.startswith(b"HTTP/1.1 413 ")
        assert b'"code":"too_large"' in answer
        writer.close()
