"""Comparison of a claim with the sentences of a passage: every way in which they disagree."""

from collections.abc import Iterator, Sequence

from ...text.clauses import Statement
from .alignment import Alignment
from .binding import exchanged, replaced, unknown_names
from .disagreement import Disagreement
from .framing import asked, framed, headed, lacking, retracted
from .operators import bounds, modality, negation, quantifiers
from .relations import displaced, displaced_in_time, other_subject, turned, unknown_cause
from .tables import misplaced

# Below this share of common words two sentences speak of different things, and their operators cannot be compared.
_COMPARABLE = 0.6
# Below this share of equal words in the best sentence nothing is compared: it would hardly reach `_COMPARABLE`.
_PROMISING = 0.3
_FEWEST = 2  # words in common


# Below this share of words that stand anywhere in the passage, a word in another place proves nothing.
_MENTIONED = 0.85
_SHORT = 10  # tokens of a claim that is one statement about one thing


def compare(claim: Statement, passages: Sequence[Statement], known: set[str]) -> list[Disagreement]:
    """What is wrong with `passages`, neighbouring sentences, as support of `claim`; empty where nothing is.

    `known`: stems of the title, which may name what the passage is about.
    """
    if not claim.tokens or not passages or any(_contains(passage, claim) for passage in passages):
        return []
    tabular = list(misplaced(claim, passages))
    if tabular:
        return tabular
    shared = [sum(stem in passage.stems for stem in claim.stems) for passage in passages]
    if max(shared) < _PROMISING * len(claim.stems):
        return []
    if len(claim.tokens) > _SHORT:  # where its words stand besides the best sentence does not matter
        at = shared.index(max(shared))
        passages = passages[at : at + 2]
    stems = [passage.stems.keys() for passage in passages]
    alignments = [
        Alignment(claim, passage, frozenset().union(*stems[:n], *stems[n + 1 :])) for n, passage in enumerate(passages)
    ]
    best = max(alignments, key=lambda alignment: (alignment.shared, not alignment.passage.heading))
    found: list[Disagreement] = [*headed(claim, alignments), *lacking(claim, passages)]
    if best.coverage >= _COMPARABLE and best.shared >= min(_FEWEST, len(claim.tokens)):
        found += _of_best(claim, passages, alignments, best)
        found += replaced(claim, alignments, known)
        found += unknown_names(claim, alignments, known)
    if len(claim.tokens) <= _SHORT and _mentioned(claim, alignments) >= _MENTIONED:
        found += exchanged(claim, alignments)
    return found


def _of_best(
    claim: Statement, passages: Sequence[Statement], alignments: Sequence[Alignment], best: Alignment
) -> Iterator[Disagreement]:
    """What is wrong with the sentence that shares most with the claim."""
    for clause in range(claim.clauses):
        if best.within(clause) >= _COMPARABLE:
            yield from negation(best, clause)
            yield from modality(best, clause)
            yield from quantifiers(best, clause)
    yield from turned(best)
    yield from displaced(best)
    yield from other_subject(claim, best, alignments)
    yield from bounds(best)
    yield from framed(best)
    yield from asked(best)
    yield from retracted(claim, passages, alignments.index(best))
    yield from displaced_in_time(best)
    yield from unknown_cause(best)


def _mentioned(claim: Statement, alignments: Sequence[Alignment]) -> float:
    """The share of the claim's tokens that any of the sentences has."""
    found = [any(alignment.matches[at] for alignment in alignments) for at in range(len(claim.tokens))]
    return sum(found) / len(found)


def _contains(passage: Statement, claim: Statement) -> bool:
    """Whether a sentence has the very words of the claim."""
    return claim.text.strip(_ENDS) in passage.text and not passage.question and not passage.kinds() - claim.kinds()


_ENDS = " .。!*_\"'“”"
