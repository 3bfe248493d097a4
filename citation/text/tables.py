"""Markdown tables: the cells of a row, the rule below the header, and the rows around a row."""

import re
from collections.abc import Callable, Iterator
from itertools import pairwise

from .steps import Steps, completed

MAX_ROWS = 30  # rows before and after a row that are looked at: parsing 60 rows takes 3 ms
MAX_ROW_CHARACTERS = 2_000  # characters; a longer line is no row
_LINES_ABOVE = 6  # from a blank line to the rule of a table: some lines of text may be above its header

MAX_CSV_ROW_CHARACTERS = 20_000  # characters; a longer line is no row of CSV
_LEAST_LINES = 2  # a header and a row
_STEP_CHARACTERS = 5_000  # characters of CSV that are read in a step: 1 ms
_LINE_COST_CHARACTERS = 10  # characters that could be read in the time for a line
_DELIMITERS = {mark: re.compile(rf'"[^"\n]*"|{mark}') for mark in ("\t", ";", ",")}
_CELL_BREAK = re.compile(r"(?<!\\)\|")
# Each run of white space can be matched in one way only; otherwise 80,000 spaces would take 40 s.
_RULE = re.compile(r"\s*(?:\|\s*)?:?-+:?\s*(?:\|\s*:?-+:?\s*)+(?:\|\s*)?")
_ENDS_WITH_BLANK_LINE = re.compile(r"\n[ \t]*\n\s*\Z")


def table_cells(row: str) -> list[str]:
    r"""Return the cells of a row. The pipes at both ends are optional, and `\|` is a character of a cell."""
    cells = [cell.strip().replace("\\|", "|") for cell in _CELL_BREAK.split(row.strip())]
    if not cells[0]:
        del cells[0]
    if cells and not cells[-1]:
        del cells[-1]
    return cells


def with_bars_in_steps(text: str) -> Steps[str]:
    """Return lines of CSV or TSV with a bar in place of each delimiter; any other text as it is. All offsets stay.

    "K7,$480,9 kg" is three cells, and not the number 480.9. All lines must have the same number of cells, at least two,
    and no delimiter may have a space after it, as it has in a sentence.
    """
    first = next(_lines(text), "")
    if len(first) > MAX_CSV_ROW_CHARACTERS:
        return text
    for delimiter, pattern in _DELIMITERS.items():
        if delimiter in first and (yield from _is_csv(text, pattern, _delimiters(first, pattern))):
            return (yield from _replaced(text, pattern))
    return text


with_bars = completed(with_bars_in_steps)


def _lines(text: str) -> Iterator[str]:
    """Yield the lines that are not blank."""
    start = 0
    while start <= len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        line = text[start:end]
        if line.strip():
            yield line
        start = end + 1


def _is_csv(text: str, pattern: re.Pattern[str], delimiters: int) -> Steps[bool]:
    """Return whether all lines have so many delimiters."""
    count = characters = 0
    for line in _lines(text) if delimiters else ():
        if len(line) > MAX_CSV_ROW_CHARACTERS or _delimiters(line, pattern) != delimiters:
            return False
        count += 1
        characters += len(line) + _LINE_COST_CHARACTERS
        if characters > _STEP_CHARACTERS:
            characters = 0
            yield None
    return count >= _LEAST_LINES


def _replaced(text: str, pattern: re.Pattern[str]) -> Steps[str]:
    """Return the text with a bar in place of each delimiter. No line is divided between two steps."""
    parts: list[str] = []
    start = 0
    while start < len(text):
        end = text.find("\n", start + _STEP_CHARACTERS) + 1 or len(text)
        parts.append(pattern.sub(lambda match: match[0] if match[0].startswith('"') else "|", text[start:end]))
        start = end
        yield None
    return "".join(parts)


def _delimiters(line: str, pattern: re.Pattern[str]) -> int:
    """Return the number of delimiters of a line outside of quotation marks; 0 if it may be a sentence."""
    delimiters = [match for match in pattern.finditer(line) if not match[0].startswith('"')]
    return 0 if any(line[match.end() : match.end() + 1] == " " for match in delimiters) else len(delimiters)


def is_table_rule(line: str) -> bool:
    """Return whether a line separates the header of a table of at least two columns from its rows."""
    return _RULE.fullmatch(line) is not None


def whole_table(text: str, start: int, end: int, *, needs_header: bool = True) -> tuple[int, int]:
    """Return the range of whole lines `text[start:end]`, extended by the adjacent rows of its table.

    The rows of a table begin with a pipe, or there is a rule below its header, unless `needs_header` is False. Return
    the range itself without a table.
    """
    pipe = text.find("|", start, end)
    if pipe < 0:
        return start, end
    if not text[max(start, text.rfind("\n", start, pipe) + 1) : pipe].strip():
        return _with_rows(text, start, end, lambda line: line.lstrip().startswith("|"))
    table = _with_rows(text, start, end, lambda line: "|" in line)
    has_header = (
        not needs_header or any(map(is_table_rule, text[slice(*table)].splitlines())) or header_above(text, table[0])
    )
    return table if has_header else (start, end)


def header_above(text: str, start: int) -> str:
    """Return the header of the table of which `start` begins a row. "" if the line before is no row of a table.

    The rows of a long table are read without its header.
    """
    if "|" not in text[text.rfind("\n", max(0, start - MAX_ROW_CHARACTERS), max(0, start - 1)) + 1 : start]:
        return ""
    begin = text.rfind("\n\n", 0, start) + 1
    lines = text[begin : min(start, begin + _LINES_ABOVE * MAX_ROW_CHARACTERS)].split("\n", _LINES_ABOVE)[:_LINES_ABOVE]
    return next((above for above, line in pairwise(lines) if is_table_rule(line)), "")


def _with_rows(text: str, start: int, end: int, is_row: Callable[[str], bool]) -> tuple[int, int]:
    """Return the range extended by the adjacent rows before and after it. A blank line ends a table."""
    for _ in range(MAX_ROWS):
        before = text.rfind("\n", max(0, start - MAX_ROW_CHARACTERS), max(0, start - 1)) + 1
        if before >= start or start - before > MAX_ROW_CHARACTERS or not is_row(text[before:start]):
            break
        start = before
    if _ENDS_WITH_BLANK_LINE.search(text, max(start, end - MAX_ROW_CHARACTERS), end):
        return start, end
    for _ in range(MAX_ROWS):
        after = text.find("\n", end + 1)
        after = len(text) if after < 0 else after + 1
        if after <= end or after - end > MAX_ROW_CHARACTERS or not is_row(text[end:after]):
            break
        end = after
    return start, end
