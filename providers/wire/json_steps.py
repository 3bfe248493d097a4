"""Decode and encode large JSON in steps. A codec in C cannot be interrupted: orjson takes a second for 16 MB of values.

To decode, the text is searched once for its containers and divided between their elements into runs of about
PIECE_BYTES, each of which is decoded at once. Containers and strings that are larger than a run are divided too. To
encode, the elements of large containers and the characters of large strings are encoded in such runs.
"""

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

from citestream.citation.text.steps import Steps

from .json_text import dumps, loads_strict

PIECE_BYTES = 64 * 2**10  # decoded or encoded at once: at most 5 ms
JOINED_PARTS = 16  # joined at once: 1 ms; more are joined in a thread, where Python releases its lock
MAX_DEPTH = 1_000  # containers inside each other; orjson's limit is 1,024
_TOKENS = 1_000  # tokens that are searched in a step: 1 ms
_SEARCHED_BYTES = 256 * 2**10  # bytes that are searched in a step: 1 ms
_ELEMENTS = 4_000  # maximum number of elements that are examined at a time
_SCALARS = frozenset({int, float, bool, type(None)})
_ATOMS = _SCALARS | {str, bytes}
_CONTAINERS = (dict, list, tuple)  # a tuple, because `dict | list | tuple` is built at each call
_RELEASED = 1_000  # values that are freed in a step: 0.1 ms
_CONTAINER_WEIGHT, _SCALAR_WEIGHT = 16, 8  # in bytes of text whose encoding takes as long
_ESCAPE = rb"(?:\\u[dD][89abAB][0-9a-fA-F]{2}\\u[0-9a-fA-F]{4}|\\u[0-9a-fA-F]{4}|\\.)"  # a pair of surrogates is one
_SHORT_STRING = rb'"[^"\\]{0,999}+(?:\\.[^"\\]{0,99}+){0,9}+"'
_FLAT = rb'[\[{][^"\[\]{}]{0,999}+(?:%b[^"\[\]{}]{0,99}+){0,19}+[\]}]' % _SHORT_STRING
_STRETCH = 64 * 2**10  # bytes without strings and containers; a longer one without a comma is no useful JSON
# Some small containers without others inside, some strings and what separates them, a bracket, a quotation mark, or a
# stretch of anything else. The groups `comma`, `string` and `after` are the last of their kind in the token. The odd
# number of strings makes every second token end after a value if the strings are keys and values.
_TOKEN = re.compile(
    rb"(?P<flat>(?:%b\s{0,99}+(?P<comma>,?+)\s{0,99}+){1,64}+)|"
    rb'(?P<strings>(?:(?P<string>%b)(?P<after>[^"\[\]{}]{0,99}+)){1,63}+)|[\[\]{}"]|(?P<between>[^"\[\]{}]{1,%d}+)'
    % (_FLAT, _SHORT_STRING, _STRETCH),
    re.DOTALL,
)
_INSIDE_STRING = re.compile(rb'[^"\\]{0,65536}+(?:%b[^"\\]{0,65}+){0,999}+' % _ESCAPE, re.DOTALL)
_OPENING, _COMMA, _BRACE, _QUOTE = b"[{", b",", ord("{"), ord('"')


def loads_in_steps(data: bytes, *, replace: bool = False) -> Steps[tuple[Any, bool]]:
    """Return the decoded value, and whether it is free of lone surrogates. Raise ValueError; see `loads_strict`."""
    if len(data) <= PIECE_BYTES:
        return loads_strict(data, replace=replace)
    return (yield from _Decoder(data, replace=replace).value())


class _Container:
    """A container that is divided: what it contains so far."""

    __slots__ = ("begun", "follows_member", "key", "value")

    def __init__(self, value: dict[str, Any] | list[Any], key: str = "") -> None:
        """`key`: its name in the container around it, if that is an object."""
        self.value = value
        self.key = key
        self.begun = False  # it has an element
        self.follows_member = False  # the last element was divided, so a comma or the end must follow

    def add(self, key: str, value: Any) -> None:
        if isinstance(self.value, dict):
            self.value[key] = value
        else:
            self.value.append(value)
        self.begun = self.follows_member = True


