"""DOCX: mammoth converts it to HTML with headings, which is read like a web page."""

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

from .html import page
from .part import Part, UnreadableFileError, not_installed

MAX_UNPACKED = 32 * 2**20  # bytes of XML; a small archive may unpack to terabytes. A book of 500 pages has 3 MB


def parts(path: Path) -> Iterator[Part]:
    """Yield the whole document. The format has no pages; Word computes them when it prints."""
    try:
        mammoth = import_module("mammoth")
    except ImportError:
        raise not_installed(path, "DOCX") from None
    try:
        with ZipFile(path) as packed:
            unpacked = sum(entry.file_size for entry in packed.infolist() if entry.filename.endswith(".xml"))
    except (BadZipFile, NotImplementedError, OSError, ValueError):
        raise UnreadableFileError(path, "is not DOCX") from None
    if unpacked > MAX_UNPACKED:
        raise UnreadableFileError(path, f"is {unpacked:,} bytes unpacked; at most {MAX_UNPACKED:,} are read")
    with path.open("rb") as file:
        try:
            html: str = mammoth.convert_to_html(file, convert_image=_no_image).value
        except Exception as error:  # noqa: BLE001 - a broken file may raise anything
            raise UnreadableFileError(path, f"is not DOCX: {type(error).__name__}") from None
    yield Part(page(html, path)[1])


def _no_image(_image: Any) -> list[Any]:
    return []
