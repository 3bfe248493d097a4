"""Retriever: a source of evidence, such as a folder on this machine or a search engine."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .readers.source_file import SourceFile

Entry = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Retrieved:
    """The result of a search. `entries` are entries of a request's `evidence`, best first, each with a `score`."""

    entries: list[Entry]
    matched: int  # before top_k was applied
    notes: Mapping[str, Any] = field(default_factory=dict)  # further fields of a report, such as a degraded search
    min_score: float = 0.0  # the minimum score of useful entries, unless the configuration names another


@dataclass(frozen=True, slots=True)
class Document:
    """Excerpts of a document in order. `total`: number of all. `has_file`: whether its original file can be opened."""

    entries: list[Entry]
    total: int = 0
    has_file: bool = False


class Retriever(ABC):
    """A source of evidence. By default it is always reachable and holds nothing open."""

    @abstractmethod
    async def retrieve(self, query: str, top_k: int) -> Retrieved:
        """Return the evidence closest to `query`. Raises ProviderError. May be cancelled at any time."""

    async def document(self, document_id: str, first: int = 0, limit: int | None = None) -> Document:
        """Return excerpts of a document, none if it does not exist. Raises ProviderError.

        `first`, `limit`: the position of the first excerpt and the number of excerpts, None for all.
        """
        del document_id, first, limit  # by default a retriever only searches
        return Document([])

    async def file(self, document_id: str) -> SourceFile | None:
        """Open the original file of a document; None if there is none. Raises ProviderError, UnreadableFileError."""
        del document_id
        return None

    async def reach(self) -> None:  # noqa: B027 - optional
        """Check that it can be used now. Raises ProviderError if not. May be cancelled at any time."""

    async def aclose(self) -> None:  # noqa: B027 - optional
        """Close connections and files."""
