"""Find names of the claim that the passage lacks, and words that it replaces by others of the same class."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from ....text.clauses import ContentToken, Statement
from ....text.clauses.vocabulary import vocabulary
from ..alignment import Alignment, excludes
from ..disagreement import Disagreement, Reason

_UNITS = frozenset({"temperature", "unit", "currency"})
_SHORTEST_NAME = 2
_UNMATCHED = 2  # other words of a claim with an unknown name that the passage may lack
_STEM = 4  # letters that a place and its adjective share
_DECLENSION = ("er", "es", "em", "en", "e")
_ROMAN = re.compile("[IVX]+")


def other_class_member(claim: Statement, alignments: Sequence[Alignment], known: set[str]) -> Iterator[Disagreement]:
    """Yield a disagreement if the passage has another member of a class (a weekday, a unit) than the claim.

    `known`: stems of the title.
    """
    words = vocabulary(claim.language)
    best = max(alignments, key=lambda alignment: alignment.shared)
    free = [t for t in best.passage.tokens if t not in best.matched]
    everything = {t.stem for alignment in alignments for t in alignment.passage.tokens}
    for token, match in best.tokens:
        if match is not None or token.quantity is not None or token.stem in everything or token.stem in known:
            continue
        if token.kind == "weekday" and not best.reached_weekdays() and _shifted(alignments):
            continue
        kinds = words.kinds.get(token.folded, frozenset())
        for other in free:
            if excludes(kinds, words.kinds.get(other.folded, frozenset())):
                yield Disagreement(
                    _reason_for(token, claim.language),
                    f"the passage says “{best.passage.text_of(other)}”, not “{claim.text_of(token)}”",
                    rule="class",
                )
                return


def other_number_of_name(claim: Statement, best: Alignment) -> Iterator[Disagreement]:
    """Yield a disagreement if a name has another Roman number in the passage: "Henry VIII", "Henry VII"."""
    for (name, match), (number, _) in pairwise(best.tokens):
        if match is None or not name.name or number.word != name.word + 1:
            continue
        mine = claim.text_of(number)
        following = next((t for t in best.passage.tokens if t.word == match.token.word + 1), None)
        said = best.passage.text_of(following) if following is not None else ""
        if mine != said and _ROMAN.fullmatch(mine) and _ROMAN.fullmatch(said):
            yield Disagreement(Reason.UNKNOWN_NAME, f"the passage says “{said}”, not “{mine}”", rule="class")
            return


def _reason_for(token: ContentToken, language: str) -> Reason:
    """Return the reason for a word that is replaced by another of its class."""
    if token.kind in _UNITS:
        return Reason.UNIT
    return Reason.UNKNOWN_NAME if token.name and language != "de" else Reason.BINDING


def _shifted(alignments: Sequence[Alignment]) -> bool:
    """Return whether the passage moves a day: "two days later", "the following day"."""
    if not alignments:
        return False
    days = vocabulary(alignments[0].passage.language).role("shifted_day")
    return any(
        (t.quantity is not None and t.quantity.unit == "time") or t.kind == "unit" or t.folded in days
        for alignment in alignments
        for t in alignment.passage.tokens
    )


def unknown_names(claim: Statement, alignments: Sequence[Alignment], known: set[str]) -> Iterator[Disagreement]:
    """Yield a disagreement for the first name of the claim that neither the passage nor its title mentions.

    The passage must have another name in its place, or the name must have at least two words.
    In German, where every noun is capitalized, only names of at least two words are recognized.
    """
    if claim.language == "zh":
        return
    passages = [alignment.passage for alignment in alignments]
    mentioned = {t.stem for passage in passages for t in passage.tokens} | known
    best = max(alignments, key=lambda alignment: alignment.shared)
    names = [
        (token, person)
        for token, person in _names(claim)
        if token.stem not in mentioned
        and not any(alignment.matches[claim.tokens.index(token)] for alignment in alignments)
        and not any(_derived_name(token.folded, t.folded) for passage in passages for t in passage.tokens)
        and not _first_name(claim, token, alignments)
    ]
    if not names:
        return
    token, person = names[0]
    # "He retired in 1974" may be about the person that the claim names.
    meant = any(vocabulary(claim.language).role("personal").intersection(passage.words) for passage in passages)
    unnamed = [t for t, match in best.tokens if match is None and t.quantity is None and not t.name]
    rivals = any(t.name and t.stem not in claim.stems for t in best.passage.tokens) and claim.language != "de"
    if not meant and len(unnamed) <= _UNMATCHED and (person or rivals):
        detail = f"the passage does not mention “{claim.text_of(token)}”"
        yield Disagreement(Reason.UNKNOWN_NAME, detail, rule="name")


def _first_name(claim: Statement, token: ContentToken, alignments: Sequence[Alignment]) -> bool:
    """Return whether the passage has the last of the names behind `token`, and no other name before it."""
    at = claim.tokens.index(token)
    last = at
    while last + 1 < len(claim.tokens) and _continues(claim.tokens[last], claim.tokens[last + 1]):
        last += 1
    if last == at:
        return False
    at = last
    found = [match.token for alignment in alignments if (match := alignment.matches[at]) is not None]
    others = {
        t.word
        for alignment in alignments
        for t in alignment.passage.tokens
        if t.name and t.stem != claim.tokens[at].stem
    }
    return bool(found) and not any(last.word - 1 in others for last in found)


def _continues(name: ContentToken, other: ContentToken) -> bool:
    """Return whether `other` is the name directly behind `name`."""
    return other.name and other.word == name.word + 1 and other.piece == name.piece


def _names(claim: Statement) -> Iterator[tuple[ContentToken, bool]]:
    """Yield the words of the claim that are names, and whether each is one of at least two names in a row."""
    for at, token in enumerate(claim.tokens):
        if not token.name or token.kind or len(token.folded) < _SHORTEST_NAME or token.quantity is not None:
            continue
        if claim.language == "de" and not token.word and _is_adjective(token.folded):
            continue
        near = [claim.tokens[n] for n in (at - 1, at + 1) if 0 <= n < len(claim.tokens)]
        person = any(t.name and not t.kind and abs(t.word - token.word) == 1 and t.piece == token.piece for t in near)
        if person or (token.word and claim.language != "de"):
            yield token, person


def _is_adjective(word: str) -> bool:
    """Return whether a German word at the beginning of a sentence is probably an adjective: "Neue Geräte"."""
    role = vocabulary("de").role
    bare = next((word.removesuffix(ending) for ending in _DECLENSION if word.endswith(ending)), word)
    return bare != word and (bare in role("adjective") or bare.endswith(tuple(role("adjective_ending"))))


def _derived_name(name: str, other: str) -> bool:
    """Return whether two words may be a place and its adjective: Spain, Spanish."""
    return len(other) >= _STEM and name[:_STEM] == other[:_STEM]
