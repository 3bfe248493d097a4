"""Pass-through: bytes are not changed, and a truncated stream is reported."""

from collections.abc import Iterator
from contextlib import aclosing
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citestream.citation.text.steps import complete
from citestream.providers.errors import BrokenStream, IncompleteAnswer, ProviderError, Rejected
from citestream.providers.events import RelayRequest
from citestream.providers.streaming.relay import EventBuffer
from citestream.providers.wire.stream_end import TERMINATORS, StreamEnd
from tests.providers.recorded_answer import MODELS, make_provider
from tests.upstreams.anthropic import Anthropic, text
from tests.upstreams.gemini import Gemini, spaced
from tests.upstreams.ollama import Ollama, line
from tests.upstreams.openai import OpenAI, error
from tests.upstreams.wire import Break, Server, Step, script, sse, whole

PATHS = {"openai": "/chat/completions", "ollama": "/api/chat", "gemini": ":streamGenerateContent?alt=sse"} | {
    "anthropic": "/v1/messages"
}
MESSAGE = Anthropic(text(*["Water boils at 100 °C. "] * 9))
UPSTREAMS: dict[str, tuple[Any, bytes, bytes]] = {
    "openai": (OpenAI(), b'{"stream":true}', b"".join(b"data: %s\n\n" % data for data in OpenAI().events({}))),
    "ollama": (Ollama(), b'{"model": "llama3.2"}', b"".join(map(line, Ollama().lines()))),
    "gemini": (Gemini(), b'{"contents": []}', b"".join(b"data: %s\r\n\r\n" % spaced(one) for one in Gemini().events())),
    "anthropic": (MESSAGE, b'{"max_tokens": 9, "stream": true}', b"".join(MESSAGE.events())),
}


async def relayed(
    kind: str, url: str, sent: bytes = b"{}", choices: int = 1, path: str = ""
) -> tuple[bytes, ProviderError | None]:
    provider = make_provider(kind, url)
    received = b""
    try:
        answer = await provider.relay(RelayRequest(sent, path or PATHS[kind], MODELS[kind], choices=choices))
        async with aclosing(answer.body) as body:
            async for data in body:
                received += data
    except ProviderError as failure:
        return received, failure
    finally:
        await provider.aclose()
    return received, None


@pytest.mark.parametrize("kind", UPSTREAMS)
async def test_no_byte_of_request_or_answer_changes(kind: str) -> None:
    upstream, sent, expected = UPSTREAMS[kind]
    async with Server(upstream) as server:
        assert await relayed(kind, server.url, sent) == (expected, None)
    assert server.requests[0].body == sent


