"""The two sides of a predicate: who or what acts, and on whom or what."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Self

from ....text.clauses import ContentToken, Statement
from ....text.clauses.vocabulary import vocabulary
from ..alignment import Alignment, Match
from .arguments import arguments

_COMPARISON_REACH = 4  # words between an adjective and "than"


@dataclass(frozen=True, slots=True)
class Sides:
    """The tokens on the two sides of a relation. `first`: the side that acts or comes first."""

    first: frozenset[ContentToken]
    second: frozenset[ContentToken]

    @classmethod
    def of(cls, first: Iterable[ContentToken], second: Iterable[ContentToken]) -> Self:
        """Return the sides that consist of these tokens."""
        return cls(frozenset(first), frozenset(second))


def crossed_sides(
    claim_sides: Sides, passage_sides: Sides, match_of: Mapping[ContentToken, Match]
) -> tuple[bool, bool]:
    """Return whether both sides are swapped in the passage, and whether both are in their own place."""
    first = {match_of[t].token for t in claim_sides.first if t in match_of}
    second = {match_of[t].token for t in claim_sides.second if t in match_of}
    crossed = bool(first & passage_sides.second) and bool(second & passage_sides.first)
    straight = bool((first - second) & passage_sides.first) and bool((second - first) & passage_sides.second)
    return crossed, straight


def sides_of(statement: Statement, predicate: ContentToken) -> Sides | None:
    """Return the agent and the patient of a predicate, or what is compared, or None if they cannot be determined."""
    if (predicate.verbal and not is_compared(statement, predicate)) or statement.language in {"de", "zh"}:
        arguments_found = arguments(statement, predicate)
        return Sides.of(arguments_found.agent, arguments_found.patient)
    left = [
        t for t in statement.tokens if t.word < predicate.word and t.clause == predicate.clause and not t.preposition
    ]
    right = [t for t in statement.tokens if t.word > predicate.word and t.piece == predicate.piece]
    return Sides.of([t for t in left if t.piece == left[-1].piece], right)


def is_compared(statement: Statement, token: ContentToken) -> bool:
    """Return whether "than" is at most a few words after a token."""
    return any(op.kind == "than" and 0 < op.word - token.word <= _COMPARISON_REACH for op in statement.operators)


def is_symmetric(token: ContentToken, language: str) -> bool:
    """Return whether a verb states the same with exchanged sides: "A met B"."""
    return token.folded in vocabulary(language).role("symmetric")


def is_repeated(alignment: Alignment, predicate: ContentToken, match: Match) -> bool:
    """Return whether a word occurs twice in the claim or the passage: "Diesel buses … electric buses"."""
    return len(alignment.claim.stems[predicate.stem]) > 1 or len(alignment.passage.stems[match.token.stem]) > 1
