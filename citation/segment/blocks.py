"""Blocks: what kind of line begins here, as CommonMark and GitHub's tables see it, decided from as little as possible.

Whether more of a line has to be seen never depends on how it arrives: a beginning that could still become something
else decides nothing, and what decides is a bounded stretch of the line.
"""

import re
from typing import NamedTuple

from .sentence import Kind

MAX_LABEL = 200  # characters of a link definition's label that are waited for
MAX_INFO = 100  # characters behind a fence in which a backtick makes it inline code


class Line(NamedTuple):
    """What a line is, known from its beginning. `whole`: it leaves as one sentence, cut only at its end."""

    kind: Kind
    whole: bool
    fence: str = ""  # what opens fenced code or math, and what closes it


PROSE = Line(Kind.PROSE, False)
_QUOTE = Line(Kind.QUOTE, False)
_ITEM = Line(Kind.LIST_ITEM, False)
_HEADING = Line(Kind.HEADING, True)
_RULE = Line(Kind.RULE, True)
_TABLE = Line(Kind.TABLE_ROW, True)
_CODE = Line(Kind.CODE, True)
_HTML = Line(Kind.HTML, False)

_BULLET = r"(?:[-*+•]|\d{1,9}[.)])"
_NESTED = rf"[ \t]*(?:(?:>|{_BULLET}[ \t])[ \t]*)*"  # quotes and list items that a line may begin with
_UNDECIDED = re.compile(
    rf"{_NESTED}(?:[-:|=*_ \t]+|#{{1,6}}|`{{1,3}}|~{{1,2}}|[-*+•]|\d{{1,9}}[.)]?|</?|\$|\\"
    rf"|\[\^?[^\]\n]{{0,{MAX_LABEL}}}\]?:?)?\r?\Z"
)
_FENCE = re.compile(rf"{_NESTED}(`{{3,}}|~{{3,}}|\$\$|\\\[)")
_INDENTED = re.compile(r"(?: {4}| {0,3}\t)[ \t]*\S")
_BREAK = re.compile(r"[ ]{0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|=+[ \t]*)\Z")
_TABLE_RULE = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*\Z")
_SHAPES = (
    (re.compile(r"[ \t]*#{1,6}(?:[ \t]|\Z)"), _HEADING),
    (re.compile(r"[ \t]*\|"), _TABLE),
    (re.compile(rf"[ ]{{0,3}}\[[^\]\n]{{1,{MAX_LABEL}}}\]:(?:[ \t]|\Z)"), _RULE),
    (re.compile(r"[ \t]*>"), _QUOTE),
    (re.compile(rf"[ \t]*{_BULLET}(?:[ \t]|\Z)"), _ITEM),
    (re.compile(r"[ ]{0,3}</?[A-Za-z!]"), _HTML),
)


def line_kind(text: str, *, final: bool, paragraph: bool, listed: bool) -> Line | None:
    """The kind of the line that begins with `text`, or None where more of it decides.

    `final`: this is all of the line, without its end. `paragraph`: the line before is text that this one could go on
    with. `listed`: a list is open, so that indentation is no code.
    """
    if not final and _UNDECIDED.match(text):
        return None
    text = text.rstrip("\r")
    if fence := _FENCE.match(text):
        info = text[fence.end() : fence.end() + MAX_INFO]
        if fence[1][0] != "`":
            return Line(Kind.CODE if fence[1][0] == "~" else Kind.MATH, True, fence[1])
        if "`" not in info:
            return Line(Kind.CODE, True, fence[1]) if final or len(info) == MAX_INFO else None
    if not paragraph and not listed and _INDENTED.match(text):
        return _CODE
    if final and (_BREAK.match(text) or ("-" in text and _TABLE_RULE.match(text))):
        return _RULE
    return next((line for shape, line in _SHAPES if shape.match(text)), PROSE)


def item_length(text: str) -> int:
    """How many characters of a list item are its bullet or number and what stands around them."""
    found = re.match(rf"[ \t]*{_BULLET}[ \t]*", text)
    return found.end() if found else 0


def closes(fence: str, line: str) -> bool:
    """Whether this line ends what `fence` opened."""
    stripped = line.strip().lstrip("> \t")
    if fence == "\\[":
        return stripped.endswith("\\]")
    if fence == "$$":
        return stripped.endswith("$$")
    return len(stripped) >= len(fence) and not stripped.strip(fence[0])
