"""Documents that are ZIP archives, such as DOCX: unpack them within limits before a parser reads them."""

import lzma
import zlib
from collections.abc import Sequence
from io import BytesIO
from zipfile import BadZipFile, ZipFile, ZipInfo

from .part import UnreadableFileError
from .source_file import SourceFile

MAX_UNPACKED = 32 * 2**20  # bytes; a small archive may unpack to terabytes. The text of a book of 500 pages has 3 MB
MAX_ENTRIES = 10_000  # a document of 500 pages has some hundred, most of them pictures
# Pictures, sounds, films, fonts and embedded files, which take most of the space and contain no text that is read.
_MEDIA = """
    bin bmp emf eot gif ico jpeg jpg m4a m4v mov mp3 mp4 mpeg odttf ole otf png svg tif tiff ttf wav wdp webp wmf wmv
    woff woff2
"""
MEDIA = frozenset(_MEDIA.split())
BROKEN = (BadZipFile, EOFError, LookupError, NotImplementedError, RuntimeError, ValueError, lzma.LZMAError, zlib.error)


def without_media(source: SourceFile, kind: str) -> BytesIO:
    """Return the archive with all entries that are no media, unpacked. `kind`: its format, for messages.

    A parser reads nothing else, whatever names the document gives to its parts. Raises UnreadableFileError.
    """
    unpacked = BytesIO()
    try:
        with source.binary() as content, ZipFile(content) as packed, ZipFile(unpacked, "w") as written:
            for entry in _checked(packed.infolist(), source):
                written.writestr(entry.filename, packed.read(entry))
    except BROKEN:
        raise UnreadableFileError(source.path, f"is not {kind}") from None
    unpacked.seek(0)
    return unpacked


def _checked(entries: Sequence[ZipInfo], source: SourceFile) -> list[ZipInfo]:
    """Return the entries that are no media. Raise UnreadableFileError if they exceed a limit.

    `file_size` is what the archive says. Python reads no more than that of an entry.
    """
    if len(entries) > MAX_ENTRIES:
        raise UnreadableFileError(source.path, f"has {len(entries):,} entries; at most {MAX_ENTRIES:,} are read")
    kept = [entry for entry in entries if not _is_media(entry)]
    size = sum(entry.file_size for entry in kept)
    if size > MAX_UNPACKED:
        raise UnreadableFileError(source.path, f"is {size:,} bytes unpacked; at most {MAX_UNPACKED:,} are read")
    return kept


def _is_media(entry: ZipInfo) -> bool:
    return entry.filename.rpartition(".")[2].lower() in MEDIA
