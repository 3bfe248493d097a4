"""Large JSON is decoded and encoded in pieces, with the same values and errors as in one step."""

import gc
import json
from itertools import pairwise
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from citestream.citation.text.steps import complete
from citestream.providers.wire.json_steps import (
    TooManyContainers,
    dumps_in_steps,
    is_large,
    loads_in_steps,
    release_in_steps,
)

PACKAGE = "citestream.providers.wire.json_steps"
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 10**6) | st.text('ab,:"\\[]{}é\n', max_size=8),
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text('ab,"]}', max_size=3), inner, max_size=6),
    max_leaves=40,
)
WRONG = {
    "two commas": b"[1,2,,3]",
    "a comma at the end": b'[1,[2,3,4],{"a":1},]',
    "a comma at the start": b"[,[1,2,3,4]]",
    "no comma after a container": b'[[1,2,3,4] "a", 1]',
    "no comma before a container": b'["a" [1,2,3,4], 1]',
    "a key that is a list": b"{[1,2,3,4]: 1}",
    "no colon": b'{"a" [1,2,3,4]}',
    "the wrong bracket": b'[1,2,{"a":[1,2,3]]]',
    "the wrong last bracket": b"[1,2,3,4}",
    "no last bracket": b"[1,[2,3,4,5]",
    "two values": b"[1,2,3] [1,2,3]",
    "an unterminated string": b'[1,2,3,"abc]',
    "text before it": b"a [1,2,3,4,5]",
}


def divide(monkeypatch: pytest.MonkeyPatch, piece_bytes: int) -> None:
    """Divide large values into pieces of about `piece_bytes`."""
    for module in ("decode", "encode", "size"):
        monkeypatch.setattr(f"{PACKAGE}.{module}.PIECE_BYTES", piece_bytes)


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    divide(monkeypatch, 3)


@given(VALUES, st.sampled_from([None, 1]), st.sampled_from(["", " \n"]))
def test_the_decoded_value_is_the_same(value: Any, indent: int | None, around: str) -> None:
    written = around + json.dumps(value, indent=indent, ensure_ascii=False) + around
    assert complete(loads_in_steps(written.encode())) == (value, True)


