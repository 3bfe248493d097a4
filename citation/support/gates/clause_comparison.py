"""Compare a claim with the sentences of a passage, by a table of comparisons, and list all disagreements."""

from collections.abc import Callable, Collection, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from ...text.clauses import Statement
from ...text.normalize import character_pairs
from ...text.words import compounds
from .alignment import Alignment, PassageAlignment
from .bindings.comparisons import compare_grades, opposite_comparison
from .bindings.conjuncts import mixed_conjuncts
from .bindings.names_and_classes import other_class_member, other_number_of_name, unknown_names
from .bindings.tables import wrong_table_cell
from .bindings.values import value_of_another
from .disagreement import Disagreement
from .operators.conditions import conditions, universal
from .operators.denied import one_sided_denials
from .operators.framing import (
    stated_as_fiction,
    stated_as_question,
    stated_in_heading_only,
)
from .operators.modality import modality
from .operators.quantifiers import bounds, quantifiers
from .operators.time_and_cause import (
    different_time,
    ended,
    swapped_motion,
)
from .roles.order import swapped_order
from .roles.relations import swapped_roles

# With a smaller share of equal words in the best sentence nothing is compared: few such pairs are comparable.
_PROMISING = 0.3
# With a smaller share of common words, the two sides may describe different events.
_SAME_EVENT = 0.5
_BRIEF_HAN_CHARACTERS = 12  # characters of a claim that is compared by characters
_ENDS = " .。!*_\"'“”"  # characters around a sentence that state nothing
_SHORT = 10  # tokens of a claim that is one statement about one thing

Comparison = Callable[[PassageAlignment], Iterator[Disagreement]]


def _of_best(compare_sentence: Callable[[Alignment], Iterator[Disagreement]]) -> Comparison:
    """Return a comparison with the sentence that shares most with the claim."""
    return lambda aligned: compare_sentence(aligned.best)


def _of_clauses(compare_clause: Callable[[Alignment, int], Iterator[Disagreement]]) -> Comparison:
    """Return a comparison of each clause that the claim shares with that sentence."""
    return lambda aligned: (
        disagreement
        for clause in aligned.best.comparable_clauses
        for disagreement in compare_clause(aligned.best, clause)
    )


def _always(_: PassageAlignment) -> bool:
    return True


def _same_statement(aligned: PassageAlignment) -> bool:
    """Return whether the best sentence has most words of the claim."""
    return aligned.is_comparable


def _same_without_grades(aligned: PassageAlignment) -> bool:
    """Return whether the best sentence has most words of the claim, and the two do not both compare the same things."""
    return aligned.is_comparable and not any(compare_grades(aligned.best))


def _same_prose_without_grades(aligned: PassageAlignment) -> bool:
    """Return the same, but False for a row of a table: its cells have no order and no conjunctions."""
    return not aligned.best.passage.cells and _same_without_grades(aligned)


def _same_event(aligned: PassageAlignment) -> bool:
    """Return whether the best sentence has half of the words of the claim."""
    return aligned.best.coverage >= _SAME_EVENT


def _short_and_mentioned(aligned: PassageAlignment) -> bool:
    """Return whether the claim is one statement, and the passage has half of its words."""
    return len(aligned.claim.tokens) <= _SHORT and aligned.mentioned >= _SAME_EVENT


class Group(NamedTuple):
    """Comparisons that are made under the same condition."""

    condition: Callable[[PassageAlignment], bool]
    comparisons: Sequence[Comparison]


# Does the claim …
GROUPS = (
    Group(
        _same_statement,
        (
            one_sided_denials,  # deny what the passage states, or the reverse?
            _of_best(other_number_of_name),  # have another Roman number or letter after a name?
            other_class_member,  # name another member of a class, such as Tuesday for Monday?
            _of_best(opposite_comparison),  # compare two sides the other way round?
            _of_best(bounds),  # set another bound on a number?
            _of_best(stated_as_fiction),  # state what is fiction or false?
        ),
    ),
    Group(
        _same_without_grades,
        (
            _of_clauses(modality),  # demand, permit or state what is only planned, believed, permitted, imagined?
            _of_clauses(quantifiers),  # say of more what the passage says of fewer?
        ),
    ),
    Group(
        _same_prose_without_grades,
        (
            _of_best(swapped_roles),  # exchange agent and patient, or the sides of a comparison?
            _of_best(swapped_order),  # exchange what comes first and what follows, or cause and effect?
            _of_best(swapped_motion),  # exchange origin and destination?
            _of_best(conditions),  # lift a condition?
            _of_best(stated_as_question),  # state what is only asked?
            _of_best(different_time),  # name another time: before for after?
            _of_best(ended),  # state as present what has ended?
        ),
    ),
    Group(
        _same_event,
        (
            _of_best(universal),  # say of all what holds under a condition, or up to a limit?
        ),
    ),
    Group(
        _short_and_mentioned,
        (
            value_of_another,  # give the value of another thing?
            mixed_conjuncts,  # take words of two parallel parts of the passage?
        ),
    ),
    Group(
        _always,
        (
            stated_in_heading_only,  # state what only a heading says?
            unknown_names,  # name a name that the passage does not mention?
        ),
    ),
)


def compare(claim: Statement, passages: Sequence[Statement], title_stems: AbstractSet[str]) -> Iterator[Disagreement]:
    """Yield the disagreements between `claim` and `passages`, which are neighbouring sentences.

    `title_stems`: stems of the title, which may name the subject of the passage.
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
        best = shared.index(max(shared))
        passages = passages[best : best + 2]
    aligned = PassageAlignment(claim, passages, title_stems)
    for group in GROUPS:
        if group.condition(aligned):
            for compare_passage in group.comparisons:
                yield from compare_passage(aligned)


def _contains(passage: Statement, claim: Statement) -> bool:
    """Return whether a sentence contains the claim word for word."""
    return claim.text.strip(_ENDS) in passage.text and not passage.question and not passage.kinds() - claim.kinds()


def _shared(claim: Statement, passage: Statement) -> float:
    """Return how many words of the claim a sentence has; for Chinese, an estimate from its pairs of characters."""
    if claim.language != "zh":
        counterparts: Collection[str] = ()
        if claim.language == compounds.LANGUAGE:
            counterparts = compounds.counterparts(list(claim.stems), passage.stems)
        return sum(stem in passage.stems or stem in counterparts for stem in claim.stems)
    if len(claim.text) <= _BRIEF_HAN_CHARACTERS:  # one synonym changes most pairs: 台风造成停电, 停电引发了台风
        return len(claim.stems) * sum(map(passage.text.__contains__, claim.text)) / len(claim.text)
    pairs = set(character_pairs(claim.text))
    return len(claim.stems) * sum(pair in passage.text for pair in pairs) / max(1, len(pairs))
