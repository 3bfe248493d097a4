"""Gates: what refuses a piece of evidence however alike it looks. Deterministic, and each names its reason.

Numbers: every number of the claim must stand in the supporting passage, with its unit. Polarity: what one side says and
the other denies, or says with the opposite word, is no support.
"""

import re
from bisect import bisect_left
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from .lexicon import Lexed, Quantity, agrees, lex, lex_sentence
from .lexicon.keeping import LONGEST_TITLE, kept
from .scoring import Claim
from .scoring.index import Index
from .scoring.passages import language_of

# Below this share of common terms two sentences speak of different things, and their polarities cannot be compared.
_COMPARABLE = 0.7
# Of pairs of characters fewer are common: one character more or less changes two of them.
_COMPARABLE_HAN = 0.4
# What a negation denies: this many content terms after it, or before it where none follow ("bestätigt das nicht").
_SCOPE_AFTER, _SCOPE_BEFORE, _SCOPE_WIDE = 3, 2, 5
# Opposites oppose if a word this near to both is the same.
_NEIGHBOURS = 3
_BREAK = re.compile(r"[,;:，；：、—(){}]|\.\s")
# Where a sentence goes on to say something else.
_PART = re.compile(
    r"[;:，；、]|,(?!\d)|\b(?:and|but|while|whereas|und|aber|sondern|während|y|pero|mientras|et|mais|tandis|e|ma|mas)\b"
)
# Between two numbers of which one becomes the other.
_BECOMES = re.compile(
    r"\W{0,3}(?:(?:down |up )?to|auf|zu|hasta|al?|à|au|升至|降至|增至|减至|升到|降到|增加到|减少到|到|至|->|→)\W{0,3}",
    re.IGNORECASE,
)
# What a claim begins with is mostly what it is about, and stands in the first part of the evidence's sentence.
_TOPIC_TERMS, _TOPIC_TERMS_HAN = 1, 2
_SHORTEST_NEGATED = 4  # letters; "in" before fewer is part of another word
_PREFIXES = ("un", "in", "im", "ir", "il", "dis", "non", "des", "mis")


class Reason(StrEnum):
    """Why a citation of the model was taken out."""

    UNKNOWN_NUMBER = "unknown_number"
    NO_SUPPORT = "no_support"
    NUMBER_MISMATCH = "number_mismatch"
    NEGATION = "negation"


@dataclass(frozen=True, slots=True)
class Gate:
    """A refusal: the reason, and the words of the claim and the evidence that show it."""

    reason: Reason
    detail: str
    close: bool = True  # the passage is about the same; otherwise it would be no support with the right number either


