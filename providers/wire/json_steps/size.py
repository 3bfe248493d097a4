"""Estimate how long the JSON of a value is, without encoding it."""

from collections.abc import Iterable
from typing import Any

from .limits import PIECE_BYTES

SCALARS = frozenset({int, float, bool, type(None)})
_CONTAINERS = (dict, list, tuple)  # a tuple, because `dict | list | tuple` is built at each call
_CONTAINER_SIZE, _SCALAR_SIZE = 16, 8  # bytes of a text whose encoding takes as long


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
        for one in unread.pop():
            if type(one) is str:
                size += len(one)
            elif type(one) in SCALARS:
                size += _SCALAR_SIZE
            elif isinstance(one, _CONTAINERS):
                size += len(one) + _CONTAINER_SIZE
                if size > limit:
                    break
                unread.append(one)
                if isinstance(one, dict):
                    unread.append(one.values())
            else:
                size += len(one) if isinstance(one, str) else _SCALAR_SIZE
    return size
