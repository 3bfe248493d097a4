"""Faults between a provider and the proxy: received text is delivered, and only a finish reason ends an answer."""

import asyncio
import gzip
import json
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from typing import Any

import pytest

from citestream.providers.errors import (
    BrokenStream,
    IncompleteAnswer,
    ProviderError,
    Rejected,
    ReportedError,
    TimedOut,
    Unreachable,
)
from citestream.providers.events import ChatRequest, Idle, Wakeup
from tests.clock import Clock, timing_out
from tests.providers.recorded_answer import MODELS, QUESTION, Answer, ask, ask_server, make_provider
from tests.upstreams.anthropic import Anthropic, text
from tests.upstreams.gemini import Gemini, spaced
from tests.upstreams.ollama import Ollama, line
from tests.upstreams.openai import OpenAI
from tests.upstreams.wire import Break, Request, Server, Step, chunk, head, script, sse, whole

CHUNKED = head("200 OK", "Content-Type: text/event-stream", "Transfer-Encoding: chunked")


def event(text: str | None = None, reason: str | None = None, **fields: Any) -> bytes:
    delta = {} if text is None else {"content": text}
    return (
        b"data: %s\n\n"
        % json.dumps({"choices": [{"index": 0, "delta": delta, "finish_reason": reason}], **fields}).encode()
    )


WATER, STOP, DONE = event("Water"), event(reason="stop"), b"data: [DONE]\n\n"
USAGE = b'data: {"choices":[],"usage":{"total_tokens":3}}\n\n'

# The pieces that a server writes, each as one HTTP chunk; the expected text; and the expected end:
# a finish reason or an error.
FAULTS: dict[str, tuple[Sequence[Step], str, str | type[ProviderError]]] = {
    "the end of the body without a finish reason": ([WATER], "Water", IncompleteAnswer),
    "[DONE] without a finish reason": ([WATER, DONE], "Water", IncompleteAnswer),
    "nothing at all": ([], "", IncompleteAnswer),
    "half an event, then the end": ([WATER, b'data: {"choices":[{"index":0,"delta":{"con'], "Water", IncompleteAnswer),
    "a complete event whose blank line is missing": (
        [WATER, event(" boils").rstrip()],
        "Water boils",
        IncompleteAnswer,
    ),
    "a finish reason whose blank line is missing": ([WATER, STOP.rstrip()], "Water", "stop"),
    "[DONE] whose blank line is missing": ([WATER, STOP, b"data: [DONE]"], "Water", "stop"),
    "no [DONE]": ([WATER, STOP], "Water", "stop"),
    "a reset in the answer": ([WATER, Break.RESET], "Water", IncompleteAnswer),
    "a reset in an event": ([WATER, b'data: {"choi', Break.RESET], "Water", IncompleteAnswer),
    "a reset after the finish reason": ([WATER, STOP, Break.RESET], "Water", "stop"),
    "a close in the answer, without the last chunk": ([WATER, Break.CLOSE], "Water", IncompleteAnswer),
    "a close after the finish reason": ([WATER, STOP, Break.CLOSE], "Water", "stop"),
    "silence in the answer": ([WATER, Break.STALL], "Water", TimedOut),
    "silence in an event": ([WATER, b"data: {", Break.STALL], "Water", TimedOut),
    "silence after the headers": ([Break.STALL], "", TimedOut),
    "silence after the finish reason": ([WATER, STOP, USAGE, Break.STALL], "Water", "stop"),
    "silence after [DONE]": ([WATER, STOP, DONE, Break.STALL], "Water", "stop"),
    "data after [DONE]": ([WATER, STOP, DONE, event("x")], "Water", "stop"),
    "text after the finish reason": ([WATER, STOP, event(" boils"), DONE], "Water boils", "stop"),
    "two finish reasons": ([WATER, event(reason="length"), STOP, DONE], "Water", "length"),
    "one event that is not JSON": ([WATER, b"data: {oops}\n\n", event(" boils"), STOP, DONE], "Water boils", "stop"),
    "events without data, with names, ids and retry times": (
        [b"event: ping\n\n", b": comment\n\n", b"retry: 5\nid: 1\n\n", b"event: message\n" + WATER, b"data:\n\n", STOP],
        "Water",
        "stop",
    ),
    "a byte order mark": ([b"\xef\xbb", b"\xbf" + WATER, STOP], "Water", "stop"),
    "carriage returns and line feeds": ([WATER.replace(b"\n", b"\r\n"), STOP.replace(b"\n", b"\r\n")], "Water", "stop"),
    "carriage returns alone": ([WATER.replace(b"\n", b"\r"), STOP.replace(b"\n", b"\r")], "Water", "stop"),
    "no space after the colon": ([WATER.replace(b"data: ", b"data:"), STOP], "Water", "stop"),
    "an event on several lines": ([WATER.replace(b'"index"', b'\ndata: "index"'), STOP], "Water", "stop"),
    "characters split between chunks": (
        [
            piece
            for byte in 'data: {"choices":[{"index":0,"delta":{"content":"100 °C 水🙂"}}]}\n\n'.encode()
            for piece in [bytes([byte])]
        ]
        + [STOP],
        "100 °C 水🙂",
        "stop",
    ),
    "unpaired surrogates": ([event("a\ud83d"), event("\ude00"), event("b\udfff"), STOP], "a😀b\ufffd", "stop"),
    "an event of 1.5 MB": ([event("x" * 1_500_000), STOP], "x" * 1_500_000, "stop"),
    "a line that never ends": ([WATER, b"data: ", *[b"x" * 2**20] * 17], "Water", BrokenStream),
    "an error in the stream": (
        [WATER, b'data: {"error":{"message":"Overloaded","type":"server_error"}}\n\n', DONE],
        "Water",
        ReportedError,
    ),
    "an error of another vendor": (
        [WATER, b'data: {"object":"error","message":"aborted","code":500}\n\n'],
        "Water",
        ReportedError,
    ),
    "an error that is a string": ([WATER, b'data: {"error":"out of memory"}\n\n'], "Water", ReportedError),
    "an error beside text": ([event("Water", "error", error={"message": "gone", "code": 502})], "Water", ReportedError),
    "an error as the first event": ([b'data: {"error":{"message":"Overloaded"}}\n\n'], "", ReportedError),
    "an error without a blank line": ([WATER, b'data: {"error":{"message":"Overloaded"}}'], "Water", ReportedError),
}


