"""The second pass of `citations.enrich`: the whole draft, a call that only writes citations, then the answer."""

import secrets
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, replace
from time import monotonic
from typing import Any

from citation.attribute import Decision
from citation.enrichment import Decided, judge, messages
from citation.response import Response
from providers.errors import ProviderError
from providers.events import ChatRequest, Provider, TextDelta, Usage

from .outgoing import Outgoing, Waiting
from .pipeline import decide, shown
from .reading import Drafted, Pace, Step, drafts
from .scoring import Scoring

_FIRST_PASS_ONLY = frozenset(
    {"n", "tools", "tool_choice", "parallel_tool_calls", "response_format", "logprobs", "stop", "google", "ollama"}
)


@dataclass(frozen=True, slots=True)
class _Read:
    """A step of the first pass, and what was decided about it."""

    step: Step
    decision: Decision


async def enriched(
    provider: Provider, request: ChatRequest, response: Response, scoring: Scoring, pace: Pace
) -> AsyncGenerator[Outgoing, None]:
    """Cite one completion in two calls. Raises ProviderError only before anything was yielded."""
    read: list[_Read] = []
    async with aclosing(drafts(provider.stream(request), response, pace)) as steps:
        async for step in steps:
            if isinstance(step, Waiting):
                yield step
                continue
            decided = await decide(step.draft, scoring, response) if isinstance(step, Drafted) else Decision()
            read.append(_Read(step, decided))
    for choice in sorted({item.step.choice for item in read if isinstance(item.step, Drafted)}):
        async with aclosing(_second(provider, request, response, read, choice, pace)) as waiting:
            async for sign in waiting:
                yield sign
    for item in read:
        for event in shown(item.step, item.decision, response):
            yield event


async def _second(
    provider: Provider, request: ChatRequest, response: Response, read: list[_Read], choice: int, pace: Pace
) -> AsyncGenerator[Waiting, None]:
    """Ask for the citations of one choice and put what is kept of its decisions in their place."""
    places = [i for i, item in enumerate(read) if isinstance(item.step, Drafted) and item.step.choice == choice]
    decided: list[Decided] = [(read[i].step.draft, read[i].decision) for i in places]  # type: ignore[union-attr]
    if not any(decision.supports for _, decision in decided):
        return
    evidence = [*response.references.evidence.values()]
    params = {key: value for key, value in request.params.items() if key not in _FIRST_PASS_ONLY}
    asked = replace(request, messages=messages(decided, evidence, secrets.token_hex(4)), params=params)
    written: list[str] = []
    report: dict[str, Any] = {}
    left = monotonic()
    try:
        async with aclosing(provider.stream(asked)) as events:
            async for event in events:
                if isinstance(event, TextDelta):
                    written.append(event.text)
                elif isinstance(event, Usage):
                    report["usage"] = event.chunk.get("usage")
                if monotonic() - left >= pace.keepalive:
                    left = monotonic()
                    yield Waiting()
    except ProviderError as error:
        response.grounding.notes["enrich"] = {"outcome": error.code or "failed"}
        return
    found = judge(decided, "".join(written), response.names)
    response.grounding.notes["enrich"] = {"outcome": found.outcome, **report}
    for i, decision in zip(places, found.decisions, strict=True):
        read[i] = replace(read[i], decision=decision)