class _Decoder:
    """Decodes one text. The whole text is a list without brackets, which must have one element."""

    def __init__(self, data: bytes, *, replace: bool) -> None:
        self._data = data
        self._replace = replace
        self._clean = True
        self._divided = [_Container([])]
        self._first = 0  # where the run of elements begins that is not decoded yet
        self._opened: deque[tuple[int, int]] = deque()  # open containers of the run: offsets of bracket and of key
        self._string = -1  # offset of the last string that may be a key

    def value(self) -> Steps[tuple[Any, bool]]:
        data, at, searched, tokens = self._data, 0, 0, 0
        while at < len(data):
            token = _TOKEN.match(data, at)
            if token is None:
                raise ValueError("a token is wrong")
            after, first = token.end(), self._first
            kind = data[at]
            while self._opened and after - self._first > PIECE_BYTES:
                self._divide()
            if token.lastgroup:
                for comma in _commas(data, token, first) if not self._opened else ():
                    self._decode_run(comma)
                    self._first = comma + 1
                    yield None
                if token["strings"]:
                    self._string = token.start("string")
                elif after - at == _STRETCH and data.find(_COMMA, at, after) < 0:
                    self._skip_space(at, after)
            elif kind == _QUOTE:
                after = yield from self._long_string(at)
                self._string = at
            elif kind in _OPENING:
                self._opened.append((at, self._string))
                if len(self._opened) + len(self._divided) > MAX_DEPTH:
                    raise ValueError("nested too deeply")
            else:
                self._close(at)
            at, tokens = after, tokens + 1
            if self._first != first or tokens >= _TOKENS or at - searched >= _SEARCHED_BYTES:
                searched, tokens = at, 0
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
        if isinstance(container.value, dict):
            container.value.update(self._loads(b"{%b}" % text))
        else:
            container.value.extend(self._loads(b"[%b]" % text))

    def _close(self, at: int) -> None:
        if self._opened:
            self._opened.pop()
            return
        container = self._divided[-1]
        if len(self._divided) == 1 or self._data[at] != (ord("}") if isinstance(container.value, dict) else ord("]")):
            raise ValueError("a bracket is wrong")
        self._decode_run(at, closes=True)
        self._divided.pop()
        self._divided[-1].add(container.key, container.value)
        self._first = at + 1

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
        for at, until in pairwise(cuts):
            # Python extends a string in place if there is no other reference to it. Joining 20 MB would take 10 ms
            text += self._loads(b'"%b"' % data[at:until])
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
    for at in range(end, max(start, end - 3), -1):
        if data[at : at + 1] and data[at] & 0xC0 != 0x80:
            return at
    return end


def dumps_in_steps(value: object) -> Steps[bytes]:
    """Return the JSON of a value, as `dumps` does."""
    parts = yield from json_parts(value)
    if len(parts) > JOINED_PARTS:
        joined: bytes = yield partial(b"".join, parts)
        return joined
    return b"".join(parts)


def json_parts(value: object) -> Steps[list[bytes]]:
    """Return the JSON of a value in parts of about PIECE_BYTES: joining 50 MB takes 20 ms."""
    parts: list[bytes] = []
    writing = [_pieces(value)]
    while writing:
        piece = next(writing[-1], None)
        if piece is None:
            writing.pop()
        elif isinstance(piece, bytes):
            parts.append(piece)
            yield None
        else:
            writing.append(_pieces(piece.value))
    return parts


@dataclass(frozen=True, slots=True)
class _Large:
    """A value that is encoded in pieces of its own."""

    value: Any


