"""GeminiProvider with Gemini's wire format: its answers as events, its errors and its models."""

from typing import Any

import pytest

from citestream.providers.errors import IncompleteAnswer, Rejected, ReportedError
from citestream.providers.events import Finish
from citestream.providers.wire.gemini.candidates import GeminiReader, logprobs_of
from tests.providers.recorded_answer import ask_server, make_provider
from tests.upstreams.gemini import KEY, MODEL, Gemini, error, spaced
from tests.upstreams.wire import Server, script, sse

TEXT = "Water boils at 100 °C [1]."
RETRY = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "7s"}


def response_event(*parts: dict[str, Any], reason: str | None = None, **fields: Any) -> bytes:
    candidate = {
        "content": {"parts": list(parts), "role": "model"},
        "index": 0,
        **({"finishReason": reason} if reason else {}),
    }
    return b"data: " + spaced({"candidates": [candidate | fields]}) + b"\r\n\r\n"


async def test_an_answer_is_translated_to_events() -> None:
    async with Server(Gemini(thoughts=["They ", "ask."])) as server:
        answer = await ask_server("gemini", server.url)
    assert answer.error is None
    assert answer.text() == TEXT
    assert [delta["reasoning"] for delta in answer.others if "reasoning" in delta] == ["They ", "ask."]
    assert answer.others[0] == {"role": "assistant"}
    assert answer.reasons == {0: "stop"}
    assert answer.usage == {
        "prompt_tokens": 12,
        "completion_tokens": 45,
        "total_tokens": 57,
        "prompt_tokens_details": {"cached_tokens": 8},
        "completion_tokens_details": {"reasoning_tokens": 40},
    }
    finish = next(event for event in answer.events if isinstance(event, Finish))
    assert (finish.chunk["id"], finish.chunk["model"], finish.chunk["object"]) == (
        "r3sp0ns3",
        MODEL,
        "chat.completion.chunk",
    )
    assert finish.chunk["choices"][0]["native_finish_reason"] == "STOP"


async def test_the_key_is_sent_in_a_header() -> None:
    async with Server(Gemini()) as server:
        await ask_server("gemini", server.url)
    (request,) = server.requests
    assert request.target == f"/v1beta/models/{MODEL}:streamGenerateContent?alt=sse"
    assert request.headers["x-goog-api-key"] == KEY


async def test_tool_calls_are_numbered_and_keep_their_signature() -> None:
    async with Server(Gemini(calls=2)) as server:
        answer = await ask_server("gemini", server.url)
    calls = [delta["tool_calls"][0] for delta in answer.others if "tool_calls" in delta]
    assert [call["index"] for call in calls] == [0, 1]
    assert calls[0]["function"] == {"name": "weather", "arguments": '{"city":"Zürich"}'}
    assert calls[0]["extra_content"] == {"google": {"thought_signature": "c2ln"}}
    assert answer.reasons == {0: "tool_calls"}


async def test_vertex_has_different_addresses_and_accepts_access_tokens() -> None:
    async with Server(Gemini()) as server:
        base_url = f"{server.url}/v1/projects/p/locations/europe-west1"
        answer = await ask_server("gemini", base_url, vertex=True, api_key="ya29.token")
        provider = make_provider("gemini", base_url, vertex=True, api_key="ya29.token")
        assert await provider.models() == [MODEL]
        await provider.aclose()
    assert answer.text() == TEXT
    request = server.requests[0]
    assert request.target == (
        f"/v1/projects/p/locations/europe-west1/publishers/google/models/{MODEL}:streamGenerateContent?alt=sse"
    )
    assert request.headers["authorization"] == "Bearer ya29.token"
    assert "x-goog-api-key" not in request.headers


async def test_only_models_that_generate_text_are_listed() -> None:
    async with Server(Gemini()) as server:
        provider = make_provider("gemini", server.url)
        assert await provider.models() == [MODEL]
        await provider.aclose()
        wrong = make_provider("gemini", server.url, api_key="AIzaWrong")
        with pytest.raises(Rejected, match="API key not valid") as raised:
            await wrong.models()
        await wrong.aclose()
    assert raised.value.code == "INVALID_ARGUMENT"


async def test_a_rate_limit_error_has_a_retry_after() -> None:
    async with Server(script(error(429, "Quota exceeded", "RESOURCE_EXHAUSTED", RETRY))) as server:
        answer = await ask_server("gemini", server.url)
    assert answer.error
    assert (answer.error.status, answer.error.retry_after, answer.error.code) == (429, "7", "RESOURCE_EXHAUSTED")


