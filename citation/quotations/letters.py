"""The letters of a text without typography: what two prints of the same words have in common.

    "ap-\\nproved the ﬁrst stage (63 %)"  and  "approved the first stage (63%)"  have the same letters

White space, punctuation, hyphens, quotation marks, emphasis, case, ligatures and widths are no letters. Digits, signs
before them, decimal points, percent signs and currencies are.
"""

import re
from collections.abc import Iterator

from ..text.normalize import MARKS, UNSPACED, normalize

BLOCK_CHARACTERS = 20_000  # characters that are read in one step: 2 ms
_MAX_WORD_CHARACTERS = 200  # characters in which a block ends at white space

_LETTERS = rf"(?:[^\W\d_{UNSPACED}]|[{MARKS}])+"
_UNIT = re.compile(
    # No letters: citation and footnote numbers, editors' remarks, targets of links, tags, signs of block quotations.
    rf"\[\d{{1,3}}\]|\[sic!?\]|\]\([^()\s]*\)|</?[A-Za-z][^<>]{{0,100}}>|(?:\A|(?<=\n))[ \t]*>[> \t]*"
    rf"|[{UNSPACED}]"
    # A word that is divided at the end of a line, or contains invisible characters, is one word.
    rf"|{_LETTERS}(?:(?:[\u00ad\u200b-\u200d]|[-‐\u00ad][ \t]*\r?\n[ \t]*){_LETTERS})*"
    r"|(?:(?<![\w.,)%])[-−](?=\d))?(?:(?<!\d)\d{1,3}(?:[ \u00a0\u202f\u2009'’]\d{3})+(?!\d)|\d+(?:[.,:/]\d+)*)"
    r"|[½⅓⅔¼¾²³¹⁰⁴-⁹℃℉%％‰€$＄£￡¥￥°<>≤≥=±§]"
)
_DIVIDED = re.compile(r"[-‐\s\u00ad\u200b-\u200d]")
_BETWEEN_DIGITS = re.compile(r"[\s'’]")
_RAISED = str.maketrans({"¹": "^1", "²": "^2", "³": "^3", "⁰": "^0"} | {c: f"^{c}" for c in "⁴⁵⁶⁷⁸⁹"} | {"−": "-"})


def blocks(text: str) -> Iterator[tuple[int, str]]:
    """Yield the blocks of a text with their offsets; a word is in one block."""
    start = 0
    while start < len(text):
        end = start + BLOCK_CHARACTERS
        if end < len(text):
            space = max(
                text.rfind(" ", end - _MAX_WORD_CHARACTERS, end), text.rfind("\n", end - _MAX_WORD_CHARACTERS, end)
            )
            end = space if space > start else end
        yield start, text[start:end]
        start = end


class Units:
    """Reads the words of texts. Words that were read before are not normalized again."""

    def __init__(self) -> None:
        """Create a reader that has read nothing."""
        self._normalized: dict[str, str] = {}

    def of(self, block: str) -> list[str]:
        """Return the letters of each word, number and sign of a block."""
        return [letters for unit in _UNIT.findall(block) if (letters := self._letters(unit))]

    def places(self, block: str) -> list[tuple[int, int]]:
        """Return the offsets of the same words."""
        return [match.span() for match in _UNIT.finditer(block) if self._letters(match[0])]

    def _letters(self, unit: str) -> str:
        letters = self._normalized.get(unit)
        if letters is None:
            letters = self._normalized[unit] = _normalized(unit)
        return letters


def columns(letters: str) -> int:
    """Return the width of letters. Chinese, Japanese and Korean characters count twice, as on a screen."""
    return len(letters) if letters.isascii() else len(letters) + len(_WIDE.findall(letters))


def _normalized(unit: str) -> str:
    """Return the letters of a unit, "" if it has none. Numbers end with a sign, so that 4 5 is not 45."""
    if unit[0] in "[]" or (len(unit) > 1 and unit[0] == "<") or not unit.strip("> \t"):
        return ">" if unit == ">" else ""
    if unit[-1].isdecimal():
        return _BETWEEN_DIGITS.sub("", normalize("NFKC", unit.translate(_RAISED))) + "#"
    return normalize("NFKC", _DIVIDED.sub("", unit).translate(_RAISED)).casefold()


_WIDE = re.compile(f"[{UNSPACED}]")
