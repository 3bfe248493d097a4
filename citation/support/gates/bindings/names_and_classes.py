"""Find names of the claim that the passage lacks, and words that it replaces by others of the same class."""

import re
from collections.abc import Iterator
from itertools import pairwise

from ....text.clauses import ContentToken, Statement
from ....text.clauses.vocabulary import vocabulary
from ..alignment import Alignment, PassageAlignment
from ..disagreement import Disagreement, Reason
from ..word_relations import excludes

_UNITS = frozenset({"temperature", "unit", "currency"})
_SHORTEST_NAME = 2
_UNMATCHED = 2  # other words of a claim with an unknown name that the passage may lack
_ROMAN, _LETTER = re.compile("[IVX]+"), re.compile("[IVX]+|[A-Z]")


def other_class_member(aligned: PassageAlignment) -> Iterator[Disagreement]:
    """Yield a disagreement if the passage has another member of a class (a weekday, a unit) than the claim."""
    claim, best = aligned.claim, aligned.best
    words = vocabulary(claim.language)
    free = [t for t in best.passage.tokens if t not in best.matched]
    for token, match in best.tokens:
        if match is not None or token.quantity is not None or aligned.is_known(token.stem):
            continue
        classes = words.classes.get(token.folded, frozenset())
        for candidate in free:
            if excludes(classes, words.classes.get(candidate.folded, frozenset())):
                yield Disagreement(
                    _reason_for(token, claim.language),
                    f"the passage says “{best.passage.text_of(candidate)}”, not “{claim.text_of(token)}”",
                    rule="class",
                )
                return


def other_number_of_name(best: Alignment) -> Iterator[Disagreement]:
    """Yield a disagreement if a name has another Roman number or letter in the passage: "Henry VIII", "section B"."""
    for (name, match), (number, number_match) in pairwise(best.tokens):
        if match is None or number.word != name.word + 1:
            continue
        claim_text = best.claim.text_of(number)
        following = next((t for t in best.passage.tokens if t.word == match.token.word + 1), None)
        passage_text = best.passage.text_of(following) if following is not None else ""
        kind = _LETTER if number_match is None else _ROMAN
        if (
            claim_text != passage_text
            and kind.fullmatch(claim_text)
            and kind.fullmatch(passage_text)
            and (number_match is None or name.name)
        ):
            yield Disagreement(
                Reason.UNKNOWN_NAME, f"the passage says “{passage_text}”, not “{claim_text}”", rule="class"
            )
            return


def _reason_for(token: ContentToken, language: str) -> Reason:
    """Return the reason for a word that is replaced by another of its class."""
    if token.word_class in _UNITS:
        return Reason.UNIT
    return Reason.UNKNOWN_NAME if token.name and language != "de" else Reason.BINDING


def unknown_names(aligned: PassageAlignment) -> Iterator[Disagreement]:
    """Yield a disagreement for the first name of the claim that neither the passage nor its title mentions.

    The passage must have another name in its place, or the name must have at least two words.
    In German, where every noun is capitalized, only names of at least two words are recognized.
    """
    claim, best = aligned.claim, aligned.best
    if claim.language == "zh":
        return
    unknown = next((named for named in _names(claim) if _is_unknown(named[0], aligned)), None)
    if unknown is None:
        return
    token, person = unknown
    # "He retired in 1974" may be about the person that the claim names.
    meant = any(passage.has_word("personal") for passage in aligned.passages)
    unnamed = [t for t, match in best.tokens if match is None and t.quantity is None and not t.name]
    other_name = any(t.name and t.stem not in claim.stems for t in best.passage.tokens) and claim.language != "de"
    if not meant and len(unnamed) <= _UNMATCHED and (person or other_name):
        detail = f"the passage does not mention “{claim.text_of(token)}”"
        yield Disagreement(Reason.UNKNOWN_NAME, detail, rule="name")


def _is_unknown(name: ContentToken, aligned: PassageAlignment) -> bool:
    """Return whether neither the passage nor its title mentions a name, or the names after it."""
    index = aligned.claim.tokens.index(name)
    return not aligned.is_known(name.stem) and not aligned.mentions(index) and not _is_first_name(index, aligned)


def _is_first_name(index: int, aligned: PassageAlignment) -> bool:
    """Return whether the passage has the last of the names after this token, and no other name before it."""
    tokens, last = aligned.claim.tokens, index
    while last + 1 < len(tokens) and _continues(tokens[last], tokens[last + 1]):
        last += 1
    if last == index:
        return False
    last_names = [match.token for sentence in aligned.sentences if (match := sentence.matches[last]) is not None]
    other_names = {
        t.word for passage in aligned.passages for t in passage.tokens if t.name and t.stem != tokens[last].stem
    }
    return bool(last_names) and not any(surname.word - 1 in other_names for surname in last_names)


def _continues(name: ContentToken, following: ContentToken) -> bool:
    """Return whether `following` is the name directly after `name`."""
    return following.name and following.word == name.word + 1 and following.piece == name.piece


def _names(claim: Statement) -> Iterator[tuple[ContentToken, bool]]:
    """Yield the words of the claim that are names, and whether each is one of at least two names in a row."""
    for index, token in enumerate(claim.tokens):
        if not token.name or token.word_class or len(token.folded) < _SHORTEST_NAME or token.quantity is not None:
            continue
        near = [claim.tokens[n] for n in (index - 1, index + 1) if 0 <= n < len(claim.tokens)]
        person = any(
            t.name and not t.word_class and abs(t.word - token.word) == 1 and t.piece == token.piece for t in near
        )
        if person or (token.word and claim.language != "de"):
            yield token, person
