"""Find quotations: text in quotation marks, and block quotations in Markdown."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from ..text.normalize import UNSPACED
from .letters import columns

MIN_COLUMNS: Final = 12  # shorter text in quotation marks is a term or a title


class Place(NamedTuple):
    """The place of a quotation in a paragraph, without its marks."""

    start: int
    end: int
    is_block: bool = False


# The marks that close each opening mark. „A“ is German, ”A” Swedish, »A« German, «A» French, and “A” English.
_CLOSING: Final = {
    "“": "”",
    "„": "“”",
    "”": "”",
    "«": "»",
    "»": "«»",
    "‹": "›",
    "‘": "’",
    "‚": "‘’",
    "「": "」",
    "『": "』",
    '"': '"',
    "＂": "＂",
    "'": "'",
}
_ONLY_BEFORE_WORDS = frozenset("”»")  # they close a quotation elsewhere
_APOSTROPHES = frozenset("'’")
# A straight mark opens a quotation after white space, an opening bracket, a dash or a colon, and next to scripts
# without spaces. After a digit it is an inch.
_BEFORE_OPENING = re.compile(rf"(?:\A|[\s(\[{{—–:>*_，。：、；（{UNSPACED}])\Z")
_BEFORE_APOSTROPHE = re.compile(r"(?:\A|[\s(\[{—–:>*_])\Z")
_AFTER_CLOSING = re.compile(rf"\Z|[\s.,;:!?)\]}}—–\-*_<…，。：、；！？）（{UNSPACED}\"'’”»]")

_QUOTE_LINE = re.compile(r"^[ \t]{0,3}(?:[-*+] )?>[> \t]*", re.MULTILINE)
_SOURCE_LINE = re.compile(r"[—–―-]{1,3}\s*\w|\([^()]*\)\s*\Z")
_CALLOUT = re.compile(r"\[!|\*\*[^*\n]{1,40}(?::\*\*|\*\*:)")  # > [!NOTE] and > **Note:**
_CODE_SPAN = re.compile(r"`[^`\n]+`")
_PIECES = re.compile(r"\n(?=[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t])|\|")


def find_quotations(paragraph: str) -> list[Place]:
    """Return the places of the quotations of a paragraph in order; of nested ones, the outer."""
    places: list[Place] = []
    done = 0
    for begin, end in _quoted_blocks(paragraph):
        places += _in_pieces(paragraph[done:begin], done)
        places += _block_quotations(paragraph, begin, end)
        done = end
    places += _in_pieces(paragraph[done:], done)
    return [place for place in places if columns(paragraph[place.start : place.end].strip()) >= MIN_COLUMNS]


def may_quote(text: str) -> bool:
    """Return whether a piece of an answer may begin a quotation."""
    return any(mark in text for mark in _FREQUENT) or ">" in text or any(mark in text for mark in _CLOSING)


_FREQUENT = '"“„«'


def _in_pieces(text: str, offset: int) -> Iterator[Place]:
    """Yield the quotations of a text outside of block quotations. They do not cross list items and table cells."""
    start = 0
    for separator in [*_PIECES.finditer(text), None]:
        end = separator.start() if separator else len(text)
        yield from _marked(text[start:end], offset + start)
        start = separator.end() if separator else end


def _marked(text: str, offset: int) -> Iterator[Place]:
    """Yield the text between quotation marks."""
    if "`" in text:
        text = _CODE_SPAN.sub(lambda code: "x" * len(code[0]), text)
    marks = [match.start() for match in _ANY_MARK.finditer(text)]
    ends: dict[str, list[int]] = {}
    for position in marks:
        if text[position] in _MARKS_AT_END and _closes(text, position):
            ends.setdefault(text[position], []).append(position)
    done = 0
    for position in marks if ends else ():
        if position >= done and text[position] in _CLOSING and _opens(text, position):
            end = min(_next(ends.get(mark, ()), position + 1) for mark in _CLOSING[text[position]])
            if end < _NEVER:
                yield Place(offset + position + 1, offset + end)
                done = end + 1


_NEVER: Final = 1 << 60
_MARKS_AT_END = frozenset("".join(_CLOSING.values()))
_ANY_MARK = re.compile(f"[{''.join(_CLOSING)}{''.join(_MARKS_AT_END)}]")


def _next(places: Sequence[int], start: int) -> int:
    index = bisect_left(places, start)
    return places[index] if index < len(places) else _NEVER


def _opens(text: str, position: int) -> bool:
    mark, before, after = (
        text[position],
        text[position - 1 : position] if position else "",
        text[position + 1 : position + 2],
    )
    if mark == "'":
        return bool(_BEFORE_APOSTROPHE.match(before)) and after.isalpha()
    if mark in '"＂':
        return bool(_BEFORE_OPENING.match(before)) and bool(after.strip())
    return mark not in _ONLY_BEFORE_WORDS or (not before.strip() and bool(after.strip()))


def _closes(text: str, position: int) -> bool:
    mark, before, after = (
        text[position],
        text[position - 1 : position] if position else "",
        text[position + 1 : position + 2],
    )
    if mark in _APOSTROPHES:
        return bool(before.strip()) and not (after.isalnum() and not _AFTER_CLOSING.match(after))
    if mark in '"＂':
        return bool(before.strip()) and bool(_AFTER_CLOSING.match(after))
    return True


def _quoted_blocks(paragraph: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of consecutive lines that begin with `>`."""
    start = end = -1
    for line in _QUOTE_LINE.finditer(paragraph):
        if line.start() != end:
            if end >= 0:
                yield start, end
            start = line.start()
        newline = paragraph.find("\n", line.end())
        end = newline + 1 if newline >= 0 else len(paragraph)
    if end >= 0:
        yield start, end


def _block_quotations(paragraph: str, begin: int, end: int) -> Iterator[Place]:
    """Yield the quotations of a block: its paragraphs, without the line that names the source."""
    first = last = -1
    for line in [*_QUOTE_LINE.finditer(paragraph, begin, end), None]:
        start = line.end() if line else end
        newline = paragraph.find("\n", start, end)
        content = paragraph[start : newline if newline >= 0 else end].rstrip()
        is_source = first >= 0 and _SOURCE_LINE.match(content) is not None
        if content and not is_source:
            first = start if first < 0 else first
            last = start + len(content)
        elif first >= 0:
            if not _CALLOUT.match(paragraph, first):
                yield Place(first, last, is_block=True)
            first = -1
