"""StreamEnd: detects the end of a stream that is passed through, in the format of each API.

The events are not decoded unless they contain text that only the end of a stream or an error contains.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from citestream.citation.text.steps import Steps, completed

from ..transport import EventSplitter, LineSplitter
from .chunk_limits import MAX_CHOICES
from .json_steps import loads_in_steps
from .json_text import as_list, as_object
from .openai_chunks import DONE
from .responses import FINAL_EVENTS

# Terminators of an event, by content type. After a blank line that ends with "\r" a "\n" may follow, which then is an
# empty line of its own and changes nothing.
SSE_TERMINATORS = (b"\n\n", b"\r\n\r\n", b"\n\r\n", b"\r\r", b"\n\r")
NDJSON_TERMINATORS = (b"\n",)
TERMINATORS = {"text/event-stream": SSE_TERMINATORS, "application/x-ndjson": NDJSON_TERMINATORS}

SEARCHED_BYTES = 16 * 2**10  # searched at a time: up to 1,600 events, which take 6 ms
_SCANNED_BYTES = 2**20  # scanned for one text at a time, 1 to 2 ms
_OVERLAP_BYTES = 64  # bytes; longer than any text that is searched for


@dataclass(frozen=True, slots=True)
class _Format:
    """How a stream of one API ends."""

    # Matches in every event that ends a stream, and rarely elsewhere. Patterns start with letters, not with the
    # quotation mark before them: 0.3 µs an event instead of 0.7.
    hint: re.Pattern[bytes]
    choices: str = ""  # the list of choices, and the field of a choice that has its finish reason
    reason: str = ""
    lines: bool = False  # newline-delimited JSON


_FORMATS = {
    "openai": _Format(re.compile(rb'_reason" ?: ?"'), "choices", "finish_reason"),
    "responses": _Format(re.compile(rb'response\.(?:completed|incomplete|failed|cancelled)"')),
    "ollama": _Format(re.compile(rb'done" ?: ?true'), lines=True),
    "anthropic": _Format(re.compile(rb'stop_reason" ?: ?"')),
    "gemini": _Format(re.compile(rb'Reason"'), "candidates", "finishReason"),
}
_DONE_APIS = ("openai", "responses")  # clients of these APIs stop reading at [DONE]
_ERROR = b'"error"'
_DONE_LINES = (b"data: " + DONE, b"data:" + DONE)  # JSON has no line breaks inside its strings


class StreamEnd:
    """Looks for the end of one stream, or an error in it. `seen`: whether it was found."""

    def __init__(self, api: str, choices: int = 1) -> None:
        """Start at the first event. `api`: a key of _FORMATS. `choices`: the requested number."""
        self.seen = False
        self.server_closes = api == "gemini"  # it always closes a finished stream
        self._api = api
        self._format = _FORMATS[api]
        self._choices = choices
        self._begun: set[int] = set()  # known only if several were requested
        self._ended: set[int] = set()

    def feed_in_steps(self, events: bytes) -> Steps[int]:
        """Look at the next whole events. Return the position of `[DONE]` if it is there before the end, -1 otherwise.

        OpenAI's clients stop reading at `[DONE]`, so that an error after it would not reach them.
        """
        if self.seen:
            return -1
        hint, done = yield from self._scan(events)
        yield from self._search(events[:done] if done >= 0 else events, hint)
        if done >= 0:
            self._no_more_choices()
        return -1 if self.seen else done

    feed = completed(feed_in_steps)

    def close(self) -> None:
        """Note that the connection was closed properly, which is the only end marker of Gemini's API."""
        if self.server_closes:
            self._no_more_choices()

    def _scan(self, events: bytes) -> Steps[tuple[int, int]]:
        """Return the positions of the first text that may end the stream, and of `[DONE]`; -1 for each without one.

        Events after `[DONE]` do not belong to the answer.
        """
        hint = -1
        for start in range(0, len(events), _SCANNED_BYTES):
            stop = min(len(events), start + _SCANNED_BYTES + _OVERLAP_BYTES)
            done = _find_done(events, start, stop) if self._api in _DONE_APIS else -1
            if hint < 0:
                hint = self._find_hint(events, start, done if done >= 0 else stop)
            if done >= 0:
                return hint, done
            if stop < len(events):
                yield None
        return hint, -1

    def _search(self, events: bytes, hint: int) -> Steps[None]:
        """Look for the end in events before `[DONE]`. `hint`: the position of the first text that may be the end."""
        several = self._choices > 1  # then events that begin a choice matter, too
        if hint < 0 and not several:
            return
        splitter = LineSplitter() if self._format.lines else EventSplitter()
        terminators = NDJSON_TERMINATORS if self._format.lines else SSE_TERMINATORS
        is_long = len(events) > SEARCHED_BYTES  # then searching backwards takes long, too
        begin = 0 if is_long or several else after_last_terminator(events, terminators, hint)  # events without a hint
        for start in range(begin, len(events), SEARCHED_BYTES):
            for payload in splitter.feed(events[start : start + SEARCHED_BYTES]):
                yield from self._read(payload)
            if is_long:
                yield None
        for payload in splitter.flush():
            yield from self._read(payload)

    def _find_hint(self, events: bytes, start: int, stop: int) -> int:
        """Return where the first text that may end the stream begins, between these positions, -1 if there is none."""
        end = self._format.hint.search(events, start, stop)
        error = events.find(_ERROR, start, end.start() if end else stop)
        return end.start() if end and error < 0 else error

    def _read(self, payload: bytes) -> Steps[None]:
        try:
            event, _ = yield from loads_in_steps(payload, replace=True)
        except ValueError:
            return
        if isinstance(event, dict):
            begun, ended = self._choices_of(event)
            self._begun |= begun
            self._ended |= ended
            self.seen = self.seen or _is_error(event) or len(self._ended) >= self._choices

    def _no_more_choices(self) -> None:
        """Accept fewer choices than requested, if all that began are complete. Some servers limit their number."""
        self.seen = self.seen or bool(self._ended and self._begun <= self._ended)

    def _choices_of(self, event: Mapping[str, Any]) -> tuple[set[int], set[int]]:
        """Return the choices of an event, and those that it ends."""
        if self._api == "ollama":
            return {0}, {0} if event.get("done") is True else set()
        if self._api == "responses":
            return {0}, {0} if event.get("type") in FINAL_EVENTS else set()
        if self._api == "anthropic":
            return {0}, {0} if isinstance(as_object(event.get("delta")).get("stop_reason"), str) else set()
        listed = as_list(event.get(self._format.choices))[:MAX_CHOICES]
        choices = [choice for choice in listed if isinstance(choice, dict)]
        ended = [choice for choice in choices if isinstance(choice.get(self._format.reason), str)]
        return set(map(_index, choices)), set(map(_index, ended))


