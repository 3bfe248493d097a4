"""LineSplitter: bytes of newline-delimited JSON to complete lines, in linear time."""

from ..errors import BrokenStream
from .sse import MAX_EVENT_BYTES


class LineSplitter:
    """Splits one NDJSON stream."""

    def __init__(self, limit: int = MAX_EVENT_BYTES) -> None:
        """`limit`: bytes of one line, above which `feed` raises BrokenStream."""
        self._limit = limit
        self._held: list[bytes] = []
        self._size = 0

    def feed(self, received: bytes) -> list[bytes]:
        """Return the lines that these bytes complete, without blank ones."""
        if b"\n" not in received:
            self._hold(received)
            return []
        first, *lines = received.split(b"\n")
        lines.insert(0, b"".join([*self._held, first]))  # only the first line, so that a long one is copied once
        self._held.clear()
        self._size = 0
        self._hold(lines.pop())
        if lines and len(max(lines, key=len)) > self._limit:
            raise self._too_long()
        return _stripped(lines)

    def flush(self) -> list[bytes]:
        """Return the incomplete line at the end of the stream, if there is one."""
        held = b"".join(self._held)
        self._held.clear()
        self._size = 0
        return _stripped([held])

    def _hold(self, received: bytes) -> None:
        if received:
            self._held.append(received)
            self._size += len(received)
            if self._size > self._limit:
                raise self._too_long()

    def _too_long(self) -> BrokenStream:
        return BrokenStream(f"The provider sent a line of more than {self._limit} bytes.")


def _stripped(lines: list[bytes]) -> list[bytes]:
    """Return lines without surrounding white space and byte order marks. JSON may begin with neither."""
    return [stripped for line in lines if (stripped := line.strip(b"\xef\xbb\xbf \t\r"))]
