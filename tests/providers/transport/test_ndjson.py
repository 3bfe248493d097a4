"""LineSplitter splits newline-delimited JSON, however reads divide it."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citestream.providers.errors import BrokenStream
from citestream.providers.transport import LineSplitter

CASES: dict[str, tuple[bytes, list[bytes]]] = {
    "lines": (b'{"a":1}\n{"b":2}\n', [b'{"a":1}', b'{"b":2}']),
    "carriage returns and blank lines are dropped": (b'{"a":1}\r\n\r\n\n{"b":2}\n', [b'{"a":1}', b'{"b":2}']),
    "a byte order mark is dropped": (b'\xef\xbb\xbf{"a":1}\n', [b'{"a":1}']),
    "characters of several bytes": ('{"a":"°é漢🙂"}\n'.encode(), ['{"a":"°é漢🙂"}'.encode()]),
    "a last line without its end is held back": (b'{"a":1}\n{"b"', [b'{"a":1}']),
}


def read(pieces: list[bytes]) -> list[bytes]:
    splitter = LineSplitter()
    return [line for piece in pieces for line in splitter.feed(piece)]


@pytest.mark.parametrize("case", CASES)
def test_lines_are_complete_however_reads_divide_them(case: str) -> None:
    stream, expected = CASES[case]
    assert read([stream[at : at + 1] for at in range(len(stream))]) == expected
    for cut in range(len(stream) + 1):
        assert read([stream[:cut], stream[cut:]]) == expected


def test_flush_returns_the_last_line_without_its_end() -> None:
    splitter = LineSplitter()
    assert splitter.feed(b'{"a"') == []
    assert splitter.feed(b":1}") == []
    assert splitter.flush() == [b'{"a":1}']
    assert splitter.flush() == []


@given(st.lists(st.text("ab\u2028é ", min_size=1).map(str.strip).filter(bool), max_size=8), st.randoms())
def test_lines_are_neither_lost_nor_added(lines: list[str], rng: Random) -> None:
    encoded = [line.encode() for line in lines]
    stream = b"".join(line + b"\n" for line in encoded)
    cut = rng.randint(0, len(stream))
    assert read([stream[:cut], stream[cut:]]) == encoded


# The bytes that arrive until a line exceeds 1000 bytes.
TOO_LONG = {"a line that never ends": [b"x" * 100] * 11, "a whole line": [b'{"a":1}\n' + b"x" * 1001 + b"\n"]}


@pytest.mark.parametrize("case", TOO_LONG)
def test_a_line_above_the_limit_is_an_error(case: str) -> None:
    *before, last = TOO_LONG[case]
    splitter = LineSplitter(limit=1000)
    for piece in before:
        assert splitter.feed(piece) == []
    with pytest.raises(BrokenStream, match="1000 bytes"):
        splitter.feed(last)
