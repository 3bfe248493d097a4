"""Compare a claim with the sentences of a passage and list all disagreements."""

from collections.abc import Callable, Collection, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from ...text.clauses import Statement
from ...text.normalize import character_pairs
from ...text.words import compounds
from .alignment import COMPARABLE, Alignment, PassageAlignment
from .bindings.chinese_bindings import (
    outside_chinese_restriction,
    swapped_chinese_passive,
    unknown_chinese_names,
)
from .bindings.chinese_clauses import (
    added_comparison,
    mixed_clauses,
    other_agent_in_clause,
    other_member_in_clause,
    other_topic,
)
from .bindings.comparisons import compare_grades
from .bindings.conjuncts import mixed_conjuncts
from .bindings.dates import computed_for_stated_date, stated_for_computed_date
from .bindings.names_and_classes import other_class_member, other_number_of_name, unknown_names
from .bindings.replaced import (
    added_words,
    modifier_from_elsewhere,
    outside_restriction,
    word_from_elsewhere,
)
from .bindings.swapped_bindings import swapped_bindings
from .bindings.tables import wrong_table_cell
from .bindings.values import value_of_another, value_of_other_class_member
from .disagreement import Disagreement
from .operators.conditions import conditions, other_condition, universal
from .operators.denied import excluded, one_sided_denials, only_denied
from .operators.framing import (
    claims_absence,
    retracted_by_next_sentence,
    stated_as_fiction,
    stated_as_question,
    stated_in_heading_only,
)
from .operators.frequency import frequency
from .operators.modality import certainty, modality, undecided, weaker_elsewhere
from .operators.overturned import overturned
from .operators.quantifiers import bounds, only_added, quantifiers
from .operators.time_and_cause import (
    different_time,
    effect_as_cause,
    ended,
    opposite_cause,
    opposite_change,
    origin_of_move,
    swapped_motion,
    unknown_cause,
    unknown_reason,
)
from .roles.order import swapped_order
from .roles.other_arguments import other_argument
from .roles.relations import swapped_objects, swapped_roles

# With a smaller share of equal words in the best sentence nothing is compared: few such pairs reach `COMPARABLE`.
_PROMISING = 0.3
_FEWEST = 2  # words in common
_MENTIONED_CONJUNCTS = 0.5  # share of words found anywhere where two words are compared with two of the passage
# Differences in modality that count in complex pairs, too, if a sentence has all words of the claim.
_CLEAR = frozenset({"plan", "alleges", "hedge", "permission", "duty", "recommendation", "prohibition"})
_NAMED = 0.3  # with a smaller share of common words, the name is not the only difference
# With a smaller share, the two sides may describe different events.
_SAME_EVENT = 0.5
_HALF = 0.5  # share of the words of a claim about all of something
_BRIEF_HAN = 12  # characters of a claim that is compared by characters
_ENDS = " .。!*_\"'“”"  # characters around a sentence that state nothing
_SHORT = 10  # tokens of a claim that is one statement about one thing


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
    tabular = list(wrong_table_cell(claim, passages))
    if tabular:
        yield from tabular
        return
    shared = [_shared(claim, passage) for passage in passages]
    if max(shared) < _PROMISING * len(claim.stems):
        return
    if len(claim.tokens) > _SHORT:  # only the best sentence is compared
        at = shared.index(max(shared))
        passages = passages[at : at + 2]
    aligned = PassageAlignment(claim, passages, known)
    best = aligned.best
    comparable = best.coverage >= COMPARABLE and best.shared >= min(_FEWEST, len(claim.tokens))
    if comparable:
        denied = list(one_sided_denials(aligned))
        yield from denied if denied and not any(compare_grades(best)) else ()
        yield from other_number_of_name(best)
        yield from other_class_member(aligned)
    if best.coverage >= _HALF:
        yield from only_added(aligned)
    if not certain_only:
        yield from stated_in_heading_only(aligned)
        yield from claims_absence(aligned)
        if comparable:
            yield from _of_best(aligned)
        elif aligned.mentioned >= COMPARABLE:  # two sentences together state it
            yield from retracted_by_next_sentence(aligned)
        yield from _of_passage(aligned)
    yield from _often_certain(aligned, certain_only=certain_only)
    if len(claim.tokens) <= _SHORT:
        if aligned.mentioned >= COMPARABLE:
            yield from only_denied(aligned)
        yield from excluded(aligned)


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
    same, compared = compare_grades(best)
    if same or compared:
        yield from compared
        yield from bounds(best)
        yield from stated_as_fiction(best)
        return
    for clause in best.comparable_clauses:
        for compare_clause in (modality, quantifiers):
            yield from compare_clause(best, clause)
    for compare_sentence in _OF_ROW if best.passage.cells else _OF_SENTENCE:
        yield from compare_sentence(best)
    yield from retracted_by_next_sentence(aligned)
    yield from unknown_cause(aligned)


_OF_SENTENCE: tuple[Callable[[Alignment], Iterator[Disagreement]], ...] = (
    swapped_roles,
    swapped_order,
    swapped_objects,
    swapped_motion,
    origin_of_move,
    computed_for_stated_date,
    frequency,
    bounds,
    conditions,
    stated_as_fiction,
    stated_as_question,
    different_time,
    ended,
    opposite_cause,
    effect_as_cause,
)
# A row of a table has no order of words.
_OF_ROW: tuple[Callable[[Alignment], Iterator[Disagreement]], ...] = (frequency, bounds)


def _of_passage(aligned: PassageAlignment) -> Iterator[Disagreement]:
    """Yield the disagreements with the passage as a whole: certainty, bindings, missing words and names."""
    claim, best = aligned.claim, aligned.best
    if best.shared >= _FEWEST and aligned.mentioned >= _SAME_EVENT:
        yield from certainty(best)
        yield from undecided(aligned)
    if len(claim.tokens) <= _SHORT:
        yield from _of_short_claim(aligned)
    for compare_passage in (overturned, unknown_reason, opposite_change, outside_restriction):
        yield from compare_passage(aligned)
    if best.coverage >= _HALF:
        yield from universal(best)
        yield from weaker_elsewhere(aligned)
    if best.coverage >= COMPARABLE:
        for compare_passage in (added_words, word_from_elsewhere, modifier_from_elsewhere, other_condition):
            yield from compare_passage(aligned)
    for compare_passage in _OF_CHINESE if claim.language == "zh" else ():
        yield from compare_passage(aligned)
    if best.coverage >= _NAMED:
        yield from unknown_chinese_names(aligned) if claim.language == "zh" else unknown_names(aligned)


_OF_CHINESE = (
    outside_chinese_restriction,
    swapped_chinese_passive,
    other_topic,
    mixed_clauses,
    other_member_in_clause,
    other_agent_in_clause,
    added_comparison,
)


def _of_short_claim(aligned: PassageAlignment) -> Iterator[Disagreement]:
    """Yield the words and values that the passage binds to others."""
    if aligned.mentioned >= COMPARABLE and aligned.claim.language != "zh":  # it adds nothing to `other_topic`
        yield from swapped_bindings(aligned)
    for compare_values in (
        value_of_another,
        value_of_other_class_member,
        stated_for_computed_date,
    ):
        yield from compare_values(aligned)
    if aligned.mentioned >= _MENTIONED_CONJUNCTS:
        yield from mixed_conjuncts(aligned)
