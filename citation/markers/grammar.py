"""The grammar of the citation markers that models write.

Each frequent form is declared once, as a combination of small parts; `displayed.py` decodes the others. A part has two
regular expressions: one for complete matches, and one for prefixes that more text could complete. A stream is therefore
held exactly as long as a marker may be incomplete. All repetition is bounded, and neighbouring parts never match the
same characters, so matching takes time linear in the length of the marker.
"""

import re
import unicodedata
from enum import Enum
from functools import cache, lru_cache
from typing import Final, NamedTuple

from ..text.need_data import NEED_DATA, NeedData
from ..text.words.word_lists import load_words

MAX_MARKER_CHARACTERS = (
    200  # characters of one marker; the longest seen from a model, a list of `[Source n, ...]`, had 120
)
MAX_LISTED = 30  # numbers in one pair of brackets
MAX_DIGITS = 18  # a longer run of digits is not an evidence number


class Form(Enum):
    """How a marker is written."""

    PLAIN = "plain"  # [1] ［1］ [^1] [1, 2]: can also be an index, an array or a year
    LINK = "link"  # [[1]]
    SOURCE = "source"  # [Source 1] [ID:1] 【1†source】 ##1$$: always a citation
    SUPERSCRIPT = "superscript"  # <sup>1</sup> ¹: can also be an exponent


class Brackets(NamedTuple):
    """One pair of brackets: its end, its form, and the ranges of numbers in it, including both ends."""

    end: int
    form: Form
    ranges: tuple[tuple[int, int], ...]


class Match(NamedTuple):
    """A citation by the model: its end, its evidence numbers, and its numbers that no evidence has."""

    end: int
    cited: tuple[int, ...]
    unknown: tuple[int, ...]
    encloses: bool = False  # it is the beginning or the end of a citation around text, and no part of the sentence

    def joined(self, last: "Match", between: tuple[int, ...] = ()) -> "Match":
        """Return this citation together with the next one, and the evidence numbers between them."""
        cited = dict.fromkeys(self.cited + between + last.cited)
        return Match(last.end, tuple(cited), tuple(dict.fromkeys(self.unknown + last.unknown)))


def match_form(text: str, i: int) -> Brackets | NeedData | None:
    """Match a frequent form at `i`, without looking at its context. NEED_DATA if the text ends inside it."""
    for form, part in _FORMS.get(text[i], ()):
        if match := _pattern(part.full).match(text, i):
            parsed = parse_numbers(match[0], form, _OTHER_WORDS.get(text[i], frozenset()))
            if parsed and text[i] in _PARENTHESES and not _has_source_word(match[0]):
                return None
            return Brackets(match.end(), *parsed) if parsed else None
        if len(text) - i < MAX_MARKER_CHARACTERS and _pattern(part.prefix).fullmatch(text, i):
            return NEED_DATA if text[i] not in _PARENTHESES or _may_name_source(text[i:]) else None
    return None


def match_link_target(text: str, i: int) -> int | NeedData | None:
    """Return the end of the `(url "title")` of a Markdown link that begins at `i`."""
    return _end(_LINK_TARGET, text, i)


def match_lead(text: str, i: int) -> int | NeedData | None:
    """Return the end of an opening parenthesis and words for "source" or "see": `(Source: [1])`, `(see e.g. [1])`."""
    match = _pattern(_LEAD.full).match(text, i)
    if match is None:
        return None
    leads = _LEAD_WORD.findall(match[0].lower())
    incomplete = match.end() == len(text)
    if incomplete and text[-1].isalpha():
        del leads[-1]
    if not _LEAD_WORDS.issuperset(leads):
        return None
    return NEED_DATA if incomplete else match.end()


def match_locator(text: str, i: int) -> int | NeedData | None:
    """Return the end of a place in a source, between a marker and a closing parenthesis: `([1], p. 3)`."""
    end = NEED_DATA if _pattern(_LOCATOR.prefix).fullmatch(text, i) else _end(_LOCATOR, text, i)
    if not isinstance(end, int):
        return end
    word = "".join(filter(str.isalpha, text[i:end]))
    return end if word.lower() in WORDS["locator"] else None


def _end(part: "_Part", text: str, i: int) -> int | NeedData | None:
    if match := _pattern(part.full).match(text, i):
        return match.end()
    return NEED_DATA if _pattern(part.prefix).fullmatch(text, i) else None


class _Part(NamedTuple):
    """A part of the grammar: an expression for complete matches, and one for all proper prefixes of them."""

    full: str
    prefix: str


