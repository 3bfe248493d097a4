"""Open WebUI (0.12): one source per reference, in number order, because `[n]` shows the n-th source.

A stream sends each source as an `event` of type `source`; annotations would duplicate them. The event precedes
the first sentence that cites the source, so that an answer that the user stops keeps its sources. In a complete answer,
the page reads only `sources`.
"""

from ..markers.render import given_url
from ..references import Reference, References, display_title
from . import Dialect, Fields


def first_use(references: References, reference: Reference) -> Fields:
    """Return the fields of the chunk for a reference."""
    return {"event": {"type": "source", "data": _source(references, reference)}}


def body(references: References) -> Fields:
    """Return all sources."""
    return {"sources": [_source(references, reference) for reference in references.cited()]}


def _source(references: References, reference: Reference) -> Fields:
    evidence = reference.evidence
    return {
        "source": {"id": evidence.id, "name": display_title(evidence)}
        | ({"url": url} if (url := given_url(evidence)) else {}),
        "document": [evidence.text],
        "metadata": [
            {"source": references.links[evidence.number], "name": display_title(evidence), "page": evidence.page_number}
        ],
    }


DIALECT = Dialect(annotations=False, first_use=first_use, body=body)
