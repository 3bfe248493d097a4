"""CSV and TSV: the rows of a Markdown table."""

import csv
import re
from collections.abc import Iterator

from ..part import Part, UnreadableFileError
from ..source_file import SourceFile
from ..text import SAMPLE_BYTES, encoding_of
from .table_text import Row, split_header, table_parts

DELIMITERS = ",;\t|"
_QUOTED = re.compile(r'"[^"]*"')
MAX_FIELD_CHARACTERS = 2**20  # characters of one cell
COMPARED_LINES = 20  # lines in which the delimiter is searched


def parts(source: SourceFile) -> Iterator[Part]:
    """Yield parts of as many rows as fit into an excerpt. The first row of the file is row 1."""
    csv.field_size_limit(MAX_FIELD_CHARACTERS)
    captions, names, rows = split_header(_rows(source))
    yield from table_parts(names, rows, tuple(captions))


def _rows(source: SourceFile) -> Iterator[Row]:
    with source.text(encoding_of(source), newline="") as file:
        delimiter = _delimiter(source, file.read(SAMPLE_BYTES))
        file.seek(0)
        rows = csv.reader(file, delimiter=delimiter)
        try:
            yield from enumerate(rows, 1)
        except csv.Error as error:
            reason = f"is not a table: {error}; each row must be a line, and quotation marks in cells must be doubled"
            raise UnreadableFileError(source.path, reason, f"row {rows.line_num}") from None


def _delimiter(source: SourceFile, sample: str) -> str:
    """Return the delimiter that most of the first lines have the same number of times, at least once."""
    if source.suffix == ".tsv":
        return "\t"
    lines = [line for line in _QUOTED.sub("", sample).split("\n")[:COMPARED_LINES] if line.strip()]
    counts = {delimiter: [line.count(delimiter) for line in lines] for delimiter in DELIMITERS}
    return max(DELIMITERS, key=lambda delimiter: (_agreement(counts[delimiter]), max(counts[delimiter], default=0)))


def _agreement(counts: list[int]) -> int:
    """Return how many lines have the most frequent number of delimiters, 0 if most lines have none."""
    most = max(set(counts), key=lambda count: (counts.count(count), count), default=0)
    return counts.count(most) if most else 0
