"""Retriever: where evidence comes from, one protocol for a folder on this disk and for a cluster's search engine."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

Entry = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Retrieved:
    """What a search found. `entries` are entries of a request's `evidence`, best first, each with a `score`."""

    entries: list[Entry]
    found: int  # before top_k cut the rest off
    notes: Mapping[str, Any] = field(default_factory=dict)  # what else a report should say, such as half of it missing


class Retriever(Protocol):
    """What the proxy asks of a place where evidence is kept."""

    async def retrieve(self, query: str, top_k: int) -> Retrieved:
        """The evidence closest to `query`. Raises ProviderError; may be cancelled at any time."""
        ...

    async def aclose(self) -> None:
        """Let go of connections and files."""
        ...
