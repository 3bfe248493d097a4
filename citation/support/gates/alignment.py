"""Align the content words of a claim with those of a passage."""

from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple
from weakref import WeakKeyDictionary

from ...text.clauses import ContentToken, Statement
from ...text.clauses.vocabulary import Vocabulary, vocabulary
from ...text.numbers.date_shifts import shifted_weekdays
from ...text.numbers.quantities import agrees
from ...text.words import compounds
from ...text.words.concepts import synonyms
from ...text.words.inflection import inflections

# Two words of one family share at least so many letters at the beginning: relocate, relocation.
_FAMILY = 5  # letters
_SHORTEST_NEGATED = 4  # letters; "in" before fewer is part of another word
_VERBAL = 1.5  # weight of a predicate in the choice of the matching clause; a noun has the weight 1
_HAN_SHARED = 2  # characters


class Match(NamedTuple):
    """A token of the passage that matches a token of the claim."""

    token: ContentToken
    sign: int  # -1 for opposites
    exact: bool  # the same stem or number, or a form of the same verb

    def restates(self, token: ContentToken) -> bool:
        """Return whether it means the same as `token` of the claim, if need be by a denial: "not open", "closed"."""
        return self.sign > 0 or token.sign != self.token.sign


class Alignment:
    """The tokens of a claim with their matches in one sentence of the passage.

    Among several candidates, the one in the clause that shares most with the claim is chosen.
    """

    def __init__(self, claim: Statement, passage: Statement, elsewhere: frozenset[str] = frozenset()) -> None:
        """Align them. `elsewhere`: stems of the neighbouring sentences; a word found there has no synonym here."""
        self.claim, self.passage = claim, passage
        self.elsewhere = elsewhere
        self._words = vocabulary(claim.language)
        self._index = _index_of(passage)
        self._formed = (
            compounds.joined(list(claim.stems), passage.stems) if claim.language == compounds.LANGUAGE else {}
        )
        exact = [self._same(token) for token in claim.tokens]
        taken = {match.token for found in exact for match in found}
        opposite = [
            () if found else self._opposite(token, taken) for token, found in zip(claim.tokens, exact, strict=True)
        ]
        candidates = [found or other for found, other in zip(exact, opposite, strict=True)]
        weights = self._weights(candidates)
        self.mains = [max(weight, key=lambda at: (weight[at], -at)) if weight else -1 for weight in weights]
        self.matches: list[Match | None] = [
            _fittest(token, found, weights[token.clause]) for token, found in zip(claim.tokens, candidates, strict=True)
        ]
        # The tokens of the claim, each with its match or None
        self.tokens = list(zip(claim.tokens, self.matches, strict=True))
        self._pairs = [(token, match) for token, match in self.tokens if match]
        self.shared = len(self._pairs)

    def _weights(self, candidates: Sequence[Sequence[Match]]) -> list[dict[int, float]]:
        """Return for each clause of the claim the weight of the words that each clause of the passage shares."""
        weights: list[dict[int, float]] = [{} for _ in range(self.claim.clauses)]
        for token, found in zip(self.claim.tokens, candidates, strict=True):
            weight = weights[token.clause]
            for at, verbal in {(match.token.clause, match.token.verbal or match.token.clausal) for match in found}:
                weight[at] = weight.get(at, 0.0) + (_VERBAL if verbal else 1.0) / len(found)
        return weights

    def within(self, clause: int) -> float:
        """Return the share of a clause of the claim that is found in the matching clause of the passage."""
        main, found, count = self.mains[clause], 0, 0
        for token, match in self.tokens:
            if token.clause == clause and (match is not None or not token.operator):
                count += 1
                found += match is not None and match.token.clause == main
        return found / max(1, count)

    @property
    def coverage(self) -> float:
        """Share of the claim's tokens that have a match."""
        return self.shared / max(1, len(self.claim.tokens))

    @cached_property
    def match_of(self) -> dict[ContentToken, Match]:
        """The matches by the token of the claim."""
        return dict(self._pairs)

    @cached_property
    def matched(self) -> frozenset[ContentToken]:
        """The tokens of the passage that a token of the claim matches."""
        return frozenset(match.token for _, match in self._pairs)

    def pairs(self, claim_clause: int | None = None) -> list[tuple[ContentToken, Match]]:
        """Return the tokens of the claim with their matches, of one clause or of all."""
        if claim_clause is None:
            return self._pairs
        return [pair for pair in self._pairs if pair[0].clause == claim_clause]

    def _same(self, token: ContentToken) -> list[Match]:
        """Return the tokens of the passage with the same meaning."""
        passage = self.passage
        if token.quantity is not None:
            return [
                Match(other, 1, True)
                for other in passage.tokens
                if other.quantity is not None and agrees(token.quantity, other.quantity)
            ]
        for stem in filter(None, (token.whole, token.stem)):
            found = [Match(passage.tokens[at], 1, True) for at in passage.stems.get(stem, ())]
            if found:
                return found
        if self.claim.language == "zh":
            found = [Match(other, 1, False) for other in passage.tokens if han_alike(token, other, self._words)]
            return [match for match in found if match.token.scoped] or found  # the exception that the claim names
        if self.claim.language == compounds.LANGUAGE and (formed := self._compounds(token)):
            return formed
        if token.stem in self.elsewhere:
            return []
        if token.kind == "weekday" and (shifted := self._shifted_weekdays(token)):
            return shifted
        stem = token.whole or token.stem
        others = self._words.synonyms[stem] | synonyms(stem).single
        alike = [passage.tokens[at] for stem in others & passage.stems.keys() for at in passage.stems[stem]]
        alike += [other for other in self._index.families.get(token.folded[:_FAMILY], ()) if _family(token, other)]
        if not alike:
            return []
        sides = self._words.antonyms.sides(token.folded)
        kinds = self._words.kinds.get(token.folded, frozenset())
        forms = inflections(stem, self.claim.language)
        return [
            Match(other, 1, other.stem in forms)
            for other in alike
            if other.quantity is None
            and not opposed(sides, self._words.antonyms.sides(other.folded))
            and not excludes(kinds, self._words.kinds.get(other.folded, frozenset()))
        ]

    def _compounds(self, token: ContentToken) -> list[Match]:
        """Return the last part of a German compound of the claim, or a compound of the passage that the claim divides.

        The passage has "Mahngebühr", the claim "Gebühr" or "Gebühr für die Mahnung".
        """
        passage = self.passage
        stems = [last for _, last in compounds.parts(token.stem, passage.stems)] or list(
            self._formed.get(token.stem, ())
        )
        if not stems and token.name:
            stems = [stem for stem in passage.stems if compounds.contains(stem, token.stem)]
        return [Match(passage.tokens[at], 1, False) for stem in stems for at in passage.stems[stem]]

    def _shifted_weekdays(self, token: ContentToken) -> list[Match]:
        """Return the weekdays of the passage from which it reaches that of `token`: "two days before Friday"."""
        weekday = self._weekday(token)
        return [Match(other, 1, False) for other, reached in self.reached_weekdays() if weekday in reached]

    def reached_weekdays(self) -> list[tuple[ContentToken, set[int]]]:
        """Return the weekdays of the passage that others are counted from, each with the numbers of those."""
        quantities = self.passage.quantities
        return [
            (other, reached)
            for other in self.passage.tokens
            if other.kind == "weekday"
            and (reached := shifted_weekdays(self.passage.text, self._weekday(other), other.start, quantities))
        ]

    def _weekday(self, token: ContentToken) -> int:
        """Return the number of a weekday, 0 for Monday."""
        return next(member for kind, member in self._words.kinds[token.folded] if kind == "weekday")

    def _opposite(self, token: ContentToken, taken: set[ContentToken]) -> list[Match]:
        """Return the tokens of the passage with the opposite meaning that match no other token."""
        if token.quantity is not None:
            return []
        sides = self._words.antonyms.sides(token.folded)
        found = [
            other
            for group, _ in sides
            for other in self._index.antonyms.get(group, ())
            if opposed(sides, self._words.antonyms.sides(other.folded))
        ]
        found += self._index.negated(token)
        return [
            Match(other, -1, False) for other in found if other not in taken and not (token.denying and other.denying)
        ]


