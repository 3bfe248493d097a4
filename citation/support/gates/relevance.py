"""Skip the comparisons of clauses that cannot change a decision.

A disagreement only lowers the score. If the score is so high that the strongest disagreement of a comparison would not
refuse the citation, or if its rules have no weight, the comparison is not made. The decision and its reason stay the
same. Claims of more than six words often have such scores, and `bench/fit_reliability.py` gives most rules a low weight
there, and some none. Deciding about 945 sentences of labelled answers takes 0.89 of the CPU that it takes with all
comparisons (in turns, median of nine rounds).
"""

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any, TypeAlias, TypeVar

from .disagreement import Disagreement
from .reliability import reliability

Comparison: TypeAlias = Callable[..., Iterable[Disagreement]]
Run: TypeAlias = Callable[..., Iterable[Disagreement]]  # calls a comparison with the arguments that follow it
C = TypeVar("C", bound=Comparison)

# The rules that each comparison can report, as keys of `reliability.rule_key`, added by `reports`. Comparisons that are
# not listed are always made, such as those whose disagreements are certain.
RULES: dict[Comparison, tuple[str, ...]] = {}


def reports(*rules: str) -> Callable[[C], C]:
    """Return a decorator for a comparison that reports only `rules`, which are keys of `reliability.rule_key`."""

    def declare(comparison: C) -> C:
        RULES[comparison] = rules
        return comparison

    return declare


def run_all(comparison: Comparison, *arguments: Any, **options: Any) -> Iterable[Disagreement]:
    """Make a comparison."""
    return comparison(*arguments, **options)


def relevant(least: float, *, simple: bool) -> Run:
    """Return a function that makes a comparison if it can lower the log odds of support by more than `least`, or by 0.

    `simple`: see `GateChecks.is_simple`. Some rules have no weight in other pairs.
    """
    least, strongest = max(least, 0.0), _strongest(simple)

    def run(comparison: Comparison, *arguments: Any, **options: Any) -> Iterable[Disagreement]:
        if strongest.get(comparison, _ALWAYS) <= least:
            return ()
        return comparison(*arguments, **options)

    return run


_ALWAYS = float("inf")


@lru_cache(maxsize=2)
def _strongest(simple: bool) -> Mapping[Comparison, float]:
    """Return how much a disagreement of each listed comparison can lower the log odds, at most."""
    known = reliability()
    return {comparison: max(known.amount(rule, simple=simple) for rule in rules) for comparison, rules in RULES.items()}