def assert_result(answer: Answer, text: str, end: str | type[ProviderError]) -> None:
    assert answer.text() == text
    if isinstance(end, str):
        assert answer.error is None
        assert answer.reasons == {0: end}
    else:
        assert type(answer.error) is end
        assert answer.reasons == {}


@pytest.mark.parametrize("case", FAULTS)
async def test_a_fault_has_the_expected_text_and_end(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    steps, text, end = FAULTS[case]
    async with Server(timing_out(sse(*steps), Clock(monkeypatch))) as server:
        assert_result(await ask_server("openai", server.url), text, end)


async def test_an_answer_that_never_ends_breaks_at_its_limit() -> None:
    async with Server(sse(*[event("Water boils. ")] * 100, STOP, DONE)) as server:
        answer = await ask_server("openai", server.url, max_answer_bytes=2000)
        assert type(answer.error) is BrokenStream
        assert answer.reasons == {}
        assert 20 <= answer.text().count("Water boils. ") < 100  # the kernel decides how many arrive in each read
        assert_result(await ask_server("openai", server.url, max_answer_bytes=20_000), "Water boils. " * 100, "stop")


@pytest.mark.parametrize(
    "case", [case for case in FAULTS if not any(isinstance(step, Break) for step in FAULTS[case][0])]
)
@pytest.mark.parametrize("size", [1, 13])
async def test_splitting_the_stream_does_not_change_the_result(case: str, size: int) -> None:
    steps, text, end = FAULTS[case]
    stream = b"".join(step for step in steps if isinstance(step, bytes))
    if len(stream) > 100_000:
        size = 60_000 + size
    async with Server(sse(*(stream[at : at + size] for at in range(0, len(stream), size)))) as server:
        assert_result(await ask_server("openai", server.url), text, end)


WORDS = ("Wa", "ter °", "🙂")
TEXT = "".join(WORDS)
# The content type and the bytes of a complete answer, without HTTP framing.
WHOLE = {
    "openai": ("text/event-stream", b"".join(b"data: %s\n\n" % data for data in OpenAI(WORDS).events({}))),
    "ollama": ("application/x-ndjson", b"".join(map(line, Ollama(WORDS).lines()))),
    "gemini": ("text/event-stream", b"".join(b"data: %s\r\n\r\n" % spaced(one) for one in Gemini(WORDS).events())),
    "anthropic": ("text/event-stream", b"".join(Anthropic(text(*WORDS)).events())),
}


@pytest.mark.parametrize("kind", WHOLE)
@pytest.mark.parametrize("how", [Break.CLOSE, Break.RESET])
async def test_a_stream_closed_or_reset_at_any_byte_loses_no_text(kind: str, how: Break) -> None:
    """The text is a prefix of the sent text, and the answer ends only if its end arrived."""
    content_type, body = WHOLE[kind]
    sent = b""

    async def answer(_: Request) -> AsyncIterator[Step]:
        yield head("200 OK", f"Content-Type: {content_type}", "Transfer-Encoding: chunked") + chunk(sent) * bool(sent)
        yield how

    longest = 0
    async with Server(answer) as server:
        provider = make_provider(kind, server.url)
        for cut in range(0, len(body) + 1, 1 if how is Break.CLOSE else 17):
            sent = body[:cut]
            received = await ask(provider)
            assert TEXT.startswith(received.text())
            if received.error is None:
                assert (received.text(), received.reasons) == (TEXT, {0: "stop"})
            elif how is Break.CLOSE:
                assert type(received.error) is IncompleteAnswer
                assert len(received.text()) >= longest  # a longer part never yields less text
                longest = len(received.text())
            else:  # a reset may overtake what was sent before it
                assert type(received.error) in {IncompleteAnswer, Unreachable}
        await provider.aclose()


@pytest.mark.parametrize("kind", WHOLE)
async def test_a_stream_of_single_bytes(kind: str) -> None:
    content_type, body = WHOLE[kind]
    pieces = [body[at : at + 1] for at in range(len(body))]
    async with Server(sse(*pieces, lines=(f"Content-Type: {content_type}",))) as server:
        assert_result(await ask_server(kind, server.url), TEXT, "stop")


@pytest.mark.parametrize("kind", WHOLE)
async def test_an_unrequested_compressed_stream_is_read(kind: str) -> None:
    content_type, body = WHOLE[kind]
    compressed = gzip.compress(body)
    lines = (f"Content-Type: {content_type}", "Content-Encoding: gzip")
    async with Server(sse(compressed[:40], compressed[40:], lines=lines)) as server:
        assert_result(await ask_server(kind, server.url), TEXT, "stop")


@pytest.mark.parametrize("kind", WHOLE)
async def test_a_server_with_http_1_0(kind: str) -> None:
    content_type, body = WHOLE[kind]
    first = f"HTTP/1.0 200 OK\r\nContent-Type: {content_type}\r\n\r\n".encode()
    async with Server(script(first, body, Break.CLOSE)) as server:
        assert_result(await ask_server(kind, server.url), TEXT, "stop")


@pytest.mark.parametrize("kind", WHOLE)
async def test_a_body_shorter_than_content_length_is_incomplete(kind: str) -> None:
    content_type, body = WHOLE[kind]
    first = head("200 OK", f"Content-Type: {content_type}", f"Content-Length: {len(body) + 10}")
    async with Server(script(first + body[: len(body) // 2], Break.CLOSE)) as server:
        assert type((await ask_server(kind, server.url)).error) is IncompleteAnswer


# Answers of a server before any stream, and the error for the client.
REFUSALS: dict[str, tuple[Sequence[Step], type[ProviderError], int]] = {
    "a web page instead of a stream": (
        [whole("200 OK", b"<html>Welcome to nginx on host-7.internal</html>", "Content-Type: text/html")],
        BrokenStream,
        502,
    ),
    "a web page with an error": (
        [whole("502 Bad Gateway", b"<html>host-7.internal</html>", "Content-Type: text/html")],
        Rejected,
        502,
    ),
    "a redirect": ([whole("302 Found", b"", "Location: http://127.0.0.1:1/steal")], Rejected, 502),
    "400": ([whole("400 Bad Request", b'{"error":{"message":"Bad"}}')], Rejected, 400),
    "401": ([whole("401 Unauthorized", b'{"error":{"message":"Key sk-secret123 is wrong"}}')], Rejected, 401),
    "404": ([whole("404 Not Found", b'{"error":"model not found"}')], Rejected, 404),
    "429": ([whole("429 Too Many Requests", b'{"error":{"message":"Slow down"}}', "Retry-After: 7")], Rejected, 429),
    "500": ([whole("500 Internal Server Error", b"Traceback at /srv/app.py")], Rejected, 502),
    "503 with a truncated body": (
        [head("503 Service Unavailable", "Content-Length: 100") + b"{", Break.CLOSE],
        Rejected,
        503,
    ),
    "a reset before the headers": ([Break.RESET], Unreachable, 502),
    "a close before the headers": ([Break.CLOSE], Unreachable, 502),
    "half a header": ([b"HTTP/1.1 200 OK\r\nContent-Ty", Break.CLOSE], Unreachable, 502),
    "something that is not HTTP": ([b"SSH-2.0-OpenSSH_9.2\r\n\r\n", Break.CLOSE], BrokenStream, 502),
    "silence": ([Break.STALL], TimedOut, 504),
}


@pytest.mark.parametrize("kind", WHOLE)
@pytest.mark.parametrize("case", REFUSALS)
async def test_a_failure_before_the_answer_has_a_status_and_no_secrets(
    case: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps, expected, status = REFUSALS[case]
    async with Server(timing_out(script(*steps), Clock(monkeypatch))) as server:
        answer = await ask_server(kind, server.url)
    assert type(answer.error) is expected
    assert answer.error.status == status
    assert answer.events == []
    for secret in ("internal", "sk-secret", "Traceback", "127.0.0.1", "<html>"):
        assert secret not in answer.error.message
    assert answer.error.retry_after == ("7" if case == "429" else None)
    assert len(server.requests) == 1


@pytest.mark.parametrize("kind", WHOLE)
async def test_a_refused_connection_is_an_unreachable_provider(kind: str) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    answer = await ask_server(kind, f"http://127.0.0.1:{port}")
    assert type(answer.error) is Unreachable
    assert (answer.error.status, answer.error.message) == (
        502,
        "The provider could not be reached: its host refused the connection.",
    )


@pytest.mark.parametrize(
    "address", ["http://no-such-host.invalid", "http://", "not a url", "http://[::", "ftp://127.0.0.1"]
)
async def test_an_invalid_address_is_a_provider_error(address: str) -> None:
    answer = await ask_server("openai", address)
    assert isinstance(answer.error, ProviderError)
    assert answer.error.status in {502, 504}


async def test_silence_yields_idle_events_at_the_wakeup_of_the_request() -> None:
    async with Server(sse(WATER, Break.STALL)) as server:
        provider = make_provider("openai", server.url)
        ticks = 0
        request = ChatRequest(MODELS["openai"], QUESTION, wakeup=Wakeup(lambda: 0.02))
        async with aclosing(provider.stream(request)) as events:
            async for item in events:
                ticks += isinstance(item, Idle)
                if ticks == 3:
                    break
        await provider.aclose()
    assert ticks == 3


@pytest.mark.parametrize("stage", ["before the headers", "after the headers", "in the answer"])
async def test_cancelling_the_request_closes_the_connection(stage: str) -> None:
    reached = asyncio.Event()

    async def answer(_: Request) -> AsyncIterator[Step]:
        if stage != "before the headers":
            yield CHUNKED
        if stage == "in the answer":
            yield chunk(WATER)
        reached.set()
        yield Break.STALL

    async with Server(answer) as server:
        provider = make_provider("openai", server.url)
        async with asyncio.TaskGroup() as tasks:
            request = tasks.create_task(ask(provider))
            await reached.wait()
            request.cancel()
            await server.left.wait()
        await provider.aclose()


async def test_the_next_request_after_every_fault_succeeds() -> None:
    faults = iter([steps for steps, _, _ in FAULTS.values() if Break.STALL not in steps])
    current: Sequence[Step] = ()

    async def answer(_: Request) -> AsyncIterator[Step]:
        yield CHUNKED
        for step in current:
            yield chunk(step) if isinstance(step, bytes) else step
        yield chunk(b"")

    async with Server(answer) as server:
        provider = make_provider("openai", server.url)
        for steps in faults:
            current = steps
            await ask(provider)
            current = [WATER, STOP, DONE]
            assert_result(await ask(provider), "Water", "stop")
        await provider.aclose()
