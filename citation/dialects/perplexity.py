"""Perplexity's: `[n]` points into `citations`, read on the first chunk only; so evidence keeps its number."""

from ..references import References
from . import Dialect, Fields


def opening(references: References) -> Fields:
    """Everything that could be cited, in number order."""
    return {"citations": references.urls(), "search_results": references.search_results()}


DIALECT = Dialect(options={"numbering": "evidence"}, opening=opening)
