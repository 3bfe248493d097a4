"""RAGFlow's rule, compared with values computed by hand: similarities, rounds of thresholds, and complete answers."""

import numpy as np
import pytest

from citestream.citation import Evidence, cite
from citestream.citation.options import Options
from citestream.citation.support.decision import attribute, explain
from citestream.citation.support.scorers import Claim, scorer
from citestream.citation.support.scorers.ragflow import (
    RagflowPrepared,
    hybrid,
    keys,
    threshold,
    thresholds,
    token_similarity,
    tokens,
    weights,
)

BRIDGE = Evidence(1, "The harbour bridge was opened in 1932. It carries eight lanes of traffic.", "bridge")
OPERA = Evidence(2, "The opera house was finished in 1973 after many quarrels.", "opera")

# sentence, excerpt, similarity with equal token weights
SIMILARITIES = {
    "one year changed": ("revenu grew 20 percent in 2023", "revenu grew 20 percent in 2024", 0.815),
    "a negation in the excerpt": ("drug x reduc mortal", "drug x did not reduc mortal", 0.824),
    "a decimal without its point and a whole number": ("20 6", "206", 0.429),
    "equal": ("a b c", "a b c", 1.0),
    "nothing in common": ("a b c", "d e f", 0.0),
}

# token weight, cosine, token similarity, hybrid similarity, accepting threshold
HYBRIDS = {
    "first round": (0.7, 0.95, 0.80, 0.845, 0.63),
    "second round": (0.7, 0.85, 0.45, 0.570, 0.504),
    "third round": (0.7, 0.75, 0.30, 0.435, 0.4032),
    "no round": (0.7, 0.70, 0.10, 0.280, None),
    "first round with RAGFlow's default weight": (0.1, 0.70, 0.10, 0.640, 0.63),
}


@pytest.mark.parametrize("case", SIMILARITIES)
def test_token_similarity_agrees_with_ragflow(case: str) -> None:
    sentence, excerpt, expected = SIMILARITIES[case]
    words = sentence.split()
    found = token_similarity(words, [1 / len(words)] * len(words), keys(excerpt.split()))
    assert found == pytest.approx(expected, abs=0.0005)


@pytest.mark.parametrize("case", HYBRIDS)
def test_hybrid_similarity_is_accepted_in_its_round(case: str) -> None:
    weight, cosine, token, expected, accepted = HYBRIDS[case]
    mixed = hybrid(np.array([token]), np.array([cosine]), weight)
    assert mixed == pytest.approx([expected])
    found = threshold([mixed])
    assert found == pytest.approx(accepted or thresholds()[-1])
    assert (0.99 * mixed.max() >= found) == (accepted is not None)


def test_there_are_four_thresholds() -> None:
    assert thresholds() == pytest.approx([0.63, 0.504, 0.4032, 0.32256])


def test_without_vectors_only_tokens_are_compared() -> None:
    assert hybrid(np.array([0.4, 0.2]), np.zeros(2), 0.1).tolist() == [0.4, 0.2]


def test_the_most_similar_sentence_decides_the_threshold_for_all() -> None:
    assert threshold([np.array([0.40]), np.array([0.70])]) == 0.63
    assert threshold([np.array([0.40])]) == pytest.approx(thresholds()[-1])


def test_numbers_have_large_weights_and_short_words_small_ones() -> None:
    found = dict(zip(["harbour", "1932", "ai"], weights(["harbour", "1932", "ai"]), strict=True))
    assert sum(found.values()) == pytest.approx(1)
    assert found["1932"] > 2 * found["harbour"] > 20 * found["ai"]


def test_punctuation_and_function_words_inside_a_sentence_are_not_tokens() -> None:
    assert tokens("It hit 20.6% of the sum") == ["it", "hit", "20", "6", "the", "sum"]
    assert tokens("大桥开放") == ["大桥", "桥开", "开放"]


def test_at_most_four_nearly_equal_excerpts_are_cited() -> None:
    copies = [Evidence(n, BRIDGE.text, str(n)) for n in range(1, 7)]
    prepared = scorer("ragflow").prepare(copies)
    claim = Claim("The harbour bridge was opened in 1932.")
    assert [s.number for s in attribute(claim, prepared.score(claim), prepared).supports] == [1, 2, 3, 4]


def test_the_window_is_the_most_similar_sentence() -> None:
    prepared = scorer("ragflow").prepare([OPERA, BRIDGE])
    claim = Claim("It carries eight lanes of traffic.")
    (support,) = attribute(claim, prepared.score(claim), prepared).supports
    assert BRIDGE.text[support.start : support.end] == "It carries eight lanes of traffic."


def test_a_changed_year_is_cited_as_in_ragflow() -> None:
    prepared = scorer("ragflow").prepare([BRIDGE, OPERA])
    claim = Claim("The harbour bridge was opened in 1933.")
    assert [v.cited for v in explain(claim, prepared.score(claim), prepared)] == [True, False]


def test_vectors_are_weighted() -> None:
    vectors = np.array([[1, 0], [0, 1]], dtype=np.float32)
    claim = Claim("Etwas ganz anderes.", vector=vectors[1])
    prepared = scorer("ragflow").prepare([BRIDGE, OPERA], vectors)
    scores = prepared.score(claim)
    assert scores.features[:, 2] == pytest.approx([0, 0.9], abs=0.01)
    assert not scores.degraded
    assert [s.number for s in attribute(claim, scores, prepared).supports] == [2]
    assert not attribute(
        claim, scorer("ragflow", token_weight=0.7).prepare([BRIDGE, OPERA], vectors).score(claim), prepared
    ).supports


def test_a_complete_answer_has_one_threshold_for_all_sentences() -> None:
    evidence = [BRIDGE, OPERA]
    prepared = scorer("ragflow").prepare(evidence)
    assert isinstance(prepared, RagflowPrepared)
    weak, strong = (
        Claim("The opera house has seen many quarrels and some music."),
        Claim("It carries eight lanes of traffic."),
    )
    assert attribute(weak, prepared.score(weak), prepared).supports
    together = prepared.calibrate_answer([prepared.score(weak), prepared.score(strong)])
    assert not attribute(weak, together[0], prepared).supports
    assert attribute(strong, together[1], prepared).supports
    cited = cite(f"{weak.text} {strong.text}", evidence, Options(scorer="ragflow"))
    assert [len(supports) for supports in cited.supports] == [0, 1]


def test_a_weight_outside_its_range_is_invalid() -> None:
    with pytest.raises(ValueError, match="token_weight"):
        scorer("ragflow", token_weight=1.5)
