"""RAGFlow: `[ID:i]` is a 0-based position in `reference.chunks`; `doc_aggs` counts the chunks by document."""

from typing import Any

from ..evidence import Evidence
from ..markers.render import given_url
from ..references import References, display_title
from . import Dialect, Fields


def finish(references: References, _choice: int) -> Fields:
    """Return `delta.reference`: the passages in the order of `[ID:i]`, and their documents."""
    listed = references.ordered_evidence()
    return {"reference": {"chunks": [_chunk(evidence) for evidence in listed], "doc_aggs": _documents(listed)}}


def _chunk(evidence: Evidence) -> dict[str, Any]:
    return {
        "id": evidence.id,
        "content": evidence.text,
        "document_id": evidence.document_id,
        "document_name": display_title(evidence),
        "dataset_id": evidence.metadata.get("dataset_id"),
        "image_id": evidence.metadata.get("image_id"),
        "positions": evidence.metadata.get("positions", []),
        "url": given_url(evidence),
        "similarity": evidence.score,
        "vector_similarity": evidence.metadata.get("vector_similarity"),
        "term_similarity": evidence.metadata.get("term_similarity"),
        "doc_type": evidence.chunk_type,
    }


def _documents(listed: list[Evidence]) -> list[dict[str, Any]]:
    documents: dict[str, dict[str, Any]] = {}
    for evidence in listed:
        name = display_title(evidence)
        entry = documents.setdefault(
            evidence.document_id or name, {"doc_name": name, "doc_id": evidence.document_id, "count": 0}
        )
        entry["count"] += 1
    return list(documents.values())


DIALECT = Dialect(options={"marker": "ragflow"}, finish=finish)
