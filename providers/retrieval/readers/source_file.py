"""SourceFile: a regular file that is open for reading. Another file at its path makes no difference."""

import errno
import io
import os
from contextlib import suppress
from pathlib import Path
from stat import S_ISREG
from types import TracebackType
from typing import Any, BinaryIO, Self, TextIO

from .part import UnreadableFileError

BUFFER_BYTES = 2**16  # read at a time; each read calls Python code
# Without O_NONBLOCK, opening a pipe waits until another program writes to it.
_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC


class SourceFile:
    """A regular file, read through one descriptor, up to the size that it had when it was opened."""

    def __init__(self, descriptor: int, path: Path) -> None:
        """Take over an open descriptor. `path`: names the file in messages, and its suffix is the format.

        Raise UnreadableFileError if it is not a regular file, for example a pipe.
        """
        status = os.fstat(descriptor)
        if not S_ISREG(status.st_mode):
            os.close(descriptor)
            raise UnreadableFileError(path, "is not a file")
        self.descriptor = descriptor
        self.path = path
        self.size = status.st_size

    @classmethod
    def open(cls, path: Path, name: str | None = None, folder: int | None = None) -> Self:
        """Open a file without waiting. Raise UnreadableFileError.

        `name` and `folder`: its name in the folder of an open descriptor; it is not opened if it is a link.
        Without them, `path` is opened, and links are followed.
        """
        flags = _FLAGS if folder is None else _FLAGS | os.O_NOFOLLOW
        try:
            descriptor = os.open(path if name is None else name, flags, dir_fd=folder)
        except OSError as error:
            raise unreadable(path, error, is_inside=folder is not None) from None
        return cls(descriptor, path)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the descriptor."""
        with suppress(OSError):  # the file system has gone
            os.close(self.descriptor)

    @property
    def suffix(self) -> str:
        """The suffix of the name in lower case, which is the format."""
        return self.path.suffix.lower()

    def binary(self) -> BinaryIO:
        """Return the content from its start. A file has one position, so read one such object at a time."""
        return io.BufferedReader(_BoundedFile(os.dup(self.descriptor), self.size), BUFFER_BYTES)

    def text(self, encoding: str, newline: str | None = None) -> TextIO:
        """Return the content from its start as text."""
        return io.TextIOWrapper(self.binary(), encoding, newline=newline)

    def read_bytes(self) -> bytes:
        """Return the whole content."""
        with self.binary() as content:
            return content.read()

    def read_text(self, encoding: str) -> str:
        """Return the whole content as text."""
        with self.text(encoding) as content:
            return content.read()


class _BoundedFile(io.FileIO):
    """A file that ends at a size. A program that writes to it faster than it is read cannot make it endless."""

    def __init__(self, descriptor: int, size: int) -> None:
        super().__init__(descriptor, "rb")
        self._size = size
        super().seek(0)

    def readinto(self, buffer: Any, /) -> int:
        return super().readinto(memoryview(buffer)[: self._left()])

    def read(self, size: int | None = -1, /) -> bytes:
        left = self._left()
        return super().read(left if size is None or size < 0 else min(size, left))

    def readall(self) -> bytes:
        blocks = []
        while block := self.read():
            blocks.append(block)
        return b"".join(blocks)

    def seek(self, offset: int, origin: int = os.SEEK_SET, /) -> int:
        if origin == os.SEEK_END:
            return super().seek(max(0, self._size + offset))
        return super().seek(offset, origin)

    def _left(self) -> int:
        return max(0, self._size - self.tell())


def unreadable(path: Path | str, error: OSError, *, is_inside: bool = False) -> UnreadableFileError:
    """Return the error for a file that cannot be opened. `is_inside`: links were not followed."""
    if is_inside and error.errno == errno.ELOOP:
        return UnreadableFileError(path, "is a link")
    if error.errno in (errno.ENXIO, errno.EWOULDBLOCK):  # a socket, or a file that another program has leased
        return UnreadableFileError(path, "is not a file")
    return UnreadableFileError(path, f"cannot be read: {error.strerror}")
