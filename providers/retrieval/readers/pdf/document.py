"""PDF: PDFium reads the text of each page, under the titles of the document's outline."""

from collections.abc import Iterator, Mapping
from contextlib import closing
from importlib import import_module
from typing import Any

from ..part import Part, UnreadableFileError
from ..source_file import SourceFile
from .page_text import PageText
from .segments import segments

_PASSWORD_ERROR = 4  # FPDF_ERR_PASSWORD


def parts(source: SourceFile) -> Iterator[Part]:
    """Yield a part for each page with text, numbered from 1. Offsets count in the text of the page."""
    pdfium = import_module("pypdfium2")
    try:
        with source.binary() as content, closing(pdfium.PdfDocument(content)) as document:
            titles = _titles(document)
            headings: tuple[str, ...] = ()
            reader = PageText()
            for number, page in enumerate(document, 1):
                headings = titles.get(number - 1, headings)
                with closing(page), closing(page.get_textpage()) as text_page:
                    text = _clean(reader.text_of(segments(text_page)))
                if text.strip():
                    yield Part(text, page_number=number, headings=headings, is_markdown=False)
    except (MemoryError, UnreadableFileError):
        raise
    except Exception as error:  # noqa: BLE001 - a broken file may raise anything
        if getattr(error, "err_code", None) == _PASSWORD_ERROR:
            raise UnreadableFileError(source.path, "needs a password; save it without one") from None
        raise UnreadableFileError(source.path, "is a broken PDF; open it and save it again") from None


def _clean(text: str) -> str:
    """Return the text without lone surrogates and NUL, which come from fonts with broken tables."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\0", "")


def _titles(document: Any) -> Mapping[int, tuple[str, ...]]:
    """Return the titles that begin on each page, counted from 0; nothing for a broken outline."""
    titles: dict[int, tuple[str, ...]] = {}
    above: list[str] = []
    try:
        for entry in document.get_toc():
            above[entry.level :] = [" ".join(_clean(entry.get_title()).split())]
            destination = entry.get_dest()
            page = destination.get_index() if destination else None
            if page is not None and page >= 0:
                titles.setdefault(page, tuple(above))
    except Exception:  # noqa: BLE001 - a document can be read without its outline
        return {}
    return titles
