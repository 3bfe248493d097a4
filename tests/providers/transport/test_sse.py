"""EventSplitter, with the test cases of the web platform for event streams and additional cases of providers."""

from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citestream.providers.errors import BrokenStream
from citestream.providers.transport import EventSplitter

BOM = b"\xef\xbb\xbf"
LONG = b"x" * 2048

# A stream, and the data of its events. After the format-*.any.js cases of web-platform-tests/eventsource.
CASES: dict[str, tuple[bytes, list[bytes]]] = {
    "a byte order mark at the start is dropped, later ones make a field unknown": (
        BOM + b"data:1\n\n" + BOM + b"data:2\n\ndata:3\n\n",
        [b"1", b"3"],
    ),
    "of two byte order marks only the first is dropped": (BOM + BOM + b"data:1\n\ndata:2\n\ndata:3\n\n", [b"2", b"3"]),
    "comments with any content and line end are ignored": (
        b"data:1\r:\0\n:\r\ndata:2\n:" + LONG + b"\rdata:3\n:data:fail\r:" + LONG + b"\ndata:4\n\n",
        [b"1\n2\n3\n4"],
    ),
    "an event without its blank line is dropped": (b"data: 1\n\nid: 2\ndata: 3", [b"1"]),
    "data without a value, twice, and without a space": (
        b"data:\n\ndata\ndata\n\ndata:test\n\n",
        [b"", b"\n", b"test"],
    ),
    "names of events are ignored": (b"event:test\ndata:x\n\nevent:\ndata:y\n\n", [b"x", b"y"]),
    "ids are ignored": (b"id: 1\ndata: a\n\nid\ndata: b\n\nid: 1\0 2\ndata: c\n\n", [b"a", b"b", b"c"]),
    "only the exact name is data": (
        b"data:\0\ndata:  2\rData:1\ndata\0:2\ndata:1\r\0data:4\nda-ta:3\rdata_5\ndata:3\rdata:\r\n data:5\ndata:4\n\n",
        [b"\0\n 2\n1\n3\n\n4"],
    ),
    "valid and invalid retry times are ignored": (
        b"retry:1000x\ndata:x\n\nretry:500\n\nretry\ndata:y\n\n",
        [b"x", b"y"],
    ),
    "unknown fields are ignored": (
        b"data:test\n data\ndata\nfoobar:xxx\njustsometext\n:thisisacomment\ndata:test\n\n",
        [b"test\n\ntest"],
    ),
    "one space is dropped, a tab is not": (b"data:\ttest\rdata: \ndata:test\n\n", [b"\ttest\n\ntest"]),
    "every line end, in any mixture": (b"data:test\r\ndata\ndata:test\r\n\r", [b"test\n\ntest"]),
    "carriage returns alone": (b"data:a\r\rdata:b\r\r", [b"a", b"b"]),
    "a line feed after the carriage return of a blank line is not another blank line": (
        b"data:a\r\n\r\ndata:b\r\n\r\n",
        [b"a", b"b"],
    ),
    "a null character in data is kept": (b"data:\0\n\n", [b"\0"]),
    "bytes that are not UTF-8 are kept": (b"data:ok\xff\xc3\n\n", [b"ok\xff\xc3"]),
    "an event of several data lines, and one without any": (
        b"data:msg\ndata:msg\n\n:\nfalsefield:msg\n\nevent: x\n\ndata:end\n\n",
        [b"msg\nmsg", b"end"],
    ),
    "a Unicode line separator does not end a line": (
        "data: a\u2028b\u0085c\n\n".encode(),
        ["a\u2028b\u0085c".encode()],
    ),
    "many blank lines end one event": (b"data:a\n\n\n\n\ndata:b\n\n\n", [b"a", b"b"]),
    "an empty stream": (b"", []),
}


def read(*pieces: bytes) -> list[bytes]:
    splitter = EventSplitter()
    return [data for piece in pieces for data in splitter.feed(piece)]


@pytest.mark.parametrize("case", CASES)
def test_the_web_platform_cases_whole_and_one_byte_at_a_time(case: str) -> None:
    stream, expected = CASES[case]
    assert read(stream) == expected
    assert read(*(stream[at : at + 1] for at in range(len(stream)))) == expected


@pytest.mark.parametrize("case", [case for case in CASES if len(CASES[case][0]) < 500])
def test_the_web_platform_cases_split_into_two_and_three_pieces(case: str) -> None:
    stream, expected = CASES[case]
    for first in range(len(stream) + 1):
        assert read(stream[:first], stream[first:]) == expected
        for second in range(first, len(stream) + 1):
            assert read(stream[:first], stream[first:second], stream[second:]) == expected


