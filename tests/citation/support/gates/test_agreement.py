"""Agreements and disagreements of claim and passage in simple and in complex pairs."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.near_misses import NearMiss, development
from citestream.citation.evidence import Evidence
from citestream.citation.support.calibration import shift_log_odds
from citestream.citation.support.decision import attribute, explain
from citestream.citation.support.gates import GateChecks, Reason
from citestream.citation.support.gates.agreement import AGREEMENT, FULL_AGREEMENT, agreement
from citestream.citation.support.gates.disagreement import Disagreement
from citestream.citation.support.scorers import Calibrated, Claim, scorer

CERTAIN = {
    "a negation on one side": (Disagreement(Reason.NEGATION, "", "negation"), True),
    "another member of a class": (Disagreement(Reason.BINDING, "", "class"), True),
    "another row of a table": (Disagreement(Reason.BINDING, "", "row"), True),
    "another column of a table": (Disagreement(Reason.BINDING, "", "column"), True),
    "“only” that the claim adds": (Disagreement(Reason.QUANTIFIER, "", "exclusive"), True),
    "a short claim that the passage does not mention": (Disagreement(Reason.NO_SUPPORT, "", "missing"), True),
    "another agent after “by”": (Disagreement(Reason.ROLE, "", "by"), True),
    "a plan in a sentence that has all words": (Disagreement(Reason.MODALITY, "", "whole"), True),
    "a plan": (Disagreement(Reason.MODALITY, "", "plan"), False),
    "exchanged roles": (Disagreement(Reason.ROLE, "", "role"), False),
}


@pytest.mark.parametrize(("found", "certain"), CERTAIN.values(), ids=CERTAIN)
def test_certain_disagreements_also_count_in_complex_pairs(found: Disagreement, certain: bool) -> None:
    assert found.certain is certain


@given(st.sampled_from(development()))
def test_certain_disagreements_are_found_without_the_other_rules(pair: NearMiss) -> None:
    prepared = scorer("lexical").prepare([Evidence(1, pair.evidence, "a")])
    gates, window = GateChecks(Claim(pair.claim), prepared.index), (0, len(pair.evidence))
    every = gates.disagreements(0, window)
    refused = gates.mismatch(0, window) or gates.refusal(0, window, certain_only=True)
    assert bool(refused) == (bool(gates.mismatch(0, window)) or any(one.certain for one in every))


COMPLEX = (
    "The ferry to Brenn leaves the old harbour every morning at nine and calls at two islands on its way, where the"
    " crew delivers mail, newspapers and fresh bread to the shops. Its captain, Ida Lund, also repairs the engine."
)
DENIED = {
    "a denial that the passage does not contain": ("The crew delivers no bread.", COMPLEX, True),
    "the statement": ("The crew delivers bread.", COMPLEX, False),
    "a denial of what the passage does not mention": (
        "I do not remember, but the crew delivers bread.",
        COMPLEX,
        False,
    ),
    "two negations that cancel out": ("The crew does not fail to deliver bread.", COMPLEX, False),
    "a denial of a restricted statement": (
        "The crew delivers no bread.",
        COMPLEX.replace("delivers", "only delivers"),
        False,
    ),
    "a denial in the passage": ("The crew delivers no bread.", COMPLEX + " It does not sell any.", False),
    "a simple pair": ("Six of the nine climbers did not fall.", "Three of the nine climbers fell.", False),
}


@pytest.mark.parametrize(("claim", "text", "refused"), DENIED.values(), ids=DENIED)
def test_a_denial_that_only_the_claim_has_is_refused_in_complex_pairs(claim: str, text: str, refused: bool) -> None:
    gates = GateChecks(Claim(claim), scorer("lexical").prepare([Evidence(1, text, "a")]).index)
    assert any(one.rule == "added denial" for one in gates.disagreements(0, (0, len(text)))) is refused


@given(st.floats(0.01, 0.99), st.floats(0, 10))
def test_a_probability_is_shifted_by_log_odds(probability: float, amount: float) -> None:
    assert 0 <= shift_log_odds(probability, -amount) <= probability + 1e-12
    assert shift_log_odds(shift_log_odds(probability, amount), -amount) == pytest.approx(probability)


PLAIN = "Arden Steel acquired Borrow Castings in 2019."
WORDY = (
    "Arden Steel acquired Borrow Castings in 2019, after a year of talks with three banks, for the foundry that it had"
    " wanted to run since the flood of the northern valley."
)
SIMPLE = {
    "a short claim, a sentence that states little else": ("Borrow Castings acquired Arden Steel.", PLAIN, True),
    "a short claim, a sentence that states much more": ("Borrow Castings acquired Arden Steel.", WORDY, False),
    "a longer claim that repeats a sentence": (
        "Students get a grant for new books whether or not they pass the first exam.",
        "Students get a grant for new books provided that they pass the first exam.",
        True,
    ),
    "a claim of the same length as the sentence, but long": (WORDY, WORDY, False),
}


@pytest.mark.parametrize(("claim", "passage", "simple"), SIMPLE.values(), ids=SIMPLE)
def test_a_pair_is_simple_if_neither_side_states_much(claim: str, passage: str, simple: bool) -> None:
    prepared = scorer("lexical").prepare([Evidence(1, passage, "e1")])
    assert GateChecks(Claim(claim), prepared.index).is_simple(0, (0, len(passage))) is simple


def test_a_verdict_contains_a_disagreement_only_if_it_is_decisive() -> None:
    text = "Arden Steel acquired Borrow Castings in 2019 for its foundry in the north of the country."
    evidence = [Evidence(1, text, "e1"), Evidence(2, "The museum closes in winter.", "e2")]
    prepared = scorer("lexical").prepare(evidence)
    claim = Claim("Borrow Castings acquired Arden Steel.")
    assert GateChecks(claim, prepared.index).short
    verdict = explain(claim, prepared.score(claim), prepared)[0]
    assert not verdict.cited
    assert verdict.refusal is not None
    assert verdict.refusal.reason is Reason.ROLE
    same = Claim("Arden Steel acquired Borrow Castings.")
    verdict = explain(same, prepared.score(same), prepared)[0]
    assert verdict.cited
    assert verdict.refusal is None


AGREEMENTS = {
    "all words, one of them by its opposite": (
        "The path is not unsafe in fog.",
        "The path is safe in fog.",
        FULL_AGREEMENT,
    ),
    "two of three words": ("The clerk mislaid the deed.", "The clerk lost the deed.", AGREEMENT),
    "one word of four": ("The harbour froze.", "The harbour pleased many visitors.", 0.0),
    "all words, in a sentence that states much more": (WORDY, "Arden Steel acquired Borrow Castings.", 0.0),
    "two languages": ("Der Hafen war im Januar zugefroren.", "The harbour was frozen in January.", 0.0),
}


@pytest.mark.parametrize(("passage", "claim", "amount"), AGREEMENTS.values(), ids=AGREEMENTS)
def test_agreement_grows_with_the_share_of_words_in_simple_pairs(passage: str, claim: str, amount: float) -> None:
    prepared = scorer("lexical").prepare([Evidence(1, passage, "e1")])
    assert GateChecks(Claim(claim), prepared.index).agreement(0, (0, len(passage))) == amount


def test_agreement_does_not_decrease_with_the_share_of_words() -> None:
    amounts = [agreement(share / 10) for share in range(11)]
    assert amounts == sorted(amounts)


def test_agreement_can_raise_a_probability_above_the_threshold() -> None:
    text = "It is not impossible to mend the keel. The engine is beyond rescue."
    prepared = scorer("lexical").prepare([Evidence(1, text, "e1")])
    for claim, probability, cited in (
        ("Mending the keel is possible.", 0.3, True),
        ("Mending the keel is possible.", 0.1, False),
        ("Mending the keel is impossible.", 0.3, False),
    ):
        scored = prepared.score(Claim(claim))
        threshold = np.array([0.37])
        scores = replace(scored, calibrated=Calibrated(np.array([probability]), threshold, threshold))
        (verdict,) = explain(Claim(claim), scores, prepared)
        assert (verdict.cited, verdict.probability >= 0.37) == (cited, cited), claim
        assert bool(attribute(Claim(claim), scores, prepared).supports) == cited, claim
