"""LineSplitter: bytes of newline-delimited JSON in, complete lines out. Linear, like EventSplitter."""

from ..errors import BrokenStream
from .sse import MAX_EVENT_BYTES


class LineSplitter:
    """One NDJSON stream. `feed` what arrives; `flush` at its end."""

    def __init__(self, limit: int = MAX_EVENT_BYTES) -> None:
        """`limit`: bytes of one line, above which `feed` raises BrokenStream."""
        self._limit = limit
        self._held: list[bytes] = []
        self._size = 0

    def feed(self, received: bytes) -> list[bytes]:
        """The lines that these bytes complete, blank ones left out. Raises BrokenStream for one above the limit."""
        if b"\n" not in received:
            self._hold(received)
            return []
        self._held.append(received)
        lines = b"".join(self._held).split(b"\n")
        self._held.clear()
        self._size = 0
        self._hold(lines.pop())
        if lines and len(max(lines, key=len)) > self._limit:
            raise self._too_long()
        return _content(lines)

    def flush(self) -> list[bytes]:
        """The line that the stream's end left open, if there is one."""
        left = b"".join(self._held)
        self._held.clear()
        self._size = 0
        return _content([left])

    def _hold(self, received: bytes) -> None:
        if received:
            self._held.append(received)
            self._size += len(received)
            if self._size > self._limit:
                raise self._too_long()

    def _too_long(self) -> BrokenStream:
        return BrokenStream(f"The provider sent a line of more than {self._limit} bytes.")


def _content(lines: list[bytes]) -> list[bytes]:
    """Without white space around them and byte order marks before them, neither of which JSON may begin with."""
    return [stripped for line in lines if (stripped := line.strip(b"\xef\xbb\xbf \t\r"))]
