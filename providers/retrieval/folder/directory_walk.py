"""List the files of a folder that have a reader, and the skipped files with the reason; watch folders for changes."""

import os
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from ...errors import ProviderError
from ...install_hint import install_command
from ..readers import READERS

NEVER = frozenset({"node_modules", "__pycache__"})  # files of others; hidden files and folders are skipped, too


@dataclass(frozen=True, slots=True)
class File:
    """A file. `name`: its path from the folder, with slashes."""

    path: Path
    name: str


@dataclass(frozen=True, slots=True)
class SkippedFile:
    """A file or folder that is skipped, although a user might expect it."""

    name: str
    reason: str


def walk(folder: Path) -> Iterator[File | SkippedFile]:
    """Yield files and skipped files. Links are not followed: their targets may be outside of the folder."""
    pending = _list_folder(folder, "")
    while pending:
        found = pending.pop()
        if isinstance(found, str):
            pending += _list_folder(folder, found)
        else:
            yield found


async def changes(folders: Sequence[Path]) -> AsyncIterator[None]:
    """Yield once for all changes of a short time, without end. Raises ProviderError if the package is missing."""
    try:
        watchfiles = import_module("watchfiles")
    except ImportError:
        raise ProviderError(f"--watch needs a package: {install_command('documents')}") from None
    async for _ in watchfiles.awatch(*folders):
        yield


def _list_folder(folder: Path, inside: str) -> list[File | SkippedFile | str]:
    """Return the content of one folder in descending order. Folders are returned as paths."""
    try:
        with os.scandir(folder / inside) as listing:
            found = sorted(listing, key=lambda entry: entry.name, reverse=True)
    except OSError as error:
        return [SkippedFile(f"{inside}/", f"cannot be read: {error.strerror}")]
    listed: list[File | SkippedFile | str] = []
    for entry in found:
        name = f"{inside}/{entry.name}" if inside else entry.name
        if entry.name.startswith(".") or entry.name in NEVER:
            continue
        if entry.is_dir(follow_symlinks=False):
            listed.append(name)
        elif (file := _check_file(entry, name)) is not None:
            listed.append(file)
    return listed


def _check_file(entry: os.DirEntry[str], name: str) -> File | SkippedFile | None:
    """Return the file, or why it is skipped; None if its format has no reader."""
    if os.path.splitext(entry.name)[1].lower() not in READERS:
        return None
    if not _is_unicode(name):
        return SkippedFile(os.fsencode(name).decode("utf-8", "replace"), "has a name that is not UTF-8")
    if entry.is_symlink():
        return SkippedFile(name, "is a link")
    return File(Path(entry.path), name) if entry.is_file(follow_symlinks=False) else SkippedFile(name, "is not a file")


def _is_unicode(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
