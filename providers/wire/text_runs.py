"""Runs: text deltas in a row that differ in nothing but their text are read as one, without decoding each.

A provider sends twenty tokens a sentence, each in the same 300 bytes around it. Where several have arrived together, as
they do whenever anybody is busy, the bytes around them are compared and only the texts are taken out. µs of CPU a chunk
(`python -m bench.providers`, many a read): 6.3 with every chunk decoded and an event of its own, 3.1 in runs.
"""

import re
from itertools import pairwise
from typing import Protocol

import orjson

from ..events import Event, TextDelta

MOST_LEARNED = 8  # times in a stream: a server that changes what is around each token is read chunk by chunk
_CODE = b"\\u"  # begins a character by its number: perhaps half of one, whose other half is in another payload
_BETWEEN = (b':"', b': "')  # a field's name and its string
# The inside of a string, in one pass: a text of a megabyte may be nothing but quotes
_STRING = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)
_PROBE = "☃ \u2028"  # stands for a text that is like no other part of a chunk


class Reads(Protocol):
    """What reads payloads one by one."""

    @property
    def text_field(self) -> bytes:
        """The name of the field that holds a delta's text, in quotes; nothing where chunks must be read one by one."""
        ...

    @property
    def ignored(self) -> re.Pattern[bytes] | None:
        """What differs between chunks and is not read: the group is a string's inside."""
        ...

    def read(self, payload: bytes) -> list[Event]:
        """The events of one payload."""
        ...


class Runs:
    """Reads the payloads of one stream."""

    def __init__(self, reader: Reads) -> None:
        """`reader`: who reads each payload that is not just like the one before."""
        self._reader = reader
        self._stencil: Stencil | None = None
        self._learned = 0

    def next(self, payloads: list[bytes], at: int) -> tuple[list[Event], int]:
        """The events of the payload at `at`, or of the run that begins there; and where to go on."""
        if self._stencil and self._reader.text_field:
            texts = self._stencil.texts(payloads, at)
            if texts and (event := self._stencil.event(texts)):
                return [event], at + len(texts)
            if texts:  # no JSON: else all of the run would be tried again from each of its payloads on
                self._stencil = None
        payload = payloads[at]
        events = self._reader.read(payload)
        if b"\\" not in payload and len(events) == 1 and isinstance(events[0], TextDelta):
            self._learn(payload, events[0])
        return events, at + 1

    def _learn(self, payload: bytes, delta: TextDelta) -> None:
        if self._learned < MOST_LEARNED:
            self._learned += 1
            self._stencil = learn(payload, delta, self._reader)


class Stencil:
    """The bytes around the text of a delta, and the event they make of any text."""

    def __init__(self, literals: tuple[bytes, ...], place: int, delta: TextDelta) -> None:
        """`literals`: what stands before, between and behind strings that differ; `place`: which of them is text."""
        self._literals = literals
        self._place = place
        self._delta = delta

    def texts(self, payloads: list[bytes], at: int) -> list[bytes]:
        """The texts of the payloads from `at` on that fit, as they are written in JSON."""
        found: list[bytes] = []
        first, *rest = self._literals
        for number in range(at, len(payloads)):
            payload = payloads[number]
            text, start = b"", len(first)
            escapes = b"\\" in payload
            if not payload.startswith(first) or (escapes and _CODE in payload):
                return found
            for place, literal in enumerate(rest):
                end = _end(payload, start) if escapes else payload.find(b'"', start)
                if end < 0 or not payload.startswith(literal, end):
                    return found
                if place == self._place:
                    text = payload[start:end]
                start = end + len(literal)
            if start != len(payload) or not text:
                return found
            found.append(text)
        return found

    def event(self, texts: list[bytes]) -> TextDelta | None:
        """The event of these texts; None where they are no JSON."""
        try:
            text: str = orjson.loads(b'"%b"' % b"".join(texts))
        except orjson.JSONDecodeError:
            return None
        return self.delta(text)

    def delta(self, text: str) -> TextDelta:
        """The event of this text."""
        chunk = self._delta.chunk
        (choice,) = chunk["choices"]
        return TextDelta(
            self._delta.choice, text, {**chunk, "choices": [{**choice, "delta": {**choice["delta"], "content": text}}]}
        )


def learn(payload: bytes, delta: TextDelta, reader: Reads) -> Stencil | None:
    """The stencil of a payload that was read as this event; None where there is no telling what its text is."""
    spans = _spans(payload, delta.text, reader)
    if spans is None or list(delta.chunk["choices"][0]["delta"]) != ["content"]:
        return None
    edges = [0, *(edge for span in spans for edge in span[:2]), len(payload)]
    literals = tuple(payload[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True))
    place = next(number for number, span in enumerate(spans) if span[2])
    stencil = Stencil(literals, place, delta)
    texts = [_PROBE if number == place else "" for number in range(len(spans))]
    probe = literals[0] + b"".join(text.encode() + literal for text, literal in zip(texts, literals[1:], strict=True))
    return stencil if reader.read(probe) == [stencil.delta(_PROBE)] else None


def _end(payload: bytes, start: int) -> int:
    """Where the string ends that begins at `start` and may have escapes; -1 where it does not."""
    inside = _STRING.match(payload, start)
    end = inside.end() if inside else start
    return end if payload[end : end + 1] == b'"' else -1


def _spans(payload: bytes, text: str, reader: Reads) -> list[tuple[int, int, bool]] | None:
    """(start, end, whether it is the text) of the insides of the strings that differ, in order."""
    if not reader.text_field:
        return None
    written = text.encode("utf-8", "replace")
    field = payload.find(reader.text_field)
    start = payload.find(b'"', field + len(reader.text_field)) + 1
    between = payload[field + len(reader.text_field) : start]
    if (
        payload.count(reader.text_field) != 1
        or between not in _BETWEEN
        or not payload.startswith(written + b'"', start)
    ):
        return None
    spans = [(start, start + len(written), True)]
    if reader.ignored:
        spans += [(*one.span(1), False) for one in reader.ignored.finditer(payload)]
    spans.sort()
    return spans if all(one[1] < two[0] for one, two in pairwise(spans)) else None