def _one(characters: str) -> _Part:
    return _Part(f"[{characters}]", "")


def _word(text: str) -> _Part:
    return _seq(*(_one(re.escape(character)) for character in text))


def _seq(*parts: _Part) -> _Part:
    prefix = parts[-1].prefix
    for part in reversed(parts[:-1]):
        prefix = f"(?:{part.full}{prefix}|{part.prefix})"
    return _Part("".join(part.full for part in parts), prefix)


def _any(*parts: _Part) -> _Part:
    return _Part(f"(?:{'|'.join(part.full for part in parts)})", f"(?:{'|'.join(part.prefix for part in parts)})")


def _times(part: _Part, least: int, most: int) -> _Part:
    return _Part(f"(?:{part.full}){{{least},{most}}}", f"(?:{part.full}){{0,{most - 1}}}{part.prefix}")


def _maybe(part: _Part) -> _Part:
    return _times(part, 0, 1)


WORDS: Final = {key: frozenset(words) for key, words in load_words("marker_words").items()}
_KNOWN_WORDS = WORDS["source"] | WORDS["locator"] | WORDS["join"]
_LEAD_WORDS = WORDS["source"] | WORDS["see"] | WORDS["after_see"]
_PARENTHESES = frozenset("(（")
# Words in a marker besides those for sources, locators and "and", by its first character
_OTHER_WORDS = {"<": frozenset({"sup"}), **dict.fromkeys(_PARENTHESES, WORDS["see"] | WORDS["after_see"])}

SUPERSCRIPTS: Final = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_DIGIT = f"\\d{SUPERSCRIPTS}"
_LETTERS = f"^\\W{_DIGIT}_"
_LETTER = f"[{_LETTERS}]"
_SPACE = _times(_one(" \\t\u00a0\u2009\u202f\u3000"), 0, 3)
_NUMBER = _times(_one(_DIGIT), 1, MAX_DIGITS)
_DASH = _one("\\-\u2010-\u2015\u2212~\u301c")
# Any short word. `_parse` looks it up afterwards: with the words inside, the expressions would be 200 times as long.
_NAMED = _seq(_times(_Part(f"(?:{_LETTER}|§)", ""), 1, 12), _SPACE, _maybe(_one(":：.#№")), _SPACE)
_RANGE = _seq(_NUMBER, _maybe(_seq(_SPACE, _DASH, _SPACE, _maybe(_NAMED), _NUMBER)))
_ITEM = _seq(_maybe(_NAMED), _RANGE)
_AND = _any(*map(_word, sorted(WORDS["join"])))
_BETWEEN = _seq(_SPACE, _any(_one(",;&，；、"), _AND), _SPACE)
_PLACE_OF = _seq(_SPACE, _one(":"), _SPACE, _NAMED, _RANGE)  # [1: p. 3]
_MORE = _times(_any(_seq(_BETWEEN, _ITEM), _PLACE_OF), 0, MAX_LISTED - 1)
_NOTE = _seq(_one("†"), _times(_one("^\\]】］\\n"), 0, 64))
_LIST = _seq(_SPACE, _ITEM, _MORE, _maybe(_NOTE), _SPACE)
_NAMED_LIST = _seq(_SPACE, _NAMED, _RANGE, _MORE, _SPACE)
_TURN = _seq(_NUMBER, _one(":"), _NUMBER, _NOTE)  # 【4:1†source】: the second number is that of the source

_RAISED = _times(_one(SUPERSCRIPTS), 1, 3)

_PLACE = _times(_any(_one("^\\s()<>"), _seq(_one("("), _times(_one("^\\s()"), 0, 200), _one(")"))), 0, 500)
_TARGET = _any(_seq(_one("<"), _times(_one("^<>\\n"), 0, 500), _one(">")), _PLACE)
_TITLE = _any(*(_seq(_one(a), _times(_one(f"^\\n{b}"), 0, 200), _one(b)) for a, b in ('""', "''", "()")))
_GAP = _times(_one(" \\t\\n"), 0, 3)
_LINK_TARGET = _seq(_one("("), _GAP, _TARGET, _maybe(_seq(_one(" \\t\\n"), _GAP, _TITLE)), _GAP, _one(")"))
# The beginning of parentheses around markers
_LEAD = _seq(
    _one("(（"),
    _SPACE,
    _times(_seq(_times(_one(_LETTERS), 1, 12), _times(_one(" .,:"), 1, 3)), 0, 4),
    _maybe(_NAMED),
)
_LEAD_WORD = re.compile(f"{_LETTER}+")
_LOCATOR = _seq(_SPACE, _maybe(_one(",;")), _SPACE, _NAMED, _RANGE)

