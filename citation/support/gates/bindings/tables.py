"""Tables: a cell belongs to the header of its column and to the cell that names its row."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain

from ....text import Quantity
from ....text.clauses import ContentToken, Statement
from ....text.normalize import fold
from ....text.numbers.quantities import agrees
from ....text.words.polarity import is_affirmation, is_denial
from ..alignment import Alignment
from ..disagreement import Disagreement, Reason

_DESCRIPTION = re.compile(r"\s[–—-]\s")  # "B – Mill Lane to Church Road"
_WORD = re.compile(r"\w+")
_DENIALS = frozenset({"not", "no"})  # kinds of operators
CELL = "cell"  # the rule of a cell that denies the claim
_MAX_DATE_GAP_CHARACTERS = 2  # characters between the parts of a date: "May 5, 2024"

Number = Sequence[ContentToken]  # the tokens of a number or date in the claim


def wrong_table_cell(claim: Statement, passages: Sequence[Statement]) -> Iterator[Disagreement]:
    """Yield a disagreement if a number of the claim is in another cell of a table, or a word in another row."""
    rows = [passage for passage in passages if passage.cells]
    prose = [passage for passage in passages if not passage.cells]
    if not rows:
        return
    name = _name_column(rows, claim)
    for number in _numbers(claim):
        if any(_has_number(sentence.tokens, number) for sentence in prose):
            continue
        if any(_has_number(_cell(row, name), number) for row in rows):
            continue
        if disagreement := _other_column(claim, rows, number, name) or _other_row(claim, rows, number, name):
            yield disagreement
            return
    named = _closest([row for row in rows if _names(row, claim, name)], claim, name)
    if len(named) != 1:
        return
    for token, match in Alignment(claim, named[0]).tokens:
        if match is not None or token.quantity is not None or any(token.stem in sentence.stems for sentence in prose):
            continue
        if any(_columns_with_word(row, token.stem, name) for row in rows):
            yield _not_in_row(claim.text_of(token), named[0], name)
            return


def denied_by_cell(claim: Statement, passages: Sequence[Statement]) -> Iterator[Disagreement]:
    """Yield a disagreement if the claim states what a cell of its row denies, or denies what it affirms.

    The cell has one word, such as "no" in the column "Paid". A claim that has this word too repeats the row.
    """
    rows = [passage for passage in passages if passage.cells]
    if not rows:
        return
    denies = not claim.kinds().isdisjoint(_DENIALS)
    claim_words = set(map(fold, _words(claim.text)))
    name = _name_column(rows, claim)
    named = _closest([row for row in rows if _names(row, claim, name)], claim, name)
    for column in _mentioned_columns(named[0], claim, name) if len(named) == 1 else ():
        cell = _cell_text(named[0], column)
        if fold(cell) in claim_words:
            continue
        if is_affirmation(fold(cell)) if denies else is_denial(fold(cell)):
            header, _ = named[0].cells[column]
            detail = f"the row “{_cell_text(named[0], name)}” has “{cell}” in the column “{header}”"
            yield Disagreement(Reason.NEGATION, detail, rule=CELL)
            return


def _name_column(rows: Sequence[Statement], claim: Statement) -> int:
    """Return the column that names the rows: the first one with a cell whose words the claim contains.

    That is the first column, unless it has article numbers or the like. The cells of another column must be different
    from each other and without amounts.
    """
    if any(_names(row, claim, 0) or _shares_name(row, claim, 0) for row in rows):
        return 0
    for column in range(1, min(len(row.cells) for row in rows)):
        cells = [_cell(row, column) for row in rows]
        names = {_cell_text(row, column).casefold() for row in rows}
        has_amounts = any(token.quantity is not None for cell in cells for token in cell)
        if len(names) == len(rows) and not has_amounts and any(_names(row, claim, column) for row in rows):
            return column
    return 0


def _numbers(claim: Statement) -> list[list[ContentToken]]:
    """Return the numbers of the claim that must be confirmed. Day, month and year of a date are one."""
    numbers: list[list[ContentToken]] = []
    for token in claim.tokens:
        if token.quantity is None or not token.quantity.strict:
            continue
        if numbers and token.start - numbers[-1][-1].end <= _MAX_DATE_GAP_CHARACTERS:
            numbers[-1].append(token)
        else:
            numbers.append([token])
    return numbers


def _other_column(claim: Statement, rows: Sequence[Statement], number: Number, name: int) -> Disagreement | None:
    """Return a disagreement if the number is in other columns only than those whose headers the claim mentions."""
    mentioned: set[int] = set()
    for row in rows:
        if having := _columns_with_number(row, number, name):
            mentioned = _mentioned_columns(row, claim, name)
            if not mentioned or mentioned & having:
                return None
            header = row.cells[min(mentioned)][0]
    if not mentioned:
        return None
    detail = f"the table has {claim.text_of(*number)} in another column than “{header}”"
    return Disagreement(Reason.BINDING, detail, rule="column")


def _other_row(claim: Statement, rows: Sequence[Statement], number: Number, name: int) -> Disagreement | None:
    """Return a disagreement if the number is in other rows only than the one that the claim names.

    A row is named by all words of its cell in the column `name`, or by some if the rows with the number share none with
    the claim.
    """
    having = [row for row in rows if _columns_with_number(row, number, name)]
    if not having:
        return None
    named = _closest([row for row in rows if _names(row, claim, name)], claim, name)
    if not named and not any(_shares_name(row, claim, name) for row in having):
        named = [row for row in rows if _shares_name(row, claim, name)]
    if len(named) != 1 or named[0] in having:
        return None
    if any(_may_be_meant(row, named[0], claim, name) for row in having):
        return None
    return _not_in_row(claim.text_of(*number), named[0], name)


def _not_in_row(written: str, row: Statement, name: int) -> Disagreement:
    detail = f"the table does not have {written} in the row “{_cell_text(row, name)}”"
    return Disagreement(Reason.BINDING, detail, rule="row")


def _names(row: Statement, claim: Statement, name: int) -> bool:
    """Return whether the claim contains every word of the row's name, or of its part before a description."""
    header, (start, end) = row.cells[name]
    described = _DESCRIPTION.search(row.text, start + len(header) + 1, end)
    until = described.start() if described else end
    words = [token.stem for token in _cell(row, name) if token.start < until]
    return bool(words) and all(word in claim.stems for word in words)


