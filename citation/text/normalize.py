"""Normal forms of characters and words, and the character ranges of scripts."""

import re
import unicodedata
from typing import Literal, TypeAlias

from .memo import memoize
from .words.word_lists import load_lines

HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
KANA = "\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f"
HANGUL = "\u1100-\u11ff\uac00-\ud7a3"
SOUTH_EAST_ASIAN = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Myanmar, Khmer: no spaces between words
# Korean has spaces, but endings are attached to the words, so it is compared by pairs of characters, too.
UNSPACED = HAN + KANA + HANGUL + SOUTH_EAST_ASIAN
MARKS = "\u0300-\u036f\u064b-\u065f\u0670\u0900-\u0dff\u0f00-\u0fff"  # combining signs, which are not `\w` for `re`

APOSTROPHES = "'’ʼ＇"  # straight, typographic, modifier letter, full width
NormalForm: TypeAlias = Literal["NFC", "NFD", "NFKC", "NFKD"]

_STRAIGHT_APOSTROPHE = str.maketrans(dict.fromkeys(APOSTROPHES, "'"))

# Traditional Chinese and Japanese characters that have a simplified form, for the few hundred most frequent. This is
# not a complete converter. It is enough for both sides of a comparison to use the same characters.
_SIMPLIFIED = str.maketrans({pair[0]: pair[1] for line in load_lines("han") for pair in line.split()})
# The search takes 3 ns per character and the translation 46 ns. Many texts have none of these characters.
_ANY_TRADITIONAL = re.compile(f"[{''.join(map(chr, _SIMPLIFIED))}]")
# Full-width digits, and the separators between digits: １２，０００ and 12，000.
_FULL_WIDTH = re.compile("[０-９]|(?<=[0-9０-９])，(?=[0-9０-９]{3}(?![0-9０-９]))|(?<=[0-9０-９])．(?=[0-9０-９])")
_HALF_WIDTH = str.maketrans("０１２３４５６７８９，．", "0123456789,.")
_KANA_OR_HANGUL = re.compile(f"[{KANA}{HANGUL}]")

# Combining marks that may follow one character, as in the stream-safe text format of Unicode (UAX #15, section 13).
# Unicode sorts the marks of a character, and Python does so in quadratic time: 100,000 of them take 30 seconds.
MAX_MARKS = 30
_MARKS_OF_CLASS_0 = re.compile("[\u0f73\u0f75\u0f81\uff9e\uff9f]")  # they become marks, but count as letters
_TOO_MANY_MARKS = re.compile(rb"(?<=[^\0]{%d})[^\0]+" % MAX_MARKS)
# Characters of a word that are folded completely; a longer word is data. Of U+FDFA, each becomes 18 characters: 5 ms.
MAX_FOLDED = 2_000


def has_kana_or_hangul(text: str) -> bool:
    """Return whether a text has characters of Japanese or Korean that Chinese does not have."""
    return _KANA_OR_HANGUL.search(text) is not None


def fold(word: str) -> str:
    """Return the word without case, diacritics and compatibility forms, with straight apostrophes.

    `Été` becomes `ete`, `Ｘ` becomes `x`. The vowel signs of Indic scripts stay, because they are letters.
    """
    return word.lower() if word.isascii() else _fold_unicode(word)


@memoize()
def _fold_unicode(word: str) -> str:
    decomposed = normalize("NFKD", word[:MAX_FOLDED].translate(_STRAIGHT_APOSTROPHE).casefold())
    folded = "".join(c for c in decomposed if not unicodedata.combining(c) or "\u0900" <= c <= "\u0fff")
    return folded + word[MAX_FOLDED:].lower() if len(word) > MAX_FOLDED else folded


def normalize(form: NormalForm, text: str) -> str:
    """Return a normal form of Unicode in linear time. Marks after the first MAX_MARKS of a character are left out."""
    return unicodedata.normalize(form, _without_excessive_marks(text) if len(text) > MAX_MARKS else text)


def _without_excessive_marks(text: str) -> str:
    """Return the text with at most MAX_MARKS combining marks in a row."""
    classes = bytes(
        map(unicodedata.combining, _MARKS_OF_CLASS_0.sub("\u0300", text))
    )  # 0: a character that begins a row
    copied_end, parts = 0, []
    for excess in _TOO_MANY_MARKS.finditer(classes):
        parts.append(text[copied_end : excess.start()])
        copied_end = excess.end()
    return "".join([*parts, text[copied_end:]]) if parts else text


def to_simplified(text: str) -> str:
    """Return the text with traditional Chinese characters and full-width numbers replaced, of the same length."""
    if text.isascii():
        return text
    if _ANY_TRADITIONAL.search(text):
        text = text.translate(_SIMPLIFIED)
    return _FULL_WIDTH.sub(lambda digits: digits[0].translate(_HALF_WIDTH), text)


def character_pairs(run: str) -> list[str]:
    """Return the overlapping pairs of characters of a run without spaces; the run itself if it has one character."""
    return [run[i : i + 2] for i in range(len(run) - 1)] or [run]
