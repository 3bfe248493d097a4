"""Compare a claim with the sentences of a passage and list all disagreements."""

from collections.abc import Iterator, Sequence

from ...text.clauses import Statement
from .alignment import Alignment
from .binding import other_class_member, swapped_bindings, unknown_names
from .conjuncts import mixed_conjuncts
from .disagreement import Disagreement
from .framing import (
    claims_absence,
    retracted_by_next_sentence,
    stated_as_fiction,
    stated_as_question,
    stated_in_heading_only,
)
from .modality import certainty, conditions, modality, undecided
from .operators import bounds, negation, quantifiers
from .relations import different_time, other_subject, swapped_motion, swapped_roles, unknown_cause
from .tables import wrong_table_cell

# Two sentences with a smaller share of common words have different topics, so their operators cannot be compared.
_COMPARABLE = 0.6
# With a smaller share of equal words in the best sentence nothing is compared: few such pairs reach `_COMPARABLE`.
_PROMISING = 0.3
_FEWEST = 2  # words in common
_CONDITIONAL = frozenset({"if", "unless", "only", "except", "without"})
_BOTH = 2  # clauses denied: "opens only if it is turned", "stays shut unless it is turned"
# With a smaller share of words found anywhere in the passage, a word in another place is no evidence of an error.
_MENTIONED = 0.85
_MENTIONED_CONJUNCTS = 0.5  # the same where two words are compared with two words of the passage
_NAMED = 0.3  # with a smaller share of common words, the name is not the only difference
# With a smaller share, the two sides may describe different events.
_SAME_EVENT = 0.5
_SHORT = 10  # tokens of a claim that is one statement about one thing


def compare(claim: Statement, passages: Sequence[Statement], known: set[str]) -> list[Disagreement]:
    """Return the disagreements between `claim` and `passages`, which are neighbouring sentences.

    `known`: stems of the title, which may name the subject of the passage.
    """
    if not claim.tokens or not passages or any(_contains(passage, claim) for passage in passages):
        return []
    tabular = list(wrong_table_cell(claim, passages))
    if tabular:
        return tabular
    shared = [sum(stem in passage.stems for stem in claim.stems) for passage in passages]
    if max(shared) < _PROMISING * len(claim.stems):
        return []
    if len(claim.tokens) > _SHORT:  # only the best sentence is compared
        at = shared.index(max(shared))
        passages = passages[at : at + 2]
    stems = [passage.stems.keys() for passage in passages]
    alignments = [
        Alignment(claim, passage, frozenset().union(*stems[:n], *stems[n + 1 :])) for n, passage in enumerate(passages)
    ]
    best = max(alignments, key=lambda alignment: (alignment.shared, not alignment.passage.heading))
    found: list[Disagreement] = [*stated_in_heading_only(claim, alignments), *claims_absence(claim, passages)]
    if best.coverage >= _COMPARABLE and best.shared >= min(_FEWEST, len(claim.tokens)):
        found += _of_best(claim, passages, alignments, best)
        found += other_class_member(claim, alignments, known)
    elif _mentioned(claim, alignments) >= _COMPARABLE:  # two sentences together state it
        found += retracted_by_next_sentence(claim, passages, alignments.index(best))
    if best.shared >= _FEWEST and _mentioned(claim, alignments) >= _SAME_EVENT:
        following = passages.index(best.passage) + 1
        found += certainty(best)
        found += undecided(best, passages[following] if following < len(passages) else None)
    if len(claim.tokens) <= _SHORT:
        mentioned = _mentioned(claim, alignments)
        if mentioned >= _COMPARABLE:
            found += swapped_bindings(claim, alignments, nameable=mentioned < _MENTIONED)
        if mentioned >= _MENTIONED_CONJUNCTS:
            found += mixed_conjuncts(claim, alignments)
    if best.coverage >= _NAMED:
        found += unknown_names(claim, alignments, known)
    return found


def _of_best(
    claim: Statement, passages: Sequence[Statement], alignments: Sequence[Alignment], best: Alignment
) -> Iterator[Disagreement]:
    """Return the disagreements with the sentence that shares most with the claim."""
    comparable = [clause for clause in range(claim.clauses) if best.within(clause) >= _COMPARABLE]
    denied = [one for clause in comparable for one in negation(best, clause)]
    if not (len(denied) == _BOTH and _CONDITIONAL & claim.kinds() and _CONDITIONAL & best.passage.kinds()):
        yield from denied
    for clause in comparable:
        yield from modality(best, clause)
        yield from quantifiers(best, clause)
    yield from swapped_roles(best)
    yield from swapped_motion(best)
    yield from other_subject(claim, best, alignments)
    yield from bounds(best)
    yield from conditions(best)
    yield from stated_as_fiction(best)
    yield from stated_as_question(best)
    yield from retracted_by_next_sentence(claim, passages, alignments.index(best))
    yield from different_time(best)
    yield from unknown_cause(best)


def _mentioned(claim: Statement, alignments: Sequence[Alignment]) -> float:
    """Return the share of the claim's tokens that are found in any of the sentences."""
    found = [any(alignment.matches[at] for alignment in alignments) for at in range(len(claim.tokens))]
    return sum(found) / len(found)


def _contains(passage: Statement, claim: Statement) -> bool:
    """Return whether a sentence contains the claim word for word."""
    return claim.text.strip(_ENDS) in passage.text and not passage.question and not passage.kinds() - claim.kinds()


_ENDS = " .。!*_\"'“”"
