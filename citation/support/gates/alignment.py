"""Align the content words of a claim with those of a passage, which mean the same or the opposite."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from typing import NamedTuple

from ...text.clauses import ContentToken, Statement
from ...text.clauses.vocabulary import vocabulary
from ...text.numbers.derived.shifts import shifted_weekdays
from ...text.words import compounds
from ...text.words.concepts import synonyms
from ...text.words.inflection import inflections
from .word_relations import excludes, han_alike, opposed, word_index

# Two sentences with a smaller share of common words have different topics, so their operators cannot be compared.
COMPARABLE = 0.6
_FEWEST = 2  # words in common, if the claim has as many
_NEARLY_ALL, _SAME_EVENT = 0.8, 0.5  # with a larger share in the whole claim, a smaller one of each clause is enough
_VERBAL = 1.5  # weight of a predicate in the choice of the matching clause; a noun has the weight 1


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
        self._index = word_index(passage)
        self._formed = (
            compounds.joined(list(claim.stems), passage.stems) if claim.language == compounds.LANGUAGE else {}
        )
        exact = [self._same(token) for token in claim.tokens]
        taken = {match.token for same in exact for match in same}
        opposite = [
            () if same else self._opposite(token, taken) for token, same in zip(claim.tokens, exact, strict=True)
        ]
        candidates = [same or opposites for same, opposites in zip(exact, opposite, strict=True)]
        weights = self._weights(candidates)
        # The clause of the passage that shares most with each clause of the claim, -1 if none shares anything
        self.matching_clauses = [
            max(weight, key=lambda clause: (weight[clause], -clause)) if weight else -1 for weight in weights
        ]
        self.matches: list[Match | None] = [
            _fittest(token, matches, weights[token.clause])
            for token, matches in zip(claim.tokens, candidates, strict=True)
        ]
        # The tokens of the claim, each with its match or None
        self.tokens = list(zip(claim.tokens, self.matches, strict=True))
        self._pairs = [(token, match) for token, match in self.tokens if match]
        self.shared = len(self._pairs)

    def _weights(self, candidates: Sequence[Sequence[Match]]) -> list[dict[int, float]]:
        """Return for each clause of the claim the weight of the words that each clause of the passage shares."""
        weights: list[dict[int, float]] = [{} for _ in range(self.claim.clauses)]
        for token, matches in zip(self.claim.tokens, candidates, strict=True):
            weight = weights[token.clause]
            for clause, verbal in {
                (match.token.clause, match.token.verbal or match.token.after_auxiliary) for match in matches
            }:
                weight[clause] = weight.get(clause, 0.0) + (_VERBAL if verbal else 1.0) / len(matches)
        return weights

    def _share_in_matching_clause(self, clause: int) -> float:
        """Return the share of a clause of the claim that is found in the matching clause of the passage."""
        main, shared, count = self.matching_clauses[clause], 0, 0
        for token, match in self.tokens:
            if token.clause == clause and (match is not None or not token.in_operator):
                count += 1
                shared += match is not None and match.token.clause == main
        return shared / max(1, count)

    @cached_property
    def comparable_clauses(self) -> list[int]:
        """The clauses of the claim that the sentence has, too."""
        least = _SAME_EVENT if self.coverage >= _NEARLY_ALL else COMPARABLE
        return [clause for clause in range(self.claim.clauses) if self._share_in_matching_clause(clause) >= least]

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
            return [Match(number, 1, True) for number in passage.numbers_agreeing(token.quantity)]
        for stem in filter(None, (token.phrasal_stem, token.stem)):
            matches = [Match(passage.tokens[index], 1, True) for index in passage.stems.get(stem, ())]
            if matches:
                return matches
        if self.claim.language == "zh":
            matches = [
                Match(passage_token, 1, False)
                for passage_token in passage.tokens
                if han_alike(token, passage_token, self._words)
            ]
            return [match for match in matches if match.token.excepted] or matches  # the exception that the claim names
        if self.claim.language == compounds.LANGUAGE and (formed := self._compounds(token)):
            return formed
        if token.stem in self.elsewhere:
            return []
        if token.word_class == "weekday" and (shifted := self._shifted_weekdays(token)):
            return shifted
        return self._synonymous(token)

    def _synonymous(self, token: ContentToken) -> list[Match]:
        """Return the synonyms and other forms of a word, except for its antonyms and other members of its class."""
        passage = self.passage
        stem = token.phrasal_stem or token.stem
        similar = self._words.synonyms[stem] | synonyms(stem).single
        alike = [passage.tokens[index] for stem in similar & passage.stems.keys() for index in passage.stems[stem]]
        alike += self._index.family(token)
        if not alike:
            return []
        sides = self._words.antonyms.sides(token.folded)
        classes = self._words.classes.get(token.folded, frozenset())
        forms = inflections(stem, self.claim.language)
        return [
            Match(passage_token, 1, passage_token.stem in forms)
            for passage_token in alike
            if passage_token.quantity is None
            and not opposed(sides, self._words.antonyms.sides(passage_token.folded))
            and not excludes(classes, self._words.classes.get(passage_token.folded, frozenset()))
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
        return [Match(passage.tokens[index], 1, False) for stem in stems for index in passage.stems[stem]]

    def _shifted_weekdays(self, token: ContentToken) -> list[Match]:
        """Return the weekdays of the passage from which it reaches that of `token`: "two days before Friday"."""
        weekday = self._weekday(token)
        return [
            Match(passage_weekday, 1, False)
            for passage_weekday, reached in self.reached_weekdays()
            if weekday in reached
        ]

    def reached_weekdays(self) -> list[tuple[ContentToken, set[int]]]:
        """Return the weekdays of the passage that others are counted from, each with the numbers of those."""
        quantities = self.passage.quantities
        return [
            (passage_weekday, reached)
            for passage_weekday in self.passage.tokens
            if passage_weekday.word_class == "weekday"
            and (
                reached := shifted_weekdays(
                    self.passage.text, self._weekday(passage_weekday), passage_weekday.start, quantities
                )
            )
        ]

    def _weekday(self, token: ContentToken) -> int:
        """Return the number of a weekday, 0 for Monday."""
        return next(member for name, member in self._words.classes[token.folded] if name == "weekday")

    def _opposite(self, token: ContentToken, taken: set[ContentToken]) -> list[Match]:
        """Return the tokens of the passage with the opposite meaning that match no other token."""
        if token.quantity is not None:
            return []
        return [
            Match(passage_token, -1, False)
            for passage_token in self._index.opposites(token)
            if passage_token not in taken and not (token.denying and passage_token.denying)
        ]


def _fittest(token: ContentToken, candidates: Sequence[Match], weight: dict[int, float]) -> Match | None:
    """Return the best of the candidates, or None without any."""
    if len(candidates) > 1:
        return max(candidates, key=lambda match: _fit(token, match, weight))
    return candidates[0] if candidates else None


def _fit(token: ContentToken, match: Match, weight: dict[int, float]) -> tuple[float, bool, bool, int]:
    """Return the sort key of a candidate: weight of its clause, exactness, equal sign and scope, position."""
    passage_token = match.token
    alike = passage_token.sign == token.sign and passage_token.excepted == token.excepted
    return weight[passage_token.clause], match.exact, alike, -passage_token.word


class PassageAlignment:
    """A claim aligned with each sentence of a passage."""

    def __init__(self, claim: Statement, passages: Sequence[Statement], title_stems: AbstractSet[str]) -> None:
        """Align them. `title_stems`: stems of the title, which may name the subject of the passage."""
        self.claim, self.passages, self.known = claim, passages, title_stems
        stems = [passage.stems.keys() for passage in passages]
        self.sentences = [
            Alignment(claim, passage, frozenset().union(*stems[:n], *stems[n + 1 :]))
            for n, passage in enumerate(passages)
        ]
        self.best = max(self.sentences, key=_rank)  # shares most with the claim

    @cached_property
    def is_comparable(self) -> bool:
        """Whether the best sentence has so many words of the claim that both state something about the same."""
        return self.best.coverage >= COMPARABLE and self.best.shared >= min(_FEWEST, len(self.claim.tokens))

    @cached_property
    def mentioned(self) -> float:
        """Share of the claim's tokens that are found in any of the sentences."""
        return sum(map(self.mentions, range(len(self.claim.tokens)))) / len(self.claim.tokens)

    def mentions(self, index: int) -> bool:
        """Return whether any sentence has the claim's token with this index."""
        return any(sentence.matches[index] for sentence in self.sentences)

    def is_known(self, stem: str) -> bool:
        """Return whether a sentence or the title has this stem."""
        return stem in self.known or any(stem in passage.stems for passage in self.passages)


def _rank(alignment: Alignment) -> tuple[int, int, bool, bool]:
    """Return the sort key of a sentence: its share of the claim; no opposites; no heading; the claim's first word."""
    opposites = sum(match.sign < 0 for _, match in alignment.pairs())
    return alignment.shared, -opposites, not alignment.passage.heading, alignment.matches[0] is not None
