"""What the lexicon knows of a word, once for every spelling; and the ranges of scripts."""

import re
from typing import NamedTuple

from .folding import fold
from .keeping import kept
from .languages import Votes, votes
from .numerals import may_be_number
from .polarity import is_negation, members
from .stemming import stem
from .units import MONTHS

HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
KANA = "\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f"
HANGUL = "\u1100-\u11ff\uac00-\ud7a3"
SOUTH_EAST = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Myanmar, Khmer: no spaces between words
MARKS = "\u0300-\u036f\u064b-\u065f\u0670\u0900-\u0dff\u0f00-\u0fff"  # vowel signs are not \w for `re`
UNSPACED = HAN + KANA + HANGUL + SOUTH_EAST

LETTER = rf"[^\W\d_{UNSPACED}]"
_BEGINS = re.compile(rf"(?![vV]\d){LETTER}")
# French "né" folds to the negation "ne".
_BORN = frozenset({"ne", "nee", "nes", "nees"})
# l'usine, d'euros, n'a, qu'il
_ELISION = re.compile("^(?:[cdjlmnst]|qu|dell|nell|all|un)['’](?=.)")


class Word(NamedTuple):
    """A word as it is spelled."""

    folded: str
    term: str  # its stem
    capital: bool
    counts: bool  # may be (part of) a number, a month, a century
    negates: bool
    poles: tuple[tuple[int, int], ...]  # the families of opposites it belongs to
    votes: Votes  # the languages it speaks for
    plain: bool  # negates nothing, has no opposite, is not written as a name: most words


@kept()
def word(spelled: str) -> Word | None:
    """Look a piece of a text up, once; None where it is no word but a number, a version, a run of another script."""
    if not _BEGINS.match(spelled):
        return None
    folded = fold(spelled)
    negates = is_negation(folded)
    if folded in _BORN and not spelled.isascii():
        folded, negates = "naitre", False
    folded = _ELISION.sub("", folded)
    term = stem(folded)
    counts = folded in MONTHS or may_be_number(folded)
    capital, poles = spelled[0].isupper(), tuple(members(term))
    return Word(folded, term, capital, counts, negates, poles, votes(folded), not (capital or negates or poles))
