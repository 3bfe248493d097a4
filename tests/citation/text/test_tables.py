"""Rows of Markdown tables."""

from time import thread_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citestream.citation.text.tables import (
    MAX_ROWS,
    header_above,
    is_table_rule,
    table_cells,
    whole_table,
    with_bars,
    with_bars_in_steps,
)

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


DELIMITED = {
    "commas": ("pump,price\nK4,$310\nK7,$480", "pump|price\nK4|$310\nK7|$480"),
    "tabs": ("pump\tprice\nK4\t1,5\n", "pump|price\nK4|1,5\n"),
    "semicolons with decimal commas": ("Pumpe;Preis\nK4;1,5\nK7;2,5", "Pumpe|Preis\nK4|1,5\nK7|2,5"),
    "a quoted delimiter": ('name,city\n"Smith, John",Oslo', 'name|city\n"Smith, John"|Oslo'),
    "an empty cell and a blank line": ("a,b\n,2\n\n", "a|b\n|2\n\n"),
}
OTHER_TEXT = {
    "sentences with commas": "First, it rained.\nThen, it snowed.",
    "lines with different numbers of commas": "a,b\nc,d,e",
    "one line": "K4,$310",
    "no delimiter": "a\nb",
    "a number with separators": "1,000\n2,000 and more, or less",
    "a Markdown table": "| a | b |\n|---|---|\n| 1 | 2 |",
}


@pytest.mark.parametrize(("text", "expected"), DELIMITED.values(), ids=DELIMITED)
def test_cells_of_delimited_lines_are_separated_by_bars(text: str, expected: str) -> None:
    assert with_bars(text) == expected


@pytest.mark.parametrize("text", OTHER_TEXT.values(), ids=OTHER_TEXT)
def test_other_text_has_no_bars(text: str) -> None:
    assert with_bars(text) is text


@given(st.text('a1,;\t"\n |', max_size=40))
def test_bars_keep_all_offsets(text: str) -> None:
    found = with_bars(text)
    assert len(found) == len(text)
    assert all(new == old or (new == "|" and old in ",;\t") for new, old in zip(found, text, strict=True))


@pytest.mark.parametrize("text", ["a,b\n" * 50_000, "a\tb;c,d\n" * 20_000 + "x", '"a;b";c\n' * 20_000])
def test_a_long_text_is_read_in_many_steps(text: str) -> None:
    assert len(list(with_bars_in_steps(text))) > len(text) // 10_000


def test_a_very_long_line_is_no_row() -> None:
    text = "a," * 20_000 + "a\nb,c"
    assert list(with_bars_in_steps(text)) == []
    assert with_bars(text) is text
    assert with_bars(f"b,c\n{text}") == f"b,c\n{text}"