@pytest.mark.parametrize("case", CASES)
def test_the_web_platform_cases_split_at_random(case: str) -> None:
    stream, expected = CASES[case]
    rng = Random(case)
    for _ in range(50):
        cuts = sorted(rng.choices(range(len(stream) + 1), k=rng.randint(1, 8)))
        assert read(*(stream[a:b] for a, b in pairwise([0, *cuts, len(stream)]))) == expected


def parse_simply(stream: bytes) -> list[bytes]:
    """The algorithm of the standard, line by line."""
    text = stream.removeprefix(BOM).replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    events: list[bytes] = []
    data: list[bytes] = []
    for line in text.split(b"\n")[:-1]:
        name, _, value = line.partition(b":")
        if not line:
            events += [b"\n".join(data)] if data else []
            data = []
        elif name == b"data":
            data.append(value.removeprefix(b" "))
    return events


@given(
    st.lists(
        st.sampled_from([b"data", b":", b" ", b"\r", b"\n", b"x", BOM, b"id", b"data: y\n\n", b"\xe2"]), max_size=40
    ),
    st.randoms(),
)
def test_every_stream_is_parsed_as_in_the_standard_however_it_is_split(pieces: list[bytes], rng: Random) -> None:
    stream = b"".join(pieces)
    cuts = sorted(rng.choices(range(len(stream) + 1), k=3))
    assert read(*(stream[a:b] for a, b in pairwise([0, *cuts, len(stream)]))) == parse_simply(stream)


def test_flush_returns_the_last_event_without_its_blank_line() -> None:
    splitter = EventSplitter()
    assert splitter.feed(b"data: 1\n\ndata: [DO") == [b"1"]
    assert splitter.feed(b"NE]") == []
    assert splitter.flush() == [b"[DONE]"]
    assert splitter.flush() == []


def test_a_stream_of_a_partial_byte_order_mark_has_no_events() -> None:
    splitter = EventSplitter()
    assert splitter.feed(BOM[:2]) == []
    assert splitter.flush() == []


def test_a_large_event_in_small_pieces_is_complete() -> None:
    data = b"y" * 1_500_000
    stream = b"data: " + data + b"\n\n"
    assert read(*(stream[at : at + 1000] for at in range(0, len(stream), 1000))) == [data]


@pytest.mark.parametrize("piece", [b"x" * 100, b"data: x\n", b": comment\n"])
def test_an_endless_event_is_an_error_at_the_limit(piece: bytes) -> None:
    splitter = EventSplitter(limit=10_000)
    with pytest.raises(BrokenStream, match="10000 bytes"):
        for _ in range(10_000):
            splitter.feed(piece)


def test_events_before_one_above_the_limit_are_not_lost() -> None:
    splitter = EventSplitter(limit=100)
    assert splitter.feed(b"data: kept\n\ndata: " + b"x" * 200) == [b"kept"]
    with pytest.raises(BrokenStream):
        splitter.feed(b"x")


# The bytes before and after a comment of 70,000 bytes, and the data.
LARGE: dict[str, tuple[bytes, bytes, list[bytes]]] = {
    "an event without data is dropped": (b"", b"\n\ndata: y\n\n", [b"y"]),
    "a short line at the end of an event": (b"data: x\n", b"\ndata\n\ndata: y\n\n", [b"x\n", b"y"]),
    "an event in the bytes that end another": (b"data: x\n", b"\n\ndata: y\n\ndata: z\n\n", [b"x", b"y", b"z"]),
}


@pytest.mark.parametrize("case", LARGE)
def test_a_large_event_is_parsed_as_in_the_standard(case: str) -> None:
    before, after, expected = LARGE[case]
    assert read(before + b":" + b"x" * 70_000, after) == expected


@given(
    st.lists(
        st.sampled_from([b"data", b":", b" ", b"\r", b"\n", b"x", b"id", b"data: y\n\n", b"data:\n", b"\n" * 99]),
        max_size=20,
    ),
    st.randoms(),
)
def test_large_events_are_parsed_as_in_the_standard_however_they_are_split(pieces: list[bytes], rng: Random) -> None:
    stream = b"".join([b"data: begin\n:", b"x" * 70_000, *pieces])
    cuts = sorted(rng.choices(range(len(stream) + 1), k=5))
    assert read(*(stream[a:b] for a, b in pairwise([0, *cuts, len(stream)]))) == parse_simply(stream)


def test_an_event_of_many_lines_is_parsed_in_linear_time() -> None:
    lines = b"data:\n" * 2_000
    splitter = EventSplitter()
    assert [data for _ in range(500) for data in splitter.feed(lines)] == []
    assert splitter.feed(b"\n") == [b"\n" * 999_999]
