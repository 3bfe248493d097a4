"""Lists of numbers and names in markers: `[a.pdf, page 1]`, `[1: p. 3]`, `[S1, S2]`, `(source: document 1)`.

An item is a number or the name of some evidence, with words for "source" before it and places in the source after it.
The grammar has the lists that contain numbers only.
"""

import re
from typing import NamedTuple

from ..text.need_data import NEED_DATA, NeedData
from .grammar import MAX_LISTED, WORDS, Brackets, Form
from .named import MAX_NAME_CHARACTERS, MarkerNames, Numbers, is_file_name

MAX_LEADS = 4  # words before a number or name: "see also the document 1"
MAX_PLACES = 4  # "page 12, section 3, lines 4-8"
MAX_PLACE_CHARACTERS = 48  # characters of one place


class Listed(NamedTuple):
    """A list of numbers and names."""

    end: int
    ranges: tuple[tuple[int, int], ...] = ()
    named: Numbers = ()  # the evidence that has the names
    has_source: bool = False  # a word for "source" comes before an item
    has_see: bool = False  # a word for "see" comes before an item
    has_place: bool = False  # a place comes after an item
    has_label: bool = False  # an item has a letter or sign: S1, @1
    items: int = 1
    files: bool = True  # all names are names of files


def match_list(text: str, i: int, names: MarkerNames, final: bool) -> tuple[Brackets, Numbers] | NeedData | None:
    """Match brackets or parentheses at `i` with the name of some evidence, a place or words for "source".

    Return the brackets, and the evidence that the names in them cite.
    """
    close = _CLOSES.get(text[i])
    listed = scan_list(text, i + 1, names) if close else None
    if not isinstance(listed, Listed):
        return None if final else listed
    end = _skip_spaces(text, listed.end)
    if end == len(text) and not final:
        return NEED_DATA
    if close is None or not text.startswith(close, end) or not _is_citation(listed, text[i], names):
        return None
    return Brackets(end + 1, Form.SOURCE, listed.ranges), listed.named


def _is_citation(listed: Listed, opening: str, names: MarkerNames) -> bool:
    if listed.has_label and names.split(listed.ranges)[1]:
        return False
    if not listed.named:
        return listed.has_source or (opening not in "(（" and (listed.has_place or listed.has_label))
    # named.py matches one name in brackets.
    return names_source(listed) or (listed.files and opening not in "(（" and (opening != "[" or listed.items > 1))


def names_source(listed: Listed) -> bool:
    """Return whether words or places around the names show that they cite."""
    return listed.has_source or listed.has_see or listed.has_place or listed.has_label


_CLOSES = {"[": "]", "［": "］", "【": "】", "(": ")", "（": "）"}


def scan_list(text: str, position: int, names: MarkerNames) -> Listed | NeedData | None:
    """Scan a list of numbers and names from `position`. NEED_DATA if the text ends inside it."""
    listed: Listed | None = None
    for _ in range(MAX_LISTED):
        item = _scan_item(text, _skip_spaces(text, position), names)
        if not isinstance(item, Listed):
            return item
        listed = item if listed is None else _joined(listed, item)
        separator = _SEPARATOR.match(text, listed.end)
        if separator is None:
            return listed
        if separator.end() == len(text):
            return NEED_DATA
        position = separator.end()
    return None


def _joined(first: Listed, last: Listed) -> Listed:
    return Listed(
        last.end,
        first.ranges + last.ranges,
        tuple(dict.fromkeys(first.named + last.named)),
        first.has_source or last.has_source,
        first.has_see or last.has_see,
        first.has_place or last.has_place,
        first.has_label or last.has_label,
        first.items + last.items,
        first.files and last.files,
    )


def _scan_item(text: str, position: int, names: MarkerNames) -> Listed | NeedData | None:
    leads: list[str] = []
    while len(leads) <= MAX_LEADS:
        if position == len(text):
            return NEED_DATA
        start = position + 1 if text[position] in "@^" else position
        named = _name_at(text, start, names) if start < len(text) else NEED_DATA
        if named is NEED_DATA:
            return NEED_DATA
        if isinstance(named, str):
            item = Listed(
                start + len(named), (), names.names[named], has_label=start > position, files=is_file_name(named)
            )
            return _with_places(text, _led(item, leads))
        number = _NUMBER.match(text, position)
        if number or _NUMBER_BEGIN.fullmatch(text, position):
            return _numbered(text, number, leads)
        word = _LEAD_WORD.match(text, position)
        if word is None:
            return None
        lead = word[1].lower()
        if word.end() == len(text):
            return NEED_DATA if any(word_of_lead.startswith(lead) for word_of_lead in _LEADING) else None
        if lead not in _LEADING:
            return None
        leads.append(lead)
        position = word.end()
    return None


