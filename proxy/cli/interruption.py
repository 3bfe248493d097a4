"""Ctrl-C in a command that must stop between two pieces of work."""

import os
import signal
import sys
from types import FrameType
from typing import Any, Self

INTERRUPTED = 130  # exit code of a program that Ctrl-C has stopped: 128 + SIGINT
SHOW_CURSOR = "\x1b[?25h"  # a progress bar hides it


class Interruption:
    """A context in which the first Ctrl-C only sets `requested`, and the second one ends the process at once."""

    def __init__(self, message: str) -> None:
        """`message`: printed at the first Ctrl-C."""
        self.requested = False
        self._message = message
        self._former: Any = None

    def __enter__(self) -> Self:
        """Handle Ctrl-C, unless the process ignores it, as in the background."""
        self._former = signal.getsignal(signal.SIGINT)
        if self._former is not signal.SIG_IGN:
            signal.signal(signal.SIGINT, self._handle)
        return self

    def __exit__(self, *_: object) -> None:
        """Restore the former handler."""
        signal.signal(signal.SIGINT, self._former)

    def _handle(self, _number: int, _frame: FrameType | None) -> None:
        if self.requested:
            os.write(sys.stderr.fileno(), (SHOW_CURSOR if sys.stderr.isatty() else "").encode())
            os._exit(INTERRUPTED)  # an exception could be printed by the code that it interrupts
        self.requested = True
        os.write(sys.stderr.fileno(), f"\n{self._message}\n".encode())
