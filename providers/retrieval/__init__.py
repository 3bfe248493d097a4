"""Retrievers: sources of evidence.

A kind of retriever is one file and one line in RETRIEVERS, imported at the first use.
"""

from importlib import import_module
from typing import Any, cast

from .retriever import Document, Retrieved, Retriever

__all__ = ["RETRIEVERS", "Document", "Retrieved", "Retriever", "retriever"]

# kind -> "module:Class"
RETRIEVERS = {
    "folder": "citestream.providers.retrieval.folder.folder_retriever:FolderRetriever",
    "http": "citestream.providers.retrieval.http:HttpRetriever",
    "postgres": "citestream.providers.retrieval.postgres:PostgresRetriever",
}


def retriever(kind: str, **settings: Any) -> Retriever:
    """Create a retriever of a kind from its settings. Raises ValueError with the known kinds for an unknown one."""
    if kind not in RETRIEVERS:
        raise ValueError(f"unknown retriever {kind!r}; there are: {', '.join(RETRIEVERS)}")
    module, _, name = RETRIEVERS[kind].partition(":")
    return cast("Retriever", getattr(import_module(module), name)(**settings))
