"""Evidence from files of every format that has a reader, split into excerpts."""

import os
from collections.abc import Iterator
from pathlib import Path

from .folder.directory_walk import File, walk
from .readers import READERS, Entry, UnreadableFileError, entries

__all__ = ["UnreadableFileError", "evidence_of"]


def evidence_of(path: Path) -> list[Entry]:
    """Return the evidence in a file, or in all files of a folder, as entries of a request.

    Raises UnreadableFileError.
    """
    if not os.path.exists(path):  # path.exists() raises an error for a name that is too long
        raise UnreadableFileError(path, "does not exist")
    found = [entry for file, name in _files(path) for entry in entries(file, name)]
    if not found:
        raise UnreadableFileError(path, "contains no text")
    return found


def _files(path: Path) -> Iterator[tuple[Path, str]]:
    """Yield files and their names, which are paths inside of a folder."""
    if path.is_file():
        yield path, path.name
        return
    files = [(found.path, found.name) for found in walk(path) if isinstance(found, File) and found.path.suffix]
    if not files:
        raise UnreadableFileError(path, f"contains no file ending in {', '.join(sorted(filter(None, READERS)))}")
    yield from files
