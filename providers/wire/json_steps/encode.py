"""Encode large JSON in steps: the elements of large containers and the characters of large strings in runs."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from citestream.citation.text.steps import Steps

from ..json_text import dumps
from .limits import ELEMENTS, PIECE_BYTES
from .size import SCALARS, approximate_size

JOINED_PARTS = 16  # joined at once: 1 ms; more are joined in a thread, where Python releases its lock


def dumps_in_steps(value: object) -> Steps[bytes]:
    """Return the JSON of a value, as `dumps` does."""
    parts = yield from json_parts(value)
    if len(parts) > JOINED_PARTS:
        joined: bytes = yield partial(b"".join, parts)
        return joined
    return b"".join(parts)


def json_parts(value: object) -> Steps[list[bytes]]:
    """Return the JSON of a value in parts of about PIECE_BYTES: joining 50 MB takes 20 ms."""
    parts: list[bytes] = []
    writing = [_pieces(value)]
    while writing:
        piece = next(writing[-1], None)
        if piece is None:
            writing.pop()
        elif isinstance(piece, bytes):
            parts.append(piece)
            yield None
        else:
            writing.append(_pieces(piece.value))
    return parts


@dataclass(frozen=True, slots=True)
class _Large:
    """A value that is encoded in pieces of its own."""

    value: Any


def _pieces(value: Any) -> Iterator[bytes | _Large]:
    """Yield the JSON of a value in pieces, and the large values in it."""
    if not (isinstance(value, str | list | tuple | dict) and value) or approximate_size(value) <= PIECE_BYTES:
        yield dumps(value)
    elif isinstance(value, str):
        yield from _pieces_of_string(value)
    elif isinstance(value, dict):
        yield from _pieces_of_object(value)
    else:
        yield from _pieces_of_list(value)


def _pieces_of_string(value: str) -> Iterator[bytes]:
    quote = b'"'
    for start in range(0, len(value), PIECE_BYTES):
        yield quote + dumps(value[start : start + PIECE_BYTES])[1:-1]
        quote = b""
    yield b'"'


def _pieces_of_object(value: Mapping[Any, Any]) -> Iterator[bytes | _Large]:
    before = b"{"
    for run, large in _runs(value.items()):
        if large is None:
            yield before + dumps(dict(run))[1:-1]
        else:
            yield before + dumps({large[0]: 0})[1:-2]
            yield _Large(large[1])
        before = b","
    yield b"}"


def _pieces_of_list(value: Sequence[Any]) -> Iterator[bytes | _Large]:
    before = b"["
    for start in range(0, len(value), ELEMENTS):
        elements = value[start : start + ELEMENTS]
        if _is_plain(elements):
            yield before + dumps(elements)[1:-1]
            before = b","
            continue
        for run, large in _runs(enumerate(elements)):
            if large is None:
                yield before + dumps([element for _, element in run])[1:-1]
            else:
                yield before
                yield _Large(large[1])
            before = b","
    yield b"]"


def _is_plain(elements: Sequence[Any]) -> bool:
    """Return whether all elements are scalars, and short together."""
    kinds = set(map(type, elements))
    if kinds <= SCALARS:
        return True
    return kinds == {str} and sum(map(len, elements)) <= PIECE_BYTES


_Member = tuple[Any, Any]  # key or index, and value


def _runs(members: Iterable[_Member]) -> Iterator[tuple[list[_Member], _Member | None]]:
    """Yield runs of members that are encoded at once, and large members."""
    run: list[_Member] = []
    size = 0
    for member in members:
        added = approximate_size(member)
        if run and size + added > PIECE_BYTES:
            yield run, None
            run, size = [], 0
        if added > PIECE_BYTES:
            yield [], member
        else:
            run.append(member)
            size += added
    if run:
        yield run, None
