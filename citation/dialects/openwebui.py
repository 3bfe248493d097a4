"""Open WebUI's: one `event` of type `source` a reference, in number order; annotations would double them."""

from ..references import References, title
from . import Dialect, Fields


def closing(references: References, choice: int) -> list[Fields]:
    """One chunk a reference; the n-th source is what `[n]` shows."""
    return [
        {
            "event": {
                "type": "source",
                "data": {
                    "source": {"id": reference.evidence.id, "name": title(reference.evidence)}
                    | ({"url": reference.evidence.url} if reference.evidence.url else {}),
                    "document": [reference.evidence.text],
                    "metadata": [
                        {
                            "source": references.links[reference.evidence.number],
                            "name": title(reference.evidence),
                            "page": reference.evidence.page_number,
                        }
                    ],
                },
            }
        }
        for reference in references.cited(choice)
    ]


DIALECT = Dialect(annotations=False, closing=closing)
