"""The second pass of `citations.enrich`: the whole draft, a call that only writes citations, then the answer."""

import secrets
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from time import monotonic
from typing import Any, Protocol

from citestream.citation.answer import UNDECIDED
from citestream.citation.enrichment import Decided, apply_result, messages
from citestream.citation.response import Response
from citestream.citation.support.decision import Decision
from citestream.providers.errors import BrokenStream, ProviderError
from citestream.providers.events import ChatRequest, Event, TextDelta, Usage

from .drafts import Drafted, Pace, Step, drafts
from .outgoing import Failed, Outgoing, Waiting
from .respond import Times, decide, decided_by, shown
from .scoring import Scoring

# Characters that the second call may write: the draft again, its markers and a list of references.
MOST_TIMES_DRAFT, MOST_BESIDE = 2, 20_000

_FIRST_PASS_ONLY = frozenset(
    {"n", "tools", "tool_choice", "parallel_tool_calls", "response_format", "logprobs", "stop", "google", "ollama"}
)


class Streams(Protocol):
    """Who is asked: a provider, or the way to one."""

    def stream(self, request: ChatRequest, /) -> AsyncGenerator[Event, None]:
        """As `Provider.stream`."""
        ...


@dataclass(frozen=True, slots=True)
class _Read:
    """A step of the first pass, and what was decided about it."""

    step: Step
    decision: Decision


async def enriched(
    provider: Streams, request: ChatRequest, response: Response, scoring: Scoring, pace: Pace
) -> AsyncGenerator[Outgoing, None]:
    """Cite one completion in two calls. Raises ProviderError only before anything was yielded."""
    times, signs, read = Times(response.grounding), _Signs(pace), list[_Read]()

    async def timed(steps: Sequence[Drafted]) -> list[Decision]:
        return await times.scored(decide([step.draft for step in steps], scoring, response))

    steps = drafts(provider.stream(request), response, replace(pace, keepalive=signs.every))
    async with aclosing(decided_by(timed, steps, scoring)) as decided:
        async for step, decision in decided:
            times.stepped()
            if not isinstance(step, Waiting):
                read.append(_Read(step, decision or UNDECIDED))
            if signs.due():
                yield Waiting()
    if not any(isinstance(item.step, Failed) for item in read):
        for choice in sorted({item.step.choice for item in read if isinstance(item.step, Drafted)}):
            async with aclosing(_second(provider, request, response, read, choice, signs)) as waiting:
                async for sign in waiting:
                    yield sign
    times.stepped()
    for item in read:
        for event in shown(item.step, item.decision, response):
            yield event


class _Signs:
    """When the client has to be told that we are still there: nothing else flows to it until the end."""

    def __init__(self, pace: Pace) -> None:
        self.every = pace.keepalive / 2  # whoever looks does so at least as often, and may come just too early once
        self._left = monotonic()

    def due(self) -> bool:
        if monotonic() - self._left < self.every:
            return False
        self._left = monotonic()
        return True


async def _second(
    provider: Streams, request: ChatRequest, response: Response, read: list[_Read], choice: int, signs: _Signs
) -> AsyncGenerator[Waiting, None]:
    """Ask for the citations of one choice and put what is kept of its decisions in their place."""
    places = [i for i, item in enumerate(read) if isinstance(item.step, Drafted) and item.step.choice == choice]
    decided: list[Decided] = [(read[i].step.draft, read[i].decision) for i in places]  # type: ignore[union-attr]
    if not any(decision.supports for _, decision in decided):
        return
    evidence = [*response.references.evidence.values()]
    params = {key: value for key, value in request.params.items() if key not in _FIRST_PASS_ONLY}
    asked = replace(request, messages=messages(decided, evidence, secrets.token_hex(4)), params=params)
    written = _Written(MOST_TIMES_DRAFT * sum(len(draft.text) for draft, _ in decided) + MOST_BESIDE)
    try:
        async with aclosing(provider.stream(asked)) as events:
            async for event in events:
                written.take(event)
                if signs.due():
                    yield Waiting()
    except ProviderError as error:
        response.grounding.notes["enrich"] = {"outcome": error.code or "failed"}
        return
    found = apply_result(decided, "".join(written.pieces), response.names)
    response.grounding.notes["enrich"] = {"outcome": found.outcome, **written.report}
    for i, decision in zip(places, found.decisions, strict=True):
        read[i] = replace(read[i], decision=decision)


class _Written:
    """What the second call writes, as far as anybody can use it."""

    def __init__(self, most: int) -> None:
        self.pieces: list[str] = []
        self.report: dict[str, Any] = {}
        self._left = most

    def take(self, event: Event) -> None:
        """Raises BrokenStream for what is longer than a draft with its citations."""
        if isinstance(event, TextDelta):
            self._left -= len(event.text)
            if self._left < 0:
                raise BrokenStream("The second answer is longer than the draft.", code="too_long")
            self.pieces.append(event.text)
        elif isinstance(event, Usage):
            self.report["usage"] = event.chunk.get("usage")
