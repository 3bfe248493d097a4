"""PDF: pypdf extracts the text of each page, under the titles of the document's outline."""

import logging
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

from .part import Part, UnreadableFileError
from .source_file import SourceFile


def parts(source: SourceFile) -> Iterator[Part]:
    """Yield a part for each page with text, numbered from 1. Offsets count in the text of the page."""
    pypdf = import_module("pypdf")
    logging.getLogger("pypdf").setLevel(logging.ERROR)  # its warnings are about errors that it corrects
    try:
        with source.binary() as content, pypdf.PdfReader(content) as reader:
            if reader.is_encrypted and not reader.decrypt(""):
                raise UnreadableFileError(source.path, "needs a password")
            titles = _titles(reader)
            headings: tuple[str, ...] = ()
            for number, page in enumerate(reader.pages, 1):
                headings = titles.get(number - 1, headings)
                text = _clean(page.extract_text())
                if text.strip():
                    yield Part(text, page_number=number, headings=headings, is_markdown=False)
    except (MemoryError, UnreadableFileError):
        raise
    except Exception as error:  # noqa: BLE001 - a broken file may raise anything
        raise UnreadableFileError(source.path, f"is a broken PDF: {type(error).__name__}") from None


def _clean(text: str) -> str:
    """Return the text without lone surrogates and NUL, which come from fonts with broken tables."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\0", "")


def _titles(reader: Any) -> Mapping[int, tuple[str, ...]]:
    """Return the titles that begin on each page, counted from 0; nothing for a broken outline."""
    found: dict[int, tuple[str, ...]] = {}
    try:
        _walk(reader, reader.outline, (), found)
    except Exception:  # noqa: BLE001 - a document can be read without its outline
        return {}
    return found


def _walk(reader: Any, entries: list[Any], above: tuple[str, ...], found: dict[int, tuple[str, ...]]) -> None:
    title = above
    for entry in entries:
        if isinstance(entry, list):
            _walk(reader, entry, title, found)
            continue
        title = (*above, " ".join(_clean(str(entry.title)).split()))
        page = reader.get_destination_page_number(entry)
        if page is not None and page >= 0:
            found.setdefault(page, title)
