"""Claims in the string values of JSON: of a text, of a fenced block at the beginning of a text, and of tool calls."""

import json
import re
from collections.abc import Collection, Mapping
from typing import Any

from ..markers import MarkerNames, marker_end, strip
from ..support.claims import makes_claim
from ..support.scorers import Claim
from ..text.normalize import UNSPACED
from ..text.segmentation import Kind, Segmenter, SegmentLimits
from .draft import Draft

# A string, and the colon after a key. Possessive, so that an unclosed string does not backtrack.
_STRING = re.compile(r'"((?:[^"\\]|\\.)*+)"(\s*+:)?', re.DOTALL)


class JsonValues:
    """The string values of one JSON text that arrives in pieces."""

    def __init__(self, names: MarkerNames, tool_call: int | None = None) -> None:
        """`names`: of the markers that a model may write into the values. `tool_call`: the text is its arguments."""
        self._names = names
        self._tool_call = tool_call
        self._parts: list[str] = []
        self._searched = 0  # offset up to which values were returned

    def feed(self, text: str) -> None:
        """Add a piece of the text."""
        self._parts.append(text)

    def drafts(self, end: int | None = None) -> list[Draft]:
        """Return the sentences of the complete values that were not returned yet, up to the offset `end`."""
        text = "".join(self._parts)
        self._parts = [text]
        drafts: list[Draft] = []
        for match in _STRING.finditer(text, self._searched, len(text) if end is None else end):
            self._searched = match.end()
            if match[2] is None:
                drafts += self._sentences(match[1], match.start(1))
        return drafts

    def _sentences(self, raw: str, start: int) -> list[Draft]:
        """Split a string value into sentences. A value with escapes stays whole, since its offsets differ."""
        if "\\" in raw:
            try:
                return self._draft(json.loads(f'"{raw}"', strict=False), start, start + len(raw))
            except ValueError:
                return []
        segmenter = Segmenter(marker_end=marker_end())
        drafts: list[Draft] = []
        for sentence in segmenter.feed(raw) + segmenter.flush():
            body = sentence.text.strip()
            offset = start + sentence.start + sentence.text.index(body)
            drafts += self._draft(body, offset, offset + len(body))
        return drafts

    def _draft(self, text: str, start: int, end: int) -> list[Draft]:
        if len(text) > _MAX_CLAIM:
            return []
        stripped = strip(text, self._names)
        body = stripped.text.strip()
        if not (stripped.cited or (_has_words(body) and makes_claim(body, Kind.PROSE))):
            return []
        return [Draft("", start=start, end=end, claim=Claim(body), cited=stripped.cited, tool_call=self._tool_call)]


# Characters of a value with escapes above which it gets no decision, as for sentences of a text.
_MAX_CLAIM = 2 * SegmentLimits().characters


def _has_words(value: str) -> bool:
    """Return whether a value is more than one word: names of files, categories and ids state nothing."""
    return len(value.split()) > 1 or _UNSPACED.search(value) is not None


_UNSPACED = re.compile(f"[{UNSPACED}]{{2}}")

_JSON_FENCE = re.compile(r"\s*+(?P<fence>`{3,}|~{3,})[ \t]*json[c5]?[ \t]*\n", re.IGNORECASE)
_MAX_OPENING = 50  # characters in which a fence must open; more space would be no answer


class FencedJson:
    """The values of an answer that begins with a fenced block of JSON, as clients such as instructor request it.

    The block is code, which is neither changed nor cited otherwise.
    """

    def __init__(self, names: MarkerNames) -> None:
        """See JsonValues."""
        self._values: JsonValues | None = JsonValues(names)  # None: the answer does not begin with such a block
        self._opening = ""  # the text before the fence is recognised
        self._closing: re.Pattern[str] | None = None
        self._text = ""  # the end of the text, in which the closing fence is searched
        self._length = 0
        self._end: int | None = None  # offset of the closing fence

    def feed(self, text: str) -> None:
        """Add a piece of the answer's text."""
        if self._values is None or self._end is not None:
            return
        self._values.feed(text)
        self._length += len(text)
        if self._closing is None:
            text = self._open(text)
        if self._closing is not None:
            self._close(self._closing, text)

    def drafts(self) -> list[Draft]:
        """Return the sentences of the complete values that were not returned yet."""
        return self._values.drafts(self._end) if self._values and self._closing else []

    def _open(self, text: str) -> str:
        """Search the opening fence. Return the text after it."""
        self._opening += text
        if opened := _JSON_FENCE.match(self._opening):
            fence = opened["fence"]
            self._closing = re.compile(rf"\n[ \t]*{re.escape(fence[0])}{{{len(fence)},}}")
            return self._opening[opened.end() - 1 :]
        if len(self._opening) > _MAX_OPENING or self._opening.strip()[:1] not in ("", "`", "~"):
            self._values = None
        return ""

    def _close(self, closing: re.Pattern[str], text: str) -> None:
        """Search the closing fence."""
        self._text += text
        if closed := closing.search(self._text):
            self._end = self._length - len(self._text) + closed.start()
        self._text = self._text[-_MAX_OPENING:]


class CallValues:
    """The values of those tool calls of one choice that carry its answer."""

    def __init__(self, functions: Collection[str], names: MarkerNames) -> None:
        """`functions`: the names of the functions whose arguments are an answer."""
        self._functions = functions
        self._names = names
        self._calls: dict[int, JsonValues | None] = {}  # None: the call of another function

    def feed(self, delta: Mapping[str, Any]) -> None:
        """Add the calls of a delta, whose fragments have the `index` of their call."""
        if not self._functions:
            return
        legacy = delta.get("function_call")
        calls = delta.get("tool_calls") or ([{"index": 0, "function": legacy}] if legacy else ())
        for call in calls:
            function, index = call.get("function") or {}, call.get("index", 0)
            if index not in self._calls:
                carries = function.get("name") in self._functions
                self._calls[index] = JsonValues(self._names, index) if carries else None
            values, arguments = self._calls[index], function.get("arguments")
            if values is not None and isinstance(arguments, str):
                values.feed(arguments)

    def drafts(self) -> list[Draft]:
        """Return the sentences of the complete values that were not returned yet."""
        return [draft for values in self._calls.values() if values for draft in values.drafts()]
