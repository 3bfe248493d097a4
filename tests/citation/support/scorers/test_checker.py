"""The scorer checker: the evidence that the model reads, and the effect of its result."""

from dataclasses import replace

import numpy as np
import pytest

from citestream.citation import Evidence
from citestream.citation.support.calibration import calibrate
from citestream.citation.support.decision import attribute
from citestream.citation.support.scorers import Claim
from citestream.citation.support.scorers.checker import (
    FEATURES,
    MAX_PASSAGES,
    CheckerPrepared,
    CheckerScorer,
    CheckerWeights,
    default_weights,
)
from citestream.citation.support.scorers.lexical import LexicalScorer

WEIGHTS = CheckerWeights(0.1, 0.75, intercept=0.0, first=0.5, entailed=1.0)
CLAIM = Claim("The premier opened the harbour bridge to traffic.")
EVIDENCE = [
    Evidence(
        1, "It rained. The harbour bridge was ready in 1932. The premier was there. It was dear.", "a", title="Bridge"
    ),
    Evidence(2, "The opera house was finished after many quarrels.", "b"),
    Evidence(3, "The premier opened the harbour bridge to traffic in 1932.", "c"),
]


def prepared(evidence: list[Evidence] = EVIDENCE, weights: CheckerWeights = WEIGHTS) -> CheckerPrepared:
    return CheckerScorer(weights).prepare(evidence)


def test_the_model_reads_only_undecided_evidence() -> None:
    ready = prepared()
    scores = ready.score(CLAIM)
    probability = calibrate(scores).probability
    assert ready.needs_checker
    assert [row + 1 for row in ready.undecided(scores)] == [1]
    assert probability[1] < 0.1 < probability[0] < 0.75 < probability[2]


def test_the_most_uncertain_evidence_is_read_first_up_to_a_maximum() -> None:
    ready = prepared([replace(EVIDENCE[0], number=n) for n in range(1, 10)], CheckerWeights(0.0, 1.0, 0.0, 1.0, 1.0))
    claim = replace(CLAIM, cited=frozenset(range(1, 10)))
    assert len(ready.undecided(ready.score(claim))) == MAX_PASSAGES


def test_the_passage_is_the_best_window_with_its_surroundings() -> None:
    ready = prepared()
    scores = ready.score(CLAIM)
    ((passage, hypothesis),) = ready.pairs_to_check(CLAIM, scores)
    assert passage.startswith("Bridge. ")
    assert "The harbour bridge was ready" in passage
    assert hypothesis == CLAIM.text
    assert ready.passage(scores, 1) == EVIDENCE[1].text


JOINT = Claim("The bridge has a deck of steel, and its towers are clad in granite.", cited=frozenset({1, 2}))
PARTS = [
    Evidence(1, "The deck of the bridge is made of steel.", "a"),
    Evidence(2, "Granite covers the towers of the bridge.", "b"),
    Evidence(3, "The ferry stopped when the bridge was ready.", "c"),
]
EVERYTHING = CheckerWeights(0.0, 1.0, intercept=0.0, first=0.0, entailed=1.0)

TOGETHER: dict[str, tuple[tuple[float, float], float, list[int]]] = {
    "both excerpts together entail the claim": ((-3.0, -3.0), 4.0, [1, 2]),
    "neither do both together": ((-3.0, -3.0), -9.0, []),
    "one of them is enough": ((3.0, -3.0), 4.0, [1]),
}


@pytest.mark.parametrize(("alone", "together", "cited"), TOGETHER.values(), ids=TOGETHER)
def test_the_passages_that_the_answer_cites_are_also_read_together(
    alone: tuple[float, float], together: float, cited: list[int]
) -> None:
    ready = prepared(PARTS, EVERYTHING)
    scores = ready.score(JOINT)
    rows = ready.undecided(scores)
    pairs = ready.pairs_to_check(JOINT, scores)
    assert pairs[-1] == (f"{PARTS[0].text} {PARTS[1].text}", JOINT.text)
    log_odds = [alone[row] if row < 2 else -9.0 for row in rows]
    read = ready.with_checked(JOINT, scores, [*log_odds, together])
    assert [support.number for support in attribute(JOINT, read, ready).supports] == cited


def test_a_single_citation_is_read_once() -> None:
    ready = prepared(PARTS, EVERYTHING)
    claim = replace(JOINT, cited=frozenset({1}))
    scores = ready.score(claim)
    assert len(ready.pairs_to_check(claim, scores)) == len(ready.undecided(scores))


def test_words_alone_can_be_combined_with_a_model() -> None:
    scorer = CheckerScorer(WEIGHTS, LexicalScorer())
    ready = scorer.prepare(EVIDENCE)
    assert not scorer.needs_vectors
    scores = ready.score(CLAIM)
    assert not scores.degraded
    assert len(ready.pairs_to_check(CLAIM, scores)) == len(ready.undecided(scores))


@pytest.mark.parametrize(("entailed", "expected"), [(5.0, [1, 3]), (-5.0, [3])])
def test_the_model_decides_only_undecided_evidence(entailed: float, expected: list[int]) -> None:
    ready = prepared()
    scores = ready.score(CLAIM)
    read = ready.with_checked(CLAIM, scores, [entailed])
    assert sorted(s.number for s in attribute(CLAIM, read, ready).supports) == expected
    assert read.names[-2:] == FEATURES
    assert read.features[:, -1].tolist() == [entailed, 0, 0]
    assert calibrate(read).probability[1:] == pytest.approx(calibrate(scores).probability[1:])


def test_checks_can_refuse_what_the_model_confirms() -> None:
    ready = prepared()
    claim = Claim("The harbour bridge was ready in 1933.")
    scores = ready.score(claim)
    read = ready.with_checked(claim, scores, [9.0] * len(ready.pairs_to_check(claim, scores)))
    assert attribute(claim, read, ready).supports == ()


def test_without_results_of_the_model_the_probability_is_unchanged() -> None:
    ready = prepared(weights=replace(WEIGHTS, open_from=0.5, open_to=0.5))
    scores = ready.score(CLAIM)
    assert ready.pairs_to_check(CLAIM, scores) == []
    assert calibrate(ready.with_checked(CLAIM, scores, [])).probability == pytest.approx(calibrate(scores).probability)


@pytest.mark.parametrize("kind", ["entailment", "relevance"])
def test_the_stored_weights_use_both_log_odds(kind: str) -> None:
    stored = default_weights(kind)
    without, small, large, huge = (
        float(stored.probability(np.array([0.0]), np.array([odds]))[0]) for odds in (0.0, 3.0, 900.0, 1e6)
    )
    assert without < small < large
    assert stored.probability(np.array([1.0]), np.array([0.0]))[0] > without
    assert stored.limit > 100 or large == huge


def test_vectors_can_be_added_later() -> None:
    ready = prepared().with_vectors(np.eye(6, 4, dtype=np.float32))
    assert ready.score(CLAIM).degraded
    assert isinstance(ready, CheckerPrepared)
