"""Evidence is prepared in steps, between which other work runs."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress

import pytest

from citestream.citation.answers.response import Response
from citestream.citation.evidence import Evidence
from citestream.citation.options import Options
from citestream.citation.support.scorers import PreparedEvidence
from citestream.citation.support.scorers.lexical import LexicalScorer
from citestream.citation.text.steps import Steps
from citestream.providers import scheduler as scheduling
from citestream.providers.errors import Unreachable
from citestream.providers.events import ChatRequest
from citestream.providers.scripted import ScriptedProvider, Step, chunk
from citestream.proxy.pipeline.deciding import preparation
from citestream.proxy.pipeline.deciding.preparation import prepare
from citestream.proxy.pipeline.deciding.scoring import ExternalModels, Scoring
from citestream.proxy.pipeline.respond import Batches, respond
from citestream.proxy.pipeline.second_pass import respond_in_two_passes

SHORT = [Evidence(number, f"The bridge number {number} opened in 1932.", f"e{number}") for number in range(1, 6)]


class RecordingScorer(LexicalScorer):
    """Records its steps."""

    def __init__(self, name: str, notes: list[str]) -> None:
        super().__init__()
        self.label = name
        self.notes = notes

    def prepare_in_steps(self, evidence: Sequence[Evidence]) -> Steps[PreparedEvidence]:
        for one in evidence:
            self.notes.append(f"{self.label} reads {one.number}")
            yield None
        self.notes.append(f"{self.label} is ready")
        return (yield from super().prepare_in_steps(evidence))


async def test_requests_are_prepared_in_order_with_one_step_per_excerpt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preparation, "BEGIN_SECONDS", 0.0)
    monkeypatch.setattr(scheduling, "STEP_SECONDS", 0.0)
    notes: list[str] = []
    waiting = [prepare(RecordingScorer(name, notes), SHORT[:2]) for name in "ab"]
    for turn in range(5):
        notes.append(f"turn {turn}")
        await asyncio.sleep(0)
    prepared = await asyncio.gather(*waiting)
    assert [list(one.evidence) for one in prepared] == [SHORT[:2], SHORT[:2]]
    work = [note for note in notes if not note.startswith("turn")]
    assert work == ["a reads 1", "a reads 2", "a is ready", "b reads 1", "b reads 2", "b is ready"]
    assert notes.index("turn 3") < notes.index("a is ready"), "other tasks run between the steps"


async def test_the_preparation_does_not_start_before_its_delay_has_passed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preparation, "BEGIN_SECONDS", 3600.0)
    notes: list[str] = []
    waiting = prepare(RecordingScorer("a", notes), SHORT[:1])
    for _ in range(10):
        await asyncio.sleep(0)
    assert notes == []
    waiting.cancel()


async def test_the_evidence_of_a_cancelled_request_is_not_prepared() -> None:
    notes: list[str] = []
    cancelled, waited_for = (prepare(RecordingScorer(name, notes), SHORT[:1]) for name in "ab")
    cancelled.cancel()
    await waited_for
    assert notes == ["b reads 1", "b is ready"]


async def test_an_error_reaches_only_the_request_that_waits_for_it() -> None:
    class Broken(LexicalScorer):
        def prepare_in_steps(self, evidence: Sequence[Evidence]) -> Steps[PreparedEvidence]:
            raise ZeroDivisionError
            yield None

    failing, working = prepare(Broken(), SHORT), prepare(LexicalScorer(), SHORT)
    with pytest.raises(ZeroDivisionError):
        await failing
    assert list((await working).evidence) == SHORT


Begin = Callable[[ScriptedProvider, Response, Scoring], Batches]


def in_one_pass(provider: ScriptedProvider, response: Response, scoring: Scoring) -> Batches:
    return respond(provider.stream(ChatRequest("m", [])), response, scoring, hold_seconds=20.0)


def in_two_passes(provider: ScriptedProvider, response: Response, scoring: Scoring) -> Batches:
    return respond_in_two_passes(provider, ChatRequest("m", []), response, scoring, hold_seconds=20.0)


SCRIPTS: dict[str, list[Step]] = {
    "the provider fails at once": [Unreachable("gone")],
    "the answer is empty": [chunk({"content": ""}), chunk({}, "stop")],
}


@pytest.mark.parametrize("begin", [in_one_pass, in_two_passes])
@pytest.mark.parametrize("script", SCRIPTS.values(), ids=SCRIPTS)
async def test_the_preparation_ends_with_an_answer_that_needs_none(
    begin: Begin, script: list[Step], monkeypatch: pytest.MonkeyPatch
) -> None:
    """When a provider refuses many requests, their evidence must not delay that of others."""
    monkeypatch.setattr(preparation, "BEGIN_SECONDS", 3600.0)
    scoring = Scoring(LexicalScorer(), SHORT, ExternalModels(deadline=2.0))
    with suppress(Unreachable):
        async for _ in begin(ScriptedProvider(*script), Response(SHORT, Options()), scoring):
            pass
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(scoring.prepared(), timeout=5)
