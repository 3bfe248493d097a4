"""Claims in nearly the same words as a passage: true claims are not refused, false claims are.

Each line of `pairs/*.jsonl` has the name of its case, `evidence`, and a `true` claim, a `false` one, or both. `reason`
is the reason of the refusal. `rule` names the comparison that must find the false claim; others may find it too.

The claims of `pairs/known_failures.jsonl` are decided wrongly, because no comparison covers them. Their tests state the
present decision, so that a change is noticed. If a claim is decided correctly, move it to another file.
"""

from operator import itemgetter
from typing import Any

import pytest

from tests.citation.support.gates.refusals import PAIRS, pairs, refusal_of, refusing_rules

FILES = sorted(file.stem for file in PAIRS.glob("*.jsonl") if file.stem not in {"rules", "swaps", "known_failures"})
case = itemgetter("case")


def having(field: str, *names: str) -> list[dict[str, Any]]:
    """Return the pairs of the files that have `field`."""
    return [pair for pair in pairs(*names) if field in pair]


@pytest.mark.parametrize("pair", having("true", *FILES), ids=case)
def test_a_true_claim_is_not_refused(pair: dict[str, Any]) -> None:
    assert refusal_of(pair["evidence"], pair["true"]) is None


@pytest.mark.parametrize("pair", having("false", *FILES), ids=case)
def test_a_false_claim_is_refused_for_its_reason(pair: dict[str, Any]) -> None:
    refusal = refusal_of(pair["evidence"], pair["false"])
    assert refusal is not None
    assert refusal.detail
    assert refusal.reason == pair.get("reason", refusal.reason)


@pytest.mark.parametrize("pair", having("true", "rules"), ids=case)
def test_a_true_claim_breaks_no_rule(pair: dict[str, Any]) -> None:
    assert refusing_rules(pair["evidence"], pair["true"]) == set()


@pytest.mark.parametrize("pair", having("false", "rules"), ids=case)
def test_a_false_claim_breaks_its_rule(pair: dict[str, Any]) -> None:
    assert pair["rule"] in refusing_rules(pair["evidence"], pair["false"])


@pytest.mark.parametrize("pair", having("true", "known_failures"), ids=case)
def test_a_true_claim_is_refused_by_mistake(pair: dict[str, Any]) -> None:
    assert refusal_of(pair["evidence"], pair["true"]) is not None


@pytest.mark.parametrize("pair", having("false", "known_failures"), ids=case)
def test_a_false_claim_is_not_refused_by_mistake(pair: dict[str, Any]) -> None:
    assert refusal_of(pair["evidence"], pair["false"]) is None