def _closest(rows: Sequence[Statement], claim: Statement, name: int) -> Sequence[Statement]:
    """Return the rows whose names have the fewest words that the claim lacks, and of these the longest names.

    "AquaFilter Pro" is not the row "AquaFilter Pro Max". All rows are returned if the claim repeats a word of a name,
    because it may compare two rows.
    """
    claim_words = Counter(_words(claim.text))
    names = [_words(_cell_text(row, name)) for row in rows]
    if len(rows) < 2 or any(claim_words[word] > 1 for words in names for word in words):
        return rows
    lacking = [sum(not claim_words[word] for word in words) for words in names]
    length = max(len(words) for words, count in zip(names, lacking, strict=True) if count == min(lacking))
    counted = zip(rows, names, lacking, strict=True)
    return [row for row, words, count in counted if count == min(lacking) and len(words) == length]


def _cell_text(row: Statement, column: int) -> str:
    header, (start, end) = row.cells[column]
    return row.text[start + len(header) : end].strip()


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _may_be_meant(row: Statement, named: Statement, claim: Statement, name: int) -> bool:
    """Return whether the claim may be about this row too: it has half of the words of its name.

    Of names that differ in one word only, "HydroPump S" and "HydroPump L", it must have that word. If one name contains
    the other, only the additional words count: "AquaFilter Pro" and "AquaFilter Pro Max".
    """
    longer, shorter = (set(_words(_cell_text(each, name))) for each in (row, named))
    if longer <= shorter or shorter <= longer:
        more = longer - shorter
        return bool(more) and 2 * len(more.intersection(_words(claim.text))) >= len(more)
    words, named_words = ([token.stem for token in _cell(each, name)] for each in (row, named))
    different = [word for word, named_word in zip(words, named_words, strict=False) if word != named_word]
    if len(words) == len(named_words) > 1 and len(different) == 1:
        words = different
    return 2 * sum(word in claim.stems for word in words) >= len(words)


def _shares_name(row: Statement, claim: Statement, name: int) -> bool:
    """Return whether the claim contains a word of the cell that names the row."""
    return any(token.stem in claim.stems for token in _cell(row, name) if token.quantity is None)


def _cell(row: Statement, column: int) -> list[ContentToken]:
    """Return the tokens of a cell without its header."""
    header, (start, end) = row.cells[column]
    return [token for token in row.tokens if start + len(header) <= token.start < end]


def _columns_with_word(row: Statement, stem: str, name: int) -> list[int]:
    """Return the columns, except the one that names the rows, whose cell has a word."""
    return [
        column
        for column in range(len(row.cells))
        if column != name and any(token.stem == stem for token in _cell(row, column))
    ]


def _columns_with_number(row: Statement, number: Number, name: int) -> set[int]:
    """Return the columns, except the one that names the rows, whose cell or header agrees with a number."""
    return {
        column
        for column, (_, (start, end)) in enumerate(row.cells)
        if column != name and _has_number([token for token in row.tokens if start <= token.start < end], number)
    }


def _has_number(tokens: Sequence[ContentToken], number: Number) -> bool:
    """Return whether each part of a number agrees with one of the tokens."""
    quantities = [token.quantity for token in tokens if token.quantity is not None]
    return all(
        any(_same(part.quantity, quantity) for quantity in quantities) for part in number if part.quantity is not None
    )


def _same(part: Quantity, quantity: Quantity) -> bool:
    return agrees(part, quantity) or agrees(part._replace(unit=quantity.unit, factor=quantity.factor), quantity)


def _mentioned_columns(row: Statement, claim: Statement, name: int) -> set[int]:
    """Return the columns whose header the claim mentions, by words that no other header has if there are any."""
    headers: dict[int, set[str]] = {}
    for column, (header, (start, _)) in enumerate(row.cells):
        if column != name:
            headers[column] = {token.stem for token in row.tokens if start <= token.start < start + len(header)}
    words = Counter(chain.from_iterable(headers.values()))
    mentioned = {column: stems & claim.stems.keys() for column, stems in headers.items()}
    distinct = {column for column, stems in mentioned.items() if any(words[stem] == 1 for stem in stems)}
    return distinct or {column for column, stems in mentioned.items() if stems}
