"""EventSplitter: bytes of an event stream in, the data of each complete event out.

Follows the WHATWG's rules (https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream)
for `data`; names, ids and retry times are of no use to us. Works on bytes, since a character may straddle two reads.
Linear: what is held is joined once, when its blank line arrives.
"""

from ..errors import BrokenStream

MAX_EVENT_BYTES = 16 * 2**20  # an image in base64 fits; a provider that never ends a line cannot fill the memory

_BOM = b"\xef\xbb\xbf"


class EventSplitter:
    """One event stream. `feed` what arrives; `flush` at its end."""

    def __init__(self, limit: int = MAX_EVENT_BYTES) -> None:
        """`limit`: bytes of one event, above which `feed` raises BrokenStream."""
        self.limit = limit
        self._held: list[bytes] = []  # the open event, line ends already "\n"
        self._size = 0
        self._after_return = False  # the last byte was "\r": a "\n" now is the rest of that line end
        self._start: bytes | None = b""  # the first bytes while they may still be a byte order mark

    def feed(self, received: bytes) -> list[bytes]:
        """The data of the events that these bytes complete. Raises BrokenStream for an event above the limit."""
        if self._start is not None:
            received = self._unmarked(received)
        if self._after_return or b"\r" in received:
            received = self._newlines(received)
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
        """The data of an event that the stream's end left open. By the standard it is void: the caller decides."""
        left = (self._start or b"") + b"".join(self._held)
        self._held.clear()
        self._size = 0
        return _data([left]) if left else []

    def _unmarked(self, received: bytes) -> bytes:
        """Without a byte order mark at the start of the stream, whole or in pieces."""
        start = (self._start or b"") + received
        if len(start) < len(_BOM) and _BOM.startswith(start):
            self._start = start
            return b""
        self._start = None
        return start.removeprefix(_BOM)

    def _newlines(self, received: bytes) -> bytes:
        """With every line end as "\\n"; a "\\r" at the end counts at once, the "\\n" that may follow it not again."""
        if self._after_return and received[:1] == b"\n":
            received = received[1:]
            self._after_return = False
        if received:
            self._after_return = received[-1] == 13
        return received.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def _data(events: list[bytes]) -> list[bytes]:
    found = []
    for event in events:
        if event[:6] == b"data: " and b"\n" not in event:  # nearly every event of every provider
            found.append(event[6:])
        elif (data := _joined(event)) is not None:
            found.append(data)
    return found


def _joined(event: bytes) -> bytes | None:
    """The data lines of an event; None where it has none, which by the standard is no event."""
    lines = []
    for line in event.split(b"\n"):
        name, _, value = line.partition(b":")
        if name == b"data":
            lines.append(value[1:] if value[:1] == b" " else value)
    return b"\n".join(lines) if lines else None
