"""Read files of all supported formats as excerpts, which are entries of a request's `evidence`.

A format is one function that yields parts of text, and a line in READERS. The packages that read PDF, DOCX, XLSX
and HTML are imported for the first such file.
"""

from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from itertools import groupby
from pathlib import Path
from typing import Any

from ..excerpts import MAX_HEADING_CHARACTERS, Excerpt, ExcerptSplitter
from .artifacts import artifact
from .part import Part, UnreadableFileError
from .source_file import SourceFile, unreadable

__all__ = ["BATCH", "MAX_FILE_BYTES", "PARSED", "READERS", "SourceFile", "UnreadableFileError", "entries", "entries_of"]

MAX_FILE_BYTES = 64 * 2**20  # a library of novels, or a PDF full of pictures; above it a file is data, not evidence

_TEXT = "citestream.providers.retrieval.readers.text:parts"
# suffix -> "module:function", imported at the first use. A file without a suffix (README, LICENSE) is read as text.
READERS = {
    "": _TEXT,
    **dict.fromkeys((".txt", ".text", ".md", ".markdown", ".mdx", ".rst", ".adoc", ".org"), _TEXT),
    **dict.fromkeys((".html", ".htm", ".xhtml"), "citestream.providers.retrieval.readers.html:parts"),
    ".pdf": "citestream.providers.retrieval.readers.pdf.document:parts",
    ".docx": "citestream.providers.retrieval.readers.office.docx:parts",
    ".pptx": "citestream.providers.retrieval.readers.office.pptx:parts",
    **dict.fromkeys((".xlsx", ".xlsm"), "citestream.providers.retrieval.readers.office.xlsx:parts"),
    **dict.fromkeys((".csv", ".tsv"), "citestream.providers.retrieval.readers.tables.csv_data:parts"),
    **dict.fromkeys((".jsonl", ".ndjson"), "citestream.providers.retrieval.readers.json_data:lines"),
    ".json": "citestream.providers.retrieval.readers.json_data:whole",
}

# Formats whose parser can be kept busy forever; the others take time in proportion to their length
PARSED = frozenset({".pdf", ".docx", ".pptx", ".xlsx", ".xlsm", ".html", ".htm", ".xhtml"})
BATCH = 64  # excerpts that are passed on at a time

Entry = dict[str, Any]


def entries(path: Path, name: str, max_bytes: int = MAX_FILE_BYTES) -> Iterator[Entry]:
    """Yield the excerpts of the file at a path, see `entries_of`. Links are followed."""
    with SourceFile.open(path) as source:
        yield from entries_of(source, name, max_bytes)


def entries_of(source: SourceFile, name: str, max_bytes: int = MAX_FILE_BYTES) -> Iterator[Entry]:
    """Yield the excerpts of a file in order. `name`: its `file_name`. Raises UnreadableFileError at any point."""
    if source.size > max_bytes:
        raise UnreadableFileError(source.path, f"is {source.size:,} bytes; at most {max_bytes:,} are read")
    module, _, function = READERS.get(source.suffix, _TEXT).partition(":")
    try:
        yield from _split(getattr(import_module(module), function)(source), name)
    except OSError as error:
        raise unreadable(source.path, error) from None


def _split(parts: Iterator[Part], name: str) -> Iterator[Entry]:
    """Yield excerpts, numbered through the file. Fields of the file take precedence over those of its folder."""
    splitter = ExcerptSplitter()
    index = 0
    for part in parts:
        fields = {**artifact(name), **part.fields}
        if part.ready:
            yield {"text": part.text, **fields}
            continue
        for excerpt in splitter.split(part.text, is_markdown=part.is_markdown):
            yield _entry(excerpt, part, fields, name, index)
            index += 1


def _entry(excerpt: Excerpt, part: Part, fields: Entry, name: str, index: int) -> Entry:
    """Return an excerpt as evidence, with the headings above the part and offsets in the file or page.

    The first heading of a page often repeats its title. It is named once.
    """
    title = (fields["title"],) if "title" in fields else ()
    above = tuple(heading[:MAX_HEADING_CHARACTERS] for heading in (*title, *part.headings))
    placed = replace(
        excerpt,
        start=excerpt.start + part.start,
        end=excerpt.end + part.start,
        headings=tuple(heading for heading, _ in groupby((*above, *excerpt.headings))),
    )
    entry = placed.as_evidence(name, index)
    metadata = {**fields.get("metadata", {}), **entry["metadata"]}
    page = {} if part.page_number is None else {"page_number": part.page_number}
    return {**fields, **entry, **page, "metadata": metadata}
