"""Skip the comparisons of clauses that cannot change a decision.

A disagreement only lowers the score. If the score is so high that the strongest disagreement of a comparison would not
refuse the citation, or if its rules have no weight, the comparison is not made. The decision and its reason stay the
same. Claims of more than six words often have such scores, and `bench/fit_reliability.py` gives most rules a low weight
there, and some none. Deciding about 945 sentences of labelled answers takes 0.89 of the CPU that it takes with all
comparisons (in turns, median of nine rounds).
"""

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any, TypeAlias

from .bindings.chinese_bindings import (
    mixed_chinese_pieces,
    outside_chinese_restriction,
    swapped_chinese_passive,
    unknown_chinese_names,
)
from .bindings.conjuncts import mixed_conjuncts
from .bindings.dates import date_of_first_event
from .bindings.names_and_classes import unknown_names
from .bindings.relations import other_subject, swapped_objects, swapped_order, swapped_roles
from .bindings.replaced import added_words, outside_restriction, replaced_words, word_from_elsewhere
from .bindings.swapped_bindings import swapped_bindings
from .disagreement import Disagreement
from .missing import missing_statement
from .operators.framing import (
    claims_absence,
    retracted_by_next_sentence,
    stated_as_fiction,
    stated_as_question,
    stated_in_heading_only,
)
from .operators.modality import certainty, conditions, supposed, undecided
from .operators.quantifiers import bounds
from .operators.time_and_cause import (
    different_time,
    effect_as_cause,
    ended,
    opposite_cause,
    opposite_change,
    swapped_motion,
    unknown_cause,
)
from .reliability import reliability

Comparison: TypeAlias = Callable[..., Iterable[Disagreement]]
Run: TypeAlias = Callable[..., Iterable[Disagreement]]  # calls a comparison with the arguments that follow it

# The rules that each comparison can report, as keys of `reliability.rule_key`. Comparisons that are not listed are
# always made, such as those whose disagreements are certain.
RULES: Mapping[Comparison, tuple[str, ...]] = {
    added_words: ("binding/added", "binding/added?"),
    bounds: ("quantifier/bound",),
    certainty: ("modality/certain", "modality/open"),
    claims_absence: ("framing/unstated",),
    conditions: ("modality/condition", "modality/unconditional"),
    date_of_first_event: ("binding/date",),
    different_time: ("direction/when",),
    effect_as_cause: ("direction/cause",),
    ended: ("direction/until",),
    missing_statement: ("no_support/missing",),
    mixed_chinese_pieces: ("binding/conjuncts", "role/role"),
    mixed_conjuncts: ("binding/conjuncts",),
    opposite_cause: ("direction/obstacle",),
    opposite_change: ("direction/from",),
    other_subject: ("binding/subject",),
    outside_chinese_restriction: ("quantifier/outside",),
    outside_restriction: ("quantifier/outside",),
    replaced_words: ("binding/replaced?",),
    retracted_by_next_sentence: ("framing/retracted",),
    stated_as_fiction: ("framing/frame",),
    stated_as_question: ("framing/question",),
    stated_in_heading_only: ("framing/heading",),
    supposed: ("modality/supposed",),
    swapped_bindings: ("binding/binding",),
    swapped_chinese_passive: ("role/role",),
    swapped_motion: ("direction/from",),
    swapped_objects: ("role/role",),
    swapped_order: ("direction/time", "direction/cause"),
    swapped_roles: ("role/role",),
    undecided: ("modality/decision",),
    unknown_cause: ("binding/cause",),
    unknown_chinese_names: ("unknown_name/name",),
    unknown_names: ("unknown_name/name", "unknown_name/name?"),
    word_from_elsewhere: ("binding/elsewhere",),
}


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
