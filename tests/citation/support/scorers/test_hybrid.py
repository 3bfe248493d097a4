"""The hybrid scorer, with vectors in three directions, one for each topic."""

import numpy as np
import pytest

from citestream.citation import Evidence
from citestream.citation.support.calibration import calibration
from citestream.citation.support.decision import attribute, explain
from citestream.citation.support.scorers import Claim, Vectors, scorer
from citestream.citation.support.scorers.hybrid import FEATURES, HybridPrepared

BRIDGE, LANES, OPERA = np.eye(3, dtype=np.float32)
EVIDENCE = [
    Evidence(1, "The harbour bridge was opened in 1932. It carries eight lanes of traffic.", "bridge"),
    Evidence(2, "The opera house was finished after many quarrels.", "opera"),
]
VECTORS = np.stack([BRIDGE, LANES, OPERA])
GERMAN = Claim("Die Brücke über den Hafen wurde 1932 freigegeben.", vector=BRIDGE)


def prepared(vectors: Vectors | None = VECTORS) -> HybridPrepared:
    ready = scorer("hybrid").prepare(EVIDENCE, vectors)
    assert isinstance(ready, HybridPrepared)
    return ready


def features(claim: Claim, ready: HybridPrepared) -> dict[str, list[float]]:
    scores = ready.score(claim)
    return dict(zip(scores.names, scores.features.T.tolist(), strict=True))


def test_sentences_are_embedded_in_order() -> None:
    assert scorer("hybrid").texts_to_embed(EVIDENCE) == [
        "The harbour bridge was opened in 1932. ",
        "It carries eight lanes of traffic.",
        "The opera house was finished after many quarrels.",
    ]


def test_features_are_similarities_of_sentences_windows_and_excerpts() -> None:
    found = features(GERMAN, prepared())
    half = 2**-0.5  # a window of two sentences points between them
    assert found["near_1"] == pytest.approx([1, 0])
    assert found["near_2"] == pytest.approx([half, 0])
    assert found["near_3"] == pytest.approx([1, 0]), (
        "the text has fewer than three sentences, so the nearest sentence is used"
    )
    assert found["near_all"] == pytest.approx([half, 0])
    assert found["near_margin"] == pytest.approx([1, -1])
    assert found["near_best"] == pytest.approx([1, 1])
    assert found["near_relative"] == pytest.approx([1, 0])


def test_the_best_lexical_window_has_a_similarity() -> None:
    claim = Claim("It carries eight lanes of traffic.", vector=LANES)
    assert features(claim, prepared())["near_window"][0] == pytest.approx(1)


def test_a_translation_with_few_common_words_is_cited() -> None:
    ready = prepared()
    assert [s.number for s in attribute(GERMAN, ready.score(GERMAN), ready).supports] == [1]


def test_a_changed_year_is_refused_at_any_similarity() -> None:
    ready = prepared()
    claim = Claim("Die Brücke über den Hafen wurde 1923 freigegeben.", vector=BRIDGE)
    first, _ = explain(claim, ready.score(claim), ready)
    assert first.findings
    assert not first.cited


MISSING = {
    "no vectors of the evidence": (None, GERMAN),
    "no vector of the sentence": (VECTORS, Claim(GERMAN.text)),
    "vectors of two models": (VECTORS, Claim(GERMAN.text, vector=np.ones(7, dtype=np.float32))),
}


@pytest.mark.parametrize("case", MISSING)
def test_without_vectors_the_result_is_lexical_and_degraded(case: str) -> None:
    vectors, claim = MISSING[case]
    scores = prepared(vectors).score(claim)
    lexical = scorer("lexical").prepare(EVIDENCE).score(claim)
    assert scores.degraded
    assert scores.scorer == "lexical"
    assert scores.features.tolist() == lexical.features.tolist()


def test_vectors_can_be_added_later() -> None:
    waiting = prepared(None)
    assert isinstance(waiting, HybridPrepared)
    later = waiting.with_vectors(VECTORS)
    assert not later.score(GERMAN).degraded
    assert later.score(GERMAN).features.tolist() == prepared().score(GERMAN).features.tolist()


def test_vectors_of_other_evidence_are_refused() -> None:
    with pytest.raises(ValueError, match="2 vectors for 3 sentences"):
        scorer("hybrid").prepare(EVIDENCE, VECTORS[:2])


def test_the_calibration_uses_the_similarities() -> None:
    fitted = calibration("hybrid")
    assert set(FEATURES) - {"near_best"} <= set(fitted.cited.features) & set(fitted.uncited.features)
