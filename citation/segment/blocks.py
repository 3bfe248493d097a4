"""Blocks: what kind of line begins here, as CommonMark and GitHub's tables see it, decided from as little as possible."""

import re
from typing import NamedTuple

from .sentence import Kind

MAX_LABEL = 200  # characters of a link definition's label that are waited for


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

# What may still become something else when more of the line arrives
_UNDECIDED = re.compile(
    rf"[ \t]*(?:>[ \t]*)*(?:#{{1,6}}|`{{1,2}}|~{{1,2}}|[-*+]|(?:[-*_=][ \t]*)+|\d{{1,9}}[.)]?|<|\$|\\"
    rf"|\[\^?[^\]\n]{{0,{MAX_LABEL}}}\]?|\|[ \t:|-]*)?\Z"
)
_FENCE = re.compile(r"[ \t]*(?:(?:>|[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}(?=[^`]*\Z)|~{3,}|\$\$|\\\[)")
_SHAPES = (
    (re.compile(r"[ \t]*#{1,6}(?:[ \t]|\Z)"), _HEADING),
    (re.compile(r"[ ]{0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|=+[ \t]*)\Z"), _RULE),
    (re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)+\|?[ \t]*\Z"), _RULE),
    (re.compile(r"[ \t]*\|"), _TABLE),
    (re.compile(rf"[ ]{{0,3}}\[[^\]\n]{{1,{MAX_LABEL}}}\]:(?:[ \t]|\Z)"), _RULE),
    (re.compile(r"[ \t]*>"), _QUOTE),
    (re.compile(r"[ \t]*(?:[-*+•]|\d{1,9}[.)])[ \t]"), _ITEM),
    (re.compile(r"[ ]{0,3}</?[A-Za-z!][^\n]*"), _HTML),
)


def line_kind(text: str, *, final: bool, paragraph: bool, listed: bool) -> Line | None:
    """The kind of the line that begins with `text`, or None where more of it decides.

    `final`: this is all of the line, without its end. `paragraph`: the line before is text that this one could go on
    with. `listed`: a list is open, so that indentation is no code.
    """
    if not final and _UNDECIDED.match(text):
        return None
    if fence := _FENCE.match(text):
        if not final and fence.end() == len(text):
            return None
        kind = Kind.CODE if fence[1][0] in "`~" else Kind.MATH
        return Line(kind, True, fence[1])
    if not paragraph and not listed and re.match(r"(?: {4}| {0,3}\t)[ \t]*\S", text):
        return _CODE
    for shape, line in _SHAPES:
        if shape.match(text):
            return line if line is not _RULE or final or ":" in text else None
    return PROSE


def closes(fence: str, line: str) -> bool:
    """Whether this line ends what `fence` opened."""
    stripped = line.strip().lstrip("> \t")
    if fence == "\\[":
        return stripped.endswith("\\]")
    if fence == "$$":
        return stripped.endswith("$$")
    return len(stripped) >= len(fence) and not stripped.strip(fence[0])
