"""A passage in a part of a table has the number of its row in the file."""

from typing import Any

import pytest

from citestream.citation.evidence import Evidence
from citestream.citation.evidence.table_rows import row_number

TABLE = "| Port | Metres |\n| --- | --- |\n| Husum | 3.5 |\n| List | 1.2 |"
ROWS: dict[str, tuple[str, dict[str, Any], str, int | None]] = {
    "the first row": (TABLE, {"row": 7, "last_row": 8}, "| Husum", 7),
    "a later row": (TABLE, {"row": 7, "last_row": 8}, "| List", 8),
    "a cell": (TABLE, {"row": 7, "last_row": 8}, "1.2", 8),
    "the header": (TABLE, {"row": 7, "last_row": 8}, "| Port", None),
    "rows with blank ones between them": (TABLE, {"row": 7, "last_row": 9}, "| List", None),
    "a line of one column": ("Port: Husum\nPort: List", {"row": 2, "last_row": 3}, "Port: List", 3),
    "a row with paragraphs": ("id: 2\n\ntitle: Tides", {"row": 5, "last_row": 5}, "title", 5),
    "a table without numbers": (TABLE, {}, "| List", None),
    "numbers of other programs": (TABLE, {"row": "7", "last_row": "8"}, "| List", None),
}


@pytest.mark.parametrize(("text", "metadata", "passage", "row"), ROWS.values(), ids=ROWS)
def test_a_row_has_its_number(text: str, metadata: dict[str, Any], passage: str, row: int | None) -> None:
    evidence = Evidence(1, text, "e1", metadata=metadata)
    assert row_number(evidence, text.index(passage)) == row
