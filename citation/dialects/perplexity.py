"""Perplexity: `[n]` is a position in `citations` of the first chunk, so evidence keeps its number."""

from ..references import References
from . import Dialect, Fields


def opening(references: References) -> Fields:
    """Return all evidence that could be cited, in number order."""
    return {"citations": references.urls(), "search_results": references.search_results()}


DIALECT = Dialect(options={"numbering": "evidence"}, opening=opening)