def _pieces(value: Any) -> Iterator[bytes | _Large]:
    """Yield the JSON of a value in pieces, and the large values in it."""
    if not (isinstance(value, str | list | tuple | dict) and value) or _weight(value) <= PIECE_BYTES:
        yield dumps(value)
    elif isinstance(value, str):
        quote = b'"'
        for start in range(0, len(value), PIECE_BYTES):
            yield quote + dumps(value[start : start + PIECE_BYTES])[1:-1]
            quote = b""
        yield b'"'
    elif isinstance(value, dict):
        before = b"{"
        for run, large in _runs(value.items()):
            if large is None:
                yield before + dumps(dict(run))[1:-1]
            else:
                yield before + dumps({large[0]: 0})[1:-2]
                yield _Large(large[1])
            before = _COMMA
        yield b"}"
    else:
        before = b"["
        for start in range(0, len(value), _ELEMENTS):
            elements = value[start : start + _ELEMENTS]
            if _is_plain(elements):
                yield before + dumps(elements)[1:-1]
                before = _COMMA
                continue
            for run, large in _runs(enumerate(elements)):
                if large is None:
                    yield before + dumps([one for _, one in run])[1:-1]
                else:
                    yield before
                    yield _Large(large[1])
                before = _COMMA
        yield b"]"


def _is_plain(elements: Sequence[Any]) -> bool:
    """Return whether all elements are scalars, and short together."""
    kinds = set(map(type, elements))
    if kinds <= _SCALARS:
        return True
    return kinds == {str} and sum(map(len, elements)) <= PIECE_BYTES


_Member = tuple[Any, Any]  # key or index, and value


def _runs(members: Iterable[_Member]) -> Iterator[tuple[list[_Member], _Member | None]]:
    """Yield runs of members that are encoded at once, and large members."""
    run: list[_Member] = []
    size = 0
    for member in members:
        weight = _weight(member)
        if run and size + weight > PIECE_BYTES:
            yield run, None
            run, size = [], 0
        if weight > PIECE_BYTES:
            yield [], member
        else:
            run.append(member)
            size += weight
    if run:
        yield run, None


def release_in_steps(*values: Any) -> Steps[None]:
    """Hold these values until the others that use them are done, and free their containers one by one.

    Python frees a value and everything in it at once: a million objects take 50 ms. The values are not changed.
    """
    held: list[Any] = [*values]
    del values
    for number, container in enumerate(held):
        elements = list(container.values()) if isinstance(container, dict) else container
        if isinstance(elements, list | tuple):
            for start in range(0, len(elements), _ELEMENTS):
                held += [one for one in elements[start : start + _ELEMENTS] if type(one) not in _ATOMS]
                if len(elements) > _ELEMENTS:
                    yield None
        if number % _RELEASED == 0:
            yield None
    container = elements = None
    held.reverse()  # a container is freed before its elements, which are still held
    while held:
        del held[-_RELEASED:]
        yield None


def is_large(value: Any, limit: int) -> bool:
    """Return whether the JSON of a value has more than about `limit` bytes."""
    return _weight(value, limit) > limit


def _weight(value: Any, limit: int = 0) -> int:
    """Return about how many bytes the JSON of a value has; above `limit` (0: PIECE_BYTES), it may be too low.

    The end of an ordinary answer has a thousand values, most of them strings and numbers in flat objects.
    """
    weight, limit = 0, limit or PIECE_BYTES
    unread: list[Iterable[Any]] = [(value,)]
    while unread and weight <= limit:
        for one in unread.pop():
            if type(one) is str:
                weight += len(one)
            elif type(one) in _SCALARS:
                weight += _SCALAR_WEIGHT
            elif isinstance(one, _CONTAINERS):
                weight += len(one) + _CONTAINER_WEIGHT
                if weight > limit:
                    break
                unread.append(one)
                if isinstance(one, dict):
                    unread.append(one.values())
            else:
                weight += len(one) if isinstance(one, str) else _SCALAR_WEIGHT
    return weight
