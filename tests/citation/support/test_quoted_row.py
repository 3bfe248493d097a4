"""A sentence about a table is quoted with the row that supports it."""

import pytest

from citestream.citation.cite import cite
from citestream.citation.evidence import Evidence
from citestream.citation.support.quoted_row import MAX_CHARACTERS, MAX_ROWS, quoted_row

TABLE = """Prices of 2026:

| Plan | Price per month | Seats |
|---|---|---|
| Starter | 19 € | 5 |
| Business | 49 € | 50 |

All prices are net | without tax."""

CASES = {
    "the passage is the header": ("The Business plan costs 49 € per month.", "| Plan", "| Business | 49 € | 50 |"),
    "the passage is another row": ("Business: 49 €.", "| Starter", "| Business | 49 € | 50 |"),
    "the passage is the row": ("The Starter plan has 5 seats.", "| Starter", "| Starter | 19 € | 5 |"),
    "no row has a term of the sentence": ("The moon is far away.", "| Plan", "| Plan"),
    "the passage is text": ("The prices are those of 2026.", "Prices of 2026:", "Prices of 2026:"),
    "the passage is text with a vertical bar": ("Prices are net.", "All prices are net |", "All prices are net |"),
}


@pytest.mark.parametrize("case", CASES)
def test_the_row_of_the_claim_is_quoted(case: str) -> None:
    claim, passage, quoted = CASES[case]
    start = TABLE.index(passage)
    found = quoted_row(claim, TABLE, start, start + len(passage))
    assert TABLE[slice(*found)] == quoted


def test_only_the_first_rows_of_a_long_table_are_compared() -> None:
    table = "| a | b |\n|---|---|\n" + "| x | y |\n" * (2 * MAX_ROWS)
    assert quoted_row("x y", table, 0, 5) == (20, 29)


@pytest.mark.parametrize("long_rows", [0, 1])
def test_only_a_table_within_the_maximum_length_is_searched(long_rows: int) -> None:
    table = "| a | b |\n|---|---|\n| x | y |\n" + f"| {'z ' * MAX_CHARACTERS}|\n" * long_rows + "| u | v |\n"
    start = table.index("| u")
    quoted = quoted_row("x y", table, start, start + 9)
    assert table[slice(*quoted)] == ("| u | v |" if long_rows else "| x | y |")


def test_a_reference_quotes_the_row() -> None:
    cited = cite("The Business plan costs 49 € per month.", [Evidence(1, TABLE, "e1")])
    assert cited.fields["references"][0]["spans"][0]["quote"] == "| Business | 49 € | 50 |"