class _WordIndex:
    """An index of the words of a statement by prefix, by antonyms, and without negating prefixes."""

    def __init__(self, statement: Statement) -> None:
        """Index the content words."""
        self._language = statement.language
        self.families: dict[str, list[ContentToken]] = {}  # by their first letters
        self.antonyms: dict[int, list[ContentToken]] = {}  # by their groups of antonyms
        self._bare: dict[str, list[ContentToken]] = {}  # without a prefix that negates
        for token in statement.tokens:
            if token.quantity is not None:
                continue
            groups, bare = _index_keys(token.folded, statement.language)
            if len(token.folded) >= _FAMILY:
                self.families.setdefault(token.folded[:_FAMILY], []).append(token)
            for group in groups:
                self.antonyms.setdefault(group, []).append(token)
            for prefix in bare:
                self._bare.setdefault(prefix, []).append(token)

    def negated(self, token: ContentToken) -> list[ContentToken]:
        """Return the words that differ from `token` in a negating prefix only."""
        folded = token.folded
        found = [
            other
            for other in self._bare.get(folded[:_FAMILY], ())
            if any(_alike(folded, bare) for bare in _without_prefix(other.folded, self._language))
        ]
        for bare in _without_prefix(folded, self._language):
            found += [other for other in self.families.get(bare[:_FAMILY], ()) if _alike(bare, other.folded)]
        return found


