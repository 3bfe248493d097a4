"""Large JSON is decoded in pieces: the same values as at once, and the same texts are refused."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citestream.citation.text.steps import complete
from citestream.providers.wire import json_steps
from citestream.providers.wire.json_steps import loads_in_steps

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
    "no key": b"{[1,2,3,4]: 1}",
    "no colon": b'{"a" [1,2,3,4]}',
    "the wrong bracket": b'[1,2,{"a":[1,2,3]]]',
    "the wrong last bracket": b"[1,2,3,4}",
    "no last bracket": b"[1,[2,3,4,5]",
    "two values": b"[1,2,3] [1,2,3]",
    "an open string": b'[1,2,3,"abc]',
    "text before it": b"a [1,2,3,4,5]",
}


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_steps, "PIECE_BYTES", 3)


@given(VALUES, st.sampled_from([None, 1]), st.sampled_from(["", " \n"]))
def test_the_value_is_the_same(value: Any, indent: int | None, around: str) -> None:
    written = around + json.dumps(value, indent=indent, ensure_ascii=False) + around
    assert complete(loads_in_steps(written.encode())) == (value, True)


@pytest.mark.parametrize("written", WRONG.values(), ids=WRONG)
def test_what_is_not_json_is_refused(written: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        complete(loads_in_steps(written))


@given(st.text('[]{}",:1 a\\', max_size=30))
def test_it_refuses_what_a_decoder_refuses(text: str) -> None:
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


def test_deep_nesting_is_not_divided_without_end() -> None:
    depth = 100
    value, _ = complete(loads_in_steps(b"[" * depth + b"1" + b"]" * depth))
    for _ in range(depth):
        (value,) = value
    assert value == 1


@pytest.mark.parametrize(
    "written",
    [b"[" + b"1," * 100_000 + b"1]", b"[" + b"{}," * 50_000 + b"1]", b'{"a":[' + b'"b",' * 50_000 + b"1]}"],
    ids=["numbers", "objects", "strings inside"],
)
def test_the_number_of_steps_grows_with_the_length(written: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_steps, "PIECE_BYTES", 1_000)
    pieces = sum(1 for _ in loads_in_steps(written))
    assert len(written) / 1_300 <= pieces <= len(written) / 200
