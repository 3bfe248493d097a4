"""Removal of what was added to the answers of earlier turns, before messages go upstream.

The numbers of their markers refer to other evidence, and a model would repeat a note about missing sources.
"""

import re
from functools import lru_cache

from ..markers import ANY_NUMBER, MarkerNames
from ..markers.render import LIST_HEADING
from ..markers.strip import strip_in_steps
from ..text.steps import Steps, completed

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_LIST = re.compile(r"(?<!\s)\s*+" + re.escape(LIST_HEADING) + r"\n\n(?:- \[\d+\] [^\n]*(?:\n|\Z))+\s*\Z")
# `[report.pdf](id)`: a file name, or any name with an id of ours. With a URL or a path it is an ordinary link.
_NAME_STYLE = re.compile(r"(?<!!)\[(?P<name>(?:\\.|[^\\\[\]\n]){1,200})\]\((?P<id>[^()\s/:#]{1,200})\)")
_LINKS = 100  # links that are read in a step
_FILE = re.compile(r"\.[A-Za-z0-9]{1,5}\Z")
_OWN_ID = re.compile(r"e\d+_*\Z")


def strip_history_in_steps(text: str, note: str = "") -> Steps[str]:
    """Return an earlier answer without markers of any style and without the list of references at its end.

    `note`: what followed its unsupported sentences, which is removed, too.
    """
    heading = text.rfind(f"{LIST_HEADING}\n\n- [")
    if heading >= 0:
        start = len(text[:heading].rstrip())
        text = text[:start] + _LIST.sub("", text[start:])
    yield None
    names = yield from _names(text)
    notes = _note_pattern(note)
    parts: list[str] = []
    for part, fenced in _blocks(text):
        if notes and not fenced:
            part = notes.sub("", part)
            yield None
        parts.append(part if fenced else (yield from strip_in_steps(part, names)).text)
    return "".join(parts)


@lru_cache(maxsize=64)
def _note_pattern(note: str) -> re.Pattern[str] | None:
    """Return a pattern for the note where it was added; None if it has no letters.

    It follows the punctuation of a sentence, or precedes it. Without brackets of its own it could be a word anywhere.
    """
    note = note.strip()
    if not any(map(str.isalpha, note)):
        return None
    escaped = re.escape(note)
    if not (note[0].isalnum() or note[-1].isalnum()):
        return re.compile(f"[ \u00a0]?{escaped}")
    return re.compile(rf"(?<=[^\w\s])[ \u00a0]?{escaped}|[ \u00a0]{escaped}(?=[.!?…]|\s*$)", re.MULTILINE)


strip_history = completed(strip_history_in_steps)


def _names(text: str) -> Steps[MarkerNames]:
    pairs: dict[str, tuple[int, ...]] = {}
    if "](" in text:
        for number, link in enumerate(_NAME_STYLE.finditer(text)):
            if _FILE.search(link["name"]) or _OWN_ID.match(link["id"]):
                pairs[link["name"]] = pairs[link["id"]] = (1,)
            if number % _LINKS == 0:
                yield None
    return MarkerNames(ANY_NUMBER.numbers, pairs)


def _blocks(text: str) -> list[tuple[str, bool]]:
    """Split a text into fenced code, True, and everything else, False."""
    blocks: list[tuple[str, bool]] = []
    part: list[str] = []
    fence = ""
    for line in text.splitlines(keepends=True):
        mark = _FENCE.match(line)
        if not fence and mark:
            blocks.append(("".join(part), False))
            part, fence = [line], mark[1]
            continue
        part.append(line)
        if fence and mark and mark[1].startswith(fence) and not line[mark.end() :].strip():
            blocks.append(("".join(part), True))
            part, fence = [], ""
    blocks.append(("".join(part), bool(fence)))
    return blocks
