"""Telemetry: what the server tells of its own work while it works, for whoever adds it up.

Providers and retrievers are watched where they are asked, so that every way to them is counted alike: streams, bytes
that are passed through, second passes, queries that a model rewrites. What a request waited for others is kept beside
it; what remains of its duration is our own.
"""

import re
from collections.abc import AsyncGenerator, Awaitable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, aclosing, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from time import perf_counter
from types import TracebackType
from typing import Any, Protocol, Self

from citestream.citation.grounding import Grounding
from citestream.providers.errors import ProviderError
from citestream.providers.events import ChatRequest, Event, Idle, Relayed

COMPLETE = "complete"  # outcomes of a call, besides the kinds of ProviderError
LEFT = "left"  # the client went away, or the server stops
FAILED = "failed"  # a fault of ours


@dataclass(slots=True)
class WaitTime:
    """What one request waited for others; seconds. One wait inside another is part of it."""

    others: float = 0.0  # provider, retriever, client
    asked: bool = False  # whether a provider was
    since: float = 0.0  # when the wait began that goes on; 0 where none does

    def add(self, seconds: float) -> None:
        """So long somebody was waited for until now."""
        if not self.since:
            self.others += seconds


WAIT_TIME: ContextVar[WaitTime | None] = ContextVar("wait_time", default=None)


@contextmanager
def external_wait() -> Iterator[None]:
    """What passes inside is not our own time."""
    began = perf_counter()
    try:
        yield
    finally:
        if spent := WAIT_TIME.get():
            spent.add(perf_counter() - began)


class MetricsSink(Protocol):
    """Who adds up."""

    def answered(self, grounding: Grounding) -> None:
        """Take in the report on a cited answer."""
        ...

    def called(self, provider: str, outcome: str, seconds: float, first: float | None) -> None:
        """Take in a call of a provider. `first`: seconds until it said something; None where it did not."""
        ...

    def searched(self, retriever: str, outcome: str, seconds: float) -> None:
        """Take in a search."""
        ...

    def streaming(self) -> AbstractContextManager[object]:
        """A stream is open as long as this."""
        ...


class NullMetrics:
    """Nobody adds up, as in a terminal."""

    def answered(self, grounding: Grounding) -> None:
        """Nothing."""

    def called(self, provider: str, outcome: str, seconds: float, first: float | None) -> None:
        """Nothing."""

    def searched(self, retriever: str, outcome: str, seconds: float) -> None:
        """Nothing."""

    def streaming(self) -> AbstractContextManager[object]:
        """Nothing."""
        return nullcontext()


@dataclass(frozen=True, slots=True)
class Asked:
    """Whom a call goes to."""

    provider: str  # its name in the configuration
    model: str  # as the provider names it
    vendor: str = ""  # as OpenTelemetry's conventions name it
    address: str = ""


@dataclass(slots=True)
class Found:
    """What became of a search."""

    entries: Sequence[Mapping[str, Any]] = field(default_factory=tuple)
    outcome: str = COMPLETE


class Span(Protocol):
    """One call, for who draws what took how long."""

    def heard(self, event: Event) -> None:
        """Take in what the provider sends."""
        ...

    def end(self, outcome: str, first: float | None) -> None:
        """It is over. `first`: seconds until it said something."""
        ...


class Spans(Protocol):
    """Who draws what took how long, and within what."""

    def call(self, asked: Asked, request: ChatRequest | None) -> Span:
        """A call of a provider, which has just begun. `request`: None where its bytes pass through unread."""
        ...

    def searching(self, retriever: str, query: str) -> AbstractContextManager[Found]:
        """A search, as long as this; its finder fills `Found`."""
        ...

    def scored(self, grounding: Grounding) -> None:
        """The decisions about one answer."""
        ...


