"""The two sides of a predicate: who or what acts, and on whom or what."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from ....text.clauses import ContentToken, Statement
from ....text.clauses.vocabulary import vocabulary
from ..alignment import Alignment, Match
from ..bindings.chinese_bindings import chinese_arguments
from .german_sides import german_sides

_AUXILIARY_REACH = 4  # words between a participle and its auxiliary
_PERSONAL_A = "a"  # the Spanish preposition before a person who is the object


@dataclass(frozen=True, slots=True)
class Sides:
    """The tokens on the two sides of a relation. `first`: the side that acts or comes first."""

    first: frozenset[int]  # `id` of each token
    second: frozenset[int]

    @classmethod
    def of(cls, first: Iterable[ContentToken], second: Iterable[ContentToken]) -> Self:
        """Return the sides that consist of these tokens."""
        return cls(frozenset(map(id, first)), frozenset(map(id, second)))


def crossed_sides(mine: Sides, theirs: Sides, match_of: dict[int, Match]) -> tuple[bool, bool]:
    """Return whether both sides are swapped in the passage, and whether both are in their own place."""
    first = {id(match_of[t].token) for t in mine.first if t in match_of}
    second = {id(match_of[t].token) for t in mine.second if t in match_of}
    crossed = bool(first & theirs.second) and bool(second & theirs.first)
    straight = bool((first - second) & theirs.first) and bool((second - first) & theirs.second)
    return crossed, straight


def sides_of(statement: Statement, pivot: ContentToken) -> Sides | None:
    """Return the agent and the patient of a predicate, or None if they cannot be determined."""
    tokens = [t for t in statement.tokens if t.clause == pivot.clause]
    left = subject_before(statement, pivot, tokens)
    right = [t for t in tokens if t.word > pivot.word and t.piece == pivot.piece]
    if statement.language == "de":
        found = german_sides(statement, pivot, tokens)
        return Sides.of(*found) if found else None
    if statement.language == "zh":
        return Sides.of(*chinese_arguments(statement, pivot, tokens))
    if fronted := _fronted_object(statement, pivot, tokens):
        acting = [t for t in right if not t.before]
        return Sides.of(acting, fronted) if acting else None
    agent = agent_word(statement, pivot)
    if agent is not None:
        acting = [t for t in right if t.word >= agent]
        acting = acting[: 1 + next((n for n, t in enumerate(acting[1:]) if t.before != acting[0].before), len(acting))]
        others = [t for t in left + right if t not in acting]
        return Sides.of(acting, others)
    if is_passive(statement, pivot):
        return Sides.of((), left)
    return Sides.of(left, right)


def _fronted_object(statement: Statement, pivot: ContentToken, tokens: list[ContentToken]) -> list[ContentToken]:
    """Return the Spanish object before a verb and its clitic: "A la directora la nombró el consejo"."""
    clitics = vocabulary(statement.language).role("object_clitic")
    if not pivot.word or statement.words[pivot.word - 1] not in clitics:
        return []
    return [t for t in tokens if t.word < pivot.word and t.before == _PERSONAL_A]


def acting_words(statement: Statement, pivot: ContentToken) -> list[ContentToken]:
    """Return the words for the agent of a verb, the noun before "who" if it is that; [] if it is not certain."""
    words = vocabulary(statement.language)
    tokens = [t for t in statement.tokens if t.clause == pivot.clause]
    if is_passive(statement, pivot):
        agent = agent_word(statement, pivot)
        acting = [t for t in tokens if agent is not None and t.word >= agent and t.piece == pivot.piece]
        return [t for t in acting if t.before == acting[0].before]
    left = [t for t in tokens if t.word < pivot.word]
    begin = left[-1].word + 1 if left else next((t.word for t in tokens), pivot.word)
    between = statement.words[begin : pivot.word] if left else _words_before(statement, pivot)
    if not words.role("relative").isdisjoint(between):
        antecedent = [t for t in statement.tokens if t.word < pivot.word]
        return antecedent[-1:] if not left else []
    if not (words.role("personal") | words.role("pronoun")).isdisjoint(between):
        return []
    return subject_before(statement, pivot, tokens)


def _words_before(statement: Statement, pivot: ContentToken) -> list[str]:
    """Return the words between the last token before a verb and the verb."""
    before = [t.word for t in statement.tokens if t.word < pivot.word]
    return statement.words[before[-1] + 1 if before else 0 : pivot.word]


def subject_before(statement: Statement, pivot: ContentToken, tokens: list[ContentToken]) -> list[ContentToken]:
    """Return the tokens before the predicate without a preposition: not those of "As chair, …", "In 2019 …"."""
    adverbs = vocabulary(statement.language).role("before_verb")
    left = [t for t in tokens if t.word < pivot.word and not t.before and t.folded not in adverbs]
    pieces = {t.piece for t in left}
    return [t for t in left if t.piece == max(pieces)] if len(pieces) > 1 else left


def agent_word(statement: Statement, pivot: ContentToken) -> int | None:
    """Return the index of the word after "by" for a passive predicate, or None."""
    if not is_passive(statement, pivot):
        return None
    by = next((op for op in statement.of("by") if op.word > pivot.word and op.clause == pivot.clause), None)
    return by.after if by else None


def is_passive(statement: Statement, pivot: ContentToken) -> bool:
    """Return whether a predicate is a participle with a passive auxiliary before it."""
    words = vocabulary(statement.language)
    if not pivot.folded.endswith(tuple(words.role("participle"))) and pivot.folded not in words.role("irregular"):
        return False
    passive = words.role("passive")
    return any(word in passive for word in statement.words[max(0, pivot.word - _AUXILIARY_REACH) : pivot.word])


def is_symmetric(token: ContentToken, language: str) -> bool:
    """Return whether a verb states the same with exchanged sides: "A met B"."""
    return token.folded in vocabulary(language).role("symmetric")


def is_repeated(alignment: Alignment, pivot: ContentToken, match: Match) -> bool:
    """Return whether a word occurs twice in the claim or the passage: "Diesel buses … electric buses"."""
    return len(alignment.claim.stems[pivot.stem]) > 1 or len(alignment.passage.stems[match.token.stem]) > 1
