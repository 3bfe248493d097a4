"""Documents that are ZIP archives, such as DOCX: their entries within limits, before a parser reads them."""

import lzma
import posixpath
import re
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO
from xml.etree import ElementTree  # nosec B405 # expat limits the growth of entities, and the process its memory
from zipfile import BadZipFile, ZipFile, ZipInfo

from ..part import UnreadableFileError
from ..source_file import SourceFile

MAX_UNPACKED_BYTES = (
    32 * 2**20
)  # bytes; a small archive may unpack to terabytes. The text of a book of 500 pages has 3 MB
MAX_ENTRIES = 10_000  # a document of 500 pages has some hundred, most of them pictures
# Pictures, sounds, films, fonts and embedded files, which take most of the space and contain no text that is read.
_MEDIA = """
    bin bmp emf eot gif ico jpeg jpg m4a m4v mov mp3 mp4 mpeg odttf ole otf png svg tif tiff ttf wav wdp webp wmf wmv
    woff woff2
"""
MEDIA = frozenset(_MEDIA.split())
BROKEN = (BadZipFile, EOFError, LookupError, NotImplementedError, RuntimeError, ValueError, lzma.LZMAError, zlib.error)
_COMPOUND_FILE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # a document with a password, or one of Office 97
_RELATION = re.compile(r"/relationships/(\w+)$")

Relations = dict[str, tuple[str, str]]  # id of a relation -> its type, such as "slide", and the name of the entry


def without_media(source: SourceFile, kind: str) -> BytesIO:
    """Return the archive with all entries that are no media, unpacked. `kind`: its format, for messages.

    A parser reads nothing else, whatever names the document gives to its parts. Raises UnreadableFileError.
    """
    unpacked = BytesIO()
    with archive(source, kind) as packed, ZipFile(unpacked, "w") as written:
        for entry in packed.infolist():
            if not _is_media(entry):
                written.writestr(entry.filename, packed.read(entry))
    unpacked.seek(0)
    return unpacked


@contextmanager
def archive(source: SourceFile, kind: str, max_unpacked: int = MAX_UNPACKED_BYTES) -> Iterator[ZipFile]:
    """Open a document whose entries are within the limits. Errors of the archive become UnreadableFileError."""
    try:
        with source.binary() as content:
            if content.read(len(_COMPOUND_FILE)) == _COMPOUND_FILE:
                reason = f"has a password or an old format; save it as {kind} without a password"
                raise UnreadableFileError(source.path, reason)
            content.seek(0)
            with ZipFile(content) as packed:
                _check(packed.infolist(), source, max_unpacked)
                yield packed
    except BROKEN:
        raise UnreadableFileError(source.path, f"is not {kind}; open it and save it again as {kind}") from None


def xml_root(packed: ZipFile, name: str) -> ElementTree.Element:
    """Return the root of an XML entry. Raises ValueError if it is broken."""
    try:
        return ElementTree.fromstring(packed.read(name))  # noqa: S314 # nosec B314 # see the import
    except ElementTree.ParseError as error:
        raise ValueError(str(error)) from None


def relations(packed: ZipFile, name: str) -> Relations:
    """Return the relations of an entry to other entries."""
    folder, base = posixpath.split(name)
    listed = f"{folder}/_rels/{base}.rels"
    if listed not in packed.namelist():
        return {}
    targets: Relations = {}
    for relation in xml_root(packed, listed):
        kind = _RELATION.search(relation.get("Type", ""))
        target = posixpath.normpath(posixpath.join("/", folder, relation.get("Target", ""))).lstrip("/")
        if kind and relation.get("TargetMode") != "External":
            targets[relation.get("Id", "")] = kind[1], target
    return targets


def _check(entries: Sequence[ZipInfo], source: SourceFile, max_unpacked: int) -> None:
    """Raise UnreadableFileError if the entries exceed a limit.

    `file_size` is what the archive says. Python reads no more than that of an entry.
    """
    if len(entries) > MAX_ENTRIES:
        raise UnreadableFileError(source.path, f"has {len(entries):,} entries; at most {MAX_ENTRIES:,} are read")
    size = sum(entry.file_size for entry in entries if not _is_media(entry))
    if size > max_unpacked:
        raise UnreadableFileError(source.path, f"is {size:,} bytes unpacked; at most {max_unpacked:,} are read")


def _is_media(entry: ZipInfo) -> bool:
    return entry.filename.rpartition(".")[2].lower() in MEDIA
