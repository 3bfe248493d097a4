"""RunDecoder: decode consecutive text deltas that differ only in their text as one event.

A provider sends about twenty tokens per sentence, each inside the same 300 bytes. If several have arrived together, as
they do on a busy server, the surrounding bytes are compared and only the texts are decoded. µs of CPU per chunk
(`python -m bench.providers`, many per read): 9.0 if every chunk is decoded and becomes an event, 3.3 in runs. Fewer
events also save the segmentation and encoding of each.
"""

import re
from itertools import pairwise
from typing import Any, Protocol

import orjson

from ..events import Event, TextDelta
from .sanitize_chunk import sanitize

MAX_TEMPLATES = 8  # per stream; if the bytes around the tokens change more often, chunks are decoded one by one
_CODE_ESCAPE = b"\\u"  # may be half of a surrogate pair whose other half is in the next payload
_SEPARATORS = (b':"', b': "')  # between the name of a field and its string
# The rest of a JSON string, matched in one pass because a text of a megabyte may consist of quotation marks
_STRING = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)
_PROBE = "☃ \u2028"  # a text that does not occur elsewhere in a chunk


class PayloadReader(Protocol):
    """Translates payloads into events, one by one."""

    skipped: int  # payloads that could not be read

    @property
    def text_field(self) -> bytes:
        """The JSON name of the field with a delta's text, in quotation marks. Empty if runs are not allowed."""
        ...

    @property
    def ignored(self) -> re.Pattern[bytes] | None:
        """Matches strings that differ between chunks but do not matter. Group 1 is the inside of the string."""
        ...

    def read(self, payload: bytes) -> list[Event]:
        """Return the events of one payload."""
        ...

    def read_value(self, value: Any, is_clean: bool) -> list[Event]:
        """Return the events of one decoded payload. `is_clean`: it has no lone surrogates."""
        ...


class RunDecoder:
    """Decodes the payloads of one stream."""

    def __init__(self, reader: PayloadReader) -> None:
        """`reader`: decodes each payload that does not fit the template of an earlier one."""
        self._reader = reader
        self._template: Template | None = None
        self._templates_made = 0

    def decode(self, payloads: list[bytes], position: int) -> tuple[list[Event], int]:
        """Return the events of the payload at `position`, or of the run that begins there, and the next position.

        All are sanitized: those of a run because the chunk of their template is.
        """
        if self._template and self._reader.text_field:
            texts = self._template.match(payloads, position)
            if texts and (event := self._template.event(texts)):
                return [event], position + len(texts)
            if texts:  # not JSON; without this, the rest of the run would be matched again from each payload
                self._template = None
        payload = payloads[position]
        events = [sanitize(event) for event in self._reader.read(payload)]
        if b"\\" not in payload and len(events) == 1 and isinstance(events[0], TextDelta):
            self._update_template(payload, events[0])
        return events, position + 1

    def _update_template(self, payload: bytes, delta: TextDelta) -> None:
        if self._templates_made < MAX_TEMPLATES:
            self._templates_made += 1
            self._template = make_template(payload, delta, self._reader)


class Template:
    """The bytes around the text of a delta, and the event that they form with any text."""

    def __init__(self, literals: tuple[bytes, ...], text_index: int, delta: TextDelta) -> None:
        """`literals`: the bytes before, between and after the variable strings. `text_index`: which string is text."""
        self._literals = literals
        self._text_index = text_index
        self._index = delta.choice
        self._chunk = delta.chunk
        (self._choice,) = delta.chunk["choices"]

    def match(self, payloads: list[bytes], position: int) -> list[bytes]:
        """Return the texts, still encoded as JSON, of the payloads from `position` on that fit."""
        texts: list[bytes] = []
        first, *literals = self._literals
        for number in range(position, len(payloads)):
            payload = payloads[number]
            text, start = b"", len(first)
            escaped = b"\\" in payload
            if not payload.startswith(first) or (escaped and _CODE_ESCAPE in payload):
                return texts
            for index, literal in enumerate(literals):
                end = _string_end(payload, start) if escaped else payload.find(b'"', start)
                if end < 0 or not payload.startswith(literal, end):
                    return texts
                if index == self._text_index:
                    text = payload[start:end]
                start = end + len(literal)
            if start != len(payload) or not text:
                return texts
            texts.append(text)
        return texts

    def event(self, texts: list[bytes]) -> TextDelta | None:
        """Return the event of these texts, None if they are not JSON."""
        try:
            text: str = orjson.loads(b'"%b"' % b"".join(texts))
        except orjson.JSONDecodeError:
            return None
        return self.delta(text)

    def delta(self, text: str) -> TextDelta:
        """Return the event of this text."""
        choice = {**self._choice, "delta": {"content": text}}
        return TextDelta(self._index, text, {**self._chunk, "choices": [choice]})


def make_template(payload: bytes, delta: TextDelta, reader: PayloadReader) -> Template | None:
    """Return the template of a payload that was read as this event, None if its text cannot be located for certain."""
    spans = _variable_spans(payload, delta.text, reader)
    if spans is None or list(delta.chunk["choices"][0]["delta"]) != ["content"]:
        return None
    edges = [0, *(edge for span in spans for edge in span[:2]), len(payload)]
    literals = tuple(payload[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True))
    text_index = next(index for index, span in enumerate(spans) if span[2])
    template = Template(literals, text_index, delta)
    texts = [_PROBE if index == text_index else "" for index in range(len(spans))]
    probe = literals[0] + b"".join(text.encode() + literal for text, literal in zip(texts, literals[1:], strict=True))
    return template if reader.read(probe) == [template.delta(_PROBE)] else None


def _string_end(payload: bytes, start: int) -> int:
    """Return the end of the string that begins at `start` and may have escapes, -1 if it has none."""
    inside = _STRING.match(payload, start)
    end = inside.end() if inside else start
    return end if payload[end : end + 1] == b'"' else -1


def _variable_spans(payload: bytes, text: str, reader: PayloadReader) -> list[tuple[int, int, bool]] | None:
    """Return (start, end, whether it is the text) of the variable strings in order, None if the text is ambiguous."""
    if not reader.text_field:
        return None
    encoded = text.encode("utf-8", "replace")
    field = payload.find(reader.text_field)
    start = payload.find(b'"', field + len(reader.text_field)) + 1
    separator = payload[field + len(reader.text_field) : start]
    if (
        payload.count(reader.text_field) != 1
        or separator not in _SEPARATORS
        or not payload.startswith(encoded + b'"', start)
    ):
        return None
    spans = [(start, start + len(encoded), True)]
    if reader.ignored:
        spans += [(*match.span(1), False) for match in reader.ignored.finditer(payload)]
    spans.sort()
    return spans if all(span[1] < following[0] for span, following in pairwise(spans)) else None
