"""Evidence is prepared in steps, between which other work runs."""

import asyncio
from collections.abc import Sequence

import pytest

from citestream.citation.evidence import Evidence
from citestream.citation.support.scorers import PreparedEvidence
from citestream.citation.support.scorers.lexical import LexicalScorer
from citestream.citation.text.steps import Steps
from citestream.providers import scheduler as scheduling
from citestream.proxy.pipeline.deciding import preparation
from citestream.proxy.pipeline.deciding.preparation import prepare

SHORT = [Evidence(number, f"The bridge number {number} opened in 1932.", f"e{number}") for number in range(1, 6)]


class Noting(LexicalScorer):
    """Writes down its steps."""

    def __init__(self, name: str, notes: list[str]) -> None:
        super().__init__()
        self.called = name
        self.notes = notes

    def prepare_in_steps(self, evidence: Sequence[Evidence]) -> Steps[PreparedEvidence]:
        for one in evidence:
            self.notes.append(f"{self.called} reads {one.number}")
            yield None
        self.notes.append(f"{self.called} is ready")
        return (yield from super().prepare_in_steps(evidence))


async def test_an_excerpt_a_step_and_requests_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preparation, "BEGIN_SECONDS", 0.0)
    monkeypatch.setattr(scheduling, "STEP_SECONDS", 0.0)
    notes: list[str] = []
    waiting = [prepare(Noting(name, notes), SHORT[:2]) for name in "ab"]
    for turn in range(5):
        notes.append(f"turn {turn}")
        await asyncio.sleep(0)
    prepared = await asyncio.gather(*waiting)
    assert [list(one.evidence) for one in prepared] == [SHORT[:2], SHORT[:2]]
    work = [note for note in notes if not note.startswith("turn")]
    assert work == ["a reads 1", "a reads 2", "a is ready", "b reads 1", "b reads 2", "b is ready"]
    assert notes.index("turn 3") < notes.index("a is ready"), "others have their turn between the steps"


async def test_a_question_leaves_for_the_model_before_its_evidence_is_prepared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preparation, "BEGIN_SECONDS", 3600.0)
    notes: list[str] = []
    waiting = prepare(Noting("a", notes), SHORT[:1])
    for _ in range(10):
        await asyncio.sleep(0)
    assert notes == []
    waiting.cancel()


async def test_evidence_that_nobody_waits_for_is_not_prepared() -> None:
    notes: list[str] = []
    left, stayed = (prepare(Noting(name, notes), SHORT[:1]) for name in "ab")
    left.cancel()
    await stayed
    assert notes == ["b reads 1", "b is ready"]


async def test_an_error_reaches_only_the_request_that_waits_for_it() -> None:
    class Broken(LexicalScorer):
        def prepare_in_steps(self, evidence: Sequence[Evidence]) -> Steps[PreparedEvidence]:
            raise ZeroDivisionError
            yield None

    broken, whole = prepare(Broken(), SHORT), prepare(LexicalScorer(), SHORT)
    with pytest.raises(ZeroDivisionError):
        await broken
    assert list((await whole).evidence) == SHORT
