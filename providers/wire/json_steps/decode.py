"""Decode large JSON in steps.

The text is searched once for its containers and divided between their elements into runs of about PIECE_BYTES, each of
which is decoded at once. Containers and strings that are larger than a run are divided too.
"""

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from citestream.citation.text.steps import Steps

from ..json_text import loads_strict
from .growing import examine_grown
from .limits import PIECE_BYTES

MAX_DEPTH = 1_000  # containers inside each other; orjson's limit is 1,024
# Containers with others inside. 20 MB of brackets have 10 million containers, which take minutes to decode and 1 GB. A
# conversation of 20 MB has up to 600,000, because each message or part has a text.
MAX_NESTED = 1_000_000
_TOKENS = 1_000  # tokens that are searched in a step: 1 ms
_SEARCHED_BYTES = 256 * 2**10  # bytes that are searched in a step: 1 ms
_ESCAPE = rb"(?:\\u[dD][89abAB][0-9a-fA-F]{2}\\u[0-9a-fA-F]{4}|\\u[0-9a-fA-F]{4}|\\.)"  # a pair of surrogates is one
_SHORT_STRING = rb'"[^"\\]{0,999}+(?:\\.[^"\\]{0,99}+){0,9}+"'
_FLAT = rb'[\[{][^"\[\]{}]{0,999}+(?:%b[^"\[\]{}]{0,99}+){0,19}+[\]}]' % _SHORT_STRING
_STRETCH_BYTES = 64 * 2**10  # bytes without strings and containers; a longer one without a comma is no useful JSON
# Some small containers without others inside, some strings and what separates them, a bracket, a quotation mark, or a
# stretch of anything else. The groups `comma`, `string` and `after` are the last of their kind in the token. The odd
# number of strings makes every second token end after a value if the strings are keys and values.
_TOKEN = re.compile(
    rb"(?P<flat>(?:%b\s{0,99}+(?P<comma>,?+)\s{0,99}+){1,64}+)|"
    rb'(?P<strings>(?:(?P<string>%b)(?P<after>[^"\[\]{}]{0,99}+)){1,63}+)|[\[\]{}"]|(?P<between>[^"\[\]{}]{1,%d}+)'
    % (_FLAT, _SHORT_STRING, _STRETCH_BYTES),
    re.DOTALL,
)
_INSIDE_STRING = re.compile(rb'[^"\\]{0,65536}+(?:%b[^"\\]{0,65}+){0,999}+' % _ESCAPE, re.DOTALL)
_OPENING, _COMMA, _BRACE, _QUOTE = b"[{", b",", ord("{"), ord('"')


def loads_in_steps(data: bytes, *, replace: bool = False, parts: list[Any] | None = None) -> Steps[tuple[Any, bool]]:
    """Return the decoded value, and whether it is free of lone surrogates. Raise ValueError; see `loads_strict`.

    `parts`: receives what is decoded so far. Without it, an error or the end of the generator frees that at once.
    """
    if len(data) <= PIECE_BYTES:
        return loads_strict(data, replace=replace)
    return (yield from _Decoder(data, [] if parts is None else parts, replace=replace).value())


class TooManyContainers(ValueError):  # noqa: N818 - names what is wrong, as WrongField does
    """The text has more than MAX_NESTED containers with others inside."""


@dataclass(slots=True)
class _Container:
    """A container that is divided: what it contains so far."""

    value: dict[str, Any] | list[Any]
    key: str = ""  # its name in the container around it, if that is an object
    begun: bool = False  # it has an element
    follows_member: bool = False  # the last element was divided, so a comma or the end must follow

    def add(self, key: str, value: Any) -> None:
        if isinstance(self.value, dict):
            self.value[key] = value
        else:
            self.value.append(value)
        self.begun = self.follows_member = True


