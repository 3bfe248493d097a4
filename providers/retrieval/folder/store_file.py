"""The file of a store: its version, its lock for indexing, and its permissions."""

import errno
import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from stat import S_IMODE, S_ISREG

OWNER, OWNER_AND_GROUP = 0o600, 0o660
SQLITE_SUFFIXES = ("-journal", "-shm", "-wal")  # files with the latest content, next to that of a database
_DATABASE_FLAGS = os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC


class StoreError(Exception):
    """A store cannot be used. The message contains its path, the reason and what to do."""


@dataclass(frozen=True, slots=True)
class FileVersion:
    """Identifies a file and its state: another file at the same path, and any change, has another version."""

    device: int
    inode: int
    size: int
    changed: int  # ns

    @classmethod
    def of(cls, path: Path) -> "FileVersion | None":
        """Return the version of the file at a path, or None if there is none."""
        try:
            status = path.stat()
        except OSError:
            return None
        return cls(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)


@contextmanager
def index_lock(path: Path, wait: Callable[[], None]) -> Iterator[None]:
    """Hold the right to index into the store at `path`. Call `wait` before waiting for another process that holds it.

    SQLite's own lock would make the other process fail after `LOCKED_SECONDS`. Raise StoreError if the folder of the
    store cannot be written.
    """
    try:
        _create_private_folder(path.parent)
        file = os.open(f"{path}.lock", os.O_CREAT | os.O_RDWR, 0o600)
    except OSError as error:
        raise StoreError(
            f"{error.filename} cannot be written: {error.strerror}; --store FILE names another file"
        ) from None
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            wait()
            fcntl.flock(file, fcntl.LOCK_EX)
        yield
    finally:
        os.close(file)  # releases the lock


def create_private_file(path: Path) -> None:
    """Create a file that only the user may read and write, and its folder, if they do not exist.

    Take the rights of other users from an existing one. Its group keeps its rights: a server may run as another user.
    Raise OSError if that is not possible.
    """
    _create_private_folder(path.parent)
    open_private_database(path, OWNER_AND_GROUP)


def open_private_database(path: Path, rights: int = OWNER) -> None:
    """Create the file of a SQLite database with the rights of its owner, or leave an existing one at most `rights`.

    So do the files that SQLite writes next to it. Raise OSError if that is not possible.
    """
    _narrow(os.open(path, os.O_CREAT | _DATABASE_FLAGS, OWNER), rights)
    for suffix in SQLITE_SUFFIXES:
        with suppress(FileNotFoundError):
            _narrow(os.open(f"{path}{suffix}", os.O_NOFOLLOW | _DATABASE_FLAGS), rights)


def _narrow(descriptor: int, rights: int) -> None:
    try:
        mode = os.fstat(descriptor).st_mode
        if not S_ISREG(mode):
            raise OSError(errno.EINVAL, "is not a file")
        if S_IMODE(mode) & ~rights:
            os.fchmod(descriptor, S_IMODE(mode) & rights)
    finally:
        os.close(descriptor)


def _create_private_folder(path: Path) -> None:
    """Create a folder that only the user may read and that version control ignores, if it does not exist."""
    if not path.exists():
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        (path / ".gitignore").write_text("*\n", "utf-8")
