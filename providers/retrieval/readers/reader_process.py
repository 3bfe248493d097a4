"""Read files of complex formats in a process of its own, which is ended if one file takes too long.

A file can be built to keep a parser of PDF, DOCX or HTML busy forever, and neither a thread nor a function in C can be
stopped. One process reads all files of a run, since starting it takes 0.3 s.
"""

import json
import socket
import subprocess  # nosec B404 # runs this package
from collections.abc import Generator, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from threading import Event, Timer
from time import monotonic
from typing import IO, Any, cast

from . import BATCH, MAX_FILE_BYTES, PARSED, Entry, SourceFile, entries_of
from .isolated import FAILED
from .part import UnreadableFileError
from .reader_command import command, settings

FILE_SECONDS = 300.0  # a PDF of 500 pages takes 10 s, one of 64 MB some minutes
INDEX_MEMORY_BYTES = 2 * 2**30  # address space; files of a folder are larger than those of clients


class ReaderProcess:
    """A process that reads one file after the other. It starts with the first file, and again after a failure."""

    def __init__(self, seconds: float = FILE_SECONDS) -> None:
        """`seconds`: how long the reading of one file may take, without the time between its batches."""
        self._seconds = seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._requests: socket.socket | None = None

    def read(
        self, source: SourceFile, name: str, max_bytes: int = MAX_FILE_BYTES
    ) -> Generator[list[Entry], None, None]:
        """Yield the excerpts of a file in batches. Only files of complex formats are read in the process."""
        if source.suffix in PARSED:
            return self.batches(source, name, max_bytes)
        return _batches(entries_of(source, name, max_bytes))

    def batches(
        self, source: SourceFile, name: str, max_bytes: int = MAX_FILE_BYTES
    ) -> Generator[list[Entry], None, None]:
        """Yield the excerpts of a file in batches; see `entries_of`. Raises UnreadableFileError at any point.

        The process gets the open file, not its path.
        """
        remaining, complete = self._seconds, False
        try:
            process, requests = self._running()
            _send(requests, source, {"name": name, "max_bytes": max_bytes, "seconds": self._seconds})
            while True:
                began = monotonic()
                answer = self._answer(process, source.path, remaining)
                remaining -= monotonic() - began
                complete = isinstance(answer, dict)
                if not isinstance(answer, list):
                    break
                yield answer
            if answer:
                raise UnreadableFileError(source.path, answer["error"])
        finally:
            if not complete:  # its next answer would be about this file
                self.close()

    def close(self) -> None:
        """End the process. It starts again with the next file."""
        if self._requests:
            self._requests.close()
            self._requests = None
        if self._process:
            self._process.kill()
            with self._process:  # closes its pipe and waits
                self._process = None

    def _running(self) -> tuple[subprocess.Popen[bytes], socket.socket]:
        if self._process is None or self._requests is None or self._process.poll() is not None:
            self.close()
            self._requests, reader_end = socket.socketpair()
            with reader_end:
                self._process = subprocess.Popen(  # noqa: S603 # nosec B603 # runs this package
                    command(),
                    stdin=reader_end.fileno(),
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    **settings(),
                )
        return self._process, self._requests

    def _answer(self, process: subprocess.Popen[bytes], path: Path, seconds: float) -> Any:
        """Return the next answer: a list of excerpts, or an object at the end. Raises UnreadableFileError."""
        is_late = Event()

        def end() -> None:
            is_late.set()
            process.kill()

        timer = Timer(max(0.0, seconds), end)
        timer.start()
        try:
            line = cast("IO[bytes]", process.stdout).readline()
        finally:
            timer.cancel()
            timer.join()  # the process may be ended just after its answer
        if is_late.is_set():
            raise UnreadableFileError(path, f"takes more than {self._seconds:g} seconds to read; divide it")
        if line.endswith(b"\n"):
            return json.loads(line)
        raise UnreadableFileError(path, FAILED)


def _batches(excerpts: Iterator[Entry]) -> Generator[list[Entry], None, None]:
    while batch := list(islice(excerpts, BATCH)):
        yield batch


def _send(requests: socket.socket, source: SourceFile, request: dict[str, Any]) -> None:
    with suppress(OSError):  # the process has ended, which its missing answer shows
        socket.send_fds(requests, [json.dumps(request).encode() + b"\n"], [source.descriptor])
