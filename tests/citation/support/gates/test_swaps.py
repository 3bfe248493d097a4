"""Statements with changed numbers or negations are refused; true paraphrases pass the gates."""

import pytest

from citestream.citation.evidence import Evidence
from citestream.citation.support.decision import attribute
from citestream.citation.support.scorers import Claim, PreparedEvidence, scorer
from tests.citation.support.gates.refusals import pairs, refusal

# A second text about a similar topic, because scores depend on all evidence.
OTHER = Evidence(2, "The museum shows paintings of the harbour and closes in winter.", "other")


SWAPS = pairs("swaps")
LANGUAGES = sorted({pair["lang"] for pair in SWAPS})


def prepared(text: str) -> PreparedEvidence:
    return scorer("lexical").prepare([Evidence(1, text, "one"), OTHER])


def refused(text: str, sentence: str) -> bool:
    evidence, claim = prepared(text), Claim(sentence)
    decision = attribute(claim, evidence.score(claim), evidence)
    return all(support.number != 1 for support in decision.supports)


def gated(text: str, sentence: str) -> bool:
    return refusal(Claim(sentence), prepared(text)) is not None


def sentences(language: str, kind: str) -> list[tuple[str, str]]:
    """Return (evidence, sentence) of all true or false sentences in a language."""
    return [(pair["evidence"], one) for pair in SWAPS if pair["lang"] == language for one in pair[kind]]


def test_the_table_is_large_enough() -> None:
    assert sum(len(pair["true"] + pair["false"]) for pair in SWAPS) >= 200


@pytest.mark.parametrize("language", LANGUAGES)
def test_false_sentences_are_refused_although_the_model_cites_them(language: str) -> None:
    pairs = sentences(language, "false")
    missed = [sentence for text, sentence in pairs if not refused(text, sentence)]
    assert len(missed) <= 0.02 * len(pairs), missed


@pytest.mark.parametrize("language", LANGUAGES)
def test_true_paraphrases_pass_the_gates(language: str) -> None:
    pairs = sentences(language, "true")
    missed = [sentence for text, sentence in pairs if gated(text, sentence)]
    assert len(missed) <= 0.03 * len(pairs), missed
