"""Rows of Markdown tables."""

from time import thread_time

import pytest

from citestream.citation.text.tables import is_table_rule, table_cells

ROWS = {
    "| a | b |": ["a", "b"],
    "  |a|b|  ": ["a", "b"],
    "a | b": ["a", "b"],
    "||2019|2020|": ["", "2019", "2020"],
    "| | 2019 |": ["", "2019"],
    "| a ||": ["a", ""],
    r"| `x\|y` | b |": ["`x|y`", "b"],
    r"| a | b\|": ["a", "b|"],
    "a": ["a"],
    "|": [],
    "": [],
}


@pytest.mark.parametrize("row", ROWS)
def test_the_cells_of_a_row(row: str) -> None:
    assert table_cells(row) == ROWS[row]


def test_the_rule_below_a_header() -> None:
    assert all(map(is_table_rule, ["|---|---|", "--- | :-:", " | - | -: | "]))
    assert not any(map(is_table_rule, ["---", "| a | - |", "", "||", "|---|---|x"]))


@pytest.mark.parametrize("line", [" " * 10**6 + "x|", "|-|-" + " " * 10**6 + "x|", "|" + "-|" * 10**6 + "x"])
def test_a_long_line_takes_linear_time(line: str) -> None:
    began = thread_time()
    assert not is_table_rule(line)
    assert thread_time() - began < 10  # quadratic time would be two hours
