"""Headers: only listed headers of a client reach a provider, and only listed headers of a provider reach a client."""

from typing import Any

import pytest
from aiohttp.test_utils import TestClient, TestServer

from citestream.proxy.config import parse
from citestream.proxy.http.application import make_app
from tests.upstreams.wire import Request, Server, chunk, head, whole

SECRET = "canary-5f3a"
FROM_CLIENT = {
    "Authorization": f"Bearer {SECRET}",
    "x-goog-api-key": SECRET,
    "api-key": SECRET,
    "Cookie": f"session={SECRET}",
    "Proxy-Authorization": f"Basic {SECRET}",
    "X-Forwarded-For": "203.0.113.9",
    "Forwarded": "for=203.0.113.9",
    "Via": "1.1 office",
    "Referer": f"https://app.example/{SECRET}",
    "User-Agent": f"app {SECRET}",
    "Accept-Language": "tlh",
    "OpenAI-Organization": SECRET,
    "X-Custom": SECRET,
    "traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
}
TO_PROVIDER = {"host", "user-agent", "accept", "accept-encoding", "content-type", "content-length", "authorization"}

FROM_PROVIDER = (
    f"Set-Cookie: session={SECRET}; Path=/",
    "Server: vllm/0.9 (gpu-7.internal)",
    "Via: 1.1 cache.internal",
    "X-Upstream-Host: gpu-7.internal",
    "Strict-Transport-Security: max-age=1",
    "Access-Control-Allow-Origin: *",
    "Access-Control-Allow-Credentials: true",
    "Content-Security-Policy: default-src 'none'",
    "Clear-Site-Data: *",
    "Location: https://elsewhere.example/",
    "Alt-Svc: h3=elsewhere.example",
    "Refresh: 0;url=https://elsewhere.example",
    "Retry-After: 7",
    "x-ratelimit-remaining-requests: 3",
    "x-request-id: req_up",
    "openai-organization: org-up",
    "openai-processing-ms: 250",
    "openai-project: proj_up",
    "openai-version: 2020-10-01",
    "anthropic-organization-id: 4f7b",
    "request-id: req_011",
    "server-timing: gfet4t7; dur=123",
    "x-gemini-service-tier: standard",
)
VENDOR_HEADERS = {  # those that SDKs and their users read
    "openai-organization": "org-up",
    "openai-processing-ms": "250",
    "openai-project": "proj_up",
    "openai-version": "2020-10-01",
    "anthropic-organization-id": "4f7b",
    "request-id": "req_011",
    "server-timing": "gfet4t7; dur=123",
    "x-gemini-service-tier": "standard",
}
TO_CLIENT = {
    "content-type",
    "content-length",
    "transfer-encoding",
    "connection",
    "date",
    "server",
    "x-request-id",
    "x-content-type-options",
}
TO_CLIENT |= VENDOR_HEADERS.keys() | {
    "cache-control",
    "x-accel-buffering",
    "retry-after",
    "x-ratelimit-remaining-requests",
}

TEXT = b'data: {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"It is red."}}]}\n\n'
STOP = b'data: {"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
REQUEST: dict[str, Any] = {"model": "up/m", "messages": [{"role": "user", "content": "What is red?"}]}
EVIDENCE = {"evidence": [{"text": "The house is red."}]}


async def streamed(_: Request) -> Any:
    yield head("200 OK", *FROM_PROVIDER, "Content-Type: text/event-stream", "Transfer-Encoding: chunked")
    yield chunk(TEXT)
    yield chunk(STOP)
    yield chunk(b"")


async def refused(_: Request) -> Any:
    yield whole("429 Too Many Requests", b'{"error": {"message": "slow down"}}', *FROM_PROVIDER)


async def unavailable(_: Request) -> Any:
    yield whole("503 Service Unavailable", b'{"error": {"message": "busy"}}')


CASES = {
    "a cited stream": (streamed, {**REQUEST, **EVIDENCE, "stream": True}, 200),
    "a cited answer": (streamed, {**REQUEST, **EVIDENCE}, 200),
    "a stream passed through": (streamed, {**REQUEST, "stream": True}, 200),
    "an error": (refused, {**REQUEST, **EVIDENCE, "stream": True}, 429),
    "an error passed through": (refused, REQUEST, 429),
}


@pytest.mark.parametrize("case", CASES)
async def test_only_listed_headers_are_forwarded(case: str) -> None:
    upstream, body, status = CASES[case]
    async with Server(upstream) as provider:
        settings = {
            "kind": "openai",
            "base_url": f"{provider.url}/v1",
            "api_key": "sk-operator",
            "retries": {"most": 0},
        }
        app = make_app(parse({"providers": {"up": settings}}))
        async with TestClient(TestServer(app)) as client:
            for _ in range(2):  # a stored cookie would be sent with the second request
                answer = await client.post("/v1/chat/completions", json=body, headers=FROM_CLIENT)
                received = dict(answer.headers)
                assert answer.status == status
                assert {name.lower() for name in received} <= TO_CLIENT
                assert received["Server"] == "citestream"
                assert SECRET not in str(received)
                assert "internal" not in str(received) + await answer.text()
    assert len(provider.requests) == 2
    for request in provider.requests:
        assert request.headers.keys() <= TO_PROVIDER
        assert request.headers["authorization"] == "Bearer sk-operator"
        assert SECRET not in str(request)
        assert "203.0.113.9" not in str(request)


