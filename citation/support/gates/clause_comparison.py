"""Comparison of a claim with the sentences of a passage: every way in which they disagree."""

from collections.abc import Sequence

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
    shared = max(sum(stem in passage.stems for stem in claim.stems) for passage in passages)
    if shared < _PROMISING * len(claim.stems):
        return []
    stems = [passage.stems.keys() for passage in passages]
    alignments = [
        Alignment(claim, passage, frozenset().union(*stems[:n], *stems[n + 1 :])) for n, passage in enumerate(passages)
    ]
    best = max(alignments, key=lambda alignment: (alignment.shared, not alignment.passage.heading))
    found: list[Disagreement] = []
    if best.coverage >= _COMPARABLE and best.shared >= _FEWEST:
        for clause in range(claim.clauses):
            if best.within(clause) < _COMPARABLE:
                continue
            found += negation(best, clause)
            found += modality(best, clause)
            found += quantifiers(best, clause)
        found += turned(best)
        found += displaced(best)
        found += other_subject(claim, best, alignments)
        found += bounds(best)
        found += framed(best)
        found += asked(best)
        found += retracted(claim, passages, alignments.index(best))
        found += displaced_in_time(best)
        found += unknown_cause(best)
    found += headed(claim, alignments)
    found += lacking(claim, passages)
    if len(claim.tokens) <= _SHORT and _mentioned(claim, alignments) >= _MENTIONED:
        found += exchanged(claim, alignments)
    if best.coverage >= _COMPARABLE and best.shared >= _FEWEST:
        found += replaced(claim, alignments, known)
        found += unknown_names(claim, alignments, known)
    return found


def _mentioned(claim: Statement, alignments: Sequence[Alignment]) -> float:
    """The share of the claim's tokens that any of the sentences has."""
    found = [any(alignment.matches[at] for alignment in alignments) for at in range(len(claim.tokens))]
    return sum(found) / len(found)


def _contains(passage: Statement, claim: Statement) -> bool:
    """Whether a sentence has the very words of the claim."""
    return claim.text.strip(_ENDS) in passage.text and not passage.question and not passage.kinds() - claim.kinds()


_ENDS = " .。!*_\"'“”"
