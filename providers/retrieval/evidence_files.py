"""Evidence from files of every format that has a reader, split into excerpts."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

from .folder.directory_walk import File, walk
from .readers import READERS, Entry, UnreadableFileError, entries

__all__ = ["UnreadableFileError", "evidence_of"]


def evidence_of(path: Path, skip: Callable[[UnreadableFileError], None] | None = None) -> list[Entry]:
    """Return the evidence in a file, or in all files of a folder, as entries of a request.

    `skip`: called for each file of a folder that cannot be read, which is then skipped.
    Raises UnreadableFileError for a path that cannot be read, and without `skip` also for a file of a folder.
    """
    if not os.path.exists(path):  # path.exists() raises an error for a name that is too long
        raise UnreadableFileError(path, "does not exist")
    found: list[Entry] = []
    for file, name in _files(path):
        try:
            found += list(entries(file, name))
        except UnreadableFileError as error:
            if skip is None or file == path:
                raise
            skip(error)
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
