"""CSV and TSV. Rows become sentences that name their columns, so that each row can be understood and cited alone."""

import csv
import re
from collections.abc import Iterator

from ..excerpts import TARGET_LENGTH
from .part import Part, UnreadableFileError
from .source_file import SourceFile
from .text import SAMPLE, encoding_of

DELIMITERS = ",;\t|"
_QUOTED = re.compile(r'"[^"]*"')
MAX_FIELD = 2**20  # characters of one cell


def parts(source: SourceFile) -> Iterator[Part]:
    """Yield parts of as many rows as fit into an excerpt. `metadata.row` is the first; the header is row 1."""
    csv.field_size_limit(MAX_FIELD)
    pending: list[str] = []
    first = 0
    for number, line in _lines(source):
        if pending and sum(map(len, pending)) + len(line) > TARGET_LENGTH:
            yield _part(pending, first)
            pending = []
        first = first if pending else number
        pending.append(line)
    if pending:
        yield _part(pending, first)


def _lines(source: SourceFile) -> Iterator[tuple[int, str]]:
    """Yield each row that is not empty as a line, with its number."""
    with source.text(encoding_of(source), newline="") as file:
        delimiter = _delimiter(source, file.read(SAMPLE))
        file.seek(0)
        rows = csv.reader(file, delimiter=delimiter)
        try:
            names = [" ".join(name.split()) for name in next(rows, [])]
            for number, row in enumerate(rows, 2):
                if sentence := row_sentence(names, row):
                    yield number, sentence
        except csv.Error as error:
            raise UnreadableFileError(source.path, f"is not a table: {error}", f"row {rows.line_num}") from None


def row_sentence(names: list[str], row: list[str]) -> str:
    """Return a row as a sentence in one line that names its columns, empty if all cells are empty."""
    plain = [" ".join(cell.split()) for cell in row]
    cells = [f"{name}: {cell}" if name else cell for name, cell in zip(names, plain, strict=False) if cell]
    cells += filter(None, plain[len(names) :])
    return "; ".join(cells) + "." if cells else ""


def _delimiter(source: SourceFile, sample: str) -> str:
    if source.suffix == ".tsv":
        return "\t"
    head = _QUOTED.sub("", sample).split("\n", 1)[0]
    return max(DELIMITERS, key=head.count)


def _part(rows: list[str], first: int) -> Part:
    return Part("\n".join(rows), fields={"metadata": {"row": first, "rows": len(rows)}}, is_markdown=False)
