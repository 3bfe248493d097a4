"""Page numbers in the metadata of other programs: some count from 0."""

from collections.abc import Mapping
from typing import Any

# Fields of documents and tables of LangChain. Its loaders of PDF files count `page` from 0, and add `total_pages`.
LANGCHAIN_FIELDS = frozenset({"page_content", "cmetadata", "langchain_metadata", "total_pages"})


def page_number(page: int, fields: Mapping[str, Any]) -> int:
    """Return the number, from 1, of the page that a document calls `page`.

    `fields`: those of the document and of its metadata. `page_label` is the number that is printed on the page: if it
    is equal to `page`, both count from 1.
    """
    counts_from_zero = not LANGCHAIN_FIELDS.isdisjoint(fields) and str(fields.get("page_label")) != str(page)
    return page + 1 if counts_from_zero and page >= 0 else page
