"""The second pass of `citations.enrich`: the whole draft, a call that only writes citations, then the answer."""

import secrets
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing, closing
from dataclasses import replace
from typing import Any, Protocol, TypeGuard

from citestream.citation.answers.response import Response
from citestream.citation.enrichment import Decided, apply_result, messages
from citestream.providers.errors import BrokenStream, ProviderError
from citestream.providers.events import ChatRequest, Event, TextDelta, Usage

from .deciding.scoring import Scoring
from .outgoing import Failed
from .respond import Batches, Timings, decided_steps, release_in_parts
from .segment_stream import PendingText, Step
from .whole_answers import abstain_in

# The limit of the second answer, which consists of the draft, its markers and a list of references.
MAX_DRAFTS, MAX_ADDED = 2, 20_000  # lengths of the draft; characters added to them

# The last four are the request of a client in the provider's own API.
_FIRST_PASS_ONLY = frozenset(
    {"n", "tools", "tool_choice", "parallel_tool_calls", "response_format", "logprobs", "stop"}
    | {"google", "anthropic", "gemini", "ollama"}
)


class ChatStream(Protocol):
    """A provider, or a route to one."""

    def stream(self, request: ChatRequest, /) -> AsyncGenerator[Event, None]:
        """Stream one answer; see `Provider.stream`."""
        ...


async def respond_in_two_passes(
    provider: ChatStream, request: ChatRequest, response: Response, scoring: Scoring, hold_seconds: float
) -> Batches:
    """Cite one completion in two calls. Raise ProviderError only before the first batch."""
    timings, draft = Timings(response.grounding), list[Step]()
    steps = decided_steps(provider.stream(request), response, scoring, hold_seconds, timings)
    with closing(scoring):
        async with aclosing(steps) as batches:
            async for batch in batches:
                timings.update()
                draft += batch
    if not any(isinstance(step, Failed) for step in draft):
        for choice in sorted({step.choice for step in draft if isinstance(step, PendingText)}):
            draft = await _second_pass(provider, request, response, draft, choice)
    timings.update()
    if response.holds_whole:
        draft = abstain_in(draft, response)
    async for released in release_in_parts(draft, response):
        yield released


async def _second_pass(
    provider: ChatStream, request: ChatRequest, response: Response, draft: Sequence[Step], choice: int
) -> list[Step]:
    """Return the draft with the decisions about this choice that the second answer confirms."""
    pending = [step for step in draft if _is_text(step, choice)]
    decided: list[Decided] = [(step.draft, step.decision) for step in pending]
    if not any(step.decision.supports for step in pending):
        return [*draft]
    evidence = [*response.references.evidence.values()]
    asked = messages(decided, evidence, secrets.token_hex(4))
    second = replace(request, messages=asked, params=_second_params(request.params))
    answer = _SecondAnswer(MAX_DRAFTS * sum(len(step.draft.text) for step in pending) + MAX_ADDED)
    try:
        async with aclosing(provider.stream(second)) as events:
            async for event in events:
                answer.feed(event)
    except ProviderError as error:
        response.grounding.notes["enrich"] = {"outcome": error.code or "failed"}
        return [*draft]
    result = apply_result(decided, "".join(answer.pieces), response.names)
    response.grounding.notes["enrich"] = {"outcome": result.outcome, **answer.report}
    confirmed = iter(
        [replace(step, decision=decision) for step, decision in zip(pending, result.decisions, strict=True)]
    )
    return [next(confirmed) if _is_text(step, choice) else step for step in draft]


def _second_params(params: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of the second call: without tools and formats."""
    return {key: value for key, value in params.items() if key not in _FIRST_PASS_ONLY}


def _is_text(step: Step, choice: int) -> TypeGuard[PendingText]:
    """Return whether a step is text of this choice. Claims in JSON have no text that a second answer could repeat."""
    return isinstance(step, PendingText) and step.choice == choice and not step.draft.is_in_place


class _SecondAnswer:
    """The text and usage of the second call."""

    def __init__(self, max_characters: int) -> None:
        self.pieces: list[str] = []
        self.report: dict[str, Any] = {}
        self._left = max_characters

    def feed(self, event: Event) -> None:
        """Collect an event. Raise BrokenStream if the answer is longer than a draft with citations can be."""
        if isinstance(event, TextDelta):
            self._left -= len(event.text)
            if self._left < 0:
                raise BrokenStream("The second answer is longer than the draft.", code="too_long")
            self.pieces.append(event.text)
        elif isinstance(event, Usage):
            self.report["usage"] = event.chunk.get("usage")
