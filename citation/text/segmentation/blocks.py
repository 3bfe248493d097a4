"""Blocks: what kind of line begins here, as CommonMark and GitHub's tables see it, decided from as little as possible.

Whether more of a line has to be seen never depends on how it arrives: a beginning that could still become something
else decides nothing, and what decides is a bounded stretch of the line.
"""

import re
from typing import NamedTuple

from .sentence import Kind

BLANK = " \t\r"  # white space of a line, as CommonMark sees it
MAX_LABEL = 200  # characters of a link definition's label that are waited for
MAX_INFO = 100  # characters behind a fence in which a backtick makes it inline code


class Fence(NamedTuple):
    """What opens code, math or HTML that is left alone, and where it stands."""

    mark: str  # "```", "~~~~", "$$", "\\[", "<pre"
    indent: int = 0  # columns
    quoted: bool = False  # in a block quote


class LineType(NamedTuple):
    """What a line is, known from its beginning. `whole`: it leaves as one sentence, cut only at its end."""

    kind: Kind
    whole: bool
    fence: Fence | None = None


class BlockContext(NamedTuple):
    """What the lines before leave open."""

    paragraph: bool = False  # a text that this line could go on with
    indent: int = 0  # columns of the text of a list item that is open
    table: bool = False  # a table, its rule read
    rows: bool = False  # rows without a rule between them: a table that a model wrote short


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
_NESTED = rf"[ \t]*(?:(?:>|{_BULLET}[ \t])[ \t]*)*"  # quotes and list items that a line may begin with
_PREFIX = re.compile(_NESTED)
_RAW = "pre|script|style|textarea|math|svg"  # HTML whose content is not text
_UNDECIDED = re.compile(
    rf"{_NESTED}(?:[-:|=*_ \t]+|#{{1,6}}|`{{1,3}}|~+|[-*+•]|\d{{1,9}}[.)]?|</?[A-Za-z!-]{{0,8}}|\$\$?|\\\[?"
    rf"|\[\^?[^\]\n]{{0,{MAX_LABEL}}}\]?:?)?(?:\r[ \t\r]*)?\Z"
)
_FENCE = re.compile(rf"{_NESTED}(`{{3,}}|~{{3,}}|\$\$|\\\[)")
_RAW_HTML = re.compile(rf"[ ]{{0,3}}(<!--|<(?:{_RAW})(?=[\s>]|\Z))", re.IGNORECASE)
_BREAK = re.compile(r"[ ]{0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|=+[ \t]*)\Z")
_TABLE_RULE = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*\Z")
_SHAPES = (
    (re.compile(r"[ \t]*#{1,6}(?:[ \t]|\Z)"), _HEADING),
    (re.compile(r"[ \t]*\|"), ROW),
    (re.compile(rf"[ ]{{0,3}}\[[^\]\n]{{1,{MAX_LABEL}}}\]:(?:[ \t]|\Z)"), _RULE),
    (re.compile(r"[ \t]*>"), _QUOTE),
    (re.compile(rf"[ \t]*{_BULLET}(?:[ \t]|\Z)"), _ITEM),
    (re.compile(r"[ ]{0,3}</?[A-Za-z!]"), _HTML),
)
_ENDS = {"$$": "$$", "\\[": "\\]", "<!--": "-->", **{f"<{name}": f"</{name}>" for name in _RAW.split("|")}}


def line_kind(text: str, before: BlockContext, *, final: bool) -> LineType | None:
    """The kind of the line that begins with `text`, or None where more of it decides.

    `final`: this is all of the line, without its end.
    """
    if text[:1].isalpha():
        return ROW if before.table else PROSE  # as most; all else begins with a mark, a number or a space
    if not final and _UNDECIDED.match(text):
        return None
    text = text.rstrip("\r")
    if found := _FENCE.match(text):
        info = text[found.end() : found.end() + MAX_INFO]
        if found[1][0] != "`" or "`" not in info:
            undecided = found[1][0] == "`" and not final and len(info) < MAX_INFO
            return None if undecided else _fenced(text, found)
    if found := _RAW_HTML.match(text):
        return LineType(Kind.CODE, True, Fence(found[1].lower()))
    if not before.paragraph and text.strip(BLANK) and _columns(text) >= before.indent + 4:
        return _CODE
    if final and (_BREAK.match(text) or ("-" in text and _TABLE_RULE.match(text))):
        return _RULE
    found_line = next((line for shape, line in _SHAPES if shape.match(text)), PROSE)
    if found_line is ROW and not (before.table or before.rows):
        return _HEADER  # rows come after the rule; what names the columns claims nothing
    return ROW if found_line is PROSE and before.table and text.strip(BLANK) else found_line


def _fenced(text: str, found: re.Match[str]) -> LineType:
    kind = Kind.CODE if found[1][0] in "`~" else Kind.MATH
    return LineType(kind, True, Fence(found[1], _columns(text[: found.start(1)]), ">" in text[: found.start(1)]))


def prefix_length(text: str) -> int:
    """How many characters of a line are the marks of its quotes and list items, and the space around them."""
    found = _PREFIX.match(text)
    return found.end() if found else 0


def next_context(before: BlockContext, line: LineType, text: str) -> BlockContext:
    """What is open after this line."""
    if not text.strip(BLANK):
        return BlockContext(indent=before.indent)
    marks = text[: prefix_length(text)]
    if line is not _CODE and marks.strip(BLANK) and ">" not in marks:
        return BlockContext(not line.whole, len(marks.expandtabs(4)))
    lazy = line is PROSE and before.paragraph  # a line of a paragraph may stand further left than its item
    indent = before.indent if lazy or text[0] in BLANK else 0
    rows = line is _HEADER or (before.rows and line is ROW)
    return BlockContext(not line.whole, indent, before.table and line is ROW, rows)


def _columns(text: str) -> int:
    """How many columns of white space, or of marks, a line begins with."""
    blank = text[: len(text) - len(text.lstrip(BLANK))] if text.strip(BLANK) else text
    return len(blank.expandtabs(4))


def closes_fence(fence: Fence, line: str) -> bool:
    """Whether this line ends what `fence` opened."""
    if fence.mark in _ENDS:
        return _ENDS[fence.mark] in line.lower()
    if _columns(line) > fence.indent + 3:
        return False
    stripped = line.strip().lstrip("> \t") if fence.quoted else line.strip()
    return len(stripped) >= len(fence.mark) and not stripped.strip(fence.mark[0])


def leaves_quote(fence: Fence, line: str) -> bool:
    """Whether this line ends the block quote that `fence` stands in, and the fence with it."""
    return fence.quoted and not line.lstrip(BLANK).startswith(">")
