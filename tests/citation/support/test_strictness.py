"""Strictness: strict cites a part of what balanced cites, and balanced a part of what lenient cites."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest

from citestream.citation.cite import cite
from citestream.citation.evidence import Evidence
from citestream.citation.options import Options, Strictness
from citestream.citation.support.calibration import STRICTNESS, calibrate_all, calibrate_in_steps, calibration
from citestream.citation.support.scorers import Calibrated, Claim, Scores, scorer
from tests.citation.support.gates.refusals import pairs

PARAPHRASE = (
    "The library lends laptops to students for two weeks.",
    "Students can borrow a computer from the library.",
)
PAIRS = [PARAPHRASE, *((pair["evidence"], sentence) for pair in pairs("swaps") for sentence in pair["true"])]
OTHER = Evidence(2, "The museum shows paintings of the harbour and closes in winter.", "other")


def cited(strictness: Strictness) -> set[str]:
    """The sentences that are cited."""
    return {
        sentence
        for text, sentence in PAIRS
        if cite([sentence], [Evidence(1, text, "e1"), OTHER], Options(strictness=strictness)).supports[0]
    }


def test_a_stricter_level_cites_less_and_nothing_else() -> None:
    strict, balanced, lenient = map(cited, STRICTNESS)
    assert strict <= balanced <= lenient
    assert strict < lenient


@pytest.mark.parametrize("name", ["lexical", "hybrid"])
def test_fitted_scorers_have_ordered_thresholds(name: str) -> None:
    strict, balanced, lenient = (calibration(name).thresholds[level] for level in STRICTNESS)
    assert 1 > strict.threshold > balanced.threshold > lenient.threshold > 0
    assert 1 > strict.hint_threshold > balanced.hint_threshold > lenient.hint_threshold > 0


def own_rule(*, gated: bool) -> Scores:
    """Scores that the scorer's own rule calibrated."""
    scores = scorer("lexical").prepare([OTHER]).score(Claim("The museum closes in winter."))
    values = np.array([0.5])
    return replace(scores, calibrated=Calibrated(values, values, values / 2, gated=gated))


def test_the_thresholds_of_a_scorers_own_rule_are_shifted_once() -> None:
    scores = [own_rule(gated=True)]
    levels = [calibrate_all(scores, strictness)[0].calibrated for strictness in STRICTNESS]
    strict, balanced, lenient = (level.threshold[0] for level in levels if level)
    assert strict > balanced == 0.5 > lenient
    again = calibrate_all(calibrate_all(scores, "strict"), "strict")[0].calibrated
    assert again is not None
    assert again.threshold[0] == strict


def test_a_rule_without_gates_has_no_levels() -> None:
    (scores,) = calibrate_all([own_rule(gated=False)], "strict")
    assert scores.calibrated is not None
    assert scores.calibrated.threshold[0] == 0.5


def test_a_step_looks_at_a_batch_of_scores_only() -> None:
    (one,) = scorer("lexical").prepare([OTHER]).score_all([Claim("The museum closes in winter.")])
    looked_at = 0

    class Counted(list[Scores]):
        def __iter__(self) -> Iterator[Scores]:
            nonlocal looked_at
            for item in super().__iter__():
                looked_at += 1
                yield item

    steps = calibrate_in_steps(Counted([one] * 10_000))
    assert [looked_at for _ in islice(steps, 3)] == [1_000, 2_000, 3_000]