def _led(item: Listed, leads: list[str]) -> Listed:
    has_source, has_see = not WORDS["source"].isdisjoint(leads), not WORDS["see"].isdisjoint(leads)
    return item._replace(has_source=has_source, has_see=has_see)


def _name_at(text: str, position: int, names: MarkerNames) -> str | NeedData | None:
    """Return the longest name of evidence that begins at `position`."""
    longest = ""
    remaining = text[position : position + MAX_NAME_CHARACTERS + 1]
    for name in names.names:
        if len(name) > 1 and not name.isdigit():
            if len(remaining) <= len(name) and name.startswith(remaining):
                return NEED_DATA
            if remaining.startswith(name) and len(name) > len(longest) and not remaining[len(name)].isalnum():
                longest = name
    return longest or None


def _numbered(text: str, number: re.Match[str] | None, leads: list[str]) -> Listed | NeedData | None:
    if number is None or number.end() == len(text):
        return NEED_DATA
    if text[number.end()].isalnum() or text[number.end()] == "_":
        return None
    low = int(number["low"])
    high = int(number["high"] or low)
    item = Listed(number.end(), ((min(low, high), max(low, high)),), has_label=bool(number["label"]))
    return _with_places(text, _led(item, leads))


def _with_places(text: str, item: Listed) -> Listed | NeedData:
    """Return the item with the places after it: `, page 1`, `: p. 3`, `:12-14`, `#page=3`, `†L1-L9`."""
    for _ in range(MAX_PLACES):
        remaining = text[item.end : item.end + MAX_PLACE_CHARACTERS]
        if (
            item.end + len(remaining) == len(text)
            and len(remaining) < MAX_PLACE_CHARACTERS
            and _PLACE_BEGIN.fullmatch(remaining)
        ):
            return NEED_DATA
        place = _PLACE.match(text, item.end) or (_LINES.match(text, item.end) if item.named else None)
        if place is None or (place["word"] and place["word"].lower() not in WORDS["locator"]):
            break
        item = item._replace(end=place.end(), has_place=True)
    return item


_LEADING = WORDS["source"] | WORDS["see"] | WORDS["after_see"] | WORDS["bracketed"]
_SPACES = r"[ \t\u00a0\u2009\u202f\u3000]"
_SEPARATOR = re.compile(
    rf"{_SPACES}{{0,3}}[,;:，；：、&|/–-]{_SPACES}{{0,3}}|{_SPACES}{{1,3}}(?:and|und|et|y|e){_SPACES}{{1,3}}"
)
_LEAD_WORD = re.compile(rf"([^\W\d_]{{1,16}})(?:{_SPACES}|[.:：#№°_-]){{0,3}}")
_LABEL = r"(?P<label>[@#^]|[SDRWCE](?=\d))?"  # source, document, reference, web page, citation, excerpt
_NUMBER = re.compile(
    rf"{_LABEL}(?P<low>\d{{1,9}})(?:{_SPACES}?[-\u2010-\u2015]{_SPACES}?[SDRWCE]?(?P<high>\d{{1,9}}))?"
)
_NUMBER_BEGIN = re.compile(r"[@#^]|[SDRWCE]")
_NUMERAL = r"(?:\d{1,6}|[ivxlc]{1,6}\b)"
_PLACE = re.compile(
    rf"""{_SPACES}{{0,2}}[,;:：#]?{_SPACES}{{0,2}}(?P<open>\()?(?P<word>[^\W\d_]{{1,12}}|§{{1,2}})[ \u00a0.:=]{{0,3}}
    {_NUMERAL}(?:{_SPACES}?[-\u2010-\u2015]{_SPACES}?[A-Za-z]?{_NUMERAL})?(?(open)\))""",
    re.VERBOSE | re.IGNORECASE,
)
_LINES = re.compile(r"(?P<word>)[:#]\d{1,6}(?:[-:\u2013]\d{1,6})?|†[^\]】\n]{0,32}")
_PLACE_BEGIN = re.compile(rf"(?:{_SPACES}|[,;:：#(.=§†\u2010-\u2015-]|\w)*")


def _skip_spaces(text: str, position: int) -> int:
    gap = _GAP.match(text, position)
    return gap.end() if gap else position


_GAP = re.compile(f"{_SPACES}{{0,3}}")
