"""Dialects: fields for families of clients, in addition to the fields for all clients.

A dialect is one file that defines `DIALECT`, and one entry in `_NAMES`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from ..references import Reference, References

Fields = dict[str, Any]


def _nothing(*_: object) -> Fields:
    return {}


@dataclass(frozen=True, slots=True)
class Dialect:
    """Each function returns fields to add; the defaults add none."""

    options: Mapping[str, Any] = field(default_factory=dict)  # default options of the dialect
    annotations: bool = True  # whether the finish chunk has `delta.annotations`
    opening: Callable[[References], Fields] = _nothing  # top level of the first chunk
    first_use: Callable[[References, Reference], Fields] = _nothing  # top level of a chunk before its first sentence
    body: Callable[[References], Fields] = _nothing  # top level of a complete answer
    finish: Callable[[References, int], Fields] = _nothing  # `delta` of the finish chunk


_NAMES = ("openai", "ragflow", "writer", "perplexity", "openwebui")


def dialect(name: str) -> Dialect:
    """Return the dialect `name`. Raise KeyError if there is none."""
    if name not in _NAMES:
        raise KeyError(name)
    loaded: Dialect = import_module(f".{name}", __name__).DIALECT
    return loaded