REASONS = {
    "STOP": "stop",
    "MAX_TOKENS": "length",
    **dict.fromkeys(["SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "LANGUAGE"], "content_filter"),
    **dict.fromkeys(["MALFORMED_FUNCTION_CALL", "OTHER", "FINISH_REASON_UNSPECIFIED", "SOMETHING_NEW"], None),
}


@pytest.mark.parametrize("native", REASONS)
async def test_a_finish_reason_is_translated_or_is_an_error(native: str) -> None:
    async with Server(Gemini(finish=native)) as server:
        answer = await ask_server("gemini", server.url)
    assert answer.text() == TEXT
    if REASONS[native]:
        assert answer.reasons == {0: REASONS[native]}
    else:
        assert isinstance(answer.error, ReportedError)
        assert answer.error.code == native


STREAMS: dict[str, tuple[list[bytes], str, Any]] = {
    "a blocked prompt": (
        [b'data: {"promptFeedback": {"blockReason": "SAFETY"},"usageMetadata": {"promptTokenCount": 3}}\r\n\r\n'],
        "",
        "content_filter",
    ),
    "a finish without content": (
        [response_event({"text": "Wa"}), b'data: {"candidates": [{"finishReason": "SAFETY","index": 0}]}\r\n\r\n'],
        "Wa",
        "content_filter",
    ),
    "a finish reason on every event": (
        [response_event({"text": "Wa"}, reason="STOP"), response_event({"text": "ter"}, reason="STOP")],
        "Water",
        "stop",
    ),
    "several parts in one event": (
        [response_event({"text": "hm", "thought": True}, {"text": "Wa"}, {"text": "ter"}, reason="STOP")],
        "Water",
        "stop",
    ),
    "an event without candidates": (
        [
            response_event({"text": "Wa"}),
            b'data: {"usageMetadata": {}}\r\n\r\n',
            b"data: {}\r\n\r\n",
            response_event(reason="STOP"),
        ],
        "Wa",
        "stop",
    ),
    "an error in the stream": (
        [
            response_event({"text": "Wa"}),
            b'data: {"error": {"code": 503,"message": "Overloaded","status": "UNAVAILABLE"}}\r\n\r\n',
        ],
        "Wa",
        ReportedError,
    ),
    "the end without a finish reason": ([response_event({"text": "Wa"})], "Wa", IncompleteAnswer),
    "an event that is not JSON": (
        [response_event({"text": "Wa"}), b"data: {oops\r\n\r\n", response_event({"text": "ter"}, reason="STOP")],
        "Water",
        "stop",
    ),
}


@pytest.mark.parametrize("case", STREAMS)
@pytest.mark.parametrize("size", [1, 11, 1000])
async def test_a_stream_has_the_expected_text_and_end(case: str, size: int) -> None:
    events, text, end = STREAMS[case]
    stream = b"".join(events)
    async with Server(sse(*(stream[at : at + size] for at in range(0, len(stream), size)))) as server:
        answer = await ask_server("gemini", server.url)
    assert answer.text() == text
    if isinstance(end, str):
        assert answer.reasons == {0: end}
        assert answer.error is None
    else:
        assert type(answer.error) is end


def test_candidates_are_separated() -> None:
    reader = GeminiReader("m", 2)
    both = [
        {"index": at, "content": {"parts": [{"text": text}]}, "finishReason": "STOP"} for at, text in enumerate("ab")
    ]
    events = [*reader.read(spaced({"candidates": both})), *reader.end()]
    assert [getattr(event, "text", type(event).__name__) for event in events] == [
        "OtherDelta",
        "a",
        "OtherDelta",
        "b",
        "Finish",
        "Finish",
    ]


def test_images_log_probabilities_and_grounding_are_kept() -> None:
    reader = GeminiReader("m")
    chosen = [{"token": "a", "logProbability": -0.5}]
    scored = {"chosenCandidates": chosen, "topCandidates": [{"candidates": chosen}]}
    candidate = {
        "content": {
            "parts": [
                {"inlineData": {"mimeType": "image/png", "data": "AA=="}},
                {"executableCode": {"code": "1"}},
                {"text": "a"},
            ]
        },
        "logprobsResult": scored,
        "groundingMetadata": {"webSearchQueries": ["q"]},
        "finishReason": "STOP",
    }
    events = [*reader.read(spaced({"candidates": [candidate]})), *reader.end()]
    deltas = [choice for event in events if hasattr(event, "chunk") for choice in event.chunk["choices"]]
    assert deltas[1]["delta"]["images"][0]["image_url"]["url"] == "data:image/png;base64,AA=="
    assert deltas[2]["delta"] == {"content_parts": [{"index": 0, "executableCode": {"code": "1"}}]}
    token = {"token": "a", "logprob": -0.5, "bytes": [97]}
    assert deltas[3]["logprobs"]["content"] == [{**token, "top_logprobs": [token]}]
    assert deltas[4]["google"] == {"groundingMetadata": {"webSearchQueries": ["q"]}}


def test_a_token_without_alternatives_has_an_empty_list() -> None:
    chosen = [{"token": "a", "logProbability": -0.5}, {"token": "b", "logProbability": -0.1}]
    logprobs = logprobs_of({"chosenCandidates": chosen, "topCandidates": [{"candidates": chosen}]})
    assert logprobs is not None
    assert [len(token["top_logprobs"]) for token in logprobs["content"]] == [2, 0]
