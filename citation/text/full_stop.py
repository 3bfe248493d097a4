"""Full stops: whether one ends a sentence or abbreviates the word before it.

The rules look at the words around the full stop, within a bounded distance, so that the result does not depend on how a
stream is divided.
"""

import re
from typing import Final, NamedTuple

from .memo import memoize
from .need_data import NEED_DATA, NeedData
from .normalize import fold
from .numbers.units import MONTHS
from .words.word_lists import load_words

MAX_LEFT_CHARACTERS = 60  # characters searched before a mark: more than any abbreviation or number has
MAX_WORD_CHARACTERS = 24  # characters of the next word that decide, where it is not complete
MIN_WORDS = 3  # "At 5 a.m." is not a sentence

_LISTS: Final = load_words("abbreviations") | load_words("sentence_words")
_WORDS: Final = {name: frozenset(words) for name, words in _LISTS.items()}
STARTERS: Final = _WORDS["starters"]
_ABBREVIATIONS: Final = frozenset().union(
    *(
        _WORDS[name]
        for name in ["inside", "before_lower", "titles", "before_number", "ambiguous", "after_number", "final", "clock"]
    )
)
_AFTER_ORDINAL: Final = frozenset([*MONTHS, *load_words("months")["after_ordinal"]])

_UP_TO_LAST_WORD: Final = re.compile(r"(?:.*[\s(\[{<\"'“‘«„*_/–—])?", re.DOTALL)
_PREVIOUS_WORD: Final = re.compile(r"(\w+)[ \u00a0]\Z")
_NEXT_WORD: Final = re.compile(rf"[\w'’]{{0,{MAX_WORD_CHARACTERS}}}")
_DOTTED: Final = re.compile(r"(?:[^\W\d_]{1,2}\.)+[^\W\d_]{1,2}")  # U.S, p.m, z.B
_SECOND_INITIAL: Final = re.compile(r"(?:\A|\s)[^\W\d_]\.[ \u00a0]\Z")
_DATE: Final = re.compile(r"[-–\d.]{1,3}|\d{1,2}\.\d{1,2}")  # 5. mai, 12.5. um acht; longer ones are years
_VOWEL: Final = re.compile("[aeiouy]")
_ROMAN: Final = re.compile(r"(?!I\Z|C\Z)[IVXLC]+")


class _Context(NamedTuple):
    """The text around a full stop."""

    word: str  # the word that the full stop follows
    left: str  # the text before that word
    next_word: str
    next_dotted: bool  # whether a full stop follows the next word, too

    @property
    def previous_word(self) -> str:
        match = _PREVIOUS_WORD.search(self.left)
        return match[1] if match else ""

    @property
    def next_starts(self) -> bool:
        """Whether the next word often begins a sentence."""
        return self.next_word.lower() in STARTERS


def full_stop_ends(text: str, i: int, begin: int, *, final: bool) -> bool | NeedData:
    """Return whether the full stop at `i` ends a sentence, given that a word begins at `begin`.

    The word must not begin in lower case. `final`: nothing follows `text`.
    """
    left = text[max(0, i - MAX_LEFT_CHARACTERS) : i]
    if not _may_end_in_abbreviation(left.rpartition(" ")[2]):
        return True
    word = _last_word(left)
    folded = _lower(word)
    if folded in _WORDS["inside"]:
        return False
    next_word = _NEXT_WORD.match(text, begin)
    end = next_word.end() if next_word else begin
    if end == len(text) and end - begin < MAX_WORD_CHARACTERS and not final:
        return NEED_DATA
    context = _Context(word, left[: len(left) - len(word)], text[begin:end], text[end : end + 1] == ".")
    return _ends(folded, context, text[:i].count(" ") < MIN_WORDS)


def ends_before_lower_case(text: str, i: int) -> bool:
    """Return whether the full stop at `i` ends a sentence, given that a word in lower case follows: "npm is free."

    Abbreviations, initials and ordinals do not. In 11 MB of English and other texts, nearly all other words do.
    """
    word = _last_word(text[max(0, i - MAX_LEFT_CHARACTERS) : i])
    folded = _lower(word)
    if folded in _ABBREVIATIONS or _DOTTED.fullmatch(folded) or _ROMAN.fullmatch(word) or _DATE.fullmatch(word):
        return False
    return len(word) > 1 and not (word.isalpha() and word.isascii() and not _VOWEL.search(folded))


@memoize()
def _may_end_in_abbreviation(piece: str) -> bool:
    """Return whether the last word of a text without spaces may be abbreviated. Most words are not."""
    word = _lower(_last_word(piece))
    return word in _WORDS["inside"] or _may_abbreviate(word)


def _last_word(text: str) -> str:
    match = _UP_TO_LAST_WORD.match(text)
    return text[match.end() :] if match else text


def _lower(word: str) -> str:
    folded = word.lower()
    return "str" if folded.endswith("str") else folded  # "Hauptstr. 5" and "Konsul-Smidt-Str. 8" are addresses


def _may_abbreviate(word: str) -> bool:
    listed = any(word in _WORDS[name] for name in ("ambiguous", "before_number", "final"))
    if listed or _DOTTED.fullmatch(word):
        return True
    return (len(word) == 1 and word.isalpha()) or _is_ordinal(word)


def _is_ordinal(word: str) -> bool:
    return len(word) <= 3 and word.lstrip("-").isdigit()


def _ends(word: str, context: _Context, short: bool) -> bool:
    """Return whether a full stop after `word`, in lower case, ends a sentence. `short`: of less than MIN_WORDS."""
    if word in _WORDS["before_number"] and (context.next_word[:1].isdigit() or _ROMAN.fullmatch(context.next_word)):
        return False
    if word in _WORDS["after_number"] and context.previous_word.isdigit():
        return not short
    if word in _WORDS["clock"]:
        zone = context.next_word.lower() in _WORDS["after_clock"] or context.next_word[:1].isdigit()
        return not (zone or (short and context.next_word.lower() in _WORDS["titles"]))
    if word in _WORDS["final"]:
        return True
    if word in _WORDS["ambiguous"] or _DOTTED.fullmatch(word):
        return context.next_starts
    if len(word) == 1 and word.isalpha():
        return _letter_ends(context)
    if word in _WORDS["before_number"]:
        return True
    german_day = context.previous_word.lower() in _WORDS["before_day"] and not context.next_starts
    return not (german_day or fold(context.next_word) in _AFTER_ORDINAL)


def _letter_ends(context: _Context) -> bool:
    """Return False for `J. Smith`, `z. B.` and `A. И.`, True for `you and I. Then` and `plan B. It`."""
    if context.next_dotted and len(context.next_word) == 1:
        return False
    if _SECOND_INITIAL.search(context.left):
        return context.next_starts
    if not context.word.isupper():
        return True
    if context.previous_word.lower() in _WORDS["lettered"]:
        return True
    if not context.previous_word or context.previous_word[0].isupper():
        return context.next_starts and context.next_word.lower() not in _WORDS["name_parts"]
    return context.word == "I" or context.next_starts
