"""Walk: the files of a folder that a reader may know, in order, and what was left out with the reason."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .readers import READERS

NEVER = frozenset({"node_modules", "__pycache__"})  # other people's files; everything hidden is left out too


@dataclass(frozen=True, slots=True)
class File:
    """A file; `name` is the way to it from the folder, with slashes."""

    path: Path
    name: str


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What is not read, although one might expect it."""

    name: str
    reason: str


def walk(folder: Path) -> Iterator[File | LeftOut]:
    """Without following links: their targets stand elsewhere in the folder, or are not meant to be shown."""
    waiting = _listed(folder, "")
    while waiting:
        found = waiting.pop()
        if isinstance(found, str):
            waiting += _listed(folder, found)
        else:
            yield found


def _listed(folder: Path, inside: str) -> list[File | LeftOut | str]:
    """What stands in one folder, in falling order; of folders the way to them."""
    try:
        with os.scandir(folder / inside) as listing:
            found = sorted(listing, key=lambda entry: entry.name, reverse=True)
    except OSError as error:
        return [LeftOut(f"{inside}/", f"cannot be read: {error.strerror}")]
    listed: list[File | LeftOut | str] = []
    for entry in found:
        name = f"{inside}/{entry.name}" if inside else entry.name
        if entry.name.startswith(".") or entry.name in NEVER:
            continue
        if entry.is_dir(follow_symlinks=False):
            listed.append(name)
        elif (known := _known(entry, name)) is not None:
            listed.append(known)
    return listed


def _known(entry: os.DirEntry[str], name: str) -> File | LeftOut | None:
    """None for a file of a format that nobody reads."""
    if os.path.splitext(entry.name)[1].lower() not in READERS:
        return None
    if not _is_unicode(name):
        return LeftOut(os.fsencode(name).decode("utf-8", "replace"), "has a name that is not UTF-8")
    if entry.is_symlink():
        return LeftOut(name, "is a link")
    return File(Path(entry.path), name) if entry.is_file(follow_symlinks=False) else LeftOut(name, "is not a file")


def _is_unicode(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
