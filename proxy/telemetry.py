"""Telemetry: what the server tells of its own work while it works, for whoever adds it up.

Providers and retrievers are watched where they are asked, so that every way to them is counted alike: streams, bytes
that are passed through, second passes, queries that a model rewrites. What a request waited for others is kept beside
it; what remains of its duration is our own.
"""

import re
from collections.abc import AsyncGenerator, Awaitable, Iterator
from contextlib import AbstractContextManager, ExitStack, aclosing, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, replace
from time import perf_counter
from types import TracebackType
from typing import Protocol, Self

from citation.grounding import Grounding
from providers.errors import ProviderError
from providers.events import Event, Idle, Relayed

COMPLETE = "complete"  # outcomes of a call, besides the kinds of ProviderError
LEFT = "left"  # the client went away, or the server stops
FAILED = "failed"  # a fault of ours


@dataclass(slots=True)
class Spent:
    """What one request waited for others; seconds."""

    others: float = 0.0  # provider, retriever, client
    asked: bool = False  # whether a provider was


SPENT: ContextVar[Spent | None] = ContextVar("spent", default=None)


@contextmanager
def waiting() -> Iterator[None]:
    """What passes inside is not our own time."""
    began = perf_counter()
    try:
        yield
    finally:
        if spent := SPENT.get():
            spent.others += perf_counter() - began


class Numbers(Protocol):
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


class Unheard:
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


class Telemetry:
    """What one server tells."""

    def __init__(self, numbers: Numbers | None = None) -> None:
        """`numbers`: who adds up; None: nobody."""
        self.numbers: Numbers = numbers or Unheard()

    async def events(self, provider: str, events: AsyncGenerator[Event, None]) -> AsyncGenerator[Event, None]:
        """A provider's stream, watched. `provider`: its name in the configuration."""
        async with aclosing(events):
            with Call(provider, self.numbers) as call:
                async for event in events:
                    call.said(something=not isinstance(event, Idle))
                    yield event
                    call.waits()

    async def relayed(self, provider: str, asked: Awaitable[Relayed]) -> Relayed:
        """A provider's own answer, watched to its last byte. Raises what `asked` raises."""
        with ExitStack() as stack:
            call = stack.enter_context(Call(provider, self.numbers))
            answer = await asked
            call.said(something=False)
            body = _watched(stack.pop_all(), call, answer)
        await anext(body)  # from here on, closing it closes the provider's, even if nobody ever reads
        return replace(answer, body=body)

    @contextmanager
    def searching(self, retriever: str) -> Iterator[None]:
        """A search, as long as this."""
        began, outcome = perf_counter(), COMPLETE
        try:
            with waiting():
                yield
        except BaseException as error:
            outcome = _outcome(error)
            raise
        finally:
            self.numbers.searched(retriever, outcome, perf_counter() - began)


class Call:
    """One call of a provider, from asking it to its end, whoever brings that about."""

    def __init__(self, provider: str, numbers: Numbers) -> None:
        """It is being asked."""
        self._provider = provider
        self._numbers = numbers
        self._spent = SPENT.get() or Spent()
        self._spent.asked = True
        self._first: float | None = None
        self._began = self._since = perf_counter()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: type[BaseException] | None, error: BaseException | None, __: TracebackType | None) -> None:
        if self._since:
            self._waited()
        self._numbers.called(self._provider, _outcome(error), perf_counter() - self._began, self._first)

    def waits(self) -> None:
        """It is waited for."""
        self._since = perf_counter()

    def said(self, *, something: bool) -> None:
        """It is waited for no more. `something`: whether that was more than a sign of life."""
        now = self._waited()
        if something and self._first is None:
            self._first = now - self._began

    def _waited(self) -> float:
        now = perf_counter()
        self._spent.others += now - self._since
        self._since = 0.0
        return now


async def _watched(stack: ExitStack, call: Call, answer: Relayed) -> AsyncGenerator[bytes, None]:
    async with aclosing(answer.body) as body:
        with stack:
            yield b""
            call.waits()
            async for data in body:
                call.said(something=bool(data) and answer.events)
                yield data
                call.waits()


def _outcome(error: BaseException | None) -> str:
    """In a word, from our own vocabulary: nothing that a provider says becomes a label."""
    if isinstance(error, ProviderError):
        return re.sub(r"(?<!^)(?=[A-Z])", "_", type(error).__name__).lower()
    if error is None:
        return COMPLETE
    return FAILED if isinstance(error, Exception) else LEFT
