"""The row of a Markdown table that a sentence is about, as its quote: a header proves nothing."""

from ..text.queries.search_terms import search_terms
from ..text.tables import is_table_rule

MAX_ROWS = 200  # rows of a table that are compared with the sentence
MAX_CHARACTERS = 20_000  # total length of these rows: finding their terms takes 4 ms


def quoted_row(claim: str, text: str, start: int, end: int) -> tuple[int, int]:
    """Return the row with the most terms of the claim, if the passage `text[start:end]` begins in a table.

    Return the span of the passage if it does not, or if no row has a term of the claim.
    """
    if "|" not in text[start:end]:
        return start, end
    first = text.rfind("\n", 0, start) + 1
    rows = _rows_below(text, first)
    if not rows:
        return start, end
    terms = set(search_terms(claim))
    best = max(rows, key=lambda row: len(terms & set(search_terms(text[slice(*row)]))))
    return best if terms & set(search_terms(text[slice(*best)])) else (start, end)


def _rows_below(text: str, first: int) -> list[tuple[int, int]]:
    """Return the rows below the header of the table to which the line at `first` belongs, except its rule.

    Return no rows if that line is too far below the header.
    """
    lines: list[tuple[int, int]] = []
    begin = position = _table_start(text, first)
    while position < len(text) and len(lines) < MAX_ROWS:
        end = text.find("\n", position)
        end = len(text) if end < 0 else end
        if end - begin > MAX_CHARACTERS or "|" not in text[position:end]:
            break
        lines.append((position, end))
        position = end + 1
    rule = next((i for i, line in enumerate(lines[:2]) if is_table_rule(text[slice(*line)])), None)
    return [] if rule is None or position <= first else lines[rule + 1 :]


def _table_start(text: str, first: int) -> int:
    """Return the beginning of the first line of the table."""
    for _ in range(MAX_ROWS):
        before = text.rfind("\n", 0, max(0, first - 1)) + 1
        if first == 0 or "|" not in text[before : first - 1]:
            break
        first = before
    return first
