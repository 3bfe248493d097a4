"""The same requests with and without the proxy, in every client API, streamed and complete.

Without evidence, the provider receives the same JSON apart from the name of the model, and the client receives the same
bytes. With evidence that supports nothing, the provider receives the same fields apart from the messages, and the
client the same answer. The exceptions are those that the tables below list.
"""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import aiohttp
import pytest
from aiohttp.test_utils import TestClient, TestServer

from citestream.proxy.config import parse
from citestream.proxy.http.application import make_app
from tests.proxy.apis.differential_requests import APIS, Api
from tests.upstreams import anthropic
from tests.upstreams.wire import Answer, Request, Server, Step, chunk, head, script, whole

Fields = dict[str, Any]

EVIDENCE = [{"text": "Cats sleep a lot.", "id": "cats"}]
KEY = "sk-differential-0123456789"
ERROR = b'{ "error": {"message": "no", "type": "invalid_request_error", "param": null, "code": "x"} ,"more": 1}'
# Headers of answers that clients read.
HEADERS = {"content-type", "openai-processing-ms", "openai-organization", "anthropic-organization-id", "server-timing"}

LINES = [f"{name}: value of {name}" for name in sorted(HEADERS - {"content-type"})]

REQUESTS = {
    f"{api}, {variant}, {'streamed' if streamed else 'whole'}": (api, variant, streamed)
    for api, described in APIS.items()
    for variant in described.variants
    for streamed in (False, True)
}
STATUSES = {400: "Bad Request", 403: "Forbidden", 404: "Not Found", 422: "Unprocessable Entity"}
ERRORS = {
    f"{api}, {status}, {'streamed' if streamed else 'whole'}": (api, status, streamed)
    for api in APIS
    for status in STATUSES
    for streamed in (False, True)
}

# The documented differences. Answers of these APIs have the model of the request, which clients compare with it.
MODEL_OF_REQUEST = {"messages"}
# With evidence, each answer of a provider is streamed, and has these fields of Citestream.
ADDED = {"references", "grounding", "citations", "search_results", "choices[].references", "choices[].annotations"}
# Fields that the provider receives differently, by API. Requests of the Responses API and of Ollama's /api/generate are
# translated into chat requests.
SENT: dict[str, set[str]] = {
    "chat": {"stream", "stream_options"},
    "responses": {
        *("messages", "stream", "stream_options", "include", "max_output_tokens", "max_completion_tokens"),
        *(
            "reasoning",
            "reasoning_effort",
            "text",
            "truncation",
            "verbosity",
            "response_format",
            "a_new_field",
            "tools",
        ),
    },
    "messages": {"stream"},
    "gemini": set(),
    "ollama chat": {"stream"},
    "ollama generate": {"stream", "messages", "images"},
}
# Fields that the client receives differently, by API.
RECEIVED: dict[str, set[str]] = {
    "chat": {*ADDED, "usage"},  # the usage of a stream only if the client asks for it
    "responses": set(),  # Citestream makes the response; its text is compared
    "messages": {*ADDED, "model", "content[].citations", "usage.cache_creation", "usage.service_tier"},
    "gemini": {"candidates[].chunks", "candidates[].grounding"},
    "ollama chat": {*ADDED, "model"},
    "ollama generate": {*ADDED, "model"},
}


async def upstream(request: Request) -> AsyncIterator[Step]:
    """Answer like the provider of the API that the path belongs to."""
    api = next(api for api in APIS.values() if api.target("m", streamed=False).split(":")[0] in request.target)
    if request.json.get("stream") or "stream" in request.target:
        yield head("200 OK", f"Content-Type: {api.content_type}", "Transfer-Encoding: chunked", *LINES)
        yield chunk(api.stream)
        yield chunk(b"")
    else:
        yield whole("200 OK", api.whole, "Content-Type: application/json", *LINES)