class Telemetry:
    """What one server tells."""

    def __init__(self, numbers: MetricsSink | None = None, spans: Spans | None = None) -> None:
        """`numbers`: who adds up; `spans`: who draws; None: nobody."""
        self._numbers: MetricsSink = numbers or NullMetrics()
        self.spans = spans

    async def events(
        self, asked: Asked, request: ChatRequest, events: AsyncGenerator[Event, None]
    ) -> AsyncGenerator[Event, None]:
        """A provider's stream, watched."""
        span = self.spans.call(asked, request) if self.spans else None
        async with aclosing(events):
            with Call(asked.provider, self._numbers, span) as call:
                spent, silent = call.spent, True
                async for event in events:  # written out: calls would cost 1.5 µs for each event
                    spent.others += perf_counter() - spent.since
                    spent.since = 0.0
                    if silent and not isinstance(event, Idle):
                        silent = False
                        call.speaks()
                    if span:
                        span.heard(event)
                    yield event
                    spent.since = perf_counter()

    async def relayed(self, asked: Asked, answering: Awaitable[Relayed]) -> Relayed:
        """A provider's own answer, watched to its last byte. Raises what `answering` raises."""
        span = self.spans.call(asked, None) if self.spans else None
        call = Call(asked.provider, self._numbers, span)
        try:
            answer = await answering
        except BaseException as error:
            call.ends(error)
            raise
        call.pauses()
        body = _watched(call, answer)
        await anext(body)  # from here on, closing it closes the provider's, even if nobody ever reads
        return replace(answer, body=body)

    @contextmanager
    def searching(self, retriever: str, query: str) -> Iterator[Found]:
        """A search, as long as this; its finder fills `Found`."""
        began = perf_counter()
        with self.spans.searching(retriever, query) if self.spans else nullcontext(Found()) as found:
            try:
                with external_wait():
                    yield found
            except BaseException as error:
                found.outcome = outcome_of(error)
                raise
            finally:
                self._numbers.searched(retriever, found.outcome, perf_counter() - began)

    def streaming(self) -> AbstractContextManager[object]:
        """A stream to a client is open as long as this."""
        return self._numbers.streaming()

    def answered(self, grounding: Grounding) -> None:
        """A cited answer is over."""
        self._numbers.answered(grounding)
        if self.spans and grounding.decided[0]:
            self.spans.scored(grounding)


class Call:
    """One call of a provider, from asking it to its end, whoever brings that about."""

    def __init__(self, provider: str, numbers: MetricsSink, span: Span | None) -> None:
        """It is being asked."""
        self._provider = provider
        self._numbers = numbers
        self._span = span
        self.spent = WAIT_TIME.get() or WaitTime()
        self.spent.asked = True
        self._first: float | None = None
        self._began = self.spent.since = perf_counter()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: type[BaseException] | None, error: BaseException | None, __: TracebackType | None) -> None:
        self.ends(error)

    def ends(self, error: BaseException | None) -> None:
        """It is over; `error`: why, where it is not complete."""
        if self.spent.since:
            self.pauses()
        self._numbers.called(self._provider, outcome_of(error), perf_counter() - self._began, self._first)
        if self._span:
            self._span.end(outcome_of(error), self._first)

    def pauses(self) -> None:
        """It is waited for no more."""
        self.spent.others += perf_counter() - self.spent.since
        self.spent.since = 0.0

    def speaks(self) -> None:
        """It says something, which is more than a sign of life."""
        if self._first is None:
            self._first = perf_counter() - self._began


async def _watched(call: Call, answer: Relayed) -> AsyncGenerator[bytes, None]:
    async with aclosing(answer.body) as body:
        with call:
            yield b""
            call.spent.since = perf_counter()
            async for data in body:
                call.pauses()
                if data and answer.events:
                    call.speaks()
                yield data
                call.spent.since = perf_counter()


def outcome_of(error: BaseException | None) -> str:
    """In a word, from our own vocabulary: nothing that a provider says becomes a label."""
    if isinstance(error, ProviderError):
        return re.sub(r"(?<!^)(?=[A-Z])", "_", type(error).__name__).lower()
    if error is None:
        return COMPLETE
    return FAILED if isinstance(error, Exception) else LEFT
