"""List the files of a folder that have a reader, and the skipped files with the reason; watch folders for changes.

A user who may write to a folder must not be able to make Citestream read other files. So the folder stays open, all
names are looked up from it one after the other, and links are never followed, whatever was listed before.
"""

import os
from collections.abc import AsyncIterator, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path, PurePosixPath
from stat import S_ISLNK, S_ISREG
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


@dataclass(frozen=True, slots=True)
class OtherFile:
    """A file whose format has no reader."""

    name: str


Walked = File | SkippedFile | OtherFile


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


def walk(folder: OpenFolder, include: Sequence[str] = (), names: Collection[str] | None = None) -> Iterator[Walked]:
    """Yield files and skipped files. Links are not followed: their targets may be outside of the folder.

    `include`: patterns of names that are read although they look like those of secrets, or have no suffix.
    `names`: the only files that are looked up, also hidden ones, None for all.
    """
    if names is not None:
        yield from (item for name in sorted(names) for item in _look_up(folder, name, include))
        return
    pending = _list_folder(folder, "", include)
    while pending:
        item = pending.pop()
        if isinstance(item, str):
            pending += _list_folder(folder, item, include)
        else:
            yield item


async def changes(folders: Sequence[Path], *, recursive: bool = True) -> AsyncIterator[None]:
    """Yield once for all changes of a short time, without end. `recursive`: also for changes in folders inside."""
    async for _ in import_module("watchfiles").awatch(*folders, recursive=recursive):
        yield


def _look_up(folder: OpenFolder, name: str, include: Sequence[str]) -> Iterator[Walked]:
    """Yield the file of this name, nothing if there is none."""
    inside, _, last = name.rpartition("/")
    try:
        with folder.descend(inside) as descriptor:
            mode = os.stat(last, dir_fd=descriptor, follow_symlinks=False).st_mode
    except FileNotFoundError:
        return
    except OSError as error:
        yield SkippedFile(name, f"cannot be read: {error.strerror}")
        return
    yield _check_file(name, include, is_link=S_ISLNK(mode), is_file=S_ISREG(mode))


def _list_folder(folder: OpenFolder, inside: str, include: Sequence[str]) -> list[Walked | str]:
    """Return the content of one folder in descending order. Folders are returned as paths."""
    try:
        with folder.descend(inside) as descriptor, os.scandir(descriptor) as listing:
            entries = sorted(listing, key=lambda entry: entry.name, reverse=True)
            return [item for entry in entries for item in _list_entry(entry, inside, include)]
    except OSError as error:
        return [SkippedFile(f"{inside}/", f"cannot be read: {error.strerror}")]


def _list_entry(entry: os.DirEntry[str], inside: str, include: Sequence[str]) -> Iterator[Walked | str]:
    name = f"{inside}/{entry.name}" if inside else entry.name
    if entry.name.startswith(".") or entry.name in NEVER:
        return
    if entry.is_dir(follow_symlinks=False):
        yield name
    else:
        yield _check_file(name, include, is_link=entry.is_symlink(), is_file=entry.is_file(follow_symlinks=False))


def _check_file(name: str, include: Sequence[str], *, is_link: bool, is_file: bool) -> Walked:
    """Return the file, or why it is skipped."""
    if os.path.splitext(name)[1].lower() not in READERS:
        return OtherFile(name)
    if not _is_unicode(name):
        return SkippedFile(os.fsencode(name).decode("utf-8", "replace"), "has a name that is not UTF-8; rename it")
    if is_link:
        return SkippedFile(name, "is a link; name its target to read it")
    if not is_file:
        return SkippedFile(name, "is not a file")
    reason = private_reason(name, include)
    return SkippedFile(name, reason) if reason else File(name)


def _is_unicode(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