@lru_cache(maxsize=1 << 14)
def _index_keys(folded: str, language: str) -> tuple[frozenset[int], tuple[str, ...]]:
    """Return a word's groups of antonyms, and its first letters without each negating prefix that it begins with."""
    groups = frozenset(group for group, _ in vocabulary(language).antonyms.sides(folded))
    return groups, tuple(bare[:_FAMILY] for bare in _without_prefix(folded, language))


@lru_cache(maxsize=1 << 14)
def _without_prefix(folded: str, language: str) -> tuple[str, ...]:
    """Return the word without each negating prefix that it begins with."""
    return tuple(
        folded[len(prefix) :]
        for prefix in sorted(vocabulary(language).role("negating"))
        if folded.startswith(prefix) and len(folded) - len(prefix) >= _SHORTEST_NEGATED
    )


_indexes: "WeakKeyDictionary[Statement, _WordIndex]" = WeakKeyDictionary()


def _index_of(statement: Statement) -> _WordIndex:
    """Return the index of a statement, which is created once."""
    found = _indexes.get(statement)
    if found is None:
        found = _indexes[statement] = _WordIndex(statement)
    return found


def excludes(kinds: frozenset[tuple[str, int]], others: frozenset[tuple[str, int]]) -> bool:
    """Return whether two words are different members of one class and share no other class and member."""
    if not kinds or not others or kinds & others:
        return False
    return not {kind for kind, _ in kinds}.isdisjoint(kind for kind, _ in others)


def _fittest(token: ContentToken, found: Sequence[Match], weight: dict[int, float]) -> Match | None:
    """Return the best of the candidates, or None without any."""
    if len(found) > 1:
        return max(found, key=lambda match: _fit(token, match, weight))
    return found[0] if found else None


def _fit(token: ContentToken, match: Match, weight: dict[int, float]) -> tuple[float, bool, bool, int]:
    """Return the sort key of a candidate: weight of its clause, exactness, equal sign and scope, position."""
    other = match.token
    alike = other.sign == token.sign and other.scoped == token.scoped
    return weight[other.clause], match.exact, alike, -other.word


def opposed(sides: frozenset[tuple[int, int]], others: frozenset[tuple[int, int]]) -> bool:
    """Return whether two words are on different sides of a family of antonyms, and on the same side of none."""
    if not sides or not others or sides & others:
        return False
    return any(family == other and side != other_side for family, side in sides for other, other_side in others)


def _family(token: ContentToken, other: ContentToken) -> bool:
    return _alike(token.folded, other.folded)


@lru_cache(maxsize=1 << 14)
def _alike(one: str, other: str) -> bool:
    """Return whether two words are equal or share a long prefix, so that they are probably forms of one word."""
    if one == other:
        return True
    if len(one) < _FAMILY or len(other) < _FAMILY:
        return False
    shared = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        shared += 1
    return shared >= max(_FAMILY, len(one) - 4, len(other) - 4) and shared >= min(len(one), len(other)) - 3


def han_alike(token: ContentToken, other: ContentToken, words: Vocabulary) -> bool:
    """Return whether two Chinese words share two characters or are synonyms."""
    if other.quantity is not None:
        return False
    one, two = token.folded, other.folded
    if two in words.synonyms[token.stem]:
        return True
    if set(one).isdisjoint(two) or opposed(words.antonyms.sides(one), words.antonyms.sides(two)):
        return False
    if one in two or two in one:
        return min(len(one), len(two)) >= _HAN_SHARED
    pairs = {one[i : i + 2] for i in range(len(one) - 1)}
    shared = sum(two[i : i + 2] in pairs for i in range(len(two) - 1))
    return shared > 0 and shared * 2 >= min(len(one), len(two)) - 1