SEPARATORS = {"openai": (b"\n\n",), "ollama": (b"\n",), "gemini": (b"\r\n\r\n",), "anthropic": (b"\n\n",)}
ENDINGS: dict[str, list[Step]] = {"the end of the body": [], "a close": [Break.CLOSE], "a reset": [Break.RESET]}


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("kind", UPSTREAMS)
async def test_a_stream_without_an_end_is_an_incomplete_answer(kind: str, ending: str) -> None:
    _, _, body = UPSTREAMS[kind]
    lines = ("Content-Type: application/x-ndjson" if kind == "ollama" else "Content-Type: text/event-stream",)
    first = body[: len(body) // 3]
    async with Server(sse(first, *ENDINGS[ending], lines=lines)) as server:
        received, failure = await relayed(kind, server.url)
    complete_events = first[: max(first.rfind(end) + len(end) if end in first else 0 for end in SEPARATORS[kind])]
    assert received == complete_events or ending == "a reset"
    assert isinstance(failure, IncompleteAnswer) or ending == "a reset"


@pytest.mark.parametrize("kind", UPSTREAMS)
async def test_an_answer_that_is_not_streamed_needs_no_end_marker(kind: str) -> None:
    async with Server(script(whole("200 OK", b'{"a": 1}', "Content-Type: application/json"))) as server:
        assert await relayed(kind, server.url) == (b'{"a": 1}', None)


@pytest.mark.parametrize("kind", UPSTREAMS)
async def test_an_error_status_is_raised_before_any_bytes(kind: str) -> None:
    async with Server(script(error(429, "Slow down", "requests", None, "Retry-After: 7"))) as server:
        received, failure = await relayed(kind, server.url)
    assert received == b""
    assert isinstance(failure, Rejected)
    assert (failure.status, failure.retry_after) == (429, "7")


@pytest.mark.parametrize("kind", UPSTREAMS)
def test_the_end_marker_is_found_however_reads_split_it(kind: str) -> None:
    body = UPSTREAMS[kind][2]
    for size in range(1, 60):
        ending, events = (
            StreamEnd(kind),
            EventBuffer(TERMINATORS["application/x-ndjson" if kind == "ollama" else "text/event-stream"]),
        )
        for at in range(0, len(body), size):
            assert not ending.seen or at > len(body) // 2
            ending.feed(events.feed(body[at : at + size]))
        assert ending.seen


def test_a_finish_reason_inside_text_or_arguments_is_not_an_end() -> None:
    text = b'{"content":"{\\"finish_reason\\":\\"stop\\"}"}'
    for delta in (text, b'{"tool_calls":[{"function":{"arguments":{"finish_reason":"stop","error":{"a":1}}}}]}'):
        ending = StreamEnd("openai")
        ending.feed(b'data: {"choices":[{"delta":%s,"finish_reason":null}]}\n\n' % delta)
        assert not ending.seen


@pytest.mark.parametrize("between", [b"\n\n", b"\r\n\r\n", b"\r\r"])
def test_an_end_is_found_before_and_after_other_events(between: bytes) -> None:
    delta, end = (
        b'data: {"choices":[{"index":0,"delta":{},"finish_reason":%b}]}%b' % (reason, between)
        for reason in (b"null", b'"stop"')
    )
    for events in (delta * 3 + end, end + delta, delta + end + b"data: [DONE]" + between):
        ending = StreamEnd("openai")
        ending.feed(events)
        assert ending.seen


def test_every_requested_choice_must_end() -> None:
    ending = StreamEnd("openai", choices=2)
    for choice in (1, 1, 0):
        assert not ending.seen
        ending.feed(b'data: {"choices":[{"index":%d,"delta":{},"finish_reason":"stop"}]}\n\n' % choice)
    assert ending.seen


def choice(index: int, reason: str = "null") -> bytes:
    return b'data: {"choices":[{"index":%d,"delta":{},"finish_reason":%s}]}\n\n' % (index, reason.encode())


def candidate(index: int, more: str = "") -> bytes:
    return b'data: {"candidates":[{"index":%d,"content":{}%s}]}\n\n' % (index, more.encode())


DONE = b"data: [DONE]\n\n"
STOP, CANDIDATE_STOP = '"stop"', ',"finishReason":"STOP"'
# Answer of a server to a request for three choices -> API, stream, whether it is complete
CHOICES_OF_THREE: dict[str, tuple[str, bytes, bool]] = {
    "one of three, then [DONE]": ("openai", choice(0) + choice(0, STOP) + DONE, True),
    "two of three, then [DONE]": ("openai", choice(0) + choice(1, STOP) + choice(0, STOP) + DONE, True),
    "one of three, then nothing": ("openai", choice(0) + choice(0, STOP), False),
    "a choice that began and did not end": ("openai", choice(0) + choice(1) + choice(0, STOP) + DONE, False),
    "no choice that ended": ("openai", choice(0) + DONE, False),
    "one candidate of three": ("gemini", candidate(0) + candidate(0, CANDIDATE_STOP), True),
    "a candidate that has not ended": ("gemini", candidate(0, CANDIDATE_STOP) + candidate(1), False),
    "no candidate that ended": ("gemini", candidate(0), False),
}


async def test_text_that_contains_done_is_not_an_end() -> None:
    events = [b'data: {"choices":[{"index":0,"delta":{"content":"\\ndata: [DONE]"}}]}\n\n', choice(0, STOP), DONE]
    async with Server(sse(*events)) as server:
        assert await relayed("openai", server.url) == (b"".join(events), None)


RESPONSE_END = b'data: {"type":"response.completed"}\n\n'


@pytest.mark.parametrize(("api", "ending"), [("openai", choice(0, STOP)), ("responses", RESPONSE_END)])
@pytest.mark.parametrize("choices", [1, 2])
def test_an_end_after_done_does_not_count_because_clients_have_stopped_reading(
    api: str, ending: bytes, choices: int
) -> None:
    for before in (b"", choice(0)):
        end, events = StreamEnd(api, choices), before + DONE + ending
        assert end.feed(events) == len(before)
        assert not end.seen


@pytest.mark.parametrize("shift", range(-80, 20))
def test_ends_are_found_wherever_they_are_in_a_large_read(shift: int) -> None:
    before = choice(0)
    before += b": " + b"x" * (2**20 + shift - len(before) - 4) + b"\n\n"  # the end is near a multiple of 1 MB
    for ending, seen, done in ((choice(0, STOP) + DONE, True, -1), (DONE, False, len(before))):
        end = StreamEnd("openai")
        assert end.feed(before + ending) == done
        assert end.seen == seen


@pytest.mark.parametrize("case", CHOICES_OF_THREE)
@pytest.mark.parametrize("pieces", [1, 7, 10_000], ids=["whole", "in pieces", "a byte at a time"])
async def test_fewer_choices_than_requested_are_complete_if_each_of_them_ends(case: str, pieces: int) -> None:
    kind, stream, is_complete = CHOICES_OF_THREE[case]
    size = max(1, len(stream) // pieces)
    async with Server(sse(*(stream[at : at + size] for at in range(0, len(stream), size)))) as server:
        received, failure = await relayed(kind, server.url, choices=3)
    assert received == (stream if is_complete else stream.removesuffix(DONE))  # the error must not follow [DONE]
    assert failure is None if is_complete else isinstance(failure, IncompleteAnswer)


async def test_fewer_candidates_are_incomplete_if_the_connection_breaks() -> None:
    event = candidate(0, CANDIDATE_STOP)
    async with Server(sse(event, Break.CLOSE)) as server:
        received, failure = await relayed("gemini", server.url, choices=2)
    assert received == event
    assert isinstance(failure, IncompleteAnswer)


ENDS: dict[str, tuple[str, bytes]] = {
    "OpenAI's error": ("openai", b'data: {"error":{"message":"x"}}\n\n'),
    "vLLM's error": ("openai", b'data: {"object":"error","message":"x"}\n\n'),
    "a completed response": ("responses", b'event: response.completed\ndata: {"type":"response.completed"}\n\n'),
    "a failed response": ("responses", b'event: response.failed\ndata: {"type":"response.failed"}\n\n'),
    "an error event": ("responses", b'event: error\ndata: {"type":"error","message":"x"}\n\n'),
    "Ollama's error": ("ollama", b'{"error":"x"}\n'),
    "a blocked prompt": ("gemini", b'data: {"promptFeedback":{"blockReason":"SAFETY"}}\r\n\r\n'),
}


@pytest.mark.parametrize("case", ENDS)
def test_errors_and_other_end_events_end_a_stream(case: str) -> None:
    api, event = ENDS[case]
    ending = StreamEnd(api)
    ending.feed(event)
    assert ending.seen


def test_an_error_without_an_event_envelope_is_not_an_end() -> None:
    ending = StreamEnd("openai")
    ending.feed(b'{"error":{"message":"x"}}\n\n')
    assert not ending.seen


EVENTS, LINES = TERMINATORS["text/event-stream"], TERMINATORS["application/x-ndjson"]


def pieces(stream: bytes, sizes: list[int]) -> Iterator[bytes]:
    for size in sizes:
        yield stream[:size]
        stream = stream[size:]
    yield stream


@given(
    st.lists(st.sampled_from([b"data: 1", b": c", b"x" * 50, b"\n", b"\r\n", b"\r", b"\n\n"]), max_size=30),
    st.lists(st.integers(0, 20), max_size=30),
    st.sampled_from([EVENTS, LINES]),
)
def test_the_buffer_passes_all_bytes_in_complete_events(
    parts: list[bytes], sizes: list[int], ends: tuple[bytes, ...]
) -> None:
    stream, event_buffer, passed = b"".join(parts), EventBuffer(ends), b""
    for piece in pieces(stream, sizes):
        events = event_buffer.feed(piece)
        passed += events
        assert not events or passed.endswith(ends)
    assert passed + event_buffer.flush() == stream


def test_an_event_is_passed_on_with_the_read_that_completes_it() -> None:
    for blank in (b"\n\n", b"\r\n\r\n", b"\r\r"):
        event_buffer = EventBuffer(EVENTS)
        event = b"data: 1" + blank
        received = b"".join(event_buffer.feed(event[at : at + 1]) for at in range(len(event)))
        assert received + event_buffer.feed(b"d")[:1] in {event, event[:-1]}, blank


def test_a_single_line_end_does_not_end_an_event() -> None:
    event_buffer = EventBuffer(EVENTS)
    assert event_buffer.feed(b"event: x\r\ndata: 1\r\n") == b""


def test_at_a_break_a_partial_event_is_dropped_and_a_complete_one_is_terminated() -> None:
    for held, kept in {
        b'data: {"a"': b"",
        b'data: {"a":1}': b'data: {"a":1}\n\n',
        b'data: {"a":1}\n': b'data: {"a":1}\n\n',
        b"data: [DO": b"",
        b'event: x\ndata: {"a":1}\n': b'event: x\ndata: {"a":1}\n\n',
        b'event: x\r\ndata: {"a":1}\r\n': b'event: x\r\ndata: {"a":1}\n\n',
        b'event: x\ndata: {"a"': b"",
        b"event: x\n": b"",
        b"": b"",
    }.items():
        event_buffer = EventBuffer(EVENTS)
        assert event_buffer.feed(b"data: 0\n\n" + held) == b"data: 0\n\n"
        assert complete(event_buffer.terminate(event_buffer.flush())) == kept


async def test_the_last_event_is_delivered_if_only_its_blank_line_is_missing() -> None:
    last = b'event: response.completed\ndata: {"type":"response.completed"}\n'
    async with Server(sse(last, Break.CLOSE)) as server:
        assert await relayed("openai", server.url, path="/responses") == (last + b"\n", None)


def test_an_incomplete_event_above_the_limit_is_an_error() -> None:
    event_buffer = EventBuffer(EVENTS, limit=1000)
    assert event_buffer.feed(b"x" * 5000 + b"\n\n")  # a complete event is passed on in any size
    with pytest.raises(BrokenStream):
        for _ in range(11):
            event_buffer.feed(b"x" * 100)