@pytest.mark.parametrize("case", [name for name, (upstream, *_) in CASES.items() if upstream is streamed])
async def test_the_listed_headers_of_a_provider_reach_the_client(case: str) -> None:
    upstream, body, _ = CASES[case]
    async with Server(upstream) as provider:
        settings = {"kind": "openai", "base_url": f"{provider.url}/v1", "api_key": "k"}
        async with TestClient(TestServer(make_app(parse({"providers": {"up": settings}})))) as client:
            answer = await client.post("/v1/chat/completions", json=body)
            assert answer.headers["x-ratelimit-remaining-requests"] == "3"
            assert answer.headers["x-request-id"] == "req_up"
            assert VENDOR_HEADERS.items() <= {name.lower(): value for name, value in answer.headers.items()}.items()


ACCOUNT = {"OpenAI-Organization": "org-theirs", "OpenAI-Project": "proj_theirs"}
KEY_OF_CLIENT = {"Authorization": "Bearer sk-theirs"}
KEYS = {
    "with the client's own key": (True, {"Authorization": "Bearer sk-theirs"}, True),
    "not with the operator's key": (False, {"Authorization": "Bearer sk-theirs"}, False),
    "not without a key of the client": (True, {}, False),
}


@pytest.mark.parametrize("case", KEYS)
@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/responses", "/v1/embeddings"])
async def test_headers_of_the_account_are_sent_only_with_the_key_of_the_client(path: str, case: str) -> None:
    passes_key, key, expected = KEYS[case]
    async with Server(refused) as provider:
        settings: dict[str, Any] = {"kind": "openai", "base_url": f"{provider.url}/v1", "api_key": "sk-operator"}
        settings |= {"pass_client_key": passes_key, "retries": {"most": 0}}
        async with TestClient(TestServer(make_app(parse({"providers": {"up": settings}})))) as client:
            for evidence in ({}, EVIDENCE):
                await client.post(path, json={**REQUEST, "input": "What is red?", **evidence}, headers=ACCOUNT | key)
    assert len(provider.requests) == 2
    for request in provider.requests:
        passed = {name: request.headers.get(name.lower()) for name in ACCOUNT}
        assert passed == (ACCOUNT if expected else dict.fromkeys(ACCOUNT))


FALLBACK_KINDS = {
    "openai": "authorization",
    "anthropic": "x-api-key",
    "gemini": "x-goog-api-key",
    "ollama": "authorization",
}


@pytest.mark.parametrize("own_key", ["", "sk-operator"])
@pytest.mark.parametrize("kind", FALLBACK_KINDS)
async def test_the_key_of_a_client_never_reaches_the_provider_of_a_fallback(kind: str, own_key: str) -> None:
    async with Server(unavailable) as first, Server(unavailable) as other:
        provider: dict[str, Any] = {"pass_client_key": True, "retries": {"most": 0}}
        providers = {
            "first": {"kind": "openai", "base_url": f"{first.url}/v1", "fallback": "first/second-model", **provider},
            "other": {"kind": kind, "base_url": other.url, "api_key": own_key, **provider},
        }
        models = {
            "asked": {"model": "first/m", "fallback": "next"},
            "next": {"model": "first/n", "fallback": "other/m"},
        }
        app = make_app(parse({"providers": providers, "models": models}))
        async with TestClient(TestServer(app)) as client:
            for body in ({}, EVIDENCE):
                request = {**REQUEST, "model": "asked", **body}
                await client.post("/v1/chat/completions", json=request, headers=ACCOUNT | KEY_OF_CLIENT)
    assert [request.headers["authorization"] for request in first.requests] == ["Bearer sk-theirs"] * 4
    assert len(other.requests) == 2
    for received in other.requests:
        assert received.headers.get(FALLBACK_KINDS[kind], "").removeprefix("Bearer ") == own_key
        assert "theirs" not in str(received)


async def test_a_request_cannot_change_the_address_of_the_provider() -> None:
    async with Server(streamed) as elsewhere, Server(streamed) as provider:
        settings = {"kind": "openai", "base_url": f"{provider.url}/v1", "api_key": "sk-operator"}
        async with TestClient(TestServer(make_app(parse({"providers": {"up": settings}})))) as client:
            names = ("base_url", "api_base", "custom_host", "endpoint", "url", "host", "proxy", "api_key")
            body = {**REQUEST, **EVIDENCE, **dict.fromkeys(names, elsewhere.url)}
            headers = {f"x-{name.replace('_', '-')}": elsewhere.url for name in names}
            forwarded = {**headers, "X-Forwarded-Host": "elsewhere.example", "X-Original-URL": elsewhere.url}
            assert (await client.post("/v1/chat/completions", json=body, headers=forwarded)).status == 200
            for model in (elsewhere.url, f"{elsewhere.url}/v1", f"up@{elsewhere.url}"):
                assert (await client.post("/v1/chat/completions", json={**body, "model": model})).status == 404
            traversing = {**body, "model": f"up/../../../{elsewhere.url}?x=#"}
            assert (await client.post("/v1/chat/completions", json=traversing)).status == 200
    assert elsewhere.requests == []
    assert {request.target for request in provider.requests} == {"/v1/chat/completions"}
