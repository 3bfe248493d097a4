"""Evidence is made ready in steps, between which everything else goes on."""

import asyncio
import threading
from collections.abc import Sequence

import pytest

from citestream.citation.evidence import Evidence
from citestream.citation.support.scorers import PreparedEvidence, Vectors
from citestream.citation.support.scorers.lexical import LexicalScorer
from citestream.proxy.pipeline import preparation as preparing
from citestream.proxy.pipeline.preparation import LONG_EVIDENCE, LONG_EXCERPT, Preparations

SHORT = [Evidence(number, f"The bridge number {number} opened in 1932.", f"e{number}") for number in range(1, 6)]


class Noting(LexicalScorer):
    """Writes down what is done, and where."""

    def __init__(self, name: str, notes: list[str]) -> None:
        super().__init__()
        self.called = name
        self.notes = notes
        self.threads: set[int] = set()

    def analyze(self, evidence: Evidence) -> None:
        self.notes.append(f"{self.called} reads {evidence.number}")

    def prepare(self, evidence: Sequence[Evidence], vectors: Vectors | None = None) -> PreparedEvidence:  # type: ignore[override]
        self.notes.append(f"{self.called} is ready")
        self.threads.add(threading.get_ident())
        return super().prepare(evidence, vectors)


async def test_an_excerpt_a_step_and_requests_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preparing, "BEGIN_SECONDS", 0.0)
    monkeypatch.setattr(preparing, "STEP_SECONDS", 0.0)
    notes: list[str] = []
    preparations = Preparations()
    waiting = [preparations.begin(Noting(name, notes), SHORT[:2]) for name in "ab"]
    for turn in range(3):
        notes.append(f"turn {turn}")
        await asyncio.sleep(0)
    prepared = await asyncio.gather(*waiting)
    assert [list(one.evidence) for one in prepared] == [SHORT[:2], SHORT[:2]]
    work = [note for note in notes if not note.startswith("turn")]
    assert work == ["a reads 1", "a reads 2", "a is ready", "b reads 1", "b reads 2", "b is ready"]
    assert notes.index("turn 1") < notes.index("a is ready"), "others have their turn between the steps"


async def test_a_question_leaves_for_the_model_before_its_evidence_is_made_ready(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(preparing, "BEGIN_SECONDS", 3600.0)
    notes: list[str] = []
    waiting = Preparations().begin(Noting("a", notes), SHORT[:1])
    for _ in range(10):
        await asyncio.sleep(0)
    assert notes == []
    waiting.cancel()


async def test_nobody_prepares_what_nobody_waits_for() -> None:
    notes: list[str] = []
    preparations = Preparations()
    left, stayed = (preparations.begin(Noting(name, notes), SHORT[:1]) for name in "ab")
    left.cancel()
    await stayed
    assert notes == ["b reads 1", "b is ready"]


@pytest.mark.parametrize(
    "evidence",
    [[Evidence(1, "a" * (LONG_EXCERPT + 1), "e1")], [Evidence(1, "a " * 1000, "e1")] * (LONG_EVIDENCE // 2000 + 1)],
    ids=["one long excerpt", "many excerpts"],
)
async def test_what_would_take_long_leaves_the_loop(evidence: list[Evidence]) -> None:
    scorer = Noting("a", [])
    preparations = Preparations()
    prepared = await preparations.begin(scorer, evidence)
    preparations.close()
    assert len(prepared.evidence) == len(evidence)
    assert len(scorer.threads) == 1
    assert threading.get_ident() not in scorer.threads


async def test_whoever_waits_gets_the_error_and_the_others_their_evidence() -> None:
    class Broken(LexicalScorer):
        def analyze(self, evidence: Evidence) -> None:
            raise ZeroDivisionError

    preparations = Preparations()
    broken, whole = preparations.begin(Broken(), SHORT), preparations.begin(LexicalScorer(), SHORT)
    with pytest.raises(ZeroDivisionError):
        await broken
    assert list((await whole).evidence) == SHORT
