"""A request is retried only before the answer has begun, if that is safe, and a limited number of times."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from citestream.providers.errors import (
    BrokenStream,
    IncompleteAnswer,
    ProviderError,
    Rejected,
    ReportedError,
    TimedOut,
    Unreachable,
    rejected,
    translate,
)
from citestream.providers.streaming.relay import relay
from citestream.providers.transport import Call, Retries, Timeouts, Transport
from citestream.providers.wire.stream_end import StreamEnd
from tests.clock import Clock, timing_out
from tests.providers.recorded_answer import ask, ask_server, make_provider
from tests.providers.streaming.test_faults import TEXT, WATER, WHOLE
from tests.upstreams.wire import Break, Request, Server, Step, chunk, head, whole

IMMEDIATE = Retries(most=2, longest_wait=0.0)
GOOD = object()  # a complete answer of the provider
BUSY = whole("503 Service Unavailable", b'{"error":{"message":"Loading model"}}')
HEADERS = head("200 OK", "Content-Type: text/event-stream", "Transfer-Encoding: chunked")


class AnswersInTurn:
    """A server that answers each request with the next of these answers, and repeats the last one."""

    def __init__(self, kind: str, *answers: Sequence[Step] | object) -> None:
        content_type, body = WHOLE[kind]
        lines = (f"Content-Type: {content_type}", "Transfer-Encoding: chunked")
        self._good: Sequence[Step] = [head("200 OK", *lines), chunk(body), chunk(b"")]
        self._turns = answers
        self.requests = 0

    async def __call__(self, _: Request) -> AsyncIterator[Step]:
        answer = self._turns[min(self.requests, len(self._turns) - 1)]
        self.requests += 1
        for step in self._good if answer is GOOD else answer:  # type: ignore[attr-defined]
            yield step


# The first answer of a provider, and whether the request is retried.
RETRIED: dict[str, tuple[Sequence[Step], bool]] = {
    "429": ([whole("429 Too Many Requests", b'{"error":{"message":"Slow down"}}')], True),
    "502": ([whole("502 Bad Gateway", b"<html>", "Content-Type: text/html")], True),
    "503": ([BUSY], True),
    "504": ([whole("504 Gateway Timeout", b"")], True),
    "429 with a Retry-After of 0": ([whole("429 Too Many Requests", b"{}", "Retry-After: 0")], True),
    "a close before the headers": ([Break.CLOSE], True),
    "a reset before the headers": ([Break.RESET], True),
    "429 for an exhausted quota": (
        [whole("429 Too Many Requests", b'{"error":{"message":"No money","code":"insufficient_quota"}}')],
        False,
    ),
    "429 with x-should-retry: false": ([whole("429 Too Many Requests", b"{}", "x-should-retry: false")], False),
    "429 with a Retry-After above the limit": ([whole("429 Too Many Requests", b"{}", "Retry-After: 7")], False),
    "400": ([whole("400 Bad Request", b'{"error":{"message":"Bad"}}')], False),
    "401": ([whole("401 Unauthorized", b'{"error":{"message":"Bad"}}')], False),
    "500": ([whole("500 Internal Server Error", b"{}")], False),
    "a redirect": ([whole("302 Found", b"", "Location: /elsewhere")], False),
    "silence before the headers": ([Break.STALL], False),
    "silence after the headers": ([HEADERS, Break.STALL], False),
    "a close after the headers": ([HEADERS, Break.CLOSE], False),
    "an error as the first event": (
        [HEADERS, chunk(b'data: {"error":{"message":"Overloaded","code":503}}\n\n'), chunk(b"")],
        False,
    ),
    "a reset in the answer": ([HEADERS, chunk(WATER), Break.RESET], False),
}


@pytest.mark.parametrize("kind", WHOLE)
@pytest.mark.parametrize("case", RETRIED)
async def test_which_failures_are_retried(case: str, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    first, retried = RETRIED[case]
    answers = AnswersInTurn(kind, first, GOOD)
    async with Server(timing_out(answers, Clock(monkeypatch))) as server:
        answer = await ask_server(kind, server.url, retries=IMMEDIATE)
    assert answers.requests == (2 if retried else 1)
    assert (answer.error is None) is retried
    if retried:
        assert (answer.text(), answer.reasons) == (TEXT, {0: "stop"})


@pytest.mark.parametrize("kind", WHOLE)
async def test_a_busy_provider_gets_three_requests(kind: str) -> None:
    answers = AnswersInTurn(kind, [BUSY])
    async with Server(answers) as server:
        answer = await ask_server(kind, server.url, retries=IMMEDIATE)
    assert answers.requests == 3
    assert type(answer.error) is Rejected
    assert answer.error.message == "Loading model"


async def test_retries_can_be_switched_off() -> None:
    answers = AnswersInTurn("openai", [BUSY], GOOD)
    async with Server(answers) as server:
        assert type((await ask_server("openai", server.url, retries=Retries(most=0))).error) is Rejected
    assert answers.requests == 1


async def test_silence_is_retried_if_configured(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = AnswersInTurn("openai", [Break.STALL], GOOD)
    async with Server(timing_out(answers, Clock(monkeypatch))) as server:
        retries = Retries(most=2, longest_wait=0.0, timeouts=True)
        answer = await ask_server("openai", server.url, retries=retries)
    assert answers.requests == 2
    assert answer.error is None


async def test_pass_through_is_retried() -> None:
    answers = AnswersInTurn("openai", [BUSY], GOOD)
    transport = Transport()
    async with Server(answers) as server:
        call = Call("POST", f"{server.url}/v1/chat/completions", b"{}", retries=IMMEDIATE)
        relayed = await relay(transport, call, Timeouts(), StreamEnd("openai"))
        async with aclosing(relayed.body) as body:
            received = b"".join([data async for data in body])
        await transport.aclose()
    assert (answers.requests, received) == (2, WHOLE["openai"][1])


async def test_cancelling_the_request_ends_the_wait_for_a_retry(caplog: pytest.LogCaptureFixture) -> None:
    answers = AnswersInTurn("openai", [whole("503 Busy", b"{}", "Retry-After: 5")], GOOD)
    async with Server(answers) as server:
        provider = make_provider("openai", server.url, retries=Retries())
        async with asyncio.TaskGroup() as tasks:
            request = tasks.create_task(ask(provider))
            while "retry 1" not in caplog.text:  # noqa: ASYNC110 # logged before the wait; a log has no event
                await asyncio.sleep(0)
            request.cancel()
        await provider.aclose()
        while server.open:  # noqa: ASYNC110 # it has no event
            await asyncio.sleep(0)
    assert request.cancelled()
    assert answers.requests == 1


def failure(status: int, **headers: str) -> ProviderError:
    return rejected(status, {name.replace("_", "-"): value for name, value in headers.items()}, b"")


def test_a_wait_doubles_and_is_drawn_at_random_below_its_limit() -> None:
    retries = Retries(most=5, longest_wait=10.0)
    for tried, most in enumerate([0.5, 1.0, 2.0, 4.0, 8.0]):
        waits = [retries.wait(failure(503), tried) for _ in range(100)]
        assert all(wait is not None and most / 2 <= wait <= most for wait in waits)
        assert len(set(waits)) > 50
    assert retries.wait(failure(503), 5) is None


def test_the_sum_of_all_waits_is_limited() -> None:
    retries = Retries(most=9, longest_wait=10.0)
    assert retries.wait(failure(503), 8, 9.5) == 0.5
    assert retries.wait(failure(503, retry_after="6"), 1, 5.0) is None


# The wait that a provider requests, and the minimum seconds until the retry; None: no retry.
REQUESTED_WAITS: dict[str, tuple[ProviderError, float | None]] = {
    "no wait": (failure(429), 0.0),
    "seconds": (failure(429, retry_after="7"), 7.0),
    "half seconds": (failure(429, retry_after="1.5"), 1.5),
    "milliseconds": (failure(429, retry_after_ms="2500", retry_after="9"), 2.5),
    "more than the limit": (failure(429, retry_after="11"), None),
    "a distant date": (failure(503, retry_after="Fri, 31 Dec 2199 23:59:59 GMT"), None),
    "a past date": (failure(503, retry_after="Fri, 31 Dec 1999 23:59:59 GMT"), 0.0),
    "a date without a zone": (failure(503, retry_after="Fri, 31 Dec 2199 23:59:59"), 0.0),
    "a negative number": (failure(429, retry_after="-5"), 0.0),
    "not a number": (failure(429, retry_after="nan"), 0.0),
    "text": (failure(429, retry_after="soon"), 0.0),
    "Google's delay": (rejected(429, {}, b'{"error":{"details":[{"retryDelay":"4s"}]}}'), 4.0),
}


@pytest.mark.parametrize("case", REQUESTED_WAITS)
def test_the_wait_that_a_provider_requests_is_respected(case: str) -> None:
    error, least = REQUESTED_WAITS[case]
    wait = Retries().wait(error, 0)
    if least is None:
        assert wait is None
    else:
        assert wait is not None
        assert least <= wait <= least + 3.0


def test_the_date_that_a_provider_names_is_respected() -> None:
    in_half_an_hour = format_datetime(datetime.now(UTC) + timedelta(minutes=30), usegmt=True)
    wait = Retries(longest_wait=3600).wait(failure(503, retry_after=in_half_an_hour), 0)
    assert wait is not None
    assert 1700 < wait < 1801


@pytest.mark.parametrize(
    ("error", "retried"),
    [
        (Unreachable("x"), True),
        (translate(ConnectionRefusedError()), True),
        (translate(ConnectionResetError()), True),
        (translate(ValueError("address")), False),
        (Unreachable("x", code="provider_certificate"), False),
        (TimedOut("x"), False),
        (TimedOut("x", code="provider_connect_timeout"), True),
        (BrokenStream("x"), False),
        (IncompleteAnswer("x"), False),
        (ReportedError("x", status=429), False),
        (Rejected("x", status=429), False),
    ],
)
def test_only_safe_errors_are_retried(error: ProviderError, retried: bool) -> None:
    assert (Retries().wait(error, 0) is not None) is retried
