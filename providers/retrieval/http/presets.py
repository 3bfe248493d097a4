"""Presets: how well-known search services are asked and what they answer. Every part can be changed in a configuration.

In templates: `{query}`, `{top_k}`, `{vector}` (of the query), `{index}` (index, collection, class), `{properties}`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..entries import USUAL

Template = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Service:
    """One kind of service. `fields`: by field of evidence, where it stands in an entry."""

    path: str = ""  # behind the address
    body: Template = field(default_factory=dict)
    auth: tuple[str, str] = ("Authorization", "Bearer {key}")  # header and its value
    entries: str = ""  # where the list is
    fields: Mapping[str, str] = field(default_factory=dict)
    failed: str = ""  # what is there, and neither 0 nor empty, where the service failed in spite of its status 200
    message: str = ""  # where it says why


def _below(place: str, **others: str) -> dict[str, str]:
    """The usual names, each below a key of the entry."""
    below = {name: "|".join(f"{place}.{path}" for path in paths.split("|")) for name, paths in USUAL.items()}
    return below | others


_SEARCH = {
    "size": "{top_k}",
    "query": {
        "multi_match": {
            "query": "{query}",
            "fields": ["title^2", "text", "content", "body", "page_content"],
            "type": "most_fields",
            "lenient": True,
        }
    },
}

PRESETS: Mapping[str, Service] = {
    "": Service(fields={"id": "id", "score": "score|similarity|distance", **USUAL}),
    "ragflow": Service(
        path="/api/v1/retrieval",
        body={"question": "{query}", "page": 1, "page_size": "{top_k}", "similarity_threshold": 0.2},
        entries="data.chunks",
        fields={
            "text": "content",
            "id": "id",
            "document_id": "document_id",
            "file_name": "document_keyword|document_name|docnm_kwd",
            "url": "url",
            "page_number": "positions.0.0",
            "score": "similarity",
        },
        failed="code",
        message="message",
    ),
    "elasticsearch": Service(
        path="/{index}/_search",
        body=_SEARCH,
        auth=("Authorization", "ApiKey {key}"),
        entries="hits.hits",
        fields=_below("_source", id="_id", score="_score"),
    ),
    "opensearch": Service(
        path="/{index}/_search",
        body=_SEARCH,
        entries="hits.hits",
        fields=_below("_source", id="_id", score="_score"),
    ),
    "qdrant": Service(
        path="/collections/{index}/points/query",
        body={"query": "{vector}", "limit": "{top_k}", "with_payload": True},
        auth=("api-key", "{key}"),
        entries="result.points",
        fields=_below("payload", id="id", score="score"),
    ),
    "weaviate": Service(
        path="/v1/graphql",
        body={
            "query": "{ Get { {index}(hybrid: { query: {query_json} }, limit: {top_k}) "
            "{ {properties} _additional { id score } } } }"
        },
        entries="data.Get.{index}",
        fields={"text": "text", "id": "_additional.id", "score": "_additional.score"},
        failed="errors",
        message="errors.0.message",
    ),
    "azure": Service(
        path="/indexes/{index}/docs/search?api-version=2024-07-01",
        body={"search": "{query}", "top": "{top_k}"},
        auth=("api-key", "{key}"),
        entries="value",
        fields=USUAL | {"id": "chunk_id|id|key", "score": "@search.rerankerScore|@search.score"},
    ),
}
