"""Reliability of the disagreements between claim and passage: the amount by which each lowers the log odds of support.

Most comparisons are right where a short claim meets a sentence that states little else, as in near-misses. They say
nothing about short claims and long sentences: there they object to as many true claims as false ones. Therefore
`bench/fit_reliability.py` fits how much each rule counts, for simple pairs (`GateChecks.is_simple`) and for complex
ones. All scorers use the same values, `citation/support/weights/disagreements.json`.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from .disagreement import REFUSES, Disagreement, Reason

# Log odds that no score makes up for.
CERTAIN = 10.0
# Amounts that raise the log odds of support if the comparison of a simple pair finds no disagreement: one sentence of
# the passage has at least half of the claim's words, or all of them. Of the near-misses that words alone leave between
# .3 and .37, such pairs are true in 49 and false in 7; with all words, from .2 on, true in 16 and false in 1. Natural
# pairs of this kind are rare: 7 true and 13 false ones in 8,600 records.
AGREEMENT, FULL_AGREEMENT = 0.3, 0.8
_ENOUGH = 0.5  # share of the claim's words
_AGREEMENT_HAN = 0.6  # for Chinese, where one synonym changes three pairs of characters and so lowers the score more
# Always certain: a negation on one side only, and another member of a class, such as Tuesday for Monday. Of the natural
# claims that they refuse, four of five and nine of ten are false.
_CERTAIN_REASON, _CERTAIN_RULE = Reason.NEGATION, "class"
_UNSURE = "?"  # the end of the key of disagreements that are not sure


@dataclass(frozen=True, slots=True)
class Reliability:
    """Amounts by which the rules lower the log odds of support, by the key of `rule_key`."""

    simple: Mapping[str, float]
    complex: Mapping[str, float]

    def doubt(self, disagreement: Disagreement, *, simple: bool) -> float:
        """Return how much a disagreement counts, 0..CERTAIN."""
        return CERTAIN if is_certain(disagreement) else self.amount(rule_key(disagreement), simple=simple)

    def amount(self, key: str, *, simple: bool) -> float:
        """Return how much the disagreements of a `rule_key` count. Sure ones of an unknown rule are certain."""
        return (self.simple if simple else self.complex).get(key, 0.0 if key.endswith(_UNSURE) else CERTAIN)


def agreement(coverage: float, *, han: bool = False) -> float:
    """Return how much a simple pair without a disagreement raises the log odds of support.

    `coverage`: share of the claim's words that one sentence of the passage has, with synonyms and opposites. `han`: in
    Chinese.
    """
    if coverage >= 1:
        return FULL_AGREEMENT
    return (_AGREEMENT_HAN if han else AGREEMENT) if coverage >= _ENOUGH else 0.0


def is_certain(disagreement: Disagreement) -> bool:
    """Return whether a disagreement refuses the citation in claims of every length."""
    known = disagreement.reason is _CERTAIN_REASON or disagreement.rule == _CERTAIN_RULE
    return known and disagreement.strength >= REFUSES


def rule_key(disagreement: Disagreement) -> str:
    """Return the name under which disagreements are counted: reason, rule, and whether it is sure."""
    sure = disagreement.strength >= REFUSES
    return f"{disagreement.reason.value}/{disagreement.rule}" + ("" if sure else _UNSURE)


@lru_cache(maxsize=1)
def reliability() -> Reliability:
    """Return the fitted values."""
    path = files("citestream.citation.support").joinpath("weights", "disagreements.json")
    raw = json.loads(path.read_text("utf-8"))
    return Reliability(raw["simple"], raw["complex"])
