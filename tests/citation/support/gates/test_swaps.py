"""Changed numbers and denials are refused; true restatements pass the gates."""

import pytest

from citestream.citation.evidence import Evidence
from citestream.citation.support.decision import attribute
from citestream.citation.support.scorers import Claim, PreparedEvidence, scorer
from tests.citation.support.gates.refusals import refusal
from tests.citation.support.gates.swaps import SWAPS

# Another text on the same matter, so that no excerpt is alone.
OTHER = Evidence(2, "The museum shows paintings of the harbour and closes in winter.", "other")


def prepared(text: str) -> PreparedEvidence:
    return scorer("lexical").prepare([Evidence(1, text, "one"), OTHER])


def refused(text: str, sentence: str) -> bool:
    evidence, claim = prepared(text), Claim(sentence)
    decision = attribute(claim, evidence.score(claim), evidence, hints=frozenset({1}))
    return all(support.number != 1 for support in decision.supports)


def gated(text: str, sentence: str) -> bool:
    return refusal(Claim(sentence), prepared(text)) is not None


def test_the_table_is_large_enough() -> None:
    assert sum(len(true) + len(swapped) for cases in SWAPS.values() for _, true, swapped in cases) >= 200


@pytest.mark.parametrize("language", SWAPS)
def test_swapped_sentences_are_refused_even_when_the_model_cites_them(language: str) -> None:
    pairs = [(text, sentence) for text, _, swapped in SWAPS[language] for sentence in swapped]
    missed = [sentence for text, sentence in pairs if not refused(text, sentence)]
    assert len(missed) <= 0.02 * len(pairs), missed


@pytest.mark.parametrize("language", SWAPS)
def test_true_restatements_pass_the_gates(language: str) -> None:
    pairs = [(text, sentence) for text, true, _ in SWAPS[language] for sentence in true]
    missed = [sentence for text, sentence in pairs if gated(text, sentence)]
    assert len(missed) <= 0.03 * len(pairs), missed