class _Decoder:
    """Decodes one text. The whole text is a list without brackets, which must have one element."""

    def __init__(self, data: bytes, divided: list[_Container], *, replace: bool) -> None:
        """`divided`: an empty list."""
        self._data = data
        self._replace = replace
        self._clean = True
        self._divided = divided
        self._divided.append(_Container([]))
        self._first = 0  # where the run of elements begins that is not decoded yet
        self._opened: deque[tuple[int, int]] = deque()  # open containers of the run: offsets of bracket and of key
        self._nested = 0  # containers so far that are read bracket by bracket
        self._string = -1  # offset of the last string that may be a key

    def value(self) -> Steps[tuple[Any, bool]]:
        data, position, searched, tokens = self._data, 0, 0, 0
        while position < len(data):
            token = _TOKEN.match(data, position)
            if token is None:
                raise ValueError("a token is wrong")
            after, first = token.end(), self._first
            kind = data[position]
            while self._opened and after - self._first > PIECE_BYTES:
                self._divide()
            if token.lastgroup:
                for comma in _commas(data, token, first) if not self._opened else ():
                    self._decode_run(comma)
                    self._first = comma + 1
                    yield None
                if token["strings"]:
                    self._string = token.start("string")
                elif after - position == _STRETCH_BYTES and data.find(_COMMA, position, after) < 0:
                    self._skip_space(position, after)
            elif kind == _QUOTE:
                after = yield from self._long_string(position)
                self._string = position
            elif kind in _OPENING:
                self._open(position)
            else:
                self._close(position)
            position, tokens = after, tokens + 1
            if self._first != first or tokens >= _TOKENS or position - searched >= _SEARCHED_BYTES:
                searched, tokens = position, 0
                yield None
        self._end()
        (value,) = self._divided[0].value
        return value, self._clean

    def _skip_space(self, start: int, end: int) -> None:
        """Skip white space around the value, which some servers send to keep a connection open."""
        if len(self._divided) > 1 or self._opened or not self._data[start:end].isspace():
            raise ValueError("a number or a stretch of white space is too long")
        if self._first == start:
            self._first = end

    def _end(self) -> None:
        if self._opened or len(self._divided) > 1:
            raise ValueError("a bracket is missing")
        self._decode_run(len(self._data), closes=True)
        if len(self._divided[0].value) != 1:
            raise ValueError("there must be one value")

    def _decode_run(self, end: int, *, closes: bool = False) -> None:
        """Decode the elements before a comma or a closing bracket (`closes`), and add them to the container."""
        container = self._divided[-1]
        text = self._data[self._first : end].strip()
        if container.follows_member:
            container.follows_member = False
            if not text:
                return
            if not text.startswith(_COMMA):
                raise ValueError("a comma is missing")
            text = text[1:]
        elif closes and not text and not container.begun:
            return
        if not text.strip():
            raise ValueError("an element is missing")
        container.begun = True
        length = len(container.value)
        if isinstance(container.value, dict):
            container.value.update(self._loads(b"{%b}" % text))
        else:
            container.value.extend(self._loads(b"[%b]" % text))
        examine_grown(len(container.value), len(container.value) - length)

    def _open(self, position: int) -> None:
        self._opened.append((position, self._string))
        if len(self._opened) + len(self._divided) > MAX_DEPTH:
            raise ValueError("nested too deeply")
        self._nested += 1
        if self._nested > MAX_NESTED:
            raise TooManyContainers("too many containers")

    def _close(self, position: int) -> None:
        if self._opened:
            self._opened.pop()
            return
        container = self._divided[-1]
        if len(self._divided) == 1 or self._data[position] != (
            ord("}") if isinstance(container.value, dict) else ord("]")
        ):
            raise ValueError("a bracket is wrong")
        self._decode_run(position, closes=True)
        self._divided.pop()
        self._divided[-1].add(container.key, container.value)
        self._first = position + 1

    def _divide(self) -> None:
        """Divide the outermost container of the run."""
        bracket, key = self._opened.popleft()
        name = self._begin_member(bracket, key)
        self._divided.append(_Container({} if self._data[bracket] == _BRACE else [], name))
        self._first = bracket + 1

    def _begin_member(self, start: int, key: int) -> str:
        """Decode the elements before a value that begins at `start`. Return its name if it is in an object.

        `key`: the offset of its name.
        """
        container = self._divided[-1]
        is_object = isinstance(container.value, dict)
        comma = self._data.rfind(_COMMA, self._first, max(self._first, key) if is_object else start)
        if comma >= 0:
            self._decode_run(comma)
            self._first = comma + 1
        elif container.follows_member:
            raise ValueError("a comma is missing")
        before = self._data[self._first : start]
        if is_object:
            (name,) = self._loads(b"{%b0}" % before)
            return str(name)
        if before.strip():
            raise ValueError("a comma is missing")
        return ""

    def _long_string(self, start: int) -> Steps[int]:
        """Return the end of a string. If it is a large value, decode it."""
        data, cuts, searched = self._data, [start + 1], start
        while (end := _end_of_piece(data, cuts[-1])) > cuts[-1]:
            cuts.append(end)
            if end - searched >= _SEARCHED_BYTES:
                searched = end
                yield None
        if data[cuts[-1] : cuts[-1] + 1] != b'"':
            raise ValueError("a string does not end")
        after = cuts[-1] + 1
        if after - start <= PIECE_BYTES or self._is_key(start):
            return after
        while self._opened:
            self._divide()
        key = self._begin_member(start, self._string)
        text = ""
        for start_of_piece, until in pairwise(cuts):
            # Python extends a string in place if there is no other reference to it. Joining 20 MB would take 10 ms
            text += self._loads(b'"%b"' % data[start_of_piece:until])
            yield None
        self._divided[-1].add(key, text)
        self._first = after
        return after

    def _is_key(self, start: int) -> bool:
        """Return whether the string at `start` is the key of an object."""
        bracket = self._data[self._opened[-1][0]] if self._opened else None
        is_object = bracket == _BRACE if self._opened else isinstance(self._divided[-1].value, dict)
        return is_object and not self._data[max(0, start - 99) : start].rstrip().endswith(b":")

    def _loads(self, text: bytes) -> Any:
        value, clean = loads_strict(text, replace=self._replace)
        self._clean = self._clean and clean
        return value


def _commas(data: bytes, token: re.Match[bytes], first: int) -> Iterator[int]:
    """Yield the commas of this token where a run that begins at `first` may end because it is long enough."""
    if not token["between"]:
        comma = token.start("comma") if token["flat"] else data.rfind(_COMMA, *token.span("after"))
        if data[comma : comma + 1] == _COMMA and token.end() - first > PIECE_BYTES:
            yield comma
        return
    while (comma := data.find(_COMMA, max(token.start(), first + PIECE_BYTES), token.end())) >= 0:
        yield comma
        first = comma + 1


def _end_of_piece(data: bytes, start: int) -> int:
    """Return where a piece of the string ends that continues at `start`: not inside an escape or a character."""
    inside = _INSIDE_STRING.match(data, start)
    end = inside.end() if inside else start
    for position in range(end, max(start, end - 3), -1):
        if data[position : position + 1] and data[position] & 0xC0 != 0x80:
            return position
    return end
