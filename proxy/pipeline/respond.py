"""The one path: a provider's events in; cited text, references and everything else out.

    provider.stream ─► answer.feed ─► score ─► attribute ─► answer.cite ─► what the client is sent
                       Draft          (await)  Decision     text
    OtherDelta ── flush the open sentence of its choices, then straight through
    Finish ────── flush, then the final chunk with references and grounding

Two stages: `drafts` reads and cuts (proxy/pipeline/drafts.py), `respond` decides and shows.
"""

import logging
from collections.abc import AsyncGenerator, Awaitable, Sequence
from contextlib import aclosing
from time import monotonic, perf_counter, time_ns
from typing import assert_never

from citestream.citation.answer import UNDECIDED, Draft
from citestream.citation.grounding import Grounding
from citestream.citation.link_policy import LinkDefangers
from citestream.citation.response import Response
from citestream.citation.support.decision import Decision
from citestream.providers.errors import ProviderError
from citestream.providers.events import Event, Finish, Idle, OtherDelta, TextDelta, Usage

from .drafts import Drafted, Pace, Step, drafts
from .link_filter import unlinked
from .outgoing import Ended, Failed, Outgoing, Shown, Waiting
from .prefetch import Decide, Decided, Steps, ahead, in_turn
from .scoring import Scoring

log = logging.getLogger("citestream")


async def respond(
    events: AsyncGenerator[Event, None], response: Response, scoring: Scoring, pace: Pace
) -> AsyncGenerator[Outgoing, None]:
    """Cite one completion. Raises ProviderError only before anything was yielded; later it yields Failed."""
    times = Times(response.grounding)

    async def timed(steps: Sequence[Drafted]) -> list[Decision]:
        return await times.scored(decide([step.draft for step in steps], scoring, response))

    async with aclosing(decided_by(timed, drafts(events, response, pace), scoring)) as decided:
        async for step, decision in decided:
            times.stepped()
            for event in shown(step, decision or UNDECIDED, response):
                yield event


def decided_by(decide: Decide, steps: Steps, scoring: Scoring) -> Decided:
    """The steps in order, each sentence decided; ahead where that has to wait for something outside."""
    return ahead(steps, decide, scoring.embed) if scoring.waits else in_turn(steps, decide)


def shown(step: Step, decision: Decision, response: Response) -> list[Outgoing]:
    """What the client is sent for one step, in the order of the steps."""
    match step:
        case Drafted(choice, draft, chunk, logprobs):
            text = response.answer(choice).cite(draft, decision)
            return [Shown(choice, text, chunk, logprobs)] if text else []
        case Finish(choice, _, chunk):
            listed = response.answer(choice).reference_list()
            ended = Ended(choice, unlinked(chunk, response.side_texts))
            return [*([Shown(choice, listed, chunk)] if listed else []), ended]
        case OtherDelta(chunk, choices) if response.side_texts:
            return [OtherDelta(unlinked(chunk, response.side_texts), choices)]
        case OtherDelta() | Usage() | Waiting() | Failed():
            return [step]
        case _:
            assert_never(step)


async def decide(drafts: Sequence[Draft], scoring: Scoring, response: Response) -> list[Decision]:
    """Which evidence supports each of these drafts; nothing for one that makes no claim.

    A scorer that fails never fails the answer: the sentence leaves without citations and the report says `degraded`.
    """
    claims = [(draft.claim, frozenset(draft.cited)) for draft in drafts if draft.claim is not None]
    if not claims:
        return [UNDECIDED] * len(drafts)
    try:
        decisions = iter(await scoring.decide(claims, response.options))
    except Exception:
        if len(drafts) > 1:  # those it does not fail for keep their citations
            return [decision for draft in drafts for decision in await decide([draft], scoring, response)]
        log.exception("scoring a sentence failed")
        response.grounding.degraded = True
        return [UNDECIDED]
    response.grounding.degraded |= scoring.degraded
    return [UNDECIDED if draft.claim is None else next(decisions) for draft in drafts]


class Times:
    """What took how long, in milliseconds since the request went out, kept up to date in the grounding report."""

    def __init__(self, grounding: Grounding) -> None:
        self._grounding = grounding
        self._report = grounding.timings_ms
        self._began = perf_counter()

    def stepped(self) -> None:
        """Something came from the provider."""
        passed = _milliseconds(self._began)
        self._report.setdefault("first_token", passed)
        self._report["total"] = passed

    async def scored(self, deciding: Awaitable[list[Decision]]) -> list[Decision]:
        """Decisions; what they take is added to the time spent on them."""
        began, now = perf_counter(), time_ns()
        decisions = await deciding
        self._grounding.decision_times_ns = (self._grounding.decision_times_ns[0] or now, time_ns())
        self._report["scoring"] = round(self._report.get("scoring", 0.0) + _milliseconds(began), 3)
        return decisions


def _milliseconds(since: float) -> float:
    return round((perf_counter() - since) * 1000, 3)


async def unchanged(
    events: AsyncGenerator[Event, None], pace: Pace, beside: LinkDefangers | None = None
) -> AsyncGenerator[Outgoing, None]:
    """Pass on a completion that has nothing to cite. Raises ProviderError only before anything was yielded.

    `beside`: takes the links in it apart, where the operator wants that.
    """
    begun, left = False, monotonic()
    try:
        async with aclosing(events):
            async for event in events:
                match event:
                    case TextDelta() | Finish() | OtherDelta():
                        begun, left = True, monotonic()
                        yield OtherDelta(unlinked(event.chunk, beside))
                    case Usage():
                        yield event
                    case Idle() if monotonic() - left >= pace.keepalive:
                        left = monotonic()
                        yield Waiting()
                    case Idle():
                        pass
                    case _:
                        assert_never(event)
    except ProviderError as error:
        if not begun:
            raise
        yield Failed(error)