def failing(status: int) -> Answer:
    """Return a provider that refuses all requests."""
    return script(whole(f"{status} {STATUSES[status]}", ERROR, "Content-Type: application/json", *LINES))


@dataclass(frozen=True)
class Exchange:
    """The request that the provider received, and the answer that the client received."""

    sent: Request
    status: int
    headers: Fields
    body: bytes


async def exchanges(
    api: Api, variant: str, answer: Answer = upstream, *, streamed: bool, **fields: Any
) -> list[Exchange]:
    """Send a request without the proxy, and then with it. `fields`: added to the second one."""
    async with Server(answer) as server, aiohttp.ClientSession() as session:
        base = f"{server.url}/v1" if api.kind == "openai" else server.url
        provider = {"kind": api.kind, "base_url": base, "api_key": KEY}
        async with TestClient(TestServer(make_app(parse({"providers": {"p": provider}})))) as proxy:
            made: list[Exchange] = []
            for client, address, model in ((session, server.url, "m"), (proxy, "", "p/m")):
                target = address + api.target(model, streamed=streamed)
                body = api.request(model, variant, streamed=streamed) | (fields if made else {})
                async with client.post(target, json=body) as received:
                    headers = {name: value for name, value in received.headers.items() if name.lower() in HEADERS}
                    made.append(Exchange(server.requests[-1], received.status, headers, await received.read()))
    return made


@pytest.mark.parametrize(("name", "variant", "streamed"), REQUESTS.values(), ids=REQUESTS)
async def test_without_evidence_nothing_differs(name: str, variant: str, *, streamed: bool) -> None:
    direct, proxied = await exchanges(APIS[name], variant, streamed=streamed)
    assert proxied.sent.json == direct.sent.json
    assert proxied.sent.target == direct.sent.target
    assert (proxied.status, proxied.headers) == (direct.status, direct.headers)
    shown = proxied.body
    if name in MODEL_OF_REQUEST:
        shown = shown.replace(b'"model":"p/m"', b'"model":"%b"' % anthropic.MODEL.encode())
    assert shown == direct.body


@pytest.mark.parametrize(("name", "status", "streamed"), ERRORS.values(), ids=ERRORS)
async def test_without_evidence_errors_do_not_differ(name: str, status: int, *, streamed: bool) -> None:
    direct, proxied = await exchanges(APIS[name], "plain", failing(status), streamed=streamed)
    assert (proxied.status, proxied.headers) == (direct.status, direct.headers)
    if (name, status) == ("responses", 404):  # may mean that a server has no such API, so chat completions are tried
        assert json.loads(proxied.body)["error"] == json.loads(direct.body)["error"]
    else:
        assert proxied.body == direct.body


@pytest.mark.parametrize(("name", "variant", "streamed"), REQUESTS.values(), ids=REQUESTS)
async def test_with_evidence_only_documented_fields_differ(name: str, variant: str, *, streamed: bool) -> None:
    api = APIS[name]
    direct, proxied = await exchanges(api, variant, streamed=streamed, evidence=EVIDENCE)
    assert (direct.status, proxied.status) == (200, 200)
    sent = {path.partition(".")[0].partition("[")[0] for path in differing(direct.sent.json, proxied.sent.json)}
    assert sent <= {*api.texts, *SENT[name]}
    read = api.read[streamed]
    assert differing(read(direct.body), read(proxied.body)) <= RECEIVED[name]


def differing(first: Any, second: Any, path: str = "") -> set[str]:
    """Return the paths at which two values differ."""
    if isinstance(first, dict) and isinstance(second, dict):
        return {
            one
            for key in first.keys() | second.keys()
            for one in differing(first.get(key), second.get(key), f"{path}.{key}".strip("."))
        }
    if isinstance(first, list) and isinstance(second, list) and len(first) == len(second):
        return {one for pair in zip(first, second, strict=True) for one in differing(*pair, f"{path}[]")}
    return set() if first == second else {path}
