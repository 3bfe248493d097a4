"""Comparisons that are skipped could not have changed the decision."""

from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.near_misses import NearMiss, development
from citestream.citation.evidence import Evidence
from citestream.citation.support.decision import least_doubt, lowered
from citestream.citation.support.gates import GateChecks, relevance
from citestream.citation.support.gates.disagreement import Disagreement
from citestream.citation.support.gates.relevance import RULES, Comparison
from citestream.citation.support.gates.reliability import CERTAIN, rule_key
from citestream.citation.support.gates.roles.relations import swapped_objects, swapped_roles
from citestream.citation.support.scorers import Claim, scorer

PAIRS = development()
PROBABILITY = st.floats(0.01, 0.999)


def checks(pair: NearMiss) -> tuple[GateChecks, tuple[int, int]]:
    """The gates of the claim, and the window: the whole evidence."""
    prepared = scorer("lexical").prepare([Evidence(1, pair.evidence, "a")])
    return GateChecks(Claim(pair.claim), prepared.index), (0, len(pair.evidence))


@given(pair=st.sampled_from(PAIRS), least=st.floats(0, CERTAIN - 0.01))
def test_what_counts_more_than_the_least_is_found(pair: NearMiss, least: float) -> None:
    gates, window = checks(pair)
    exhaustive, staged = gates.weigh(0, window), gates.weigh(0, window, least=least)
    if exhaustive and exhaustive.doubt > least:
        assert staged == exhaustive
    else:
        assert staged is None or staged.doubt <= least


@given(probability=PROBABILITY, thresholds=st.tuples(PROBABILITY, PROBABILITY), share=st.floats(0, 1))
def test_the_least_doubt_never_refuses(probability: float, thresholds: tuple[float, float], share: float) -> None:
    threshold, full = sorted(thresholds)
    least = least_doubt(probability, threshold, full)
    assert least < CERTAIN
    if probability >= threshold and least > 0:
        assert lowered(probability, share * least) >= full


@pytest.mark.parametrize("comparison", [swapped_roles, swapped_objects])
def test_a_comparison_without_weight_in_complex_pairs_is_not_made(comparison: Comparison) -> None:
    assert not relevance.relevant(0.0, simple=False)(comparison)
    with pytest.raises(TypeError, match="alignment"):  # made without its argument
        list(relevance.relevant(0.0, simple=True)(comparison))


def test_each_comparison_reports_only_its_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    reported: dict[Comparison, set[str]] = {}

    def run(comparison: Comparison, *arguments: Any, **options: Any) -> Iterable[Disagreement]:
        found = list(comparison(*arguments, **options))
        reported.setdefault(comparison, set()).update(map(rule_key, found))
        return found

    monkeypatch.setattr(relevance, "run_all", run)
    monkeypatch.setattr("citestream.citation.support.gates.run_all", run)
    for pair in PAIRS:
        gates, window = checks(pair)
        gates.disagreements(0, window)
    assert {one: rules for one, rules in reported.items() if not rules.issubset(RULES.get(one, rules))} == {}
    assert sum(bool(rules) for rules in reported.values()) > len(RULES) / 2
