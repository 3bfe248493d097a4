"""Telemetry: reports provider calls, searches and answers to observers, such as metrics and tracing.

Providers and retrievers are observed where they are called, so that all calls are counted: streams, passed-through
responses, second model calls and query rewriting. The time that a request waits for other systems is recorded too; the
rest of its duration is the overhead of the proxy.
"""

import re
from collections.abc import AsyncGenerator, Awaitable, Iterator, Mapping, Sequence
from contextlib import aclosing, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from time import perf_counter
from types import TracebackType
from typing import Any, Self

from citestream.citation.grounding import Grounding
from citestream.providers.errors import ProviderError
from citestream.providers.events import ChatRequest, Event, Idle, Relayed

# Outcomes of a call, in addition to the names of ProviderError classes.
COMPLETE = "complete"
LEFT = "left"  # the client disconnected, or the server stops
FAILED = "failed"  # an internal error


@dataclass(slots=True)
class WaitTime:
    """Seconds that one request waited for other systems. A wait inside another one is counted once."""

    waited_seconds: float = 0.0  # provider, retriever and client
    asked: bool = False  # whether a provider was called
    since: float = 0.0  # start of the current wait for a provider, or 0

    def add(self, seconds: float) -> None:
        """Add a wait that has just ended, unless it is part of a wait for a provider."""
        if not self.since:
            self.waited_seconds += seconds

    def start(self) -> None:
        """Start to wait for a provider."""
        self.since = perf_counter()

    def stop(self) -> None:
        """Stop to wait for a provider."""
        if self.since:
            self.waited_seconds += perf_counter() - self.since
            self.since = 0.0


WAIT_TIME: ContextVar[WaitTime | None] = ContextVar("wait_time", default=None)


@contextmanager
def external_wait() -> Iterator[None]:
    """Count the duration of the block as time that the request waits for another system."""
    began = perf_counter()
    try:
        yield
    finally:
        if wait_time := WAIT_TIME.get():
            wait_time.add(perf_counter() - began)


@dataclass(frozen=True, slots=True)
class CallTarget:
    """The provider and the model of a call."""

    provider: str  # name in the configuration
    model: str  # name at the provider
    vendor: str = ""  # name in the OpenTelemetry conventions
    address: str = ""


@dataclass(slots=True)
class SearchResult:
    """The result of a search. The code that searches sets it before the search is reported."""

    entries: Sequence[Mapping[str, Any]] = field(default_factory=tuple)
    outcome: str = COMPLETE


class CallObserver:
    """Observes one provider call. The methods do nothing by default."""

    def received(self, event: Event) -> None:
        """Process an event of the provider. Not called for passed-through responses."""

    def ended(self, outcome: str, seconds: float, first: float | None) -> None:
        """Process the end of the call. `first` is the number of seconds until the first output, if there was any."""


class SearchObserver:
    """Observes one search. The method does nothing by default."""

    def ended(self, result: SearchResult, seconds: float) -> None:
        """Process the result of the search."""


class Observer:
    """Observes the work of a server. The methods do nothing by default."""

    def call_started(self, target: CallTarget, request: ChatRequest | None) -> CallObserver:
        """Return an observer for a provider call. `request` is None if the response is passed through."""
        return CallObserver()

    def search_started(self, retriever: str, query: str) -> SearchObserver:
        """Return an observer for a search."""
        return SearchObserver()

    def stream_opened(self) -> None:
        """Process the start of a stream to a client."""

    def stream_closed(self) -> None:
        """Process the end of a stream to a client."""

    def answer_cited(self, grounding: Grounding) -> None:
        """Process the grounding report of an answer."""


class Telemetry:
    """Reports the work of one server to observers."""

    def __init__(self, observers: Sequence[Observer] = ()) -> None:
        """Report to all of `observers`."""
        self._observers = observers

    async def observe_call(
        self, target: CallTarget, request: ChatRequest, events: AsyncGenerator[Event, None]
    ) -> AsyncGenerator[Event, None]:
        """Yield the events of a provider and report them."""
        async with aclosing(events):
            with self._start_call(target, request) as call:
                async for event in events:
                    call.received(event)
                    yield event
                    call.wait()

    async def observe_relayed(self, target: CallTarget, response: Awaitable[Relayed]) -> Relayed:
        """Return a passed-through response that is reported when its body ends. Raise the errors of `response`."""
        call = self._start_call(target, None)
        try:
            answer = await response
        except BaseException as error:
            call.end(error)
            raise
        call.stop_waiting()
        body = _observe_body(call, answer)
        await anext(body)  # once started, closing it also closes the provider's body, even if it is never read
        return replace(answer, body=body)

    @contextmanager
    def observe_search(self, retriever: str, query: str) -> Iterator[SearchResult]:
        """Report a search when the block ends. The block sets the fields of the result."""
        observers = [observer.search_started(retriever, query) for observer in self._observers]
        began, result = perf_counter(), SearchResult()
        try:
            with external_wait():
                yield result
        except BaseException as error:
            result.outcome = outcome_of(error)
            raise
        finally:
            for observer in observers:
                observer.ended(result, perf_counter() - began)

    @contextmanager
    def observe_stream(self) -> Iterator[None]:
        """Report a stream to a client for the duration of the block."""
        for observer in self._observers:
            observer.stream_opened()
        try:
            yield
        finally:
            for observer in self._observers:
                observer.stream_closed()

    def answer_cited(self, grounding: Grounding) -> None:
        """Report a cited answer."""
        for observer in self._observers:
            observer.answer_cited(grounding)

    def _start_call(self, target: CallTarget, request: ChatRequest | None) -> "_Call":
        return _Call([observer.call_started(target, request) for observer in self._observers])


class _Call:
    """One provider call, from the request to its end."""

    def __init__(self, observers: Sequence[CallObserver]) -> None:
        self._observers = observers
        self._wait_time = WAIT_TIME.get() or WaitTime()
        self._wait_time.asked = True
        self._first: float | None = None
        self._began = perf_counter()
        self.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: type[BaseException] | None, error: BaseException | None, __: TracebackType | None) -> None:
        self.end(error)

    def wait(self) -> None:
        """Start to wait for the provider."""
        self._wait_time.start()

    def stop_waiting(self, *, output: bool = False) -> None:
        """Stop waiting for the provider. `output`: it sent more than a keep-alive."""
        self._wait_time.stop()
        if output and self._first is None:
            self._first = perf_counter() - self._began

    def received(self, event: Event) -> None:
        """Report an event of the provider."""
        output = not isinstance(event, Idle)
        self.stop_waiting(output=output)
        if output:
            for observer in self._observers:
                observer.received(event)

    def end(self, error: BaseException | None) -> None:
        """Report the end of the call, with an error if it is not complete."""
        self._wait_time.stop()
        for observer in self._observers:
            observer.ended(outcome_of(error), perf_counter() - self._began, self._first)


async def _observe_body(call: _Call, answer: Relayed) -> AsyncGenerator[bytes, None]:
    async with aclosing(answer.body) as body:
        with call:
            yield b""
            call.wait()
            async for data in body:
                call.stop_waiting(output=bool(data) and answer.events)
                yield data
                call.wait()


def outcome_of(error: BaseException | None) -> str:
    """Return the outcome of a call in snake case. It never contains text of a provider, because it becomes a label."""
    if isinstance(error, ProviderError):
        return re.sub(r"(?<!^)(?=[A-Z])", "_", type(error).__name__).lower()
    if error is None:
        return COMPLETE
    return FAILED if isinstance(error, Exception) else LEFT