@pytest.mark.parametrize("written", WRONG.values(), ids=WRONG)
def test_invalid_json_is_an_error(written: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        complete(loads_in_steps(written))


@given(st.text('[]{}",:1 a\\', max_size=30))
def test_the_same_texts_are_invalid_as_for_the_standard_decoder(text: str) -> None:
    try:
        expected = json.loads(text)
    except ValueError:
        with pytest.raises(ValueError, match=r"."):
            complete(loads_in_steps(text.encode()))
    else:
        assert complete(loads_in_steps(text.encode()))[0] == expected


def test_lone_surrogates_are_accepted_and_reported() -> None:
    value, clean = complete(loads_in_steps(b'{"a": [1,2,3,4], "b": ["\\ud83d", 5]}'))
    assert (value, clean) == ({"a": [1, 2, 3, 4], "b": ["\ud83d", 5]}, False)


def test_deep_nesting_is_divided() -> None:
    depth = 900
    value, _ = complete(loads_in_steps(b"[" * depth + b"1" + b"]" * depth))
    for _ in range(depth):
        (value,) = value
    assert value == 1


def test_excessive_nesting_is_an_error() -> None:
    with pytest.raises(ValueError, match="nested too deeply"):
        complete(loads_in_steps(b"[" * 100_000))


@pytest.mark.parametrize(("container", "nested"), [("[[]]", 1), ('{"a": {"b": 1}}', 1), ('{"a": [1, [{}, []]]}', 3)])
def test_the_number_of_nested_containers_is_limited(
    container: str, nested: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{PACKAGE}.decode.MAX_NESTED", 10_000)
    count = 9_999 // nested  # the list around them is nested too
    written = f"[{','.join([container] * count)}]".encode()
    assert len(complete(loads_in_steps(written))[0]) == count
    with pytest.raises(TooManyContainers):
        complete(loads_in_steps(b"[%b,%b]" % (written, written)))
    flat = b'[{"a": "[[[[", "b": 1}%b]' % (b', {"a": "[{"}, [1, 2]' * 20_000)
    assert len(complete(loads_in_steps(flat))[0]) == 40_001


WRONG_ENDS = {"a wrong end": b"]}", "too many containers": b"," + b",".join([b"[[1]]"] * 300) + b"]"}


@pytest.mark.parametrize("end", WRONG_ENDS.values(), ids=WRONG_ENDS)
def test_decoded_parts_of_a_wrong_text_stay_until_they_are_freed_in_steps(
    end: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{PACKAGE}.decode.MAX_NESTED", 200)
    parts: list[Any] = []
    with pytest.raises(ValueError, match=r"."):
        complete(loads_in_steps(b"[[%b" % b",".join([b'{"a": [1]}'] * 100) + end, parts=parts))
    values = [element for part in parts for element in part.value]
    assert values.count({"a": [1]}) + sum(one.count({"a": [1]}) for one in values if isinstance(one, list)) == 100
    complete(release_in_steps(parts))


LONG_STRINGS = {
    "a text": "abc" * 100_000,
    "characters of several bytes": "中é😀" * 50_000,
    "escapes": '\n"' * 100_000,
    "a key": "é",
}


@pytest.mark.parametrize("text", LONG_STRINGS.values(), ids=LONG_STRINGS)
@pytest.mark.parametrize("ascii_only", [False, True])
def test_long_strings_are_divided(text: str, *, ascii_only: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    divide(monkeypatch, 1_000)
    value = {"a": ["b", text, {"c": text}], text * 2: text, "d": [[text]]}
    written = json.dumps(value, ensure_ascii=ascii_only).encode()
    assert complete(loads_in_steps(written)) == (value, True)
    assert json.loads(complete(dumps_in_steps(value))) == value


def test_white_space_is_skipped_around_the_value_and_limited_inside_it() -> None:
    spaces = b" " * 200_000
    assert complete(loads_in_steps(spaces + b'{"a": [1, 2]}' + spaces)) == ({"a": [1, 2]}, True)
    with pytest.raises(ValueError, match="white space"):
        complete(loads_in_steps(b'{"a":' + spaces + b"1}"))


def test_a_long_string_of_bytes_that_are_not_utf8_is_read() -> None:
    assert complete(loads_in_steps(b'["' + b"a\xff" * 100 + b'"]', replace=True)) == (["a\ufffd" * 100], False)


@pytest.mark.parametrize("length", [200_000, 400_000])
def test_a_long_string_is_decoded_and_encoded_in_pieces(length: int, monkeypatch: pytest.MonkeyPatch) -> None:
    divide(monkeypatch, 64 * 2**10)
    value = {"a": "b" * length}
    written = json.dumps(value).encode()
    assert sum(1 for _ in loads_in_steps(written)) >= length / 2**16
    assert sum(1 for _ in dumps_in_steps(value)) >= length / 2**16


@given(VALUES)
def test_the_encoded_value_is_the_same(value: Any) -> None:
    assert json.loads(complete(dumps_in_steps(value))) == value


def test_lone_surrogates_and_keys_that_are_not_strings_are_encoded_as_by_json() -> None:
    value = {"a": ["\ud83d", 1, 2, 3], 5: [1, 2, 3, 4], None: "abcdefgh"}
    assert json.loads(complete(dumps_in_steps(value))) == json.loads(json.dumps(value))


def test_values_nested_deeply_are_encoded_in_steps() -> None:
    value: Any = "abcdef"
    for _ in range(200):
        value = [value]
    assert json.loads(complete(dumps_in_steps(value))) == value


VALUES_OF_MANY_PIECES = {
    "numbers": [1] * 100_000,
    "objects": [{"a": 1}] * 20_000,
    "numbers in an object": {"a": {str(n): n for n in range(20_000)}},
    "texts": ["abcdefgh"] * 20_000,
}


@pytest.mark.parametrize("value", VALUES_OF_MANY_PIECES.values(), ids=VALUES_OF_MANY_PIECES)
def test_many_values_are_encoded_in_pieces(value: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    divide(monkeypatch, 1_000)
    monkeypatch.setattr(f"{PACKAGE}.encode.ELEMENTS", 500)
    encoded: list[bytes] = []

    def dumps(piece: Any) -> bytes:
        encoded.append(orjson.dumps(piece))
        return encoded[-1]

    monkeypatch.setattr(f"{PACKAGE}.encode.dumps", dumps)
    assert json.loads(complete(dumps_in_steps(value))) == value
    assert max(map(len, encoded)) <= 2_000


@pytest.mark.parametrize(
    "written",
    [b"[" + b"1," * 100_000 + b"1]", b"[" + b"{}," * 50_000 + b"1]", b'{"a":[' + b'"b",' * 50_000 + b"1]}"],
    ids=["numbers", "objects", "strings inside"],
)
def test_the_number_of_steps_to_decode_is_linear(written: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    divide(monkeypatch, 1_000)
    pieces = sum(1 for _ in loads_in_steps(written))
    assert len(written) / 1_300 <= pieces <= len(written) / 200


class Counted(list[int]):
    """A list. The class counts its existing instances."""

    existing = 0

    def __init__(self) -> None:
        super().__init__([1])
        Counted.existing += 1

    def __del__(self) -> None:
        Counted.existing -= 1


def test_values_are_freed_in_steps_and_shared_values_are_kept() -> None:
    shared = {"a": Counted()}
    value = {"b": [Counted() for _ in range(10_000)], "c": {"d": [Counted()]}, "e": shared}
    steps = release_in_steps(value)
    del value
    existing = [Counted.existing for _ in steps]
    freed = [before - after for before, after in pairwise(existing)]
    assert existing[0] == 10_002
    assert max(freed) <= 1_000
    assert Counted.existing == 1
    assert shared == {"a": [1]}


@pytest.mark.parametrize(("value", "large"), [([1] * 5, False), ([1] * 100, True), ({"a": "b" * 200}, True)])
def test_is_large(value: Any, *, large: bool) -> None:
    assert is_large(value, 100) is large


@pytest.mark.parametrize("element", [{}, [], [0] * 100], ids=["empty objects", "empty lists", "lists of numbers"])
def test_the_number_of_steps_to_free_elements_is_linear(element: Any) -> None:
    few = sum(1 for _ in release_in_steps([element] * 20_000))
    many = sum(1 for _ in release_in_steps([element] * 200_000))
    assert few >= 25
    assert 9 * few <= many <= 11 * few


def test_growing_containers_are_not_examined_among_new_objects(monkeypatch: pytest.MonkeyPatch) -> None:
    divide(monkeypatch, 64 * 2**10)
    longest = 0

    def measure(phase: str, info: dict[str, int]) -> None:
        nonlocal longest
        if phase == "start" and info["generation"] < 2:
            examined = [one for young in range(info["generation"] + 1) for one in gc.get_objects(young)]
            longest = max([longest, *(len(one) for one in examined if isinstance(one, list | dict))])

    enabled, thresholds = gc.isenabled(), gc.get_threshold()
    former = [{"role": "user", "content": str(number)} for number in range(60_000)]
    data = orjson.dumps(former)
    gc.enable()
    gc.set_threshold(5_000, 1, 10**6)
    gc.collect()
    gc.callbacks.append(measure)
    try:
        released = release_in_steps(former)
        del former
        decoded = loads_in_steps(data)
        for _ in zip(released, decoded, strict=False):  # as two requests that take turns
            pass
        gc.collect(1)
    finally:
        gc.callbacks.remove(measure)
        gc.set_threshold(*thresholds)
        if not enabled:
            gc.disable()
    assert 0 < longest < 20_000