class Gates:
    """The gates of one claim."""

    def __init__(self, claim: Claim, index: Index) -> None:
        """Read the claim once, for all evidence."""
        self.text = claim.text
        self.index = index
        self.lexed = lex_sentence(claim.text)
        self.han = language_of(self.lexed) == "han"
        self.mine = _Clause(claim.text, self.lexed, 0, len(claim.text))

    def check(self, row: int, window: tuple[int, int]) -> Gate | None:
        """The first gate that refuses `window` (offsets) of the evidence in `row`, or None."""
        theirs = self._nearest(row, window)
        return self._numbers(row, window, theirs) or (self._polarity(theirs) if theirs else None)

    def _numbers(self, row: int, window: tuple[int, int], theirs: "_Clause | None") -> Gate | None:
        if not self.lexed.quantities:
            return None
        start, end = self.index.widened(row, *window)
        known = [q for q in self.index.lexed[row].quantities if start <= q.start < end]
        known += _of_title(self.index.evidence[row].title or "")
        for quantity in self.lexed.quantities:
            if quantity.strict and not _borne_out(quantity, known):
                words = self.text[quantity.start : quantity.end]
                return Gate(Reason.NUMBER_MISMATCH, f"the passage does not say {words}", close=theirs is not None)
            other = (self._otherwise(quantity, row, known) or self._elsewhere(quantity, theirs)) if theirs else None
            if other:
                words = self.text[quantity.start : quantity.end]
                return Gate(Reason.NUMBER_MISMATCH, f"the passage says {other}, not {words}")
        return self._turned(theirs) if theirs else None

    def _turned(self, theirs: "_Clause") -> Gate | None:
        """A change from one number to another that the passage tells the other way round."""
        for before, after in self.mine.changes():
            for first, second in theirs.changes():
                turned = agrees(before, second) and agrees(after, first)
                if turned and not (agrees(before, first) and agrees(after, second)):
                    mine, said = self.text[before.start : after.end], theirs.text[first.start : second.end]
                    return Gate(Reason.NUMBER_MISMATCH, f"the passage says {said}, not {mine}")
        return None

    def _otherwise(self, quantity: Quantity, row: int, known: list[Quantity]) -> str | None:
        """What the passage counts of the same thing, where it counts it and never as the claim does."""
        if quantity.ordinal and not quantity.strict:
            ordinals = [q for q in known if q.ordinal]
            if ordinals and not any(agrees(quantity, q) for q in ordinals):
                return self.index.evidence[row].text[ordinals[0].start : ordinals[0].end]
        counted = _next_term(self.lexed, quantity.end)
        if not counted or counted[0] == "#" or not quantity.values or _is_year(quantity):
            return None
        lexed = self.index.lexed[row]
        same = [q for q in known if q.values and not _is_year(q) and _next_term(lexed, q.end) == counted]
        if not same or any(agrees(quantity, q) for q in same):
            return None
        if any(not q.unit and not _next_term(lexed, q.end) and agrees(quantity, q) for q in known):
            return None  # a number that counts nothing
        return self.index.evidence[row].text[same[0].start : same[0].end]

    def _elsewhere(self, quantity: Quantity, theirs: "_Clause") -> str | None:
        """The number that stands beside what the claim says, where the claim's stands beside something else only."""
        alike = [q for q in theirs.quantities if q.unit == quantity.unit and _is_year(q) == _is_year(quantity)]
        agreeing = [q for q in alike if agrees(quantity, q)]
        if not agreeing or len(agreeing) == len(alike):
            return None
        words = [term for term in self.mine.terms if term[0] != "#"]
        topic = words[: _TOPIC_TERMS_HAN if self.han else _TOPIC_TERMS]
        said = set(self.mine.terms) - {quantity.term, *topic}
        if any(said & theirs.beside(q.start, q.end) for q in agreeing):
            return None
        if any(agrees(own, q) for own in self.mine.quantities for q in alike if q not in agreeing):
            return None  # the claim gives several
        others = [q for q in alike if q not in agreeing and said & theirs.beside(q.start, q.end)]
        return theirs.text[others[0].start : others[0].end] if others else None

    def _polarity(self, theirs: "_Clause") -> Gate | None:
        denied = _denied(self.mine, theirs) or _denied(theirs, self.mine)
        opposed = _opposed(self.mine, theirs)
        if bool(denied) == bool(opposed):
            return None  # neither, or "did not rise" and "fell"
        return Gate(Reason.NEGATION, denied or opposed)

    def _nearest(self, row: int, window: tuple[int, int]) -> "_Clause | None":
        """The sentence of the window that shares most with the claim, if it is about the same."""
        best: _Clause | None = None
        mine = self.mine.matter()
        most = (_COMPARABLE_HAN if self.han else _COMPARABLE) * len(mine)
        for start, end in self.index.sentences_between(row, *window):
            clause = _Clause(self.index.evidence[row].text, self.index.lexed[row], start, end)
            shared = len(mine.intersection(clause.terms))
            if shared and shared >= most and (best is None or shared > most):
                best, most = clause, shared
        return best


class _Clause:
    """The part of a lexed text between two offsets."""

    def __init__(self, text: str, lexed: Lexed, start: int, end: int) -> None:
        lo, hi = bisect_left(lexed.starts, start), bisect_left(lexed.starts, end)
        self.terms = lexed.terms[lo:hi]
        self.starts = lexed.starts[lo:hi]
        self.ends = lexed.ends[lo:hi]
        self.text = text
        self.quantities = [q for q in lexed.quantities if start <= q.start < end and q.values]
        self.end = end
        self.negations = [at for at in lexed.negations if start < at <= end]
        self.poles = [pole for pole in lexed.poles if start <= pole[0] < end]
        self.breaks = [m.start() for m in _BREAK.finditer(text, start, end)] if self.negations else []
        self.breaks.append(end)

    def changes(self) -> list[tuple[Quantity, Quantity]]:
        """Neighbouring numbers of which one becomes the other: "from 12 % to 9 %"."""
        return [
            (before, after)
            for before, after in pairwise(self.quantities)
            if _BECOMES.fullmatch(self.text, before.end, max(before.end, after.start))
        ]

    def denied(self, reach: int, back: int) -> list[slice]:
        """What each negation denies: the next terms in its clause, or those before it where none follow."""
        scopes = []
        for end in self.negations:
            at = bisect_left(self.starts, end)
            clause = bisect_left(self.breaks, end)
            stop = bisect_left(self.starts, self.breaks[clause])
            begin = bisect_left(self.starts, self.breaks[clause - 1]) if clause else 0
            after = slice(at, min(stop, at + reach))
            scopes.append(after if self.terms[after] else slice(max(begin, at - back), at))
        return scopes

    def spelled(self, scope: slice) -> str:
        """Neighbouring terms as the text has them."""
        return self.text[self.starts[scope][0] : self.ends[scope][-1]]

    def beside(self, start: int, stop: int) -> set[str]:
        """The terms of the part of the sentence that holds an offset range."""
        begin, end = self.starts[0] if self.starts else 0, self.end
        for part in _PART.finditer(self.text, begin, end):
            if part.start() >= stop:
                end = part.start()
                break
            begin = part.end() if part.end() <= start else begin
        return {term for term, at in zip(self.terms, self.starts, strict=True) if begin <= at < end}

    def matter(self) -> set[str]:
        """What it is about: the terms that are no numbers and have no opposite."""
        poles = {start + near for start, _, _ in self.poles for near in (-1, 0, 1)}  # pairs of characters overlap
        plain = zip(self.terms, self.starts, strict=True)
        matter = {term for term, start in plain if term[0] != "#" and start not in poles}
        return matter or {term for term in self.terms if term[0] == "#"} or set(self.terms)

    def around(self, offset: int) -> set[str]:
        """The terms near an offset."""
        at = bisect_left(self.starts, offset)
        return set(self.terms[max(0, at - _NEIGHBOURS) : at + _NEIGHBOURS + 1])


