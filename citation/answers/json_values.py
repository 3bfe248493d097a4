"""Claims in the string values of JSON: of a text, of a fenced block at the beginning of a text, and of tool calls."""

import re
from collections.abc import Collection, Generator, Iterator, Mapping
from typing import Any

from ..markers import MarkerNames
from ..text.segmentation import Kind
from .draft import Draft
from .value_claims import STEP, ValueClaims

# The inside of a string up to its end or to an incomplete escape.
_INSIDE = re.compile(r'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)
_COLON = re.compile(r"\s{0,100}:")  # after a key


class JsonValues:
    """The string values of one JSON text that arrives in pieces."""

    def __init__(
        self,
        names: MarkerNames,
        tool_call: int | None = None,
        question: str = "",
        kind: Kind = Kind.PROSE,
        start: int = 0,
    ) -> None:
        """Create the state before the text, which begins at the offset `start` of the answer.

        `kind`: of the drafts. The other parameters are those of ValueClaims.
        """
        self._claims = ValueClaims(names, question, kind, tool_call)
        self._parts: list[str] = []
        self._start = start  # offset of the text that is not searched completely
        self._inside = 0  # characters of an unfinished string at its beginning that were searched

    def feed(self, text: str) -> None:
        """Add a piece of the text."""
        self._parts.append(text)

    def drafts_in_parts(self, end: int | None = None, *, final: bool = True) -> Iterator[list[Draft]]:
        """Yield the sentences of the complete values that were not returned yet, up to the offset `end`.

        Each part takes about a millisecond, and may be empty. `final`: no colon follows that turns the last string into
        a key.
        """
        text = "".join(self._parts)
        limit = len(text) if end is None else end - self._start
        position = paused = 0
        while (quote := text.find('"', position, limit)) >= 0:
            position = quote
            if position - paused >= STEP:
                paused = position
                yield []
            closing = yield from self._string_end(text, quote + 1, limit)
            if closing < 0 or not (final or text[closing + 1 : limit].strip()):
                break
            self._inside, position = 0, closing + 1
            if not _COLON.match(text, position, limit):
                yield from self._claims.of_string(text[quote + 1 : closing], self._start + quote + 1)
        else:
            position = limit
        self._parts = [text[position:]]
        self._start += position

    def drafts(self, end: int | None = None) -> list[Draft]:
        """Return the same in one list."""
        return [draft for part in self.drafts_in_parts(end) for draft in part]

    def _string_end(self, text: str, start: int, limit: int) -> Generator[list[Draft], None, int]:
        """Return the offset of the quote that ends the string from `start`, -1 if it has not arrived."""
        position = start + self._inside
        while position < limit:
            inside = _INSIDE.match(text, position, min(position + STEP, limit))
            end = inside.end() if inside else position
            if text[end : end + 1] == '"' and end < limit:
                return end
            if end == position:  # an escape without its character
                break
            position = end
            yield []
        self._inside = position - start
        return -1


_JSON_FENCE = re.compile(r"\s*+(?P<fence>`{3,}|~{3,})[ \t]*json[c5]?[ \t]*\n", re.IGNORECASE)
_MAX_OPENING_CHARACTERS = 50  # characters in which a fence must open; more space would be no answer


class FencedJson:
    """The values of an answer that begins with a fenced block of JSON, as clients such as instructor request it.

    The block is code, which is neither changed nor cited otherwise.
    """

    def __init__(self, names: MarkerNames, question: str = "") -> None:
        """See JsonValues."""
        self._values: JsonValues | None = JsonValues(
            names, question=question
        )  # None: the answer does not begin with such a block
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

    def drafts_in_parts(self) -> Iterator[list[Draft]]:
        """Yield the sentences of the complete values that were not returned yet."""
        if self._values and self._closing:
            yield from self._values.drafts_in_parts(self._end)

    def _open(self, text: str) -> str:
        """Search the opening fence. Return the text after it."""
        self._opening += text
        if opened := _JSON_FENCE.match(self._opening):
            fence = opened["fence"]
            self._closing = re.compile(rf"\n[ \t]*{re.escape(fence[0])}{{{len(fence)},}}")
            return self._opening[opened.end() - 1 :]
        if len(self._opening) > _MAX_OPENING_CHARACTERS or self._opening.strip()[:1] not in ("", "`", "~"):
            self._values = None
        return ""

    def _close(self, closing: re.Pattern[str], text: str) -> None:
        """Search the closing fence."""
        self._text += text
        if closed := closing.search(self._text):
            self._end = self._length - len(self._text) + closed.start()
        self._text = self._text[-_MAX_OPENING_CHARACTERS:]


class CallValues:
    """The values of those tool calls of one choice that carry its answer."""

    def __init__(self, functions: Collection[str], names: MarkerNames, question: str = "") -> None:
        """`functions`: the names of the functions whose arguments are an answer to the question."""
        self._question = question
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
                self._calls[index] = JsonValues(self._names, index, self._question) if carries else None
            values, arguments = self._calls[index], function.get("arguments")
            if values is not None and isinstance(arguments, str):
                values.feed(arguments)

    def drafts_in_parts(self) -> Iterator[list[Draft]]:
        """Yield the sentences of the complete values that were not returned yet."""
        for values in self._calls.values():
            if values:
                yield from values.drafts_in_parts()
