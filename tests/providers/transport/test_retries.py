"""A request is repeated only before the answer has begun, if that is safe, and a limited number of times."""

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
from citestream.providers.events import ChatRequest
from citestream.providers.streaming.relay import relay
from citestream.providers.transport import Call, Retries, Timeouts, Transport
from citestream.providers.wire.stream_end import StreamEnd
from tests.providers.recorded_answer import MODELS, QUESTION, QUICK, answered, make_provider
from tests.providers.streaming.test_faults import TEXT, WATER, WHOLE
from tests.upstreams.wire import Break, Request, Server, Step, chunk, head, whole

AT_ONCE = Retries(most=2, longest_wait=0.01)
IMPATIENT = Timeouts(connect=0.5, first_token=0.2, idle=0.2, tick=0.05)
REQUEST = ChatRequest(MODELS["openai"], QUESTION)
GOOD = object()  # a whole answer of the provider that is asked
BUSY = whole("503 Service Unavailable", b'{"error":{"message":"Loading model"}}')
HEADERS = head("200 OK", "Content-Type: text/event-stream", "Transfer-Encoding: chunked")


class Turns:
    """A server that answers the first request with the first of these, and so on, then with the last."""

    def __init__(self, kind: str, *turns: Sequence[Step] | object) -> None:
        content_type, body = WHOLE[kind]
        lines = (f"Content-Type: {content_type}", "Transfer-Encoding: chunked")
        self._good: Sequence[Step] = [head("200 OK", *lines), chunk(body), chunk(b"")]
        self._turns = turns
        self.asked = 0

    async def __call__(self, _: Request) -> AsyncIterator[Step]:
        turn = self._turns[min(self.asked, len(self._turns) - 1)]
        self.asked += 1
        for step in self._good if turn is GOOD else turn:  # type: ignore[attr-defined]
            yield step


# The first answer of a provider, and whether the request is retried.
AGAIN: dict[str, tuple[Sequence[Step], bool]] = {
    "429": ([whole("429 Too Many Requests", b'{"error":{"message":"Slow down"}}')], True),
    "502": ([whole("502 Bad Gateway", b"<html>", "Content-Type: text/html")], True),
    "503": ([BUSY], True),
    "504": ([whole("504 Gateway Timeout", b"")], True),
    "429 that asks for no wait": ([whole("429 Too Many Requests", b"{}", "Retry-After: 0")], True),
    "a close before the headers": ([Break.CLOSE], True),
    "a reset before the headers": ([Break.RESET], True),
    "429 without money": (
        [whole("429 Too Many Requests", b'{"error":{"message":"No money","code":"insufficient_quota"}}')],
        False,
    ),
    "429 that says it makes no sense": ([whole("429 Too Many Requests", b"{}", "x-should-retry: false")], False),
    "429 that asks for a longer wait than allowed": ([whole("429 Too Many Requests", b"{}", "Retry-After: 7")], False),
    "400": ([whole("400 Bad Request", b'{"error":{"message":"Bad"}}')], False),
    "401": ([whole("401 Unauthorized", b'{"error":{"message":"Bad"}}')], False),
    "500": ([whole("500 Internal Server Error", b"{}")], False),
    "a redirect": ([whole("302 Found", b"", "Location: /elsewhere")], False),
    "silence before the headers": ([Break.STALL], False),
    "silence after the headers": ([HEADERS, Break.STALL], False),
    "a close after the headers": ([HEADERS, Break.CLOSE], False),
    "an error as its first event": (
        [HEADERS, chunk(b'data: {"error":{"message":"Overloaded","code":503}}\n\n')],
        False,
    ),
    "a reset in the answer": ([HEADERS, chunk(WATER), Break.RESET], False),
}


@pytest.mark.parametrize("kind", WHOLE)
@pytest.mark.parametrize("case", AGAIN)
async def test_who_is_asked_again(case: str, kind: str) -> None:
    first, again = AGAIN[case]
    turns = Turns(kind, first, GOOD)
    async with Server(turns) as server:
        quick = IMPATIENT if Break.STALL in first else QUICK
        answer = await answered(kind, server.url, retries=AT_ONCE, timeouts=quick)
    assert turns.asked == (2 if again else 1)
    assert (answer.error is None) is again
    if again:
        assert (answer.text(), answer.reasons) == (TEXT, {0: "stop"})


@pytest.mark.parametrize("kind", WHOLE)
async def test_a_provider_that_stays_busy_is_asked_three_times(kind: str) -> None:
    turns = Turns(kind, [BUSY])
    async with Server(turns) as server:
        answer = await answered(kind, server.url, retries=AT_ONCE)
    assert turns.asked == 3
    assert type(answer.error) is Rejected
    assert answer.error.message == "Loading model"


