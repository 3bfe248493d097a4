"""Block structure: the type of each line, following CommonMark and GitHub's tables, from the first characters of it.

The type never depends on how a line arrives. A beginning that could still become something else is not decided, and a
bounded part of the line always decides.
"""

import re
from typing import NamedTuple

from .sentence import Kind

BLANK = " \t\r"  # white space within a line, as CommonMark defines it
MAX_LABEL_CHARACTERS = 200  # characters of the label of a link definition
MAX_INFO_CHARACTERS = 100  # characters after a fence in which a backtick makes it inline code


class Fence(NamedTuple):
    """The opening of code, math or HTML whose content is not text."""

    mark: str  # "```", "~~~~", "$$", "\\[", "<pre"
    indent: int = 0  # columns
    quoted: bool = False  # inside a block quote


class LineType(NamedTuple):
    """The type of a line. `whole`: the line is one sentence."""

    kind: Kind
    whole: bool
    fence: Fence | None = None


class BlockContext(NamedTuple):
    """The blocks that earlier lines leave open."""

    paragraph: bool = False  # a paragraph that this line can continue
    indent: int = 0  # columns of the text of the open list item
    table: bool = False  # a table whose rule was read
    rows: bool = False  # a table without a rule, which models also write


PROSE = LineType(Kind.PROSE, False)
ROW = LineType(Kind.TABLE_ROW, True)
_HEADER = LineType(Kind.TABLE_HEADER, True)
_QUOTE = LineType(Kind.QUOTE, False)
_ITEM = LineType(Kind.LIST_ITEM, False)
_HEADING = LineType(Kind.HEADING, True)
_RULE = LineType(Kind.RULE, True)
_CODE = LineType(Kind.CODE, True)
_HTML = LineType(Kind.HTML, False)

_BULLET = r"(?:[-*+•]|\d{1,9}[.)])"
# Markers of quotes and list items at the start of a line. Each run of white space can be matched in one way only;
# otherwise a line of 2,000 spaces takes 25 ms.
_NESTED = rf"[ \t]*+(?:(?:>|{_BULLET}[ \t])[ \t]*+)*+"
_PREFIX = re.compile(_NESTED)
_RAW = "pre|script|style|textarea|math|svg"  # HTML elements whose content is not text
_UNDECIDED = re.compile(
    rf"{_NESTED}(?:[-:|=*_ \t]+|#{{1,6}}|`{{1,3}}|~+|[-*+•]|\d{{1,9}}[.)]?|</?[A-Za-z!-]{{0,8}}|\$\$?|\\\[?"
    rf"|\[\^?[^\]\n]{{0,{MAX_LABEL_CHARACTERS}}}\]?:?)?(?:\r[ \t\r]*)?\Z"
)
_FENCE = re.compile(rf"{_NESTED}(`{{3,}}|~{{3,}}|\$\$|\\\[)")
_RAW_HTML = re.compile(rf"[ ]{{0,3}}(<!--|<(?:{_RAW})(?=[\s>]|\Z))", re.IGNORECASE)
_BREAK = re.compile(r"[ ]{0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|=+[ \t]*)\Z")
# Unlike `tables.is_table_rule`, this also matches the rule of a table with one column, and "---". None is ever cited.
_TABLE_RULE = re.compile(r"[ \t]*+\|?[ \t]*+:?-+:?[ \t]*+(?:\|[ \t]*+:?-+:?[ \t]*+)*+\|?[ \t]*+\Z")
_LINE_TYPES = (
    (re.compile(r"[ \t]*#{1,6}(?:[ \t]|\Z)"), _HEADING),
    (re.compile(r"[ \t]*\|"), ROW),
    (re.compile(rf"[ ]{{0,3}}\[[^\]\n]{{1,{MAX_LABEL_CHARACTERS}}}\]:(?:[ \t]|\Z)"), _RULE),
    (re.compile(r"[ \t]*>"), _QUOTE),
    (re.compile(rf"[ \t]*{_BULLET}(?:[ \t]|\Z)"), _ITEM),
    (re.compile(r"[ ]{0,3}</?[A-Za-z!]"), _HTML),
)
_ENDS = {"$$": "$$", "\\[": "\\]", "<!--": "-->", **{f"<{name}": f"</{name}>" for name in _RAW.split("|")}}


