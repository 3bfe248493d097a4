"""List the files of a folder that have a reader, and the skipped files with the reason; watch folders for changes.

A user who may write to a folder must not be able to make Citestream read other files. So the folder stays open, all
names are looked up from it one after the other, and links are never followed, whatever was listed before.
"""

import os
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import Self

from ..readers import READERS, SourceFile
from ..readers.source_file import unreadable
from .private_files import private_reason

_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
NEVER = frozenset({"node_modules", "__pycache__"})  # files of others; hidden files and folders are skipped, too


@dataclass(frozen=True, slots=True)
class File:
    """A file. `name`: its path from the folder, with slashes."""

    name: str

    @property
    def suffix(self) -> str:
        """The suffix of the name in lower case."""
        return PurePosixPath(self.name).suffix.lower()


@dataclass(frozen=True, slots=True)
class SkippedFile:
    """A file or folder that is skipped, although a user might expect it."""

    name: str
    reason: str


class OpenFolder:
    """A folder that stays open, so that nothing can be put in its place."""

    def __init__(self, path: Path) -> None:
        """Open a folder. Raise OSError if it is a link or cannot be read."""
        self.path = path
        self._descriptor = os.open(path, _FOLDER_FLAGS)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the folder."""
        os.close(self._descriptor)

    def open(self, name: str) -> SourceFile:
        """Open a file without following links or waiting. Raise UnreadableFileError."""
        inside, _, last = name.rpartition("/")
        path = self.path / name
        try:
            with self.descend(inside) as folder:
                return SourceFile.open(path, last, folder)
        except OSError as error:
            raise unreadable(path, error, is_inside=True) from None

    @contextmanager
    def descend(self, inside: str) -> Iterator[int]:
        """Open a folder inside of this one, "" for this one. Raise OSError if a part of its path is a link."""
        descriptor = os.open(".", _FOLDER_FLAGS, dir_fd=self._descriptor)
        try:
            for name in filter(None, inside.split("/")):
                parent, descriptor = descriptor, os.open(name, _FOLDER_FLAGS, dir_fd=descriptor)
                os.close(parent)
            yield descriptor
        finally:
            os.close(descriptor)


def walk(folder: OpenFolder, include: Sequence[str] = ()) -> Iterator[File | SkippedFile]:
    """Yield files and skipped files. Links are not followed: their targets may be outside of the folder.

    `include`: patterns of names that are read although they look like those of secrets, or have no suffix.
    """
    pending = _list_folder(folder, "", include)
    while pending:
        found = pending.pop()
        if isinstance(found, str):
            pending += _list_folder(folder, found, include)
        else:
            yield found


async def changes(folders: Sequence[Path]) -> AsyncIterator[None]:
    """Yield once for all changes of a short time, without end."""
    async for _ in import_module("watchfiles").awatch(*folders):
        yield


def _list_folder(folder: OpenFolder, inside: str, include: Sequence[str]) -> list[File | SkippedFile | str]:
    """Return the content of one folder in descending order. Folders are returned as paths."""
    try:
        with folder.descend(inside) as descriptor, os.scandir(descriptor) as listing:
            found = sorted(listing, key=lambda entry: entry.name, reverse=True)
            return [item for entry in found for item in _list_entry(entry, inside, include)]
    except OSError as error:
        return [SkippedFile(f"{inside}/", f"cannot be read: {error.strerror}")]


def _list_entry(entry: os.DirEntry[str], inside: str, include: Sequence[str]) -> Iterator[File | SkippedFile | str]:
    name = f"{inside}/{entry.name}" if inside else entry.name
    if entry.name.startswith(".") or entry.name in NEVER:
        return
    if entry.is_dir(follow_symlinks=False):
        yield name
    elif (file := _check_file(entry, name, include)) is not None:
        yield file


def _check_file(entry: os.DirEntry[str], name: str, include: Sequence[str]) -> File | SkippedFile | None:
    """Return the file, or why it is skipped; None if its format has no reader."""
    if os.path.splitext(entry.name)[1].lower() not in READERS:
        return None
    if not _is_unicode(name):
        return SkippedFile(os.fsencode(name).decode("utf-8", "replace"), "has a name that is not UTF-8")
    if entry.is_symlink():
        return SkippedFile(name, "is a link")
    if not entry.is_file(follow_symlinks=False):
        return SkippedFile(name, "is not a file")
    reason = private_reason(name, include)
    return SkippedFile(name, reason) if reason else File(name)


def _is_unicode(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
