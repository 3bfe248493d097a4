"""Reading: a provider's events in, drafts and everything else out, in order; waits for nothing but the provider."""

from collections import deque
from collections.abc import AsyncGenerator, Iterable
from contextlib import aclosing
from dataclasses import dataclass
from time import monotonic
from typing import Any, assert_never

from citestream.citation.answer import Draft
from citestream.citation.response import Response
from citestream.providers.errors import ProviderError
from citestream.providers.events import Chunk, Event, Finish, Idle, OtherDelta, TextDelta, Usage

from .collect_chunks import beside
from .logprobs import LogProbs, joined
from .outgoing import Failed, Waiting


@dataclass(frozen=True, slots=True)
class Pace:
    """How long a sentence may be held, and the client may hear nothing; seconds."""

    hold: float = 20.0  # a slow local model writes two words a second: a long sentence takes this long
    keepalive: float = 15.0  # a quarter of what the strictest common proxies allow a silent connection


@dataclass(frozen=True, slots=True)
class Drafted:
    """A draft on its way to its decision, with what has to travel beside its text."""

    choice: int
    draft: Draft
    chunk: Chunk
    logprobs: LogProbs | None


Fields = dict[str, Any]
Step = Drafted | OtherDelta | Finish | Usage | Waiting | Failed


async def drafts(
    events: AsyncGenerator[Event, None], response: Response, pace: Pace
) -> AsyncGenerator[list[Step], None]:
    """Cut what the provider sends; what events that came together complete comes together.

    Its failure is raised before it began, and a Failed after the held text else.
    """
    reading, steps = _Reading(response, pace), list[Step]()
    try:
        async with aclosing(events):
            async for event in events:
                steps += reading.take(event)
                if steps and not (isinstance(event, TextDelta) and event.more):
                    yield steps
                    steps = []
    except ProviderError as error:
        if not reading.begun:
            raise
        steps += [*reading.flush(), Failed(error)]
    if steps:
        yield steps


class _Reading:
    """The open choices of one stream, and how long the client has heard nothing."""

    def __init__(self, response: Response, pace: Pace) -> None:
        self.begun = False
        self._response = response
        self._pace = pace
        self._choices: dict[int, _Choice] = {}
        self._left = monotonic()  # when something last left for the client

    def take(self, event: Event) -> list[Step]:
        """One event in, everything that may go on out."""
        now = monotonic()
        steps = self._steps(event, now)
        for choice in self._choices.values():
            if choice.overdue(now, self._pace.hold):
                steps += choice.release()
        if steps:
            self._left = now
        elif now - self._left >= self._pace.keepalive:
            self._left = now
            steps.append(Waiting())
        return steps

    def flush(self, touched: Iterable[int] | None = None) -> list[Step]:
        """What is held of these choices, or of all."""
        choices = self._choices.values() if touched is None else [self._choice(index) for index in touched]
        return [step for choice in choices for step in choice.flush()]

    def _steps(self, event: Event, now: float) -> list[Step]:
        match event:
            case TextDelta():
                self.begun = True
                return self._choice(event.choice).feed(event, now)
            case OtherDelta(_, touched):
                self.begun = True
                return [*self.flush(touched), event]
            case Finish(index):
                self.begun = True
                return [*self.flush((index,)), event]
            case Usage():
                return [event]
            case Idle():
                return []
            case _:
                assert_never(event)

    def _choice(self, index: int) -> "_Choice":
        choice = self._choices.get(index)
        if choice is None:
            choice = self._choices[index] = _Choice(index, self._response)
        return choice


# What chunks have in common, of which the latest may speak for all. Anything else in one belongs to its own text.
SHARED = frozenset({"id", "object", "created", "model", "choices", "service_tier", "system_fingerprint", "usage"})
SHARED_BY_CHOICES = frozenset({"index", "delta", "logprobs", "finish_reason"})


class _Choice:
    """One choice: its answer, its latest chunk, since when text is held, and what still has to be sent beside it."""

    def __init__(self, index: int, response: Response) -> None:
        self._index = index
        self._answer = response.answer(index)
        self._chunk: Chunk = {}
        self._held_since = 0.0
        self._fed = 0  # code points of the provider's text so far
        self._logprobs: deque[tuple[int, LogProbs]] = deque()  # with the offset at which each one's text ends
        self._beside: deque[tuple[int, Fields, Fields]] = deque()  # fields of chunks and of choices, likewise

    def feed(self, delta: TextDelta, now: float) -> list[Step]:
        if not self._answer.holds:
            self._held_since = now
        self._fed += len(delta.text)
        self._chunk = delta.chunk
        (choice,) = delta.chunk["choices"]
        if choice.get("logprobs"):
            self._logprobs.append((self._fed, choice["logprobs"]))
        if not (delta.chunk.keys() <= SHARED and choice.keys() <= SHARED_BY_CHOICES):
            self._chunk, of_chunk, choice_fields = _parted(delta.chunk)
            self._beside.append((self._fed, of_chunk, choice_fields))
        found = self._answer.feed(delta.text)
        if found:
            self._held_since = now
        return self._drafted(found)

    def flush(self) -> list[Step]:
        return self._drafted(self._answer.flush())

    def overdue(self, now: float, limit: float) -> bool:
        return self._answer.holds and now - self._held_since >= limit

    def release(self) -> list[Step]:
        return self._drafted(self._answer.release())

    def _drafted(self, found: list[Draft]) -> list[Step]:
        return [Drafted(self._index, draft, self._with_beside(draft.end), self._joined(draft.end)) for draft in found]

    def _with_beside(self, end: int) -> Chunk:
        """The latest chunk, with what came beside the text that ends at or before this offset."""
        of_chunk, choice_fields = Fields(), Fields()
        while self._beside and self._beside[0][0] <= end:
            _, more, own = self._beside.popleft()
            of_chunk, choice_fields = beside(of_chunk, more, growing=False), beside(choice_fields, own)
        if not (of_chunk or choice_fields):
            return self._chunk
        (choice,) = self._chunk["choices"]
        return {**self._chunk, **of_chunk, "choices": [{**choice, **choice_fields}]}

    def _joined(self, end: int) -> LogProbs | None:
        """The log-probabilities of the tokens that end at or before this offset, joined in order."""
        logprobs: LogProbs | None = None
        while self._logprobs and self._logprobs[0][0] <= end:
            logprobs = joined(logprobs, self._logprobs.popleft()[1])
        return logprobs


def _parted(chunk: Chunk) -> tuple[Chunk, Fields, Fields]:
    """What the chunk has in common with others, as a chunk; what it has not; and what its choice has not."""
    (choice,) = chunk["choices"]
    shared = {key: value for key, value in choice.items() if key in SHARED_BY_CHOICES}
    return (
        {**{key: value for key, value in chunk.items() if key in SHARED}, "choices": [shared]},
        {key: value for key, value in chunk.items() if key not in SHARED},
        {key: value for key, value in choice.items() if key not in SHARED_BY_CHOICES},
    )
