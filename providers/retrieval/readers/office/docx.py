"""DOCX: mammoth converts it to HTML with headings, which is read like a web page."""

from collections.abc import Iterator
from importlib import import_module
from typing import Any

from ..html import page
from ..part import Part, UnreadableFileError
from ..source_file import SourceFile
from .archive import without_media

MAX_TAGS = 1_000_000  # the tree takes 280 bytes and 5 us for each; a book of 500 pages has 150,000


def parts(source: SourceFile) -> Iterator[Part]:
    """Yield the whole document. The format has no pages; Word computes them when it prints."""
    mammoth = import_module("mammoth")
    archive = without_media(source, "DOCX")
    if (tags := archive.getvalue().count(b"<")) > MAX_TAGS:
        raise UnreadableFileError(source.path, f"has {tags:,} tags; at most {MAX_TAGS:,} are read")
    try:
        html: str = mammoth.convert_to_html(archive, convert_image=_no_image).value
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001 - a broken file may raise anything
        raise UnreadableFileError(source.path, "is not DOCX; open it and save it again as DOCX") from None
    yield Part(page(html, source.path)[1])


def _no_image(_image: Any) -> list[Any]:
    return []
