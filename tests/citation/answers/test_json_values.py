"""Claims in JSON: in a text, in a fenced block at the beginning of a text, and in the arguments of tool calls."""

import json
import re
from collections.abc import Callable, Iterator
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citestream.citation.answers.draft import Draft
from citestream.citation.answers.json_values import CallValues, FencedJson, JsonValues
from citestream.citation.answers.value_claims import STEP
from citestream.citation.markers import MarkerNames

Chunkings = Callable[[str, Random], Iterator[list[str]]]

NAMES = MarkerNames(frozenset({1, 2}))
HEIGHT = "The Saturn V was 110.6 metres tall."
LIGHTNING = "Apollo 12 was struck by lightning twice."
JSON = json.dumps({"answer": f"{HEIGHT} {LIGHTNING}", "sources": ["moon.md"], "n": [1, 2]}, indent=1)


def claims(drafts: list[Draft]) -> list[str]:
    return [draft.claim.text for draft in drafts if draft.claim]


def fenced(pieces: list[str]) -> list[Draft]:
    values = FencedJson(NAMES)
    for piece in pieces:
        values.feed(piece)
    return [draft for part in values.drafts_in_parts() for draft in part]


def of_calls(values: CallValues) -> list[Draft]:
    return [draft for part in values.drafts_in_parts() for draft in part]


TEXTS: dict[str, tuple[str, list[str]]] = {
    "a block": (f"```json\n{JSON}\n```", [HEIGHT, LIGHTNING]),
    "white space around the block": (f"\n\n  ```json\n{JSON}\n```\n\n", [HEIGHT, LIGHTNING]),
    "tildes, capitals and a longer fence": (f"~~~~ JSON\n{JSON}\n~~~~\n", [HEIGHT, LIGHTNING]),
    "text after the block": (f'```json\n{JSON}\n```\nThe value is "{HEIGHT}"', [HEIGHT, LIGHTNING]),
    "a shorter fence does not close the block": (
        f'````json\n["{HEIGHT}"\n```\n, "{LIGHTNING}"]\n````',
        [HEIGHT, LIGHTNING],
    ),
    "a truncated block": ('```json\n{"answer": "' + HEIGHT + '", "more": "Apollo 12 was str', [HEIGHT]),
    "another language": (f"```python\nanswer = {JSON}\n```", []),
    "no language": (f"```\n{JSON}\n```", []),
    "text before the block": (f"This is an example:\n```json\n{JSON}\n```", []),
    "inline code": (f"`json` {JSON}", []),
    "JSON without a fence": (JSON, []),
    "no text": ("", []),
}


@pytest.mark.parametrize(("text", "expected"), TEXTS.values(), ids=TEXTS)
def test_claims_of_a_fenced_block_at_the_beginning_are_found(
    text: str, expected: list[str], chunkings: Chunkings
) -> None:
    for pieces in chunkings(text, Random(7)):
        drafts = fenced(pieces)
        assert claims(drafts) == expected
        assert [text[draft.start : draft.end] for draft in drafts] == expected
        assert all(draft.is_in_place for draft in drafts)


def test_values_are_returned_once() -> None:
    values = JsonValues(NAMES)
    values.feed('{"a": "' + HEIGHT)
    assert values.drafts() == []
    values.feed('", "b": "' + LIGHTNING + '"')
    assert claims(values.drafts()) == [HEIGHT, LIGHTNING]
    assert values.drafts() == []


def test_a_marker_in_a_value_is_a_hint_and_not_part_of_the_claim() -> None:
    values = JsonValues(NAMES)
    values.feed(json.dumps({"answer": f"{HEIGHT[:-1]} [2]."}))
    (draft,) = values.drafts()
    assert (claims([draft]), draft.cited) == ([HEIGHT], (2,))


def test_only_calls_of_the_answer_tool_are_read(chunkings: Chunkings) -> None:
    answer, search = json.dumps({"answer": HEIGHT}), json.dumps({"query": LIGHTNING})
    for pieces in chunkings(answer, Random(7)):
        values = CallValues({"final_result"}, NAMES)
        values.feed({"tool_calls": [{"index": 0, "function": {"name": "search", "arguments": search}}]})
        values.feed({"tool_calls": [{"index": 1, "id": "c", "function": {"name": "final_result", "arguments": ""}}]})
        for piece in pieces:
            values.feed({"tool_calls": [{"index": 1, "function": {"arguments": piece}}]})
        (draft,) = of_calls(values)
        assert (draft.tool_call, answer[draft.start : draft.end]) == (1, HEIGHT)


def test_function_call_is_read_like_a_tool_call() -> None:
    values = CallValues({"Answer"}, NAMES)
    values.feed({"function_call": {"name": "Answer", "arguments": '{"text": '}})
    values.feed({"function_call": {"arguments": f'"{HEIGHT}"}}'}})
    assert claims(of_calls(values)) == [HEIGHT]


@given(st.lists(st.text(alphabet='`~json\n {}[]":,\\ A.b5', max_size=40), max_size=6))
def test_drafts_do_not_depend_on_how_the_text_is_split(pieces: list[str]) -> None:
    text = "".join(pieces)
    drafts = fenced(pieces)
    assert drafts == fenced([text]) == fenced(list(text))
    assert all(0 < draft.start < draft.end <= len(text) for draft in drafts)


ALPHABET = '\\"' * 3 + "{}[]:, aA.5\n"


@given(st.lists(st.tuples(st.text(alphabet=ALPHABET, max_size=30), st.booleans()), max_size=8))
def test_values_do_not_depend_on_when_they_are_read(pieces: list[tuple[str, bool]]) -> None:
    text = "".join(piece for piece, _ in pieces)
    whole, read = JsonValues(NAMES), JsonValues(NAMES)
    whole.feed(text + "1")  # no key ends here
    drafts: list[Draft] = []
    for piece, is_read in pieces:
        read.feed(piece)
        if is_read and not re.search(r'"\s*$', piece):  # whether a string is a key is not known yet
            drafts += read.drafts()
    read.feed("1")
    assert drafts + read.drafts() == whole.drafts()


def test_an_unfinished_string_is_searched_once() -> None:
    values, pieces = JsonValues(NAMES), 200
    values.feed('{"answer": "')
    searched = 0
    for _ in range(pieces):
        values.feed('\\"' * STEP)
        searched += len(list(values.drafts_in_parts()))
    assert searched <= 3 * pieces  # two thousand characters in steps of one thousand


def test_a_part_is_short_however_long_the_text_is() -> None:
    texts = {
        "sentences": json.dumps({"answer": f"{HEIGHT} {LIGHTNING} " * 2_000}),
        "keys": json.dumps({str(n): n for n in range(10_000)}),
        "values": json.dumps([HEIGHT] * 4_000),
        "a string without an end": '{"a": "' + '\\"' * 100_000,
    }
    for name, text in texts.items():
        values = JsonValues(NAMES)
        values.feed(text)
        parts = list(values.drafts_in_parts())
        assert max(map(len, parts)) <= STEP // len(HEIGHT), name
        assert len(parts) >= len(text) // (2 * STEP), name
