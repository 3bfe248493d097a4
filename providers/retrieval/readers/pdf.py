"""PDF, by pypdf: the text of each page, under the titles of the document's outline."""

import logging
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from .part import Part, UnreadableFileError, not_installed


def parts(path: Path) -> Iterator[Part]:
    """A part for each page that has text, numbered from 1. Offsets are those of the page's text."""
    try:
        pypdf = import_module("pypdf")
    except ImportError:
        raise not_installed(path, "PDF") from None
    logging.getLogger("pypdf").setLevel(logging.ERROR)  # it warns of what it mends
    try:
        reader = pypdf.PdfReader(path)
        if reader.is_encrypted and not reader.decrypt(""):
            raise UnreadableFileError(path, "wants a password")
        titles = _titles(reader)
        headings: tuple[str, ...] = ()
        for number, page in enumerate(reader.pages, 1):
            headings = titles.get(number - 1, headings)
            text = _clean(page.extract_text())
            if text.strip():
                yield Part(text, page_number=number, headings=headings)
    except UnreadableFileError:
        raise
    except Exception as error:  # noqa: BLE001 - a broken file may raise anything
        raise UnreadableFileError(path, f"is a broken PDF: {type(error).__name__}") from None
    finally:
        if "reader" in locals():
            reader.close()


def _clean(text: str) -> str:
    """Without what fonts with broken tables leave behind: halves of characters, NUL."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\0", "")


def _titles(reader: Any) -> Mapping[int, tuple[str, ...]]:
    """By page, from 0, what the outline says that begins there; nothing for an outline that is broken."""
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
