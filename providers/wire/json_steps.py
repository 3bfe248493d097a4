"""Decode large JSON in steps. A decoder in C cannot be interrupted: 16 MB of small values take orjson a second.

The text is divided between the elements of its containers into pieces of about PIECE_BYTES, each of which is decoded at
once. Containers that are larger than a piece are divided in the same way.
"""

import re
from collections.abc import Iterator
from typing import Any

from citestream.citation.text.steps import Steps

from .json_text import loads_strict

PIECE_BYTES = 64 * 2**10  # decoded at once: at most 5 ms
MAX_DIVIDED_DEPTH = 10  # containers inside each other that are divided; an image in a message is at depth 6
_TOKENS = 2_000  # tokens that are searched in a step: 1 ms
_STRING = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_FLAT = rb'[\[{][^"\[\]{}]{0,999}+(?:%b[^"\[\]{}]{0,999}+){0,99}+[\]}]' % _STRING
# Some small containers without others inside, a string, a bracket, or a stretch of anything else
_TOKEN = re.compile(
    rb'(?P<flat>(?:%b\s*+(?P<comma>,?+)\s*+){1,64}+)|%b|[\[\]{}]|(?P<between>[^"\[\]{}]{1,65536}+)' % (_FLAT, _STRING),
    re.DOTALL,
)
_OPENING, _CLOSING, _BRACE = b"[{", b"]}", ord("{")

# A run of elements, from and to an offset; or a large container, with the offset where its member begins.
_Run = tuple[int, int, int | None]


def loads_in_steps(data: bytes, *, replace: bool = False) -> Steps[tuple[Any, bool]]:
    """Return the decoded value, and whether it is free of lone surrogates. Raise ValueError; see `loads_strict`."""
    if len(data) <= PIECE_BYTES:
        return loads_strict(data, replace=replace)
    start = len(data) - len(data.lstrip())
    return (yield from _value(data, start, len(data.rstrip()), 0, replace))


def _value(data: bytes, start: int, end: int, depth: int, replace: bool) -> Steps[tuple[Any, bool]]:
    """Decode the value in `data[start:end]`, which has no white space around it."""
    if end - start <= PIECE_BYTES or data[start] not in _OPENING or depth == MAX_DIVIDED_DEPTH:
        yield None
        return loads_strict(data[start:end], replace=replace)
    is_object = data[start] == _BRACE
    members: dict[str, Any] = {}
    items: list[Any] = []
    clean = True
    for run in _runs(data, start, end):
        yield None
        if run is None:
            continue
        first, after, container = run
        if container is None:
            piece = data[first:after]
            if not piece.strip():
                raise ValueError("an element is missing")
            value, is_clean = loads_strict(b"{%b}" % piece if is_object else b"[%b]" % piece, replace=replace)
            members.update(value) if is_object else items.extend(value)
        else:
            value, is_clean = yield from _value(data, container, after, depth + 1, replace)
            if is_object:
                (key,), _ = loads_strict(b"{%b0}" % data[first:container], replace=replace)
                members[key] = value
            elif data[first:container].strip():
                raise ValueError("a comma is missing")
            else:
                items.append(value)
        clean = clean and is_clean
    return (members if is_object else items), clean


def _runs(data: bytes, start: int, end: int) -> Iterator[_Run | None]:
    """Yield the elements of a container in runs, and None after some work without a result.

    Raise ValueError if the container does not end at `end`.
    """
    depth, first = 1, start + 1  # first: where the next run begins
    key = opened = start  # positions of the last string and of the last container among the members
    for number, token in enumerate(_TOKEN.finditer(data, start + 1, end), 1):
        if number % _TOKENS == 0:
            yield None
        at, after = token.span()
        kind = data[at]
        if token["between"] or token["flat"]:
            for comma in _commas(data, token, first) if depth == 1 else ():
                yield first, comma, None
                first = comma + 1
        elif kind in _OPENING:
            depth += 1
            opened = at if depth == 2 else opened
        elif kind in _CLOSING:
            depth -= 1
            if not depth and (after != end or kind != data[start] + 2):
                raise ValueError("a bracket is wrong")
            if depth == 1 and after - opened > PIECE_BYTES:
                yield from _large_member(data, first, key if data[start] == _BRACE else opened, opened, after)
                first = _next_member(data, after, end)
        elif depth == 1:
            key = at
    if depth:
        raise ValueError("a bracket is missing")
    if first < end and (first > start + 1 or data[first : end - 1].strip()):
        yield first, end - 1, None


def _commas(data: bytes, token: re.Match[bytes], first: int) -> Iterator[int]:
    """Yield the commas of this token where a run that begins at `first` may end because it is long enough."""
    if token["flat"]:
        if token["comma"] and token.end() - first > PIECE_BYTES:
            yield token.start("comma")
        return
    while (comma := data.find(b",", max(token.start(), first + PIECE_BYTES), token.end())) >= 0:
        yield comma
        first = comma + 1


def _large_member(data: bytes, first: int, member: int, opened: int, after: int) -> Iterator[_Run]:
    """Yield the run before the member that begins at `member`, and the member, whose container begins at `opened`."""
    comma = data.rfind(b",", first, member)
    if comma >= 0:
        yield first, comma, None
    yield max(first, comma + 1), after, opened


def _next_member(data: bytes, after: int, end: int) -> int:
    """Return where the member after a large one begins; `end` if there is none."""
    comma = data.find(b",", after, end)
    if data[after : end - 1 if comma < 0 else comma].strip():
        raise ValueError("a comma is missing")
    return end if comma < 0 else comma + 1
