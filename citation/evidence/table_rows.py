"""The number of a row in its file, for evidence that is a part of a table."""

from ..text.tables import is_table_rule
from .evidence import Evidence


def row_number(evidence: Evidence, start: int) -> int | None:
    """Return the number of the row in which a passage starts, None if it is not a row of a file.

    Readers write the numbers of the first and last row of an excerpt into its metadata. If rows between them are blank,
    only the row of an excerpt with a single row is certain.
    """
    first, last = evidence.metadata.get("row"), evidence.metadata.get("last_row")
    if not isinstance(first, int) or not isinstance(last, int):
        return None
    lines = [line for line in evidence.text.split("\n") if line.strip()]
    header = 2 if len(lines) > 1 and is_table_rule(lines[1]) else 0
    above = sum(1 for line in evidence.text[:start].split("\n")[:-1] if line.strip())
    if first == last:
        return first
    return first + above - header if len(lines) - header == last - first + 1 and above >= header else None
