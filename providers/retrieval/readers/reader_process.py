"""Read files of complex formats in a process of its own, which is ended if one file takes too long.

A file can be built to keep a parser of PDF, DOCX or HTML busy forever, and neither a thread nor a function in C can be
stopped. One process reads all files of a run, since starting it takes 0.3 s.
"""

import json
import subprocess  # nosec B404 # runs this package
import sys
from collections.abc import Generator
from pathlib import Path
from threading import Event, Timer
from time import monotonic
from typing import IO, Any, cast

from . import MAX_FILE_BYTES, Entry
from .isolated import FAILED, reader_environment
from .part import UnreadableFileError

FILE_SECONDS = 300.0  # a PDF of 500 pages takes 10 s, one of 64 MB some minutes


class ReaderProcess:
    """A process that reads one file after the other. It starts with the first file, and again after a failure."""

    def __init__(self, seconds: float = FILE_SECONDS) -> None:
        """`seconds`: how long the reading of one file may take, without the time between its batches."""
        self._seconds = seconds
        self._process: subprocess.Popen[bytes] | None = None

    def batches(self, path: Path, name: str, max_bytes: int = MAX_FILE_BYTES) -> Generator[list[Entry], None, None]:
        """Yield the excerpts of a file in batches; see `entries`. Raises UnreadableFileError at any point."""
        remaining, complete = self._seconds, False
        try:
            process = self._running()
            _send(process, path, {"path": str(path), "name": name, "max_bytes": max_bytes})
            while True:
                began = monotonic()
                answer = self._answer(process, path, remaining)
                remaining -= monotonic() - began
                complete = isinstance(answer, dict)
                if not isinstance(answer, list):
                    break
                yield answer
            if answer:
                raise UnreadableFileError(path, answer["error"])
        finally:
            if not complete:  # its next answer would be about this file
                self.close()

    def close(self) -> None:
        """End the process. It starts again with the next file."""
        if self._process:
            self._process.kill()
            with self._process:  # closes its pipes and waits
                self._process = None

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self.close()
            self._process = subprocess.Popen(  # noqa: S603 # nosec B603 # runs this package
                [sys.executable, *(["-B"] if sys.dont_write_bytecode else []), "-m", __package__],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=reader_environment(),
            )
        return self._process

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
            raise UnreadableFileError(path, f"takes more than {self._seconds:g} seconds to read")
        if line.endswith(b"\n"):
            return json.loads(line)
        raise UnreadableFileError(path, FAILED)


def _send(process: subprocess.Popen[bytes], path: Path, request: dict[str, Any]) -> None:
    requests = cast("IO[bytes]", process.stdin)
    try:
        requests.write(json.dumps(request).encode() + b"\n")
        requests.flush()
    except OSError:
        raise UnreadableFileError(path, FAILED) from None
