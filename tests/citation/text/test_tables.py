"""Rows of Markdown tables."""

from time import thread_time

import pytest

from citestream.citation.text.tables import MAX_ROWS, header_above, is_table_rule, table_cells, whole_table

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
def test_a_row_is_split_into_cells(row: str) -> None:
    assert table_cells(row) == ROWS[row]


def test_the_rule_below_a_header_is_recognised() -> None:
    assert all(map(is_table_rule, ["|---|---|", "--- | :-:", " | - | -: | "]))
    assert not any(map(is_table_rule, ["---", "| a | - |", "", "||", "|---|---|x"]))


TABLES = {
    "rows with pipes at their ends": (
        "| a | b |\n|---|---|\n| c | d |",
        "| c | d |",
        "| a | b |\n|---|---|\n| c | d |",
    ),
    "rows without pipes at their ends": (
        "Text.\n\na | b\n--- | ---\nc | d\n\nText.",
        "c | d\n\n",
        "a | b\n--- | ---\nc | d\n\n",
    ),
    "the header": ("a | b\n--- | ---\nc | d\nText.", "a | b\n", "a | b\n--- | ---\nc | d\n"),
    "text with pipes": ("a | b\nc | d\n", "c | d\n", "c | d\n"),
    "text": ("A.\n| a |\n", "A.\n", "A.\n"),
    "two tables": ("| a |\n|---|\n| b |\n\n| c |\n|---|\n", "| b |\n\n", "| a |\n|---|\n| b |\n\n"),
    "a range that begins before the table": ("A.\n| a |\n| b |\n| c |\n", "A.\n| a |\n", "A.\n| a |\n| b |\n| c |\n"),
}


@pytest.mark.parametrize("name", TABLES)
def test_a_range_is_extended_to_its_whole_table(name: str) -> None:
    text, part, expected = TABLES[name]
    start = text.index(part)
    assert text[slice(*whole_table(text, start, start + len(part)))] == expected


@pytest.mark.parametrize("above", ["", "Text.\n\n", "Prices:\n"])
@pytest.mark.parametrize("row", ["| c | d |\n", "c | d\n"])
def test_the_header_of_a_long_table_is_found(above: str, row: str) -> None:
    text = f"{above}a | b\n--- | ---\n{row * 3 * MAX_ROWS}"
    start, end = whole_table(text, len(text) - len(row), len(text))
    assert text[start:end] == row * (MAX_ROWS + 1)
    assert header_above(text, start) == "a | b"
    assert header_above(text, len(above)) == ""


@pytest.mark.parametrize("line", [" " * 10**6 + "x|", "|-|-" + " " * 10**6 + "x|", "|" + "-|" * 10**6 + "x"])
def test_a_long_line_takes_linear_time(line: str) -> None:
    began = thread_time()
    assert not is_table_rule(line)
    assert thread_time() - began < 10  # quadratic time would be two hours
