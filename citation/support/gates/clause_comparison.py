"""Compare a claim with the sentences of a passage and list all disagreements."""

from collections.abc import Callable, Collection, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from ...text.clauses import Statement
from ...text.normalize import character_pairs
from ...text.words import compounds
from .alignment import COMPARABLE, Alignment, PassageAlignment
from .bindings.added import added_words
from .bindings.chinese_clauses import mixed_clauses
from .bindings.comparisons import compare_grades
from .bindings.conjuncts import mixed_conjuncts
from .bindings.dates import stated_for_computed_date
from .bindings.names_and_classes import other_class_member, other_number_of_name, unknown_names
from .bindings.swapped_bindings import swapped_bindings
from .bindings.tables import wrong_table_cell
from .bindings.values import value_of_another, value_of_other_class_member
from .disagreement import Disagreement
from .operators.conditions import conditions, universal
from .operators.denied import excluded, one_sided_denials, only_denied
from .operators.framing import (
    retracted_by_next_sentence,
    stated_as_fiction,
    stated_as_question,
    stated_in_heading_only,
)
from .operators.modality import certainty, modality, weaker_elsewhere
from .operators.overturned import overturned
from .operators.quantifiers import bounds, only_added, quantifiers
from .operators.restrictions import outside_chinese_restriction, outside_restriction
from .operators.time_and_cause import (
    different_time,
    ended,
    opposite_cause,
    opposite_change,
    swapped_motion,
    unknown_cause,
)
from .roles.order import swapped_order
from .roles.other_arguments import other_argument
from .roles.relations import swapped_roles

# With a smaller share of equal words in the best sentence nothing is compared: few such pairs reach `COMPARABLE`.
_PROMISING = 0.3
_FEWEST = 2  # words in common
# Differences in modality that count in complex pairs, too, if a sentence has all words of the claim.
_CLEAR = frozenset({"plan", "hedge", "permission", "duty", "prohibition"})
# With a smaller share, the two sides may describe different events.
_SAME_EVENT = 0.5
_BRIEF_HAN = 12  # characters of a claim that is compared by characters
_ENDS = " .。!*_\"'“”"  # characters around a sentence that state nothing
_SHORT = 10  # tokens of a claim that is one statement about one thing

_OF_SENTENCE: tuple[Callable[[Alignment], Iterator[Disagreement]], ...] = (
    swapped_roles,
    swapped_order,
    swapped_motion,
    bounds,
    conditions,
    stated_as_fiction,
    stated_as_question,
    different_time,
    ended,
    opposite_cause,
)
_OF_PASSAGE: tuple[Callable[[PassageAlignment], Iterator[Disagreement]], ...] = (
    overturned,
    opposite_change,
    outside_restriction,
)
_OF_SHORT_CLAIM: tuple[Callable[[PassageAlignment], Iterator[Disagreement]], ...] = (
    swapped_bindings,
    value_of_another,
    value_of_other_class_member,
    stated_for_computed_date,
    mixed_conjuncts,
)
_OF_CHINESE = (outside_chinese_restriction, mixed_clauses)


def compare(
    claim: Statement, passages: Sequence[Statement], known: AbstractSet[str], *, certain_only: bool = False
) -> Iterator[Disagreement]:
    """Yield the disagreements between `claim` and `passages`, which are neighbouring sentences.

    `known`: stems of the title, which may name the subject of the passage. `certain_only`: make only the comparisons
    that find disagreements that are `certain`. In labelled answers, where nearly all pairs are complex, deciding takes
    0.77 of the CPU then.
    """
    if not claim.tokens or not passages or any(_contains(passage, claim) for passage in passages):
        return
    if tabular := list(wrong_table_cell(claim, passages)):
        yield from tabular
        return
    shared = [_shared(claim, passage) for passage in passages]
    if max(shared) < _PROMISING * len(claim.stems):
        return
    if len(claim.tokens) > _SHORT:  # only the best sentence is compared
        at = shared.index(max(shared))
        passages = passages[at : at + 2]
    aligned = PassageAlignment(claim, passages, known)
    yield from _of_same_statement(aligned)
    if not certain_only:
        yield from stated_in_heading_only(aligned)
        yield from _of_best(aligned)
        yield from _of_passage(aligned)
    yield from _often_certain(aligned, certain_only=certain_only)
    if len(claim.tokens) <= _SHORT:
        if aligned.mentioned >= COMPARABLE:
            yield from only_denied(aligned)
        yield from excluded(aligned)


