"""History: markers of earlier turns, whose numbers point at other evidence, leave the messages before they go on."""

import re

from .match import ANY
from .named import MarkerNames
from .render import LIST_HEADING
from .strip import strip

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_LIST = re.compile(r"\s*" + re.escape(LIST_HEADING) + r"\n\n(?:- \[\d+\] [^\n]*(?:\n|\Z))+\s*\Z")
# `[report.pdf](id)`: a file's name, or anything with one of our own ids; an address or a path makes it an ordinary link
_NAME_STYLE = re.compile(r"(?<!!)\[(?P<name>(?:\\.|[^\\\[\]\n]){1,200})\]\((?P<id>[^()\s/:#]{1,200})\)")
_FILE = re.compile(r"\.[A-Za-z0-9]{1,5}\Z")
_OWN_ID = re.compile(r"e\d+_*\Z")


def forget(text: str) -> str:
    """Take every marker out of an earlier answer, in all styles, and the list of references at its end."""
    text = _LIST.sub("", text)
    names = _names(text)
    return "".join(part if fenced else strip(part, names).text for part, fenced in _blocks(text))


def _names(text: str) -> MarkerNames:
    pairs: dict[str, tuple[int, ...]] = {}
    for found in _NAME_STYLE.finditer(text):
        if _FILE.search(found["name"]) or _OWN_ID.match(found["id"]):
            pairs[found["name"]] = pairs[found["id"]] = (1,)
    return MarkerNames(ANY.numbers, pairs)


def _blocks(text: str) -> list[tuple[str, bool]]:
    """The text cut into fenced code and everything else."""
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
