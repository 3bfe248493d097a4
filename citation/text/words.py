"""What the lexicon knows of a word, once for every spelling; and the ranges of scripts."""

import re
from dataclasses import dataclass
from functools import lru_cache

from .languages import Votes, votes
from .memo import memoize
from .normalize import fold
from .numbers.modifiers import modifies_number
from .numbers.numerals import may_be_number
from .numbers.units import MONTHS
from .polarity import is_negation, members
from .stemming import stem

HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
KANA = "\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f"
HANGUL = "\u1100-\u11ff\uac00-\ud7a3"
SOUTH_EAST = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Myanmar, Khmer: no spaces between words
MARKS = "\u0300-\u036f\u064b-\u065f\u0670\u0900-\u0dff\u0f00-\u0fff"  # vowel signs are not \w for `re`
UNSPACED = HAN + KANA + HANGUL + SOUTH_EAST

LETTER = rf"[^\W\d_{UNSPACED}]"
# French "né" folds to the negation "ne".
_BORN = frozenset({"ne", "nee", "nes", "nees"})
# l'usine, d'euros, n'a, qu'il
_ELISION = re.compile("^(?:[cdjlmnst]|qu|dell|nell|all|un)['’](?=.)")


@dataclass(frozen=True, slots=True)
class Word:
    """A word as it is spelled, or what stands in the place of one."""

    folded: str = ""
    term: str = ""  # its stem
    says: str = ""  # the folded word, by which function words are told; "" where it negates, or is no word
    capital: bool = False
    counts: bool = False  # may be (part of) a number, a month, a century
    numeric: bool = False  # may say something of a number beside it
    negates: bool = False
    antonyms: tuple[tuple[int, int], ...] = ()  # the families of opposites it belongs to
    votes: Votes = ()  # the languages it speaks for
    length: int = 0
    plain: bool = True  # negates nothing, has no opposite, is not written as a name: most words
    kind: str = "word"  # or `number`, `date`, `version`, `run` of a script that sets no spaces


@lru_cache(maxsize=4096)
def no_word(kind: str, length: int, counts: bool) -> Word:
    """What stands in the place of a word: a number, a run."""
    return Word(kind=kind, length=length, counts=counts, numeric=kind == "run", plain=kind != "run")


@memoize()
def word(spelled: str) -> Word:
    """Look a word up, once."""
    folded = fold(spelled)
    negates = is_negation(folded)
    if folded in _BORN and not spelled.isascii():
        folded, negates = "naitre", False
    folded = _ELISION.sub("", folded)
    term = stem(folded)
    capital, antonyms = spelled[0].isupper(), tuple(members(term))
    return Word(
        folded,
        term,
        "" if negates else folded,
        capital,
        counts=folded in MONTHS or may_be_number(folded),
        numeric=modifies_number(folded),
        negates=negates,
        antonyms=antonyms,
        votes=votes(folded),
        length=len(spelled),
        plain=not (capital or negates or antonyms),
    )
