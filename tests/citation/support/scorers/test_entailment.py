"""The entailment scorer: the evidence that the model reads, and the effect of its result."""

from dataclasses import replace

import numpy as np
import pytest

from citestream.citation import Evidence
from citestream.citation.support.calibration import calibrate
from citestream.citation.support.decision import attribute
from citestream.citation.support.scorers import Claim
from citestream.citation.support.scorers.entailment import (
    FEATURES,
    MAX_PASSAGES,
    EntailmentPrepared,
    EntailmentScorer,
    EntailmentWeights,
    default_weights,
)

WEIGHTS = EntailmentWeights(0.1, 0.8, intercept=0.0, first=0.5, entailed=1.0)
CLAIM = Claim("The premier opened the harbour bridge to traffic.")
EVIDENCE = [
    Evidence(
        1, "It rained. The harbour bridge was ready in 1932. The premier was there. It was dear.", "a", title="Bridge"
    ),
    Evidence(2, "The opera house was finished after many quarrels.", "b"),
    Evidence(3, "The premier opened the harbour bridge to traffic in 1932.", "c"),
]


def prepared(evidence: list[Evidence] = EVIDENCE, weights: EntailmentWeights = WEIGHTS) -> EntailmentPrepared:
    return EntailmentScorer(weights).prepare(evidence)


def test_the_model_reads_only_undecided_evidence() -> None:
    ready = prepared()
    scores = ready.score(CLAIM)
    probability = calibrate(scores).probability
    assert ready.needs_entailment
    assert [row + 1 for row in ready.undecided(scores)] == [1]
    assert probability[1] < 0.1 < probability[0] < 0.8 < probability[2]


def test_the_most_uncertain_evidence_is_read_first_up_to_a_maximum() -> None:
    ready = prepared([replace(EVIDENCE[0], number=n) for n in range(1, 10)], EntailmentWeights(0.0, 1.0, 0.0, 1.0, 1.0))
    claim = replace(CLAIM, cited=frozenset(range(1, 10)))
    assert len(ready.undecided(ready.score(claim))) == MAX_PASSAGES


def test_the_passage_is_the_best_window_with_its_surroundings() -> None:
    ready = prepared()
    scores = ready.score(CLAIM)
    (passage,) = ready.passages(scores, [0])
    assert passage.startswith("Bridge. ")
    assert "The harbour bridge was ready" in passage
    assert ready.passages(scores, [1]) == [EVIDENCE[1].text]


@pytest.mark.parametrize(("entailed", "expected"), [(5.0, [1, 3]), (-5.0, [3])])
def test_the_model_decides_only_undecided_evidence(entailed: float, expected: list[int]) -> None:
    ready = prepared()
    scores = ready.score(CLAIM)
    read = ready.with_entailment(scores, ready.undecided(scores), [entailed])
    assert sorted(s.number for s in attribute(CLAIM, read, ready).supports) == expected
    assert read.names[-2:] == FEATURES
    assert read.features[:, -1].tolist() == [entailed, 0, 0]
    assert calibrate(read).probability[1:] == pytest.approx(calibrate(scores).probability[1:])


def test_checks_can_refuse_what_the_model_confirms() -> None:
    ready = prepared()
    claim = Claim("The harbour bridge was ready in 1933.")
    scores = ready.score(claim)
    read = ready.with_entailment(scores, [0], [9.0])
    assert attribute(claim, read, ready).supports == ()


def test_without_results_of_the_model_the_probability_is_unchanged() -> None:
    ready = prepared()
    scores = ready.score(CLAIM)
    assert calibrate(ready.with_entailment(scores, [], [])).probability == pytest.approx(calibrate(scores).probability)


def test_the_stored_weights_use_both_log_odds() -> None:
    stored = default_weights()
    assert stored.first > 0
    assert stored.entailed > 0
    assert (
        stored.probability(np.array([0.0]), np.array([3.0]))[0]
        > stored.probability(np.array([0.0]), np.array([0.0]))[0]
    )


def test_vectors_can_be_added_later() -> None:
    ready = prepared().with_vectors(np.eye(6, 4, dtype=np.float32))
    assert ready.score(CLAIM).degraded
    assert isinstance(ready, EntailmentPrepared)
