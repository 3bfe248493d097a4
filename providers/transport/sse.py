"""EventSplitter: bytes of an event stream to the data of each complete event, in linear time.

It follows the WHATWG's rules (https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream)
for `data`, and ignores names, ids and retry times. It works on bytes, because a character may be split between reads.
"""

from ..errors import BrokenStream

MAX_EVENT_BYTES = 16 * 2**20  # an image in base64 fits; a line without end cannot fill the memory

_BOM = b"\xef\xbb\xbf"


class EventSplitter:
    """Splits one event stream."""

    def __init__(self, limit: int = MAX_EVENT_BYTES) -> None:
        """`limit`: bytes of one event, above which `feed` raises BrokenStream."""
        self.limit = limit
        self._held: list[bytes] = []  # the incomplete event, with line ends "\n"
        self._size = 0
        self._after_return = False  # the last byte was "\r", so a "\n" now belongs to the same line end
        self._start: bytes | None = b""  # the first bytes, while they may be part of a byte order mark

    def feed(self, received: bytes) -> list[bytes]:
        """Return the data of the events that these bytes complete. Raises BrokenStream for an event above the limit."""
        if self._start is not None:
            received = self._without_bom(received)
        if self._after_return or b"\r" in received:
            received = self._normalize_newlines(received)
        if not received:
            return []
        held = self._held
        if b"\n\n" not in received and not (received[0] == 10 and held and held[-1][-1] == 10):
            held.append(received)
            self._size += len(received)
            if self._size > self.limit:
                raise BrokenStream(f"The provider sent an event of more than {self.limit} bytes.")
            return []
        if held:
            held.append(received)
            received = b"".join(held)
            held.clear()
        events = received.split(b"\n\n")
        rest = events.pop()
        self._size = len(rest)
        if rest:
            held.append(rest)
        if len(max(events, key=len)) > self.limit:
            raise BrokenStream(f"The provider sent an event of more than {self.limit} bytes.")
        return _data(events)

    def flush(self) -> list[bytes]:
        """Return the data of an incomplete event at the end. The standard discards it; the caller decides."""
        held = (self._start or b"") + b"".join(self._held)
        self._held.clear()
        self._size = 0
        return _data([held]) if held else []

    def _without_bom(self, received: bytes) -> bytes:
        """Remove a byte order mark from the start of the stream. It may be split between reads."""
        start = (self._start or b"") + received
        if len(start) < len(_BOM) and _BOM.startswith(start):
            self._start = start
            return b""
        self._start = None
        return start.removeprefix(_BOM)

    def _normalize_newlines(self, received: bytes) -> bytes:
        """Replace every line end by "\\n". A "\\r" at the end is one at once, and a "\\n" after it is dropped."""
        if self._after_return and received[:1] == b"\n":
            received = received[1:]
            self._after_return = False
        if received:
            self._after_return = received[-1] == 13
        return received.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def _data(events: list[bytes]) -> list[bytes]:
    payloads = []
    for event in events:
        if event[:6] == b"data: " and b"\n" not in event:  # nearly every event of every provider
            payloads.append(event[6:])
        elif (data := _join_data_lines(event)) is not None:
            payloads.append(data)
    return payloads


def _join_data_lines(event: bytes) -> bytes | None:
    """Return the joined data lines of an event, None if it has none. By the standard it is no event then."""
    lines = []
    for line in event.split(b"\n"):
        name, _, value = line.partition(b":")
        if name == b"data":
            lines.append(value[1:] if value[:1] == b" " else value)
    return b"\n".join(lines) if lines else None
