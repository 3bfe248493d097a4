"""Normal forms of characters and words, and the character ranges of scripts."""

import re
import unicodedata

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
_STRAIGHT_APOSTROPHE = str.maketrans(dict.fromkeys(APOSTROPHES, "'"))

# Traditional Chinese and Japanese characters that have a simplified form, for the few hundred most frequent. This is
# not a complete converter. It is enough for both sides of a comparison to use the same characters.
_SIMPLIFIED = str.maketrans({pair[0]: pair[1] for line in load_lines("han") for pair in line.split()})
# The search takes 3 ns per character and the translation 46 ns. Many texts have none of these characters.
_ANY_TRADITIONAL = re.compile(f"[{''.join(map(chr, _SIMPLIFIED))}]")
_KANA_OR_HANGUL = re.compile(f"[{KANA}{HANGUL}]")


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
    decomposed = unicodedata.normalize("NFKD", word.translate(_STRAIGHT_APOSTROPHE).casefold())
    return "".join(c for c in decomposed if not unicodedata.combining(c) or "\u0900" <= c <= "\u0fff")


def to_simplified(text: str) -> str:
    """Return the text with traditional Chinese characters replaced one by one; the length stays the same."""
    return text.translate(_SIMPLIFIED) if not text.isascii() and _ANY_TRADITIONAL.search(text) else text


def character_pairs(run: str) -> list[str]:
    """Return the overlapping pairs of characters of a run without spaces; the run itself if it has one character."""
    return [run[i : i + 2] for i in range(len(run) - 1)] or [run]