def _denied(one: _Clause, other: _Clause) -> str:
    """What `one` denies and `other` says; "" if there is no such thing, or both deny something of the same."""
    mine = {term for scope in one.denied(_SCOPE_WIDE, _SCOPE_WIDE) for term in one.terms[scope]}
    if not mine or mine & {term for scope in other.denied(_SCOPE_WIDE, _SCOPE_WIDE) for term in other.terms[scope]}:
        return ""
    for denied in one.denied(_SCOPE_AFTER, _SCOPE_BEFORE):
        scope = one.terms[denied]
        said = [term for term in scope if term in other.terms and one.terms.count(term) == 1]
        needed = len(scope) / 2 if scope and scope[0] >= "\u2e80" else (len(scope) + 1) / 2
        if said and len(said) >= needed:
            return f"one side denies {one.spelled(denied)}"
    return ""


def _opposed(one: _Clause, other: _Clause) -> str:
    """Words of `one` whose opposite `other` uses beside the same words; "" if there are none."""
    mine = {(family, member) for _, family, member in one.poles}
    for start, family, member in one.poles:
        for there, other_family, other_member in other.poles:
            if family != other_family or member == other_member:
                continue
            if (family, other_member) in mine or _nearer(one, other, (family, member), there):
                continue
            if one.around(start) & other.around(there):
                return "one side says the opposite"
    return _negated_by_prefix(one, other)


def _nearer(one: _Clause, other: _Clause, pole: tuple[int, int], there: int) -> bool:
    """Whether `other` uses the same word as `one`, beside at least as much of what `one` says as its opposite."""
    said = set(one.terms[_TOPIC_TERMS:])
    same = [start for start, family, member in other.poles if (family, member) == pole]
    beside = [len(said & other.beside(start, start + 1)) for start in same]
    return max(beside, default=-1) >= len(said & other.beside(there, there + 1))


def _negated_by_prefix(one: _Clause, other: _Clause) -> str:
    """A word that only one side has, and only the other with a prefix that negates it; "" if there is none."""
    mine, theirs = set(one.terms), set(other.terms)
    theirs, mine = theirs - mine, mine - theirs
    for term in one.terms if theirs else ():
        if term in mine and len(term) >= _SHORTEST_NEGATED:
            for prefix in _PREFIXES:
                bare = term.removeprefix(prefix)
                if (bare in theirs and len(bare) >= _SHORTEST_NEGATED) or prefix + term in theirs:
                    return f"one side says {prefix}{bare}"
    return ""


def _borne_out(quantity: Quantity, known: list[Quantity]) -> bool:
    """Whether a number of the passage agrees; one without a unit only if none is in the claim's unit."""
    agreeing = [other for other in known if agrees(quantity, other)]
    if not agreeing or not quantity.unit or any(other.unit for other in agreeing):
        return bool(agreeing)
    return not any(other.unit == quantity.unit for other in known)


def _is_year(quantity: Quantity) -> bool:
    return bool(quantity.values) and not quantity.unit and 1000 <= quantity.values[0] < 2100


def _next_term(lexed: Lexed, offset: int) -> str:
    at = bisect_left(lexed.starts, offset)
    return lexed.terms[at] if at < len(lexed.starts) and lexed.starts[at] - offset <= 1 else ""


@kept(1024, LONGEST_TITLE)
def _of_title(title: str) -> list[Quantity]:
    return lex(title).quantities if title else []
