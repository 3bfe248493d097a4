"""relay: a request and its answer passed through, bytes unchanged, for clients that speak the provider's own API."""

import re
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from .errors import BrokenStream, IncompleteAnswer, ProviderError, passed_headers
from .events import Relayed
from .masking import Passing
from .transport import (
    MAX_EVENT_BYTES,
    Accepted,
    Call,
    EventSplitter,
    LineSplitter,
    Timeouts,
    Transport,
    accept,
    kind_of,
    leave,
    reads,
)
from .wire.json_text import loads
from .wire.openai_chunks import DONE

# What an event may hold that ends a stream, by API; whoever has it is decoded, to look where in it that stands. These
# begin with rare letters, and errors are looked for apart: 0.3 µs an event; from the quotation mark on it were 0.7.
_MAY_END = {
    "openai": re.compile(rb'_reason" ?: ?"'),
    "responses": re.compile(rb'response\.(?:completed|incomplete|failed|cancelled)"'),
    "ollama": re.compile(rb'done" ?: ?true'),
    "gemini": re.compile(rb'Reason"'),
}
_ERROR = b'"error"'
# What the events of a stream end with, by its content type. Behind a blank line that ends with "\r" a "\n" may follow,
# which then is an empty line of its own and changes nothing.
KINDS = {
    "text/event-stream": (b"\n\n", b"\r\n\r\n", b"\n\r\n", b"\r\r", b"\n\r"),
    "application/x-ndjson": (b"\n",),
}
_RESPONSE_ENDS = ("response.completed", "response.incomplete", "response.failed", "response.cancelled", "error")
LONGEST_BLANK = 3  # bytes of such an end that may have come with an earlier read


class Ending:
    """Looks for the end of a stream, or an error of its own, in the events that pass by."""

    def __init__(self, api: str, choices: int = 1) -> None:
        """`api`: whose the stream is: openai, responses, ollama, gemini. `choices`: how many answers were asked for."""
        self.seen = False
        self.closes = api == "gemini"  # it always ends the stream itself, and need not be hurried
        self._api = api
        self._choices = choices
        self._begun: set[int] = set()  # known only where several were asked for
        self._ended: set[int] = set()

    def pass_by(self, events: bytes) -> None:
        """The next events, whole."""
        several = self._choices > 1  # then what begins counts, too
        sign = -1 if self.seen or several else self._sign(events)
        if self.seen or not (sign >= 0 or several):
            return
        lines = self._api == "ollama"
        splitter = LineSplitter() if lines else EventSplitter()
        kind = KINDS["application/x-ndjson" if lines else "text/event-stream"]
        begin = _after_last(events, kind, sign) if sign >= 0 else 0  # a read may hold many events that end nothing
        for payload in (*splitter.feed(events[begin:]), *splitter.flush()):
            self._take(payload)

    def close(self) -> None:
        """The stream has ended as a body should; Gemini has no other end than that."""
        if self._api == "gemini":
            self._last()

    def _sign(self, events: bytes) -> int:
        """Where the first thing stands that may end the stream; -1 where nothing does."""
        end = _MAY_END[self._api].search(events)
        error = events.find(_ERROR, 0, end.start() if end else len(events))
        return end.start() if end and error < 0 else error

    def _take(self, payload: bytes) -> None:
        if self._api == "openai" and payload.startswith(DONE):
            return self._last()
        event, _ = loads(payload)
        if isinstance(event, dict):
            begun, ended = _choices(event, self._api)
            self._begun |= begun
            self._ended |= ended
            self.seen = self.seen or _failed(event) or len(self._ended) >= self._choices
        return None

    def _last(self) -> None:
        """Nothing more will come. Some servers give fewer answers than were asked for, each of them whole."""
        self.seen = self.seen or bool(self._ended and self._begun <= self._ended)


class Whole:
    """Lets only whole events by, so that behind each piece something else may stand: a sign of life, an error.

    Nothing of an event is of use to a client before its end.
    """

    def __init__(self, ends: tuple[bytes, ...], limit: int = MAX_EVENT_BYTES) -> None:
        """`ends`: what an event ends with, one of KINDS. `limit`: bytes of one, above which `feed` raises."""
        self._ends = ends
        self._limit = limit
        self._held: list[bytes] = []
        self._size = 0
        self._tail = b""  # of what is held: the beginning of an end

    def feed(self, data: bytes) -> bytes:
        """The events that these bytes complete. Raises BrokenStream for one above the limit."""
        if not self._held and data.endswith(self._ends):
            return data  # as nearly every server writes
        seen = self._tail + data
        at = _after_last(seen, self._ends, len(seen)) - len(self._tail)
        if at <= 0:
            self._hold(data)
            return b""
        passed = self.flush() + data[:at]
        self._hold(data[at:])
        return passed

    def flush(self) -> bytes:
        """What is held at the end of an answer that is complete."""
        held = b"".join(self._held)
        self._held, self._size, self._tail = [], 0, b""
        return held

    def completed(self, rest: bytes) -> bytes:
        """What is held where the stream broke: an event that only lacks its end, with it; of half an event nothing."""
        event = rest.rstrip()
        payloads = (event, *EventSplitter(len(event) + 2).feed(event + b"\n\n"))  # of lines; of an event's `data`
        return event + self._ends[0] if any(isinstance(loads(one)[0], dict) for one in payloads) else b""

    def _hold(self, data: bytes) -> None:
        if data:
            self._held.append(data)
            self._size += len(data)
            self._tail = (self._tail + data)[-LONGEST_BLANK:]
            if self._size > self._limit:
                raise BrokenStream(f"The provider sent an event of more than {self._limit} bytes.")


