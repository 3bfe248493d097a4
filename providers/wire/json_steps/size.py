"""Estimate how long the JSON of a value is, without encoding it."""

from collections.abc import Iterable
from typing import Any

from .limits import PIECE_BYTES

SCALARS = frozenset({int, float, bool, type(None)})
_CONTAINERS = (dict, list, tuple)  # a tuple, because `dict | list | tuple` is built at each call
_CONTAINER_BYTES, _SCALAR_BYTES = 16, 8  # bytes of a text whose encoding takes as long


def is_large(value: Any, limit: int) -> bool:
    """Return whether the JSON of a value has more than about `limit` bytes."""
    return approximate_size(value, limit) > limit


def approximate_size(value: Any, limit: int = 0) -> int:
    """Return about how many bytes the JSON of a value has; above `limit` (0: PIECE_BYTES), it may be too low.

    The end of an ordinary answer has a thousand values, most of them strings and numbers in flat objects.
    """
    size, limit = 0, limit or PIECE_BYTES
    unread: list[Iterable[Any]] = [(value,)]
    while unread and size <= limit:
        for element in unread.pop():
            if type(element) is str:
                size += len(element)
            elif type(element) in SCALARS:
                size += _SCALAR_BYTES
            elif isinstance(element, _CONTAINERS):
                size += len(element) + _CONTAINER_BYTES
                if size > limit:
                    break
                unread.append(element)
                if isinstance(element, dict):
                    unread.append(element.values())
            else:
                size += len(element) if isinstance(element, str) else _SCALAR_BYTES
    return size