def _is_comparable(aligned: PassageAlignment) -> bool:
    """Return whether the best sentence has so many words of the claim that both state something about the same."""
    best = aligned.best
    return best.coverage >= COMPARABLE and best.shared >= min(_FEWEST, len(aligned.claim.tokens))


def _of_same_statement(aligned: PassageAlignment) -> Iterator[Disagreement]:
    """Yield denials on one side only, other members of a class, and "only" that the claim adds."""
    if _is_comparable(aligned):
        denied = list(one_sided_denials(aligned))
        yield from denied if denied and not any(compare_grades(aligned.best)) else ()
        yield from other_number_of_name(aligned.best)
        yield from other_class_member(aligned)
    if aligned.best.coverage >= _SAME_EVENT:
        yield from only_added(aligned)


def _often_certain(aligned: PassageAlignment, *, certain_only: bool) -> Iterator[Disagreement]:
    """Yield other arguments, and differences in modality from a sentence that has all words of the claim."""
    yield from (found for found in other_argument(aligned) if found.certain or not certain_only)
    if aligned.best.coverage == 1:
        for clause in aligned.best.comparable_clauses:
            yield from (
                replace(found, rule="whole") for found in modality(aligned.best, clause) if found.rule in _CLEAR
            )


def _contains(passage: Statement, claim: Statement) -> bool:
    """Return whether a sentence contains the claim word for word."""
    return claim.text.strip(_ENDS) in passage.text and not passage.question and not passage.kinds() - claim.kinds()


def _shared(claim: Statement, passage: Statement) -> float:
    """Return how many words of the claim a sentence has; for Chinese, an estimate from its pairs of characters."""
    if claim.language != "zh":
        others: Collection[str] = ()
        if claim.language == compounds.LANGUAGE:
            others = compounds.counterparts(list(claim.stems), passage.stems)
        return sum(stem in passage.stems or stem in others for stem in claim.stems)
    if len(claim.text) <= _BRIEF_HAN:  # one synonym changes most pairs: 台风造成停电, 停电引发了台风
        return len(claim.stems) * sum(map(passage.text.__contains__, claim.text)) / len(claim.text)
    pairs = set(character_pairs(claim.text))
    return len(claim.stems) * sum(pair in passage.text for pair in pairs) / max(1, len(pairs))


def _of_best(aligned: PassageAlignment) -> Iterator[Disagreement]:
    """Yield the disagreements with the sentence that shares most with the claim."""
    best = aligned.best
    if not _is_comparable(aligned):
        return
    same, compared = compare_grades(best)
    if same or compared:
        yield from compared
        yield from bounds(best)
        yield from stated_as_fiction(best)
        return
    for clause in best.comparable_clauses:
        yield from modality(best, clause)
        yield from quantifiers(best, clause)
    # A row of a table has no order of words.
    for compare_sentence in (bounds,) if best.passage.cells else _OF_SENTENCE:
        yield from compare_sentence(best)
    yield from retracted_by_next_sentence(aligned)
    yield from unknown_cause(aligned)


def _of_passage(aligned: PassageAlignment) -> Iterator[Disagreement]:
    """Yield the disagreements with the passage as a whole: certainty, bindings, missing words and names."""
    claim, best = aligned.claim, aligned.best
    if best.shared >= _FEWEST and aligned.mentioned >= _SAME_EVENT:
        yield from certainty(best)
    if len(claim.tokens) <= _SHORT and aligned.mentioned >= _SAME_EVENT:
        for compare_values in _OF_SHORT_CLAIM:
            yield from compare_values(aligned)
    for compare_passage in _OF_PASSAGE:
        yield from compare_passage(aligned)
    if best.coverage >= _SAME_EVENT:
        yield from universal(best)
        yield from weaker_elsewhere(aligned)
    if best.coverage >= COMPARABLE:
        yield from added_words(aligned)
    if claim.language == "zh":
        for compare_passage in _OF_CHINESE:
            yield from compare_passage(aligned)
    else:
        yield from unknown_names(aligned)
