"""Evidence from files: of every format that has a reader, cut into excerpts."""

from collections.abc import Iterator
from pathlib import Path

from .directory_walk import File, walk
from .readers import READERS, Entry, UnreadableFileError, entries

__all__ = ["UnreadableFileError", "evidence_of"]


def evidence_of(path: Path) -> list[Entry]:
    """The evidence in a file, or in all files of a folder, as entries of a request. Raises UnreadableFileError."""
    if not path.exists():
        raise UnreadableFileError(path, "does not exist")
    found = [entry for file, name in _files(path) for entry in entries(file, name)]
    if not found:
        raise UnreadableFileError(path, "holds no text")
    return found


def _files(path: Path) -> Iterator[tuple[Path, str]]:
    """The files and the names they are known by: inside a folder, the way to them."""
    if path.is_file():
        yield path, path.name
        return
    files = [(found.path, found.name) for found in walk(path) if isinstance(found, File) and found.path.suffix]
    if not files:
        raise UnreadableFileError(path, f"holds no file ending in {', '.join(sorted(filter(None, READERS)))}")
    yield from files
