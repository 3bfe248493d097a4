"""Parse sentences and cache them: all claims of an answer are compared with the same sentences of the evidence."""

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate, zip_longest

from ...text import Analysis, analyze_text
from ...text.clauses import Statement, parse
from ...text.numbers.clock_times import with_times
from ...text.numbers.quantities import Quantity
from ...text.tables import header_above, table_cells, whole_table

_MOST = 2048  # cached sentences, 4 KB each
_MAX_SENTENCE_CHARACTERS = 2000  # parsed characters of a sentence; longer ones are tables without line breaks

_MOST_ITEMS = 60  # lines above an item of a list in which the line that introduces the list is searched

_MOST_TABLE_CHARACTERS = 4_000  # three excerpts of a folder; each row is parsed, in 0.1 ms
_TABLE = re.compile(r"^\|.*(?:\n\|.*)+", re.MULTILINE)
_ITEM = re.compile(r"^(?:[-*+•–]|\d{1,2}[.)])\s+")
_NO_STATEMENT = re.compile("[|?？؟吗嗎呢]")  # in rows of tables and in questions

# A sentence or the cells of a row, and the language
_cache: dict[tuple[str | tuple[tuple[str, str], ...], str], Statement] = {}


def statement(text: str, start: int, end: int, language: str, quantities: Sequence[Quantity]) -> Statement:
    """Parse `text[start:end]` without the white space at its end. `quantities`: the numbers of the whole text.

    An answer often repeats a sentence of the evidence, which is then parsed once.
    """
    sentence = text[start : min(end, start + _MAX_SENTENCE_CHARACTERS)].rstrip()
    parsed = _cache.get((sentence, language))
    if parsed is not None:
        return parsed
    end = start + len(sentence)
    numbers = [q._replace(start=q.start - start, end=q.end - start) for q in quantities if start <= q.start < end]
    return _store(sentence, language, parse(sentence, language, with_times(sentence, numbers)))


def _parse(sentence: str, language: str) -> Statement:
    """Parse a sentence that is composed of parts of the text, whose numbers are not known."""
    return parse(sentence, language, with_times(sentence, analyze_text(sentence, language).quantities))


def _store(key: str | tuple[tuple[str, str], ...], language: str, parsed: Statement) -> Statement:
    if len(_cache) >= _MOST:
        _cache.clear()
    _cache[key, language] = parsed
    return parsed


def repeats(text: str, spans: Sequence[Sequence[int]], claim: str) -> bool:
    """Return whether one of the sentences is the claim word for word, so that there is nothing to compare."""
    claim = claim.rstrip()
    same = any(text[start:end].rstrip() == claim for start, end in spans)
    return same and not _NO_STATEMENT.search(claim) and not _ITEM.match(claim)


def passage_statements(
    text: str, spans: Sequence[Sequence[int]], language: str, analysis: Analysis
) -> Iterator[Statement]:
    """Yield the sentences of a passage, each parsed when it is needed.

    Table rows include the column headers, and list items the line that introduces the list.
    """
    tables: list[tuple[int, int]] = []
    for start, end in spans:
        line = text[start:end].strip()
        top, bottom = whole_table(text, start, end)
        if line.startswith("|") or (top, bottom) != (start, end):
            if not any(begin <= start < after for begin, after in tables):
                tables.append((top, bottom))
                yield from _rows(f"{header_above(text, top)}\n{text[top:bottom]}", language)
        elif _ITEM.match(line):
            item = _ITEM.sub("", line)
            lead = _lead_in(text, start)
            yield _composed(f"{lead} {item}" if lead else item, language)
        else:
            yield statement(text, start, end, language, analysis.quantities_in(start, end))


def table_rows(text: str, language: str) -> Iterator[Statement]:
    """Yield the rows of all tables of a text whose lines begin with a pipe, as far as they are near its start."""
    for table in _TABLE.finditer(text[:_MOST_TABLE_CHARACTERS]):
        yield from _rows(table[0], language)


def _composed(sentence: str, language: str) -> Statement:
    """Return a parsed sentence that is composed of parts of the text."""
    sentence = sentence[:_MAX_SENTENCE_CHARACTERS]
    return _cache.get((sentence, language)) or _store(sentence, language, _parse(sentence, language))


def _lead_in(text: str, start: int) -> str:
    """Return the line that introduces the list whose item begins at `start`, "" if there is none."""
    for line in reversed(text[max(0, start - _MAX_SENTENCE_CHARACTERS) : start].splitlines()[-_MOST_ITEMS:]):
        plain = line.strip()
        if plain and not _ITEM.match(plain):
            return plain[:-1] if plain.endswith((":", "：")) else ""
    return ""


def _rows(table: str, language: str) -> list[Statement]:
    """Return a statement for each row of a Markdown table, with the column header before every cell."""
    cells = [table_cells(line) for line in table.splitlines() if line.strip()]
    if not cells:
        return []
    header, statements = cells[0], []
    for row in cells[1:]:
        if all(not cell.strip(" :-") for cell in row):
            continue
        named = [(name, f"{name} {cell}") for name, cell in zip_longest(header, row, fillvalue="") if cell]
        statements.append(_row(tuple(named), language))
    return statements


def _row(named: tuple[tuple[str, str], ...], language: str) -> Statement:
    """Return a statement that consists of the cells of a row: pairs of the column's header and the text of the cell.

    It has an entry of its own in the cache, since a sentence with the same words has clauses instead of cells.
    """
    cached = _cache.get((named, language))
    if cached is not None:
        return cached
    sentence = "; ".join(cell for _, cell in named)[:_MAX_SENTENCE_CHARACTERS]
    parsed = _parse(sentence, language)
    for token in parsed.tokens:
        token.piece = token.clause = 0
    ends = list(accumulate(len(cell) + 2 for _, cell in named))
    parsed.cells = [(name, (end - len(cell) - 2, end - 2)) for (name, cell), end in zip(named, ends, strict=True)]
    return _store(named, language, parsed)
