"""OpenAIProvider with the wire formats of servers: requests, chunks, and bytes that pass through."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from itertools import groupby

import pytest

from citestream.providers import provider
from citestream.providers.errors import Rejected
from citestream.providers.events import ChatRequest, Idle, OtherDelta, RelayRequest, TextDelta
from citestream.providers.openai import OpenAIProvider, azure_url
from citestream.providers.streaming.answer_stream import EventGroups
from citestream.providers.wire.openai_chunks import ChunkReader
from tests.providers.recorded_answer import QUESTION, ask, ask_server, make_provider
from tests.upstreams.openai import KEY, MODEL, VLLM, OpenAI, error
from tests.upstreams.wire import Break, Request, Server, Step, head, script, sse, whole

TEXT = "Water boils at 100 °C [1]."
STOP = b'data: {"choices":[{"index":0,"delta":{"content":"ok"},"finish_reason":"stop"}]}\n\n'


async def test_an_answer_of_openai_is_translated_to_events() -> None:
    async with Server(OpenAI()) as server:
        answer = await ask_server("openai", server.url, {"temperature": 0})
    assert answer.error is None
    assert answer.text() == TEXT
    kinds = [kind for kind, _ in groupby(answer.kinds)]  # deltas that arrive together may be one
    assert kinds == ["OtherDelta", "TextDelta", "Finish", "Usage"]
    assert answer.reasons == {0: "stop"}
    assert answer.usage
    assert answer.usage["completion_tokens_details"] == {"reasoning_tokens": 3, "audio_tokens": 0}
    first = answer.events[1]
    assert isinstance(first, TextDelta)
    assert (first.chunk["system_fingerprint"], first.chunk["service_tier"]) == ("fp_b3f1", "default")
    assert "obfuscation" not in first.chunk


async def test_a_text_delta_states_whether_more_events_arrived_with_it() -> None:
    texts = [b'data: {"choices":[{"index":%d,"delta":{"content":"ok"}}]}\n\n' % index for index in (0, 1)]
    ends = [text.replace(b"}]}", b',"finish_reason":"stop"}]}') for text in texts]
    released = asyncio.Event()

    async def in_two_parts(_: Request) -> AsyncIterator[Step]:
        yield head("200 OK", "Content-Type: text/event-stream")
        yield b"".join(texts)
        await released.wait()
        yield b"".join([*texts, *ends]) + b"data: [DONE]\n\n"

    deltas = []
    async with Server(in_two_parts) as server:
        provider = make_provider("openai", server.url)
        async with aclosing(provider.stream(ChatRequest(MODEL, QUESTION))) as events:
            async for event in events:
                if isinstance(event, TextDelta):
                    deltas.append((event.choice, event.more))
                released.set()
        await provider.aclose()
    assert deltas == [(0, True), (1, False), *[(0, True), (1, True)] * 2]


def test_events_of_one_read_are_marked_as_arriving_together() -> None:
    groups = EventGroups(ChunkReader())

    def marked(count: int, followed: bool) -> list[bool]:
        return [event.more for event in groups.mark([TextDelta(0, "word ", {})] * count, followed)]

    assert marked(2, followed=True) == [True, True]
    assert marked(0, followed=True) == []
    assert marked(2, followed=False) == [True, False]
    assert marked(1, followed=True) == [True]
    assert list(groups.mark([], followed=False)) == [Idle()], "the event before is no longer delayed"
    assert list(groups.mark([], followed=False)) == []


async def test_the_request_to_openai() -> None:
    async with Server(OpenAI()) as server:
        params = {"temperature": 0, "stream": False, "stream_options": {"include_obfuscation": False}}
        await ask_server("openai", server.url, params, headers={"x-team": "a"})
    (request,) = server.requests
    assert request.target == "/v1/chat/completions"
    assert request.json == {
        "temperature": 0,
        "stream": True,
        "stream_options": {"include_obfuscation": False, "include_usage": True},
        "model": MODEL,
        "messages": QUESTION,
    }
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.headers["accept-encoding"] == "identity"
    assert request.headers["x-team"] == "a"


async def test_tool_calls_follow_the_text_in_fragments() -> None:
    async with Server(OpenAI(calls=True)) as server:
        answer = await ask_server("openai", server.url)
    calls = [delta["tool_calls"][0] for delta in answer.others if "tool_calls" in delta]
    assert "".join(call["function"]["arguments"] for call in calls) == '{"city":"Zürich"}'
    flushing = [event.choices for event in answer.events if isinstance(event, OtherDelta)][1:]
    assert flushing == [(0,)] * 3
    assert answer.reasons == {0: "tool_calls"}


async def test_interleaved_choices_are_separated() -> None:
    async with Server(OpenAI()) as server:
        answer = await ask_server("openai", server.url, {"n": 3})
    assert [answer.text(choice) for choice in range(3)] == [TEXT] * 3
    assert answer.reasons == {0: "stop", 1: "stop", 2: "stop"}


async def test_an_answer_of_vllm_is_translated_to_events() -> None:
    async with Server(VLLM()) as server:
        answer = await ask_server("openai", server.url)
    assert answer.text() == TEXT
    assert [delta["reasoning"] for delta in answer.others if "reasoning" in delta] == ["They ask ", "about water."]
    assert answer.kinds[-2:] == ["Finish", "Usage"]
    assert answer.usage == {"prompt_tokens": 9, "total_tokens": 17, "completion_tokens": 8}


async def test_the_key_of_the_client_replaces_the_configured_key() -> None:
    async with Server(OpenAI()) as server:
        provider = make_provider("openai", server.url, api_key="sk-ours")
        answer = await ask(provider, key=KEY)
        await provider.aclose()
    assert answer.error is None
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"


async def test_the_error_for_a_wrong_key_does_not_contain_the_key() -> None:
    async with Server(OpenAI()) as server:
        answer = await ask_server("openai", server.url, api_key="sk-wrong")
    assert isinstance(answer.error, Rejected)
    assert (answer.error.status, answer.error.code) == (401, "invalid_api_key")
    assert answer.error.message == "Incorrect API key provided: ***"


async def test_a_server_that_rejects_stream_options_gets_one_retry_and_is_remembered() -> None:
    wrong = b'{"object":"error","message":{"detail":[{"loc":["body","stream_options"],"msg":"Extra inputs"}]}}'

    async def strict(request: Request) -> AsyncIterator[Step]:
        if "stream_options" in request.json:
            yield whole("422 Unprocessable Entity", wrong, "Content-Type: application/json")
        else:
            yield whole("200 OK", STOP, "Content-Type: text/event-stream")

    async with Server(strict) as server:
        provider = make_provider("openai", server.url)
        assert [(await ask(provider)).text() for _ in range(2)] == ["ok", "ok"]
        refused = await ask(provider, {"stream_options": {"include_usage": True}})
        await provider.aclose()
    assert ["stream_options" in request.json for request in server.requests] == [True, False, False, True]
    assert refused.error
    assert refused.error.message == "body.stream_options: Extra inputs"


async def reasoning_model(request: Request) -> AsyncIterator[Step]:
    """Refuse `max_tokens` like GPT-5 and the o-models of OpenAI, and a limit that is too large."""
    limits = {name for name in ("max_tokens", "max_completion_tokens") if name in request.json}
    if request.json["model"] == "gpt-5" and "max_tokens" in limits:
        text = (
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
        )
        yield error(400, text, "invalid_request_error", "unsupported_parameter")
    elif any(request.json[name] > 100 for name in limits):
        yield error(400, "max_tokens is too large.", "invalid_request_error", "invalid_value")
    else:
        yield whole("200 OK", STOP, "Content-Type: text/event-stream")


async def test_a_model_that_rejects_max_tokens_gets_max_completion_tokens_from_then_on() -> None:
    async with Server(reasoning_model) as server:
        provider = make_provider("openai", server.url)
        for model in ("gpt-5", "gpt-5", "gpt-4.1", "gpt-4.1"):
            assert (await ask(provider, {"max_tokens": 9}, model=model)).text() == "ok"
        refused = [(await ask(provider, {"max_tokens": 200}, model=model)).error for model in ("gpt-5", "gpt-4.1")]
        await provider.aclose()
    sent = [
        (request.json["model"], request.json.get("max_tokens"), request.json.get("max_completion_tokens"))
        for request in server.requests
    ]
    assert sent == [
        *(("gpt-5", 9, None), ("gpt-5", None, 9), ("gpt-5", None, 9)),
        *(("gpt-4.1", 9, None), ("gpt-4.1", 9, None)),
        *(("gpt-5", None, 200), ("gpt-4.1", 200, None)),
    ]
    assert [found and found.message for found in refused] == ["max_tokens is too large."] * 2


async def test_requests_that_are_rejected_at_the_same_time_are_all_repeated() -> None:
    both = asyncio.Event()

    async def waiting(request: Request) -> AsyncIterator[Step]:
        if "max_tokens" in request.json:
            if len([one for one in server.requests if "max_tokens" in one.json]) == 2:
                both.set()
            await both.wait()
        async for step in reasoning_model(request):
            yield step

    async with Server(waiting) as server:
        provider = make_provider("openai", server.url)
        answers = await asyncio.gather(*(ask(provider, {"max_tokens": 9}, model="gpt-5") for _ in range(2)))
        await provider.aclose()
    assert [answer.text() for answer in answers] == ["ok", "ok"]


async def test_a_rate_limit_error_has_a_retry_after() -> None:
    async with Server(script(error(429, "Slow down", "requests", "rate_limit_exceeded", "Retry-After: 7"))) as server:
        answer = await ask_server("openai", server.url)
    assert answer.error
    assert (answer.error.status, answer.error.retry_after, answer.error.type) == (429, "7", "requests")


async def test_cookies_of_the_provider_are_never_sent() -> None:
    async with Server(OpenAI()) as server:
        provider = make_provider("openai", server.url)
        await ask(provider)
        await ask(provider)
        await provider.aclose()
    assert all("cookie" not in request.headers for request in server.requests)


async def test_a_connection_is_reused() -> None:
    async with Server(OpenAI()) as server:
        provider = make_provider("openai", server.url)
        for _ in range(3):
            assert (await ask(provider)).error is None
        await provider.aclose()
    assert server.connections == 1


async def test_closing_the_stream_closes_the_connection() -> None:
    pieces = b'data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\n'

    async with Server(sse(pieces, Break.STALL)) as server:
        provider = make_provider("openai", server.url)
        async with aclosing(provider.stream(ChatRequest(MODEL, QUESTION))) as events:
            async for event in events:
                if isinstance(event, TextDelta):
                    break
        await server.left.wait()
        await provider.aclose()


async def test_the_names_of_models_are_listed() -> None:
    async with Server(OpenAI()) as server:
        provider = make_provider("openai", server.url)
        assert await provider.models() == ["gpt-4.1-2025-04-14", "gpt-4.1-mini-2025-04-14"]
        await provider.aclose()
        wrong = make_provider("openai", server.url, api_key="sk-wrong")
        with pytest.raises(Rejected, match=r"Incorrect API key provided: \*\*\*"):
            await wrong.models()
        await wrong.aclose()


async def test_pass_through_changes_no_byte() -> None:
    async with Server(OpenAI()) as server:
        provider = make_provider("openai", server.url)
        assert isinstance(provider, OpenAIProvider)
        sent = b'{"model":"m",  "messages":[],"stream":true,"stream_options":null}'
        relayed = await provider.relay(RelayRequest(sent, "/chat/completions", "m"))
        async with aclosing(relayed.body) as body:
            received = b"".join([data async for data in body])
        await provider.aclose()
    assert server.requests[0].body == sent
    assert received == b"".join(b"data: " + data + b"\n\n" for data in OpenAI().events({}))
    assert relayed.headers == {"content-type": "text/event-stream; charset=utf-8", "x-request-id": "req_1"}
    assert relayed.status == 200


async def test_closing_an_unread_pass_through_closes_the_connection() -> None:

    async with Server(sse(STOP, Break.STALL)) as server:
        provider = make_provider("openai", server.url)
        assert isinstance(provider, OpenAIProvider)
        relayed = await provider.relay(RelayRequest(b"{}", "/chat/completions"))
        await relayed.body.aclose()
        await server.left.wait()
        await provider.aclose()


async def test_azure_has_a_different_address_and_key_header() -> None:
    events = [
        b'data: {"id":"","object":"","choices":[],"prompt_filter_results":[{"prompt_index":0}]}\n\n',
        STOP,
        b"data: [DONE]\n\n",
    ]
    async with Server(sse(*events)) as server:
        azure = provider("openai", base_url=server.url, api_key="azure-key", azure=True, api_version="2025-01-01")
        answer = await ask(azure, model="my deployment")
        await azure.aclose()
    (request,) = server.requests
    assert request.target == "/openai/deployments/my%20deployment/chat/completions?api-version=2025-01-01"
    assert request.headers["api-key"] == "azure-key"
    assert "authorization" not in request.headers
    assert answer.text() == "ok"


AZURE = {
    "a resource": (
        "https://x.openai.azure.com/",
        "https://x.openai.azure.com/openai/deployments/d/chat/completions?api-version=2024-10-21",
    ),
    "a resource with its path": (
        "https://x.openai.azure.com/openai",
        "https://x.openai.azure.com/openai/deployments/d/chat/completions?api-version=2024-10-21",
    ),
    "the newer API": ("https://x.openai.azure.com/openai/v1", "https://x.openai.azure.com/openai/v1/chat/completions"),
}


@pytest.mark.parametrize("case", AZURE)
def test_the_address_of_an_azure_deployment(case: str) -> None:
    base_url, expected = AZURE[case]
    assert azure_url(base_url, "/chat/completions", "d", "") == expected


async def test_a_server_that_does_not_stream() -> None:
    choice = b'{"index":0,"message":{"role":"assistant","content":"Hi"},"finish_reason":"stop"}'
    body = b'{"choices":[%s],"usage":{"x":1}}' % choice
    answer = script(head("200 OK", "Content-Type: application/json", f"Content-Length: {len(body)}") + body)
    async with Server(answer) as server:
        received = await ask_server("openai", server.url)
    assert (received.text(), received.reasons, received.usage) == ("Hi", {0: "stop"}, {"x": 1})


def test_the_address_of_an_azure_api_contains_the_deployment_except_for_responses() -> None:
    base = "https://x.openai.azure.com/openai"
    assert azure_url(base, "/embeddings", "d", "v1") == f"{base}/deployments/d/embeddings?api-version=v1"
    assert azure_url(base, "/responses", "d", "v1") == f"{base}/responses?api-version=v1"
    assert azure_url(f"{base}/v1", "/responses", "d", "preview") == f"{base}/v1/responses?api-version=preview"