def _find_done(events: bytes, start: int, stop: int) -> int:
    """Return the position of the first line with `[DONE]` between these positions, -1 if there is none."""
    if start == 0 and events.startswith(_DONE_LINES):
        return 0
    if events.find(DONE, start, stop) < 0:
        return -1
    positions = [events.find(end + line, start, stop) for end in (b"\n", b"\r") for line in _DONE_LINES]
    return min([position + 1 for position in positions if position >= 0], default=-1)


def _index(choice: Mapping[str, Any]) -> int:
    index = choice.get("index")
    return index if isinstance(index, int) else 0


def _is_error(event: Mapping[str, Any]) -> bool:
    """Return whether an event is an error, or Gemini's refusal of the prompt."""
    blocked = as_object(event.get("promptFeedback")).get("blockReason") and not event.get("candidates")
    return bool(event.get("error") or event.get("object") == "error" or blocked)


def after_last_terminator(data: bytes, terminators: tuple[bytes, ...], stop: int) -> int:
    """Return the position after the last of these terminators before `stop`, 0 if there is none."""
    end = 0
    for terminator in terminators:  # each is searched only after the ones found before, to not search all data
        start = data.rfind(terminator, max(0, end - len(terminator)), stop)
        end = max(end, start + len(terminator) if start >= 0 else 0)
    return end
