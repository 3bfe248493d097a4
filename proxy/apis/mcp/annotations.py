"""Citations as W3C Web Annotations, in the form that the draft SEP-3094 proposes for results of tools.

`citations` of the result has an annotation for each cited sentence and passage, and `citationRefs` of a content block
names those that belong to its text. https://www.w3.org/TR/annotation-model/
"""

from collections.abc import Mapping, Sequence
from typing import Any

from citestream.citation.evidence import Evidence
from citestream.citation.references import display_title, quote_selector
from citestream.citation.text.steps import Steps

Fields = dict[str, Any]


def annotations(references: Sequence[Mapping[str, Any]], evidence: Sequence[Evidence]) -> Steps[list[Fields]]:
    """Return the annotations of a cited text. Their positions count its code points."""
    by_number = {item.number: item for item in evidence}
    annotated: list[Fields] = []
    for reference in references:
        item = by_number[reference["evidence_number"]]
        for index, span in enumerate(reference["spans"], 1):
            annotated.append(_annotation(f"c{reference['number']}-{index}", item, span))
            yield None
    return annotated


def source_of(item: Evidence) -> str:
    """Return the address of evidence; a URN if it has none."""
    return item.url or f"urn:citestream:evidence:{item.id}"


def _annotation(name: str, item: Evidence, span: Mapping[str, Any]) -> Fields:
    selector = quote_selector(item.text, span["quote_start"], span["quote_end"])
    return {
        "id": name,
        "type": "Annotation",
        "motivation": "linking",
        "body": {"type": "TextPositionSelector", "start": span["start"], "end": span["end"]},
        "target": {
            "source": source_of(item),
            "selector": {"type": "TextQuoteSelector", **selector},
            "schema:citation": {"url": source_of(item), "name": display_title(item)},
        },
    }