# Words before a source in parentheses: (source: Source 1)
_LEADS = _times(_seq(_times(_one(_LETTERS), 1, 12), _times(_one(" .,:"), 1, 3)), 0, 2)

_FORMS: dict[str, tuple[tuple[Form, _Part], ...]] = {  # by the first character
    "[": (
        (Form.PLAIN, _seq(_one("\\["), _maybe(_one("\\^")), _LIST, _maybe(_one("\\^")), _one("\\]"))),
        (Form.LINK, _seq(_word("[["), _LIST, _word("]]"))),
    ),
    "［": ((Form.PLAIN, _seq(_one("［"), _LIST, _one("］"))),),
    "【": (
        (Form.PLAIN, _seq(_one("【"), _LIST, _one("】"))),
        (Form.SOURCE, _seq(_one("【"), _TURN, _one("】"))),
    ),
    "(": ((Form.SOURCE, _seq(_one("("), _LEADS, _NAMED_LIST, _one(")"))),),
    "（": ((Form.SOURCE, _seq(_one("（"), _LEADS, _NAMED_LIST, _one("）"))),),
    "#": ((Form.SOURCE, _seq(_word("##"), _NUMBER, _word("$$"))),),
    "\\": ((Form.PLAIN, _seq(_word("\\["), _LIST, _word("\\]"))),),
    "<": ((Form.SUPERSCRIPT, _seq(_word("<sup>"), _LIST, _word("</sup>"))),),
} | {
    digit: ((Form.SUPERSCRIPT, _seq(_RAISED, _times(_seq(_one(",，"), _RAISED), 0, MAX_LISTED - 1))),)
    for digit in SUPERSCRIPTS
}


@cache  # the grammar has 36 expressions
def _pattern(expression: str) -> re.Pattern[str]:
    """Compile at first use: all of them take 100 ms, which a command without an answer should not spend."""
    return re.compile(expression, re.IGNORECASE)


def compile_patterns() -> None:
    """Compile all expressions, so that the first answer of a server does not wait for them."""
    for part in (_LINK_TARGET, _LEAD, _LOCATOR, *(part for forms in _FORMS.values() for _, part in forms)):
        _pattern(part.full)
        _pattern(part.prefix)


_TOKEN = re.compile(
    f"(?P<word>{_LETTER}+|§)|(?P<low>[{_DIGIT}]+)(?:\\W*?{_DASH.full}\\W*(?:{_LETTER}+\\W*)?(?P<high>[{_DIGIT}]+))?"
)
_TURNS = re.compile(f"【[{_DIGIT}]+:")


@lru_cache(maxsize=1024)
def parse_numbers(
    marker: str, form: Form, other_words: frozenset[str] = frozenset()
) -> tuple[Form, tuple[tuple[int, int], ...]] | None:
    """Return the form and the ranges of numbers, or None if it contains a word that no marker has.

    `other_words`: words that may stand in the marker, besides those for sources, locators and "and".
    """
    body, dagger, _ = _TURNS.sub("", marker).partition("†")
    ranges: list[tuple[int, int]] = []
    counts = True
    for token in _TOKEN.finditer(body):
        if word := token["word"]:
            word = word.lower()
            if word not in _KNOWN_WORDS and word not in other_words:
                return None
            counts = word not in WORDS["locator"]
            form = Form.SOURCE if word in WORDS["source"] else form
        else:
            if counts:
                low = _value(token["low"])
                high = _value(token["high"] or token["low"])
                ranges.append((min(low, high), max(low, high)))
            counts = True
    return (Form.SOURCE if dagger else form, tuple(ranges)) if ranges else None


def _has_source_word(marker: str) -> bool:
    """Return whether a marker in parentheses names a source: "(see document 2)", but not "(see 2)"."""
    return any(token["word"].lower() in WORDS["source"] for token in _TOKEN.finditer(marker) if token["word"])


def _may_name_source(beginning: str) -> bool:
    """Return whether the words at the beginning of a marker in parentheses can belong to one, the last one in part."""
    words_of_markers = WORDS["source"] | WORDS["locator"] | WORDS["join"] | _OTHER_WORDS["("]
    words = [token["word"].lower() for token in _TOKEN.finditer(beginning) if token["word"]]
    last = words.pop() if words and beginning[-1].isalpha() else ""
    return words_of_markers.issuperset(words) and any(word.startswith(last) for word in words_of_markers)


def _value(digits: str) -> int:
    return int("".join(str(unicodedata.digit(digit)) for digit in digits))
