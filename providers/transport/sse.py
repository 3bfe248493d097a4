"""EventSplitter: bytes of an event stream to the data of each complete event, in linear time.

It follows the WHATWG's rules (https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream)
for `data`, and ignores names, ids and retry times. It works on bytes, because a character may be split between reads.
"""

from ..errors import BrokenStream

MAX_EVENT_BYTES = 16 * 2**20  # an image in base64 fits; a line without end cannot fill the memory
LARGE_EVENT_BYTES = 64 * 2**10  # size of an incomplete event from which on its lines are read as they arrive

_BOM = b"\xef\xbb\xbf"
_DATA = b"data: "  # how most lines begin


class EventSplitter:
    """Splits one event stream."""

    def __init__(self, limit: int = MAX_EVENT_BYTES) -> None:
        """`limit`: bytes of one event, above which `feed` raises BrokenStream."""
        self.limit = limit
        self._held: list[bytes] = []  # the incomplete event, with line ends "\n"
        self._size = 0
        self._large: _LargeEvent | None = None  # the incomplete event instead, if it is large
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
        return self._continue_large(self._large, received) if self._large else self._split(received)

    def flush(self) -> list[bytes]:
        """Return the data of an incomplete event at the end. The standard discards it; the caller decides."""
        large, self._large = self._large, None
        if large:
            data = large.end()
            return [] if data is None else [data]
        held = (self._start or b"") + b"".join(self._held)
        self._held.clear()
        self._size = 0
        return _data([held]) if held else []

    def _split(self, received: bytes) -> list[bytes]:
        """Return the data of the events that these bytes complete. The incomplete event is not large."""
        held = self._held
        if b"\n\n" not in received and not (received[0] == 10 and held and held[-1][-1] == 10):
            held.append(received)
            self._size += len(received)
            if self._size > min(self.limit, LARGE_EVENT_BYTES):
                large, held[:] = b"".join(held), []
                self._large, self._size = _LargeEvent(self.limit), 0
                self._large.feed(large)
            return []
        if held:
            held.append(received)
            received = b"".join(held)
            held.clear()
        events = received.split(b"\n\n")
        incomplete = events.pop()
        self._size = len(incomplete)
        if incomplete:
            held.append(incomplete)
        if len(received) > self.limit and len(max(events, key=len)) > self.limit:
            raise _too_long(self.limit)
        return _data(events)

    def _continue_large(self, large: "_LargeEvent", received: bytes) -> list[bytes]:
        """Return the data of the large event if these bytes complete it, and of the events after it."""
        end = 0 if large.after_line and received[0] == 10 else received.find(b"\n\n")
        if end < 0:
            large.feed(received)
            return []
        large.feed(received[:end])
        data = large.end()
        self._large = None
        following = received[end + (1 if end == 0 and large.after_line else 2) :]
        return [*([] if data is None else [data]), *(self._split(following) if following else ())]

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


class _LargeEvent:
    """Reads the lines of one event, so that neither many lines nor a long one are a long step."""

    def __init__(self, limit: int) -> None:
        """`limit`: bytes, above which `feed` raises BrokenStream."""
        self.after_line = False  # the last byte was a line end
        self._limit = limit
        self._size = 0
        self._data: list[bytes] = []  # the values of its data lines, in parts
        self._has_data = False
        self._begin = b""  # the first bytes of the current line, until they show whether it is a data line
        self._is_data: bool | None = None  # whether the current line is one; None: not known yet

    def feed(self, received: bytes) -> None:
        """Read the next bytes of the event. Raises BrokenStream above the limit."""
        self._size += len(received)
        if self._size > self._limit:
            raise _too_long(self._limit)
        before = len(self._data)
        first, *lines = received.split(b"\n")
        self._continue_line(first)
        for line in lines:
            self._end_line()
            self._continue_line(line)
        self._data[before:] = [b"".join(self._data[before:])]  # not a part for each of millions of lines
        if received:
            self.after_line = received[-1] == 10

    def end(self) -> bytes | None:
        """Return the data of the event, None if it has no data line."""
        self._end_line()
        return b"".join(self._data) if self._has_data else None

    def _continue_line(self, part: bytes) -> None:
        if self._is_data is None:
            self._begin += part
            if len(self._begin) < len(_DATA):
                return
            part = self._begin_line()
        if self._is_data:
            self._data.append(part)

    def _begin_line(self) -> bytes:
        """Decide whether the line is a data line. Return the part of its value that has arrived."""
        name, _, value = self._begin.partition(b":")
        self._begin = b""
        self._is_data = name == b"data"
        if self._is_data:
            if self._has_data:
                self._data.append(b"\n")
            self._has_data = True
        return value.removeprefix(b" ")

    def _end_line(self) -> None:
        if self._is_data is None and self._begin:
            value = self._begin_line()
            if self._is_data:
                self._data.append(value)
        self._is_data, self._begin = None, b""


def _too_long(limit: int) -> BrokenStream:
    return BrokenStream(f"The provider sent an event of more than {limit} bytes.")


def _data(events: list[bytes]) -> list[bytes]:
    payloads = []
    for event in events:
        if event[:6] == _DATA and b"\n" not in event:  # nearly every event of every provider
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