async def test_not_at_all_where_none_is_wanted() -> None:
    turns = Turns("openai", [BUSY], GOOD)
    async with Server(turns) as server:
        assert type((await answered("openai", server.url, retries=Retries(most=0))).error) is Rejected
    assert turns.asked == 1


async def test_after_silence_where_the_operator_allows_that() -> None:
    turns = Turns("openai", [Break.STALL], GOOD)
    async with Server(turns) as server:
        retries = Retries(most=2, longest_wait=0.01, timeouts=True)
        answer = await answered("openai", server.url, retries=retries, timeouts=IMPATIENT)
    assert turns.asked == 2
    assert answer.error is None


async def test_what_passes_through_unchanged_too() -> None:
    turns = Turns("openai", [BUSY], GOOD)
    transport = Transport()
    async with Server(turns) as server:
        call = Call("POST", f"{server.url}/v1/chat/completions", b"{}", retries=AT_ONCE)
        relayed = await relay(transport, call, Timeouts(), StreamEnd("openai"))
        async with aclosing(relayed.body) as body:
            got = b"".join([data async for data in body])
        await transport.aclose()
    assert (turns.asked, got) == (2, WHOLE["openai"][1])


async def test_leaving_ends_the_wait_for_another_try() -> None:
    turns = Turns("openai", [whole("503 Busy", b"{}", "Retry-After: 5")], GOOD)
    async with Server(turns) as server:
        asked = make_provider("openai", server.url, retries=Retries())
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await anext(asked.stream(REQUEST))
        await asked.aclose()
        assert (turns.asked, server.open) == (1, 0)


def failure(status: int, **headers: str) -> ProviderError:
    return rejected(status, {name.replace("_", "-"): value for name, value in headers.items()}, b"")


def test_a_wait_doubles_and_is_drawn_at_random_below_its_limit() -> None:
    retries = Retries(most=5, longest_wait=10.0)
    for tried, most in enumerate([0.5, 1.0, 2.0, 4.0, 8.0]):
        waits = [retries.wait(failure(503), tried) for _ in range(100)]
        assert all(wait is not None and most / 2 <= wait <= most for wait in waits)
        assert len(set(waits)) > 50
    assert retries.wait(failure(503), 5) is None


def test_all_waits_together_have_a_limit() -> None:
    retries = Retries(most=9, longest_wait=10.0)
    assert retries.wait(failure(503), 8, 9.5) == 0.5
    assert retries.wait(failure(503, retry_after="6"), 1, 5.0) is None


# The wait that a provider requests, and the minimum seconds until the retry; None: no retry.
ASKED: dict[str, tuple[ProviderError, float | None]] = {
    "nothing": (failure(429), 0.0),
    "seconds": (failure(429, retry_after="7"), 7.0),
    "half seconds": (failure(429, retry_after="1.5"), 1.5),
    "milliseconds": (failure(429, retry_after_ms="2500", retry_after="9"), 2.5),
    "more than the limit": (failure(429, retry_after="11"), None),
    "a date far away": (failure(503, retry_after="Fri, 31 Dec 2199 23:59:59 GMT"), None),
    "a date that has passed": (failure(503, retry_after="Fri, 31 Dec 1999 23:59:59 GMT"), 0.0),
    "a date without a zone": (failure(503, retry_after="Fri, 31 Dec 2199 23:59:59"), 0.0),
    "less than nothing": (failure(429, retry_after="-5"), 0.0),
    "no number at all": (failure(429, retry_after="nan"), 0.0),
    "nonsense": (failure(429, retry_after="soon"), 0.0),
    "Google's delay": (rejected(429, {}, b'{"error":{"details":[{"retryDelay":"4s"}]}}'), 4.0),
}


@pytest.mark.parametrize("case", ASKED)
def test_the_wait_that_a_provider_asks_for_is_kept(case: str) -> None:
    error, least = ASKED[case]
    wait = Retries().wait(error, 0)
    if least is None:
        assert wait is None
    else:
        assert wait is not None
        assert least <= wait <= least + 3.0


def test_the_date_that_a_provider_names_is_waited_for() -> None:
    in_half_an_hour = format_datetime(datetime.now(UTC) + timedelta(minutes=30), usegmt=True)
    wait = Retries(longest_wait=3600).wait(failure(503, retry_after=in_half_an_hour), 0)
    assert wait is not None
    assert 1700 < wait < 1801


@pytest.mark.parametrize(
    ("error", "again"),
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
def test_only_safe_errors_are_retried(error: ProviderError, again: bool) -> None:
    assert (Retries().wait(error, 0) is not None) is again
