"""Limit the log lines about one condition, such as a full disk, which could repeat for every request.

A condition is a line of the source code, with the type of the exception if there is one. Their number is bounded.
"""

import logging
import sys
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import TextIO

LINES = 10  # maximum lines of one condition in a period: enough to see which services or models are concerned
PERIOD_SECONDS = 60.0  # until the next lines; a day of a full disk then has 14,400 lines, about 2 MB
MAX_MESSAGE_CHARACTERS = 200  # characters of a message in the line with the number
UNLIMITED = frozenset({"citestream.access", "citestream.content"})  # loggers that write one line for each request

Condition = tuple[str, int, str]  # file, line and type of exception


@dataclass(slots=True)
class _Period:
    """The lines of one condition since the first of them."""

    began: float
    lines: int = 0
    left_out: int = 0
    logger: str = ""
    level: int = logging.WARNING
    message: str = ""


class LimitedHandler(logging.StreamHandler[TextIO]):
    """Writes at most LINES lines of a condition in a period, then one line with the number of those left out."""

    def __init__(self, stream: TextIO | None = None, clock: Callable[[], float] = monotonic) -> None:
        """`stream`: standard error by default. `clock` returns seconds."""
        super().__init__(stream or sys.stderr)
        self._clock = clock
        self._periods: dict[Condition, _Period] = {}

    def emit(self, record: logging.LogRecord) -> None:
        """Write a line, or count it. The lock of the handler is held."""
        now = self._clock()
        self._end_periods(now - PERIOD_SECONDS)
        if record.name in UNLIMITED or self._admits(record, now):
            super().emit(record)

    def close(self) -> None:
        """Write the numbers of the lines that were left out."""
        self.acquire()
        try:
            self._end_periods(float("inf"))
        finally:
            self.release()
        super().close()

    def _admits(self, record: logging.LogRecord, now: float) -> bool:
        kind = record.exc_info[0].__qualname__ if record.exc_info and record.exc_info[0] else ""
        period = self._periods.setdefault((record.pathname, record.lineno, kind), _Period(now))
        period.lines += 1
        if period.lines <= LINES:
            return True
        period.left_out += 1
        period.logger, period.level, period.message = record.name, record.levelno, str(record.msg)
        return False

    def _end_periods(self, began: float) -> None:
        """End the periods that began until then, and write the numbers of the lines that they left out."""
        for condition in [key for key, period in self._periods.items() if period.began <= began]:
            period = self._periods.pop(condition)
            if period.left_out:
                super().emit(_summary(period))


def _summary(period: _Period) -> logging.LogRecord:
    """Return the line for those that were left out. It contains the template of their message, not their values."""
    message = period.message.partition("\n")[0][:MAX_MESSAGE_CHARACTERS]
    text = f"{period.left_out} further lines were left out: {message}"
    record = logging.LogRecord(period.logger, period.level, __file__, 0, "%s", (text,), None)
    record.__dict__["fields"] = {"left_out": period.left_out}
    return record
