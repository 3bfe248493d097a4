"""Levels of strictness: a stricter level cites a subset of the sentences."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from math import log

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
    """Return the sentences that are cited."""
    return {
        sentence
        for text, sentence in PAIRS
        if cite([sentence], [Evidence(1, text, "e1"), OTHER], Options(strictness=strictness)).supports[0]
    }


def test_a_stricter_level_cites_a_subset() -> None:
    strict, balanced, lenient = map(cited, STRICTNESS)
    assert strict <= balanced <= lenient
    assert strict < lenient


@pytest.mark.parametrize("name", ["lexical", "hybrid"])
def test_fitted_scorers_have_ordered_thresholds(name: str) -> None:
    strict, balanced, lenient = (calibration(name).thresholds[level] for level in STRICTNESS)
    for stricter, weaker in ((strict, balanced), (balanced, lenient)):
        assert all(a >= b for a, b in zip(stricter, weaker, strict=True))
        assert stricter != weaker


def self_calibrated(*, checked: bool) -> Scores:
    """Return scores with the calibration of the scorer itself."""
    scores = scorer("lexical").prepare([OTHER]).score(Claim("The museum closes in winter."))
    values = np.array([0.5])
    return replace(scores, calibrated=Calibrated(values, values, checked=checked))


def test_thresholds_of_a_self_calibrated_scorer_are_shifted_once() -> None:
    scores = [self_calibrated(checked=True)]
    levels = [calibrate_all(scores, strictness)[0].calibrated for strictness in STRICTNESS]
    strict, balanced, lenient = (log_odds(level.threshold[0]) for level in levels if level)
    assert strict > balanced == 0 > lenient
    again = calibrate_all(calibrate_all(scores, "strict"), "strict")[0].calibrated
    assert again is not None
    assert log_odds(again.threshold[0]) == pytest.approx(strict)


def log_odds(probability: float) -> float:
    return log(probability / (1 - probability))


def test_strictness_does_not_shift_thresholds_without_checks() -> None:
    (scores,) = calibrate_all([self_calibrated(checked=False)], "strict")
    assert scores.calibrated is not None
    assert scores.calibrated.threshold[0] == 0.5


def test_each_step_calibrates_one_batch() -> None:
    (one,) = scorer("lexical").prepare([OTHER]).score_all([Claim("The museum closes in winter.")])
    read = 0

    class Counted(list[Scores]):
        def __iter__(self) -> Iterator[Scores]:
            nonlocal read
            for item in super().__iter__():
                read += 1
                yield item

    steps = calibrate_in_steps(Counted([one] * 10_000))
    first, second, third = [read for _ in islice(steps, 3)]
    assert 1 < first < 1_000
    assert (second, third) == (2 * first, 3 * first)
