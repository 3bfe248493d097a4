"""Tables: a cell belongs to the header of its column and to the first cell of its row."""

import re
from collections.abc import Iterator, Sequence

from ....text import Quantity
from ....text.clauses import ContentToken, Statement
from ....text.numbers.quantities import agrees
from ..alignment import Alignment
from ..disagreement import Disagreement, Reason

_DESCRIPTION = re.compile(r"\s[–—-]\s|[:(]")  # "B – Mill Lane to Church Road"


def wrong_table_cell(claim: Statement, passages: Sequence[Statement]) -> Iterator[Disagreement]:
    """Yield a disagreement if a number of the claim is in another cell of a table, or a word in another row."""
    rows = [passage for passage in passages if passage.cells]
    named = [row for row in rows if _names(row, claim)]
    if len(named) != 1:
        return
    for token in claim.tokens:
        if token.quantity is None or not token.quantity.strict or _in_name(named[0], token):
            continue
        here = _columns(named[0], token.quantity)
        wanted = _wanted(named[0], claim)
        others = [row for row in rows if _columns(row, token.quantity)] if not here else []
        if near := [row for row in others if _named_in_part(row, claim)]:
            here = set().union(*(_columns(row, token.quantity) for row in near))
        elif others:
            detail = f"the table does not have {claim.text_of(token)} in the row “{_first(named[0])}”"
            yield Disagreement(Reason.BINDING, detail, rule="row")
            return
        if here and wanted and not wanted & here:
            header = named[0].cells[min(wanted)][0]
            detail = f"the table has {claim.text_of(token)} in another column than “{header}”"
            yield Disagreement(Reason.BINDING, detail, rule="column")
            return
    alignment = Alignment(claim, named[0])
    others = [passage for passage in passages if not passage.cells]
    for token, match in alignment.tokens:
        if match is not None or token.quantity is not None or any(token.stem in other.stems for other in others):
            continue
        if any(_columns_with(row, token.stem) for row in rows):
            detail = f"the table does not have “{claim.text_of(token)}” in the row “{_first(named[0])}”"
            yield Disagreement(Reason.BINDING, detail, rule="row")
            return


def _columns_with(row: Statement, stem: str) -> list[int]:
    """Return the columns, except the first, whose cell has a word."""
    return [column for column in range(1, len(row.cells)) if stem in _cell_words(row, column)]


def _names(row: Statement, claim: Statement) -> bool:
    """Return whether the claim contains every word of the row's first cell, or of its part before a description."""
    header, (start, end) = row.cells[0]
    described = _DESCRIPTION.search(row.text, start + len(header) + 1, end)
    until = described.start() if described else end
    words = [t.stem for t in row.tokens if start + len(header) <= t.start < until]
    return bool(words) and all(word in claim.stems for word in words)


def _named_in_part(row: Statement, claim: Statement) -> bool:
    """Return whether the claim contains half of the words of the row's first cell, so that it may be about two rows."""
    words = _cell_words(row, 0)
    return 2 * sum(word in claim.stems for word in words) >= len(words)


def _cell_words(row: Statement, column: int) -> list[str]:
    """Return the stems of a cell without its header."""
    header = len(row.cells[column][0])
    start, end = row.cells[column][1]
    return [t.stem for t in row.tokens if start + header <= t.start < end]


def _columns(row: Statement, quantity: Quantity) -> set[int]:
    """Return the columns, except the first, whose cell agrees with a number."""
    return {
        column
        for column, (_, (start, end)) in enumerate(row.cells)
        if column
        and any(start <= t.start < end and t.quantity is not None and _same(quantity, t.quantity) for t in row.tokens)
    }


def _same(one: Quantity, other: Quantity) -> bool:
    return agrees(one, other) or agrees(one._replace(unit=other.unit, factor=other.factor), other)


def _wanted(row: Statement, claim: Statement) -> set[int]:
    """Return the columns whose header the claim mentions."""
    found = set()
    for column, (header, (start, _)) in enumerate(row.cells):
        words = [t.stem for t in row.tokens if start <= t.start < start + len(header)]
        if column and words and any(word in claim.stems for word in words):
            found.add(column)
    return found


def _in_name(row: Statement, token: ContentToken) -> bool:
    return token.stem in _cell_words(row, 0)


def _first(row: Statement) -> str:
    header, (start, end) = row.cells[0]
    return row.text[start + len(header) : end].strip()