def line_type(text: str, before: BlockContext, *, final: bool) -> LineType | None:
    """Return the type of the line that begins with `text`, or None where the rest of it decides.

    `final`: `text` is the whole line, without its line break.
    """
    if text[:1].isalpha():
        return ROW if before.table else PROSE  # most lines; all other types begin with a mark, a digit or a space
    if not final and _UNDECIDED.match(text):
        return None
    text = text.rstrip("\r")
    if fence := _FENCE.match(text):
        info = text[fence.end() : fence.end() + MAX_INFO_CHARACTERS]
        if fence[1][0] != "`" or "`" not in info:
            undecided = fence[1][0] == "`" and not final and len(info) < MAX_INFO_CHARACTERS
            return None if undecided else _fenced(text, fence)
    if fence := _RAW_HTML.match(text):
        return LineType(Kind.CODE, True, Fence(fence[1].lower()))
    if not before.paragraph and text.strip(BLANK) and _columns(text) >= before.indent + 4:
        return _CODE
    if final and (_BREAK.match(text) or ("-" in text and _TABLE_RULE.match(text))):
        return _RULE
    found_line = next((line for shape, line in _LINE_TYPES if shape.match(text)), PROSE)
    if found_line is ROW and not (before.table or before.rows):
        return _HEADER  # rows follow the rule; the names of columns make no claim
    return ROW if found_line is PROSE and before.table and text.strip(BLANK) else found_line


def _fenced(text: str, fence: re.Match[str]) -> LineType:
    kind = Kind.CODE if fence[1][0] in "`~" else Kind.MATH
    return LineType(kind, True, Fence(fence[1], _columns(text[: fence.start(1)]), ">" in text[: fence.start(1)]))


def prefix_length(text: str) -> int:
    """Return the length of the markers of quotes and list items that a line begins with, and the space around them."""
    prefix = _PREFIX.match(text)
    return prefix.end() if prefix else 0


def next_context(before: BlockContext, line: LineType, text: str) -> BlockContext:
    """Return the blocks that are open after this line."""
    if not text.strip(BLANK):
        return BlockContext(indent=before.indent)
    marks = text[: prefix_length(text)]
    if line is not _CODE and marks.strip(BLANK) and ">" not in marks:
        return BlockContext(not line.whole, len(marks.expandtabs(4)))
    lazy = line is PROSE and before.paragraph  # a paragraph line may be indented less than its item
    indent = before.indent if lazy or text[0] in BLANK else 0
    rows = line is _HEADER or (before.rows and line is ROW)
    return BlockContext(not line.whole, indent, before.table and line is ROW, rows)


def _columns(text: str) -> int:
    """Return the width of the white space that a line begins with; of the whole line if it is blank."""
    blank = text[: len(text) - len(text.lstrip(BLANK))] if text.strip(BLANK) else text
    return len(blank.expandtabs(4))


def closes_fence(fence: Fence, line: str) -> bool:
    """Return whether this line closes the fence."""
    if fence.mark in _ENDS:
        return _ENDS[fence.mark] in line.lower()
    if _columns(line) > fence.indent + 3:
        return False
    stripped = line.strip().lstrip("> \t") if fence.quoted else line.strip()
    return len(stripped) >= len(fence.mark) and not stripped.strip(fence.mark[0])


def leaves_quote(fence: Fence, line: str) -> bool:
    """Return whether this line ends the block quote around the fence, and so the fence."""
    return fence.quoted and not line.lstrip(BLANK).startswith(">")
