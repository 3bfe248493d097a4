"""Requests and answers of well-known search services. A configuration can override every part.

Names in templates: `{query}`, `{top_k}`, `{vector}` (of the query), `{index}` (index, collection, class),
`{properties}`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..entries import COMMON_PATHS

Template = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Service:
    """One kind of service. `fields`: the path of each field of evidence in a result."""

    path: str = ""  # appended to the address
    body: Template = field(default_factory=dict)
    auth: tuple[str, str] = ("Authorization", "Bearer {key}")  # header and its value
    entries: str = ""  # the path of the list of results
    fields: Mapping[str, str] = field(default_factory=dict)
    failed: str = ""  # the path of a value that is neither 0 nor empty if the service failed despite its status 200
    message: str = ""  # the path of the error message


def _nested_paths(key: str, **paths: str) -> dict[str, str]:
    """Return the common paths below a key of the result."""
    paths_below = {name: "|".join(f"{key}.{path}" for path in paths.split("|")) for name, paths in COMMON_PATHS.items()}
    return paths_below | paths


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
    "": Service(fields={"id": "id", "score": "score|similarity", **COMMON_PATHS}),
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
        fields=_nested_paths("_source", id="_id", score="_score"),
    ),
    "opensearch": Service(
        path="/{index}/_search",
        body=_SEARCH,
        entries="hits.hits",
        fields=_nested_paths("_source", id="_id", score="_score"),
    ),
    "qdrant": Service(
        path="/collections/{index}/points/query",
        body={"query": "{vector}", "limit": "{top_k}", "with_payload": True},
        auth=("api-key", "{key}"),
        entries="result.points",
        fields=_nested_paths("payload", id="id", score="score"),
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
        fields=COMMON_PATHS | {"id": "chunk_id|id|key", "score": "@search.rerankerScore|@search.score"},
    ),
}
