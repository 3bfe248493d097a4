"""Dialects: what a family of clients reads, added to what every client gets, never instead of it.

A dialect is one file with one `DIALECT` and one line in the table below.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from ..references import References

Fields = dict[str, Any]


def _nothing(*_: object) -> Fields:
    return {}


def _none(*_: object) -> list[Fields]:
    return []


@dataclass(frozen=True, slots=True)
class Dialect:
    """Each hook returns fields to add; the plain dialect adds none."""

    options: Mapping[str, Any] = field(default_factory=dict)  # what it sets where the request says nothing else
    annotations: bool = True  # whether the finish chunk carries `delta.annotations`
    opening: Callable[[References], Fields] = _nothing  # top level of the first chunk
    closing: Callable[[References, int], list[Fields]] = _none  # top level of chunks of their own before the finish
    body: Callable[[References], Fields] = _nothing  # top level of an answer in one piece, which has no `closing`
    finish: Callable[[References, int], Fields] = _nothing  # `delta` of the finish chunk


_TABLE = ("openai", "ragflow", "writer", "perplexity", "openwebui")


def dialect(name: str) -> Dialect:
    """The dialect of that name. Raises KeyError where there is none."""
    if name not in _TABLE:
        raise KeyError(name)
    found: Dialect = import_module(f".{name}", __name__).DIALECT
    return found
