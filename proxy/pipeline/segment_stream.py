"""Read the provider's events and segment their text: the first stage, which waits for nothing but the provider."""

from collections import deque
from collections.abc import AsyncGenerator, Iterable, Iterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, replace
from math import inf
from time import monotonic
from typing import Any, assert_never

from citestream.citation.answers.draft import UNDECIDED, Draft
from citestream.citation.answers.response import Response
from citestream.citation.support.decision import Decision
from citestream.providers.errors import ProviderError
from citestream.providers.events import Chunk, Event, Finish, Idle, OtherDelta, TextDelta, Usage, Wakeup
from citestream.providers.scheduler import Work

from .chunk_fields import has_own_fields, separate_fields
from .merge_deltas import JoinedFields, LogProbs
from .outgoing import Failed, Passed
from .provider_citations import with_offsets

Fields = dict[str, Any]


@dataclass(frozen=True, slots=True)
class PendingText:
    """A piece of the answer that is not released yet, with the provider's fields that accompany its text."""

    choice: int
    draft: Draft
    chunk: Chunk
    logprobs: LogProbs | None
    decision: Decision = UNDECIDED  # set by the second stage
    withheld: bool = False  # whether a message replaces the answer


Step = PendingText | Passed

# Characters of a delta that are segmented at a time, and sentences that are decided at a time: 1 to 5 ms, and 10 ms for
# a sentence of brackets. A provider may send megabytes in one delta. The segmenter cuts a text independently of the
# blocks in which it arrives.
BLOCK = 1_000
MAX_STEPS = 64

# Fields with the calls of tools, also of those that the provider runs itself, and with the signature of a text
ENDS_TEXT = frozenset({"tool_calls", "function_call", "content_parts", "extra_content", "anthropic"})

CHECKED_SHARE = 0.01  # part of the time to hold a sentence after which choices are checked; there may be 1,000

MANY_CHOICES = 16  # are looked at every CHECK_SECONDS: looking at them before each wait would cost too much
CHECK_SECONDS = 1.0

TRUNCATING_REASONS = ("length", "content_filter")  # an answer with this finish reason may end inside a sentence


async def segment(
    events: AsyncGenerator[Event, None], response: Response, hold_seconds: float, wakeup: Wakeup | None = None
) -> AsyncGenerator[list[Step], None]:
    """Yield the steps that each read of the provider's stream completes, in order.

    After `hold_seconds`, the complete words of an incomplete sentence are released without a decision. A ProviderError
    is raised if nothing of the answer has arrived. Otherwise the held text follows, and then `Failed`. `wakeup`: of
    the request, so that a silent stream yields Idle at that time.
    """
    segmenter, steps = _StreamSegmenter(response, hold_seconds, wakeup or Wakeup()), list[Step]()
    work = Work("segment")
    failed: ProviderError | None = None
    try:
        async with aclosing(events):
            async for event in events:
                parts = segmenter.feed(event)
                while (part := _next(parts, work)) is not None:
                    steps += part
                    if len(steps) > MAX_STEPS:
                        yield steps
                        steps = []
                    if work.due:
                        await work.pause()
                if steps and not event.more:
                    yield steps
                    steps = []
    except ProviderError as error:
        if not segmenter.begun:
            raise
        failed = error
    if failed:
        parts = segmenter.flush(complete=False)
        while (part := _next(parts, work)) is not None:
            steps += part
            if work.due:
                await work.pause()
        steps.append(Failed(failed))
    if steps:
        yield steps


def _ends_text(chunk: Chunk) -> bool:
    """Return whether a delta ends the text before it, which has to be sent first: a tool call, or a signature of it."""
    return any(not ENDS_TEXT.isdisjoint(choice.get("delta") or ()) for choice in chunk.get("choices") or ())


def _next(parts: Iterator[list[Step]], work: Work) -> list[Step] | None:
    """Return the next part, None after the last one."""
    with work:
        return next(parts, None)


def _blocks(event: Event) -> Iterable[Event]:
    """Divide a delta with a long text. Its other fields arrive with the last part of the text."""
    return _divided(event) if isinstance(event, TextDelta) and len(event.text) > BLOCK else (event,)


def _divided(event: TextDelta) -> Iterator[TextDelta]:
    last = (len(event.text) - 1) // BLOCK * BLOCK
    plain = separate_fields(event.chunk)[0]
    plain["choices"][0].pop("logprobs", None)
    for start in range(0, last, BLOCK):
        yield TextDelta(event.choice, event.text[start : start + BLOCK], plain, more=True)
    yield replace(event, text=event.text[last:])


