"""The default scorer: features, windows, steps, and arbitrary input."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from citestream.citation.evidence import Evidence
from citestream.citation.support.features.features import FEATURES
from citestream.citation.support.scorers import CHARACTERS_AT_A_TIME, MAX_BATCH, Claim, scorer

TEXTS = [
    "The harbour froze in January. Ferries stopped for nine days. The mayor asked for patience.",
    "Ein Museum zeigt Bilder des Hafens. Im Winter ist es geschlossen.",
    "港口在一月结冰。渡轮停航九天。",
]


def evidence(*texts: str) -> list[Evidence]:
    return [Evidence(n, text, f"e{n}") for n, text in enumerate(texts, 1)]


def test_each_piece_of_evidence_has_one_row_of_features() -> None:
    scores = scorer("lexical").prepare(evidence(*TEXTS)).score(Claim("Ferries stopped for nine days."))
    assert scores.names == FEATURES
    assert scores.features.shape == (3, len(FEATURES))
    assert scores.windows.shape == (3, 2)


def test_the_window_is_the_supporting_passage() -> None:
    scores = scorer("lexical").prepare(evidence(*TEXTS)).score(Claim("Ferries stopped for nine days."))
    start, end = scores.windows[0]
    assert TEXTS[0][start:end].strip() == "Ferries stopped for nine days."


@pytest.mark.parametrize("row", [0, 2])
def test_identical_evidence_has_the_best_coverage(row: int) -> None:
    scores = scorer("lexical").prepare(evidence(*TEXTS)).score(Claim(TEXTS[row]))
    assert int(np.argmax(scores.features[:, FEATURES.index("cover_3")])) == row


def test_other_languages_are_detected_and_compared_by_shared_words() -> None:
    scores = (
        scorer("lexical").prepare(evidence(*TEXTS)).score(Claim("The museum shows pictures and is closed in winter."))
    )
    foreign = scores.features[:, FEATURES.index("foreign")]
    soft = scores.features[:, FEATURES.index("soft_3")]
    assert foreign.tolist() == [0, 1, 1]
    assert int(np.argmax(soft)) == 1


def test_the_order_of_the_evidence_does_not_matter() -> None:
    claim = Claim("Ferries stopped for nine days.", "The harbour froze.")
    forward = scorer("lexical").prepare(evidence(*TEXTS)).score(claim)
    backward = scorer("lexical").prepare(evidence(*reversed(TEXTS))).score(claim)
    np.testing.assert_allclose(forward.features, backward.features[::-1], rtol=1e-5)


@pytest.mark.parametrize(
    ("lengths", "steps"),
    [
        ([], 0),
        ([1] * MAX_BATCH, 1),
        ([1] * (MAX_BATCH + 1), 2),
        ([CHARACTERS_AT_A_TIME // 2] * 5, 3),
        ([1, CHARACTERS_AT_A_TIME * 2, 1], 3),
    ],
)
def test_claims_are_scored_in_steps(lengths: list[int], steps: int) -> None:
    claims = [Claim(("nine days " * length)[:length]) for length in lengths]
    prepared = scorer("lexical").prepare(evidence(*TEXTS))
    performed, scores = 1, prepared.score_in_steps(claims)
    while True:
        try:
            next(scores)
        except StopIteration as stop:
            found = stop.value
            break
        performed += 1
    assert performed == max(1, steps)
    for claim, score in zip(claims, found, strict=True):
        np.testing.assert_array_equal(score.features, prepared.score(claim).features)


def test_without_evidence_there_are_no_rows() -> None:
    assert scorer("lexical").prepare([]).score(Claim("Ferries stopped.")).features.shape[0] == 0


@given(st.lists(st.text(min_size=1, max_size=120), min_size=1, max_size=4), st.text(max_size=80), st.text(max_size=40))
def test_any_text_has_finite_features(texts: list[str], claim: str, context: str) -> None:
    scores = scorer("lexical").prepare(evidence(*texts)).score(Claim(claim, context))
    assert np.isfinite(scores.features).all()
    assert all(0 <= a <= b <= len(text) for (a, b), text in zip(scores.windows.tolist(), texts, strict=True))


def test_an_unknown_scorer_is_reported_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match="lexical"):
        scorer("lexcial")
