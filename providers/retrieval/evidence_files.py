"""Evidence from files of every format that has a reader, split into excerpts."""

import os
from collections.abc import Callable
from contextlib import closing
from itertools import chain
from pathlib import Path

from .folder.directory_walk import File, OpenFolder, walk
from .folder.private_files import contains_private_key
from .readers import READERS, Entry, SourceFile, UnreadableFileError
from .readers.reader_process import ReaderProcess

__all__ = ["UnreadableFileError", "evidence_of"]

Skip = Callable[[UnreadableFileError], None]


def evidence_of(path: Path, skip: Skip | None = None) -> list[Entry]:
    """Return the evidence in a file, or in all files of a folder, as entries of a request.

    `skip`: called for each file of a folder that cannot be read, which is then skipped.
    Raises UnreadableFileError for a path that cannot be read, and without `skip` also for a file of a folder.
    """
    if not os.path.exists(path):  # path.exists() raises an error for a name that is too long
        raise UnreadableFileError(path, "does not exist")
    entries: list[Entry] = []
    with closing(ReaderProcess()) as process:
        if path.is_file():
            with SourceFile.open(path) as source:
                entries += chain.from_iterable(process.read(source, path.name))
        else:
            with OpenFolder(path.resolve()) as folder:
                for file in _files(folder, path):
                    entries += _read(folder, file, process, skip)
    if not entries:
        raise UnreadableFileError(path, "contains no text")
    return entries


def _files(folder: OpenFolder, path: Path) -> list[File]:
    files = [file for file in walk(folder) if isinstance(file, File) and file.suffix]
    if not files:
        raise UnreadableFileError(path, f"contains no file ending in {', '.join(sorted(filter(None, READERS)))}")
    return files


def _read(folder: OpenFolder, file: File, process: ReaderProcess, skip: Skip | None) -> list[Entry]:
    try:
        with folder.open(file.name) as source:
            if contains_private_key(source):
                raise UnreadableFileError(source.path, "contains a private key; name the file to read it")
            return [*chain.from_iterable(process.read(source, file.name))]
    except UnreadableFileError as error:
        if skip is None:
            raise
        skip(error)
        return []