class _StreamSegmenter:
    """The open choices of one stream."""

    def __init__(self, response: Response, hold_seconds: float, wakeup: Wakeup) -> None:
        wakeup.remaining = self.remaining
        self.begun = False  # whether the provider has sent a part of the answer
        self._response = response
        self._hold_seconds = hold_seconds
        self._choices: dict[int, _Choice] = {}
        self._checked = 0.0  # when the choices were checked for text that has been held for too long

    def feed(self, event: Event) -> Iterator[list[Step]]:
        """Yield the steps that the event completes, and the text that has been held for too long, in parts."""
        now = monotonic()
        for block in _blocks(event):
            yield from self._parts(block, now)
        if now - self._checked >= self._hold_seconds * CHECKED_SHARE:
            self._checked = now
            for choice in self._choices.values():
                if choice.is_overdue(now, self._hold_seconds):
                    yield choice.release()

    def remaining(self) -> float:
        """Return the seconds until a text has been held for too long, inf if none is held."""
        if len(self._choices) > MANY_CHOICES:
            return CHECK_SECONDS
        held_since = min((choice.held_since for choice in self._choices.values()), default=inf)
        due = max(held_since + self._hold_seconds, self._checked + self._hold_seconds * CHECKED_SHARE)
        return max(0.0, due - monotonic())

    def flush(self, choices: Iterable[int] | None = None, *, complete: bool = True) -> Iterator[list[Step]]:
        """Yield the held text of these choices. None: of all choices. `complete`: False if the answer was cut."""
        flushed = self._choices.values() if choices is None else [self._choice(index) for index in choices]
        for choice in flushed:
            yield from choice.flush(complete=complete)

    def _parts(self, event: Event, now: float) -> Iterator[list[Step]]:
        match event:
            case TextDelta():
                self.begun = True
                yield self._choice(event.choice).feed(event, now)
            case Usage():
                yield [event]
            case Idle():
                pass
            case OtherDelta(chunk, choices):
                self.begun = True
                self._feed_calls(chunk)
                for index in choices:
                    yield from self._choice(index).interrupt(ends=_ends_text(chunk))
                placed = with_offsets(chunk, lambda index: self._choice(index).received)
                yield [event if placed is chunk else replace(event, chunk=placed)]
            case Finish(index, reason, chunk):
                self.begun = True
                self._feed_calls(chunk)
                yield from self.flush((index,), complete=reason not in TRUNCATING_REASONS)
                yield from self._choice(index).calls()
                yield [event]
            case _:
                assert_never(event)

    def _feed_calls(self, chunk: Chunk) -> None:
        """Add the tool calls of a chunk to their choices."""
        for choice in chunk.get("choices") or ():
            delta = choice.get("delta") or {}
            if delta.get("tool_calls") or delta.get("function_call"):
                self._choice(choice.get("index", 0)).feed_calls(delta)

    def _choice(self, index: int) -> "_Choice":
        choice = self._choices.get(index)
        if choice is None:
            choice = self._choices[index] = _Choice(index, self._response)
        return choice


class _Choice:
    """One choice: its answer, its latest chunk, and the fields that wait for the text they arrived with."""

    def __init__(self, index: int, response: Response) -> None:
        self._index = index
        self._answer = response.answer(index)
        self._calls = response.call_values()
        self._chunk: Chunk = {}
        self._held_since = 0.0
        self._is_released = False  # whether all complete words were released early
        self.received = 0  # code points of the provider's text so far
        self._logprobs: deque[tuple[int, LogProbs]] = deque()  # each with the offset at which its text ends
        self._fields: deque[tuple[int, Fields, Fields]] = deque()  # offset, fields of the chunk, fields of its choice

    def feed(self, delta: TextDelta, now: float) -> list[Step]:
        if not self._answer.holds:
            self._held_since = now
        self._is_released = False
        self.received += len(delta.text)
        self._chunk = delta.chunk
        (choice,) = delta.chunk["choices"]
        if choice.get("logprobs"):
            self._logprobs.append((self.received, choice["logprobs"]))
        if has_own_fields(delta.chunk):
            self._chunk, chunk_fields, choice_fields = separate_fields(delta.chunk)
            self._fields.append((self.received, chunk_fields, choice_fields))
        drafts = self._answer.feed(delta.text)
        if not drafts:  # most deltas complete no sentence
            return []
        self._held_since = now
        return self._pending(drafts)

    def flush(self, *, complete: bool) -> Iterator[list[Step]]:
        return map(self._pending, self._answer.flush_in_parts(complete=complete))

    def interrupt(self, *, ends: bool) -> Iterator[list[Step]]:
        """Yield the text that is sent before something else. `ends`: the text ends there, as before a tool call."""
        return map(self._pending, self._answer.interrupt_in_parts(ends=ends))

    def feed_calls(self, delta: Mapping[str, Any]) -> None:
        """Add the tool calls of a delta."""
        self._calls.feed(delta)

    def calls(self) -> Iterator[list[Step]]:
        """Yield the claims in the arguments of the tool calls that carry the answer."""
        for drafts in self._calls.drafts_in_parts():
            yield [PendingText(self._index, draft, self._chunk, None) for draft in drafts]

    @property
    def held_since(self) -> float:
        """The time since which text is held, inf if there is none that can be released."""
        return self._held_since if self._answer.holds and not self._is_released else inf

    def is_overdue(self, now: float, hold_seconds: float) -> bool:
        return now - self.held_since >= hold_seconds

    def release(self) -> list[Step]:
        """Return the complete words of the incomplete sentence."""
        self._is_released = True
        return self._pending(self._answer.release())

    def _pending(self, drafts: list[Draft]) -> list[Step]:
        return [
            PendingText(self._index, draft, self._chunk_until(draft.end), self._logprobs_until(draft.end))
            for draft in drafts
        ]

    def _chunk_until(self, end: int) -> Chunk:
        """Return the latest chunk with the fields of the text up to this offset."""
        if not (self._fields and self._fields[0][0] <= end):
            return self._chunk
        chunk_fields, choice_fields = JoinedFields(join_lists=False), JoinedFields()
        while self._fields and self._fields[0][0] <= end:
            _, of_chunk, of_choice = self._fields.popleft()
            chunk_fields.add(of_chunk)
            choice_fields.add(of_choice)
        (choice,) = self._chunk["choices"]
        return {**self._chunk, **chunk_fields, "choices": [{**choice, **choice_fields}]}

    def _logprobs_until(self, end: int) -> LogProbs | None:
        """Return the log-probabilities of the text up to this offset, joined in order."""
        logprobs = JoinedFields()
        while self._logprobs and self._logprobs[0][0] <= end:
            logprobs.add(self._logprobs.popleft()[1])
        return logprobs or None
