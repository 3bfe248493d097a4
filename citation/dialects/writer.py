"""Writer: `[source_name](identifier)` in the text, and files and web pages in `graph_data.references`.

The identifier of a file is its `cite`, that of a page its `url`.
"""

from typing import Any

from ..markers.render import identifier, link_url
from ..references import Reference, References, display_title
from . import Dialect, Fields


def finish(references: References, choice: int) -> Fields:
    """Return `delta.graph_data.references`: the cited passages, as files and web pages."""
    files: list[dict[str, Any]] = []
    web: list[dict[str, Any]] = []
    for reference in references.cited(choice):
        if url := link_url(reference.evidence):
            web.append(_web(reference, url))
        else:
            files.append(_file(reference))
    return {"graph_data": {"status": "finished", "sources": [], "references": {"files": files, "web": web}}}


def _file(reference: Reference) -> dict[str, Any]:
    evidence = reference.evidence
    return {
        "text": _passage(reference),
        "fileId": evidence.document_id or evidence.id,
        "score": reference.support,
        "page": evidence.page_number,
        "cite": identifier(evidence),
    }


def _web(reference: Reference, url: str) -> dict[str, Any]:
    evidence = reference.evidence
    return {
        "text": _passage(reference),
        "url": url,
        "title": display_title(evidence),
        "score": reference.support,
    }


def _passage(reference: Reference) -> str:
    start, end = reference.snippet
    return reference.evidence.text[start:end]


DIALECT = Dialect(options={"marker": "name"}, finish=finish)
