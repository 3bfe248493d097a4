"""Open WebUI's: a source a reference, in number order, since the n-th source is what `[n]` shows.

Streams bring each as an `event` of type `source`, beside which annotations would double them. Of an answer in one piece
its page reads `sources`, and nothing else (0.12).
"""

from ..markers.render import given_url
from ..references import Reference, References, title
from . import Dialect, Fields


def closing(references: References, choice: int) -> list[Fields]:
    """One chunk a reference."""
    return [
        {"event": {"type": "source", "data": _source(references, reference)}} for reference in references.cited(choice)
    ]


def body(references: References) -> Fields:
    """All of them at once."""
    return {"sources": [_source(references, reference) for reference in references.cited()]}


def _source(references: References, reference: Reference) -> Fields:
    evidence = reference.evidence
    return {
        "source": {"id": evidence.id, "name": title(evidence)} | ({"url": url} if (url := given_url(evidence)) else {}),
        "document": [evidence.text],
        "metadata": [
            {"source": references.links[evidence.number], "name": title(evidence), "page": evidence.page_number}
        ],
    }


DIALECT = Dialect(annotations=False, closing=closing, body=body)