def _after_last(data: bytes, ends: tuple[bytes, ...], stop: int) -> int:
    """Where the event begins that stands behind the last of these ends before `stop`; 0 where there is none."""
    at = 0
    for end in ends:  # each only behind the last of those before: what is rare would be looked for in all of the data
        found = data.rfind(end, max(0, at - len(end)), stop)
        at = max(at, found + len(end) if found >= 0 else 0)
    return at


async def relay(
    transport: Transport,
    call: Call,
    timeouts: Timeouts,
    ending: Ending | None = None,
    limit: int = MAX_EVENT_BYTES,
) -> Relayed:
    """The answer to this call, once its headers are here. Raises ProviderError, also for an error status.

    Its body has to be closed (`aclosing`): that ends the provider's stream. It raises ProviderError when the connection
    breaks, and IncompleteAnswer when a stream that should show its `ending` does not, so that a cut answer is never
    made to look like a whole one; what breaks after that is of no matter. `limit`: bytes of one event.
    """
    accepted = await accept(transport, call, timeouts)
    response = accepted.response
    try:
        kind = kind_of(response)
    except BrokenStream:
        leave(response)
        raise
    headers = {"content-type": response.headers.get("Content-Type", "application/octet-stream")}
    headers |= passed_headers(response.headers)
    whole = Whole(KINDS[kind], limit) if kind in KINDS else None
    started = _body(accepted, ending if whole else None, whole)
    await anext(started)  # from here on, closing it closes the connection, even if nobody ever reads
    return Relayed(response.status, headers, started, events=whole is not None)


async def answered(relayed: Relayed, limit: int = MAX_EVENT_BYTES) -> dict[str, Any]:
    """The JSON object that an answer in one piece is; {} where it is none. Raises ProviderError."""
    parts: list[bytes] = []
    size = 0
    async with aclosing(relayed.body) as received:
        async for data in received:
            parts.append(data)
            size += len(data)
            if size > limit:
                raise BrokenStream(f"The provider sent an answer of more than {limit} bytes.")
    value, _ = loads(b"".join(parts))
    return value if isinstance(value, dict) else {}


async def _body(accepted: Accepted, ending: Ending | None, whole: Whole | None) -> AsyncGenerator[bytes, None]:
    passing = Passing()
    broken: ProviderError | None = None
    response, watch = accepted.response, accepted.watch
    with accepted:
        yield b""
        try:
            async for data in reads(response, watch):
                events = whole.feed(data) if whole else data
                if data:
                    watch.begin()
                if ending and events:
                    ending.pass_by(events)
                    if ending.seen and not ending.closes:
                        watch.finish()
                yield passing.feed(events)
        except ProviderError as error:
            broken = error
        rest = whole.flush() if whole else b""
        if ending:
            ending.pass_by(rest)
            if not broken:
                ending.close()
            if not (broken or ending.seen):
                broken = IncompleteAnswer("The provider's answer ended without a finish reason.")
        yield passing.feed(whole.completed(rest) if whole and broken else rest) + passing.flush()
        if broken and not (ending and ending.seen):
            raise broken


def _choices(event: dict[str, Any], api: str) -> tuple[set[int], set[int]]:
    """The choices that this event has something of, and those that it ends."""
    if api == "ollama":
        return {0}, {0} if event.get("done") is True else set()
    if api == "responses":
        return {0}, {0} if event.get("type") in _RESPONSE_ENDS else set()
    named = "candidates" if api == "gemini" else "choices"
    reason = "finishReason" if api == "gemini" else "finish_reason"
    found = event.get(named)
    told = [(_index(one), one.get(reason)) for one in found if isinstance(one, dict)] if isinstance(found, list) else []
    return {index for index, _ in told}, {index for index, why in told if isinstance(why, str)}


def _index(choice: dict[str, Any]) -> int:
    index = choice.get("index")
    return index if isinstance(index, int) else 0


def _failed(event: dict[str, Any]) -> bool:
    """An error, or Gemini's refusal of the question."""
    asked = event.get("promptFeedback")
    return bool(
        event.get("error")
        or event.get("object") == "error"
        or (isinstance(asked, dict) and asked.get("blockReason") and not event.get("candidates"))
    )
