"""ChunkReader: the events of each chunk. Each case is a deviation of a real server."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citestream.providers.errors import IncompleteAnswer, ReportedError
from citestream.providers.events import Event, Finish, Idle, OtherDelta, TextDelta, Usage
from citestream.providers.wire.chunk_limits import MAX_ENTRIES
from citestream.providers.wire.openai_chunks import ChunkReader

Fields = dict[str, Any]


def chunk(*choices: Fields, **fields: Any) -> Fields:
    return {"id": "c", "object": "chat.completion.chunk", "model": "m", "choices": list(choices), **fields}


def delta(index: int = 0, /, reason: str | None = None, **fields: Any) -> Fields:
    return {"index": index, "delta": fields, "finish_reason": reason}


ROLE = chunk(delta(role="assistant", content=""))
STOP = chunk(delta(reason="stop"))
USAGE = {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}


def short(event: Event) -> Any:
    """Return the short form of an event that the tables contain."""
    match event:
        case TextDelta(choice, text, _):
            return text if choice == 0 else (choice, text)
        case OtherDelta(given, choices):
            held = [choice["delta"] for choice in given["choices"]]
            return {"other": held[0] if held else {}, "flushes": list(choices)}
        case Finish(choice, reason, _):
            return f"={reason}" if choice == 0 else f"{choice}={reason}"
        case Usage(given):
            return given["usage"]
        case _:
            return event


def read(*chunks: Fields | bytes, n: int = 1) -> list[Any]:
    reader = ChunkReader(n)
    events = []
    for one in chunks:
        events += reader.read(one if isinstance(one, bytes) else json.dumps(one).encode())
    return [short(event) for event in [*events, *reader.end()]]


OPENED = {"other": {"role": "assistant", "content": ""}, "flushes": [0]}

CASES: dict[str, tuple[Sequence[Fields | bytes], list[Any]]] = {
    "role, text, finish, usage, [DONE]": (
        [ROLE, chunk(delta(content="Hi")), STOP, chunk(usage=USAGE), b"[DONE]"],
        [OPENED, "Hi", "=stop", USAGE],
    ),
    "without [DONE]": ([ROLE, chunk(delta(content="Hi")), STOP], [OPENED, "Hi", "=stop"]),
    "data after [DONE] is ignored": (
        [ROLE, STOP, b"[DONE]", chunk(delta(content="x"))],
        [OPENED, "=stop"],
    ),
    "the role comes with the first text": (
        [chunk(delta(role="assistant", content="Hi")), STOP],
        [OPENED, "Hi", "=stop"],
    ),
    "the role comes with every text": (
        [chunk(delta(role="assistant", content=text)) for text in ("a", "b", "c")] + [STOP],
        [OPENED, "a", "b", "c", "=stop"],
    ),
    "the role never comes": ([chunk(delta(content="Hi")), STOP], ["Hi", "=stop"]),
    "the role is repeated without text": (
        [ROLE, ROLE, chunk(delta(content="a")), STOP],
        [OPENED, {"other": {"content": ""}, "flushes": []}, "a", "=stop"],
    ),
    "every field is present, most of them null": (
        [
            chunk(delta(role="assistant", content="", refusal=None, tool_calls=None)),
            chunk(delta(role="assistant", content="a", refusal=None, tool_calls=None, function_call=None)),
            STOP,
        ],
        [
            {"other": {"role": "assistant", "content": "", "refusal": None, "tool_calls": None}, "flushes": [0]},
            "a",
            "=stop",
        ],
    ),
    "text in the finish chunk": ([ROLE, chunk(delta(reason="stop", content="Hi"))], [OPENED, "Hi", "=stop"]),
    "text after the finish chunk": ([ROLE, STOP, chunk(delta(content="Hi")), b"[DONE]"], [OPENED, "Hi", "=stop"]),
    "two finish chunks": ([ROLE, chunk(delta(reason="length")), STOP, b"[DONE]"], [OPENED, "=length"]),
    "a finish reason on every chunk": (
        [chunk(delta(reason="stop", content=text)) for text in "ab"] + [b"[DONE]"],
        ["a", "b", "=stop"],
    ),
    "an empty finish reason is ignored": ([chunk(delta(reason="", content="a")), STOP], ["a", "=stop"]),
    "several choices in one chunk": (
        [
            chunk(delta(0, role="assistant", content=""), delta(1, role="assistant", content="")),
            chunk(delta(1, content="b"), delta(0, content="a")),
            chunk(delta(0, "stop"), delta(1, "length")),
        ],
        [OPENED, {"other": {"role": "assistant", "content": ""}, "flushes": [1]}, (1, "b"), "a", "=stop", "1=length"],
    ),
    "usage on every chunk counts once, at the end": (
        [
            chunk(delta(content="a"), usage=USAGE | {"x": 1}),
            chunk(delta(reason="stop"), usage=USAGE),
            chunk(usage=USAGE),
        ],
        ["a", "=stop", USAGE],
    ),
    "usage on the finish chunk": (
        [chunk(delta(content="a")), chunk(delta(reason="stop"), usage=USAGE)],
        ["a", "=stop", USAGE],
    ),
    "usage before the finish": ([chunk(delta(content="a")), chunk(usage=USAGE), STOP], ["a", "=stop", USAGE]),
    "usage with choices null": (
        [chunk(delta(content="a")), STOP, chunk(usage=USAGE) | {"choices": None}],
        ["a", "=stop", USAGE],
    ),
    "a first chunk without choices (Azure's filter results)": (
        [chunk(prompt_filter_results=[1]), ROLE, STOP],
        [{"other": {}, "flushes": []}, OPENED, "=stop"],
    ),
    "choices missing": ([{"object": "ping"}, ROLE, STOP], [{"other": {}, "flushes": []}, OPENED, "=stop"]),
    "a delta of null": (
        [ROLE, chunk({"index": 0, "delta": None, "finish_reason": None}), STOP],
        [OPENED, {"other": {}, "flushes": []}, "=stop"],
    ),
    "an answer that is not streamed": (
        [chunk({"index": 0, "message": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop"})],
        [OPENED, "Hi", "=stop"],
    ),
    "reasoning, under all its names": (
        [ROLE] + [chunk(delta(**{name: "hm"})) for name in ("reasoning", "reasoning_content", "thinking")] + [STOP],
        [OPENED]
        + [{"other": {name: "hm"}, "flushes": [0]} for name in ("reasoning", "reasoning_content", "thinking")]
        + ["=stop"],
    ),
    "reasoning and text in one chunk": (
        [ROLE, chunk(delta(content="Hi", reasoning="hm")), STOP],
        [OPENED, {"other": {"reasoning": "hm"}, "flushes": [0]}, "Hi", "=stop"],
    ),
    "text and a tool call in one chunk": (
        [ROLE, chunk(delta(content="Hi", tool_calls=[{"index": 0}])), chunk(delta(reason="tool_calls"))],
        [OPENED, "Hi", {"other": {"tool_calls": [{"index": 0}]}, "flushes": [0]}, "=tool_calls"],
    ),
    "a tool call in the finish chunk": (
        [ROLE, chunk(delta(reason="tool_calls", tool_calls=[{"index": 0}]))],
        [OPENED, {"other": {"tool_calls": [{"index": 0}]}, "flushes": [0]}, "=tool_calls"],
    ),
    "tool calls without an index, as some servers send them": (
        [
            ROLE,
            chunk(delta(tool_calls=[{"id": "a"}, {"id": "", "index": None, "function": {"name": "f"}}])),
            chunk(delta(tool_calls=[{"function": {"arguments": "{}"}}, {"index": 5}, {"id": "b"}])),
            chunk(delta(reason="tool_calls")),
        ],
        [
            OPENED,
            {
                "other": {"tool_calls": [{"id": "a", "index": 0}, {"id": "", "index": 1, "function": {"name": "f"}}]},
                "flushes": [0],
            },
            {
                "other": {
                    "tool_calls": [{"function": {"arguments": "{}"}, "index": 1}, {"index": 5}, {"id": "b", "index": 6}]
                },
                "flushes": [0],
            },
            "=tool_calls",
        ],
    ),
    "a refusal and audio": (
        [ROLE, chunk(delta(refusal="No")), chunk(delta(audio={"id": "a"})), STOP],
        [
            OPENED,
            {"other": {"refusal": "No"}, "flushes": [0]},
            {"other": {"audio": {"id": "a"}}, "flushes": [0]},
            "=stop",
        ],
    ),
    "an unknown field has no place between texts": (
        [ROLE, chunk(delta(mood="x")), chunk(delta(content="a", mood="y")), STOP],
        [OPENED, {"other": {"mood": "x"}, "flushes": []}, "a", {"other": {"mood": "y"}, "flushes": []}, "=stop"],
    ),
    "content as a list (Mistral)": (
        [
            ROLE,
            chunk(
                delta(
                    content=[
                        {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
                        {"type": "text", "text": "a"},
                        {"type": "reference", "reference_ids": [0]},
                        {"type": "text", "text": "b"},
                    ]
                )
            ),
            STOP,
        ],
        [
            OPENED,
            {"other": {"reasoning_content": "hm"}, "flushes": [0]},
            "a",
            {"other": {"content_parts": [{"index": 0, "type": "reference", "reference_ids": [0]}]}, "flushes": []},
            "b",
            "=stop",
        ],
    ),
    "an event that is not JSON is skipped": (
        [ROLE, b'{"id":"c","choi', chunk(delta(content="a")), b"null", b"[1]", b'"x"', b"", STOP],
        [OPENED, "a", "=stop"],
    ),
    "a surrogate pair split between two chunks, and unpaired surrogates": (
        [
            ROLE,
            b'{"choices":[{"index":0,"delta":{"content":"a\\ud83d"}}]}',
            b'{"choices":[{"index":0,"delta":{"content":"\\ude00b"}}]}',
            b'{"choices":[{"index":0,"delta":{"content":"\\udc00c\\ud800"}}]}',
            STOP,
        ],
        [OPENED, "a", "😀b", "\ufffdc", "\ufffd", "=stop"],
    ),
    "bytes that are not UTF-8": (
        [ROLE, b'{"choices":[{"index":0,"delta":{"content":"a\xff"}}]}', STOP],
        [OPENED, "a\ufffd", "=stop"],
    ),
    "log-probabilities for a partial character are kept without text": (
        [ROLE, chunk(delta(content="") | {"logprobs": {"content": [1]}}), STOP],
        [OPENED, "", "=stop"],
    ),
    "a server that ignores n": ([ROLE, STOP, b"[DONE]"], [OPENED, "=stop"]),
}


@pytest.mark.parametrize("case", CASES)
def test_chunks_become_events(case: str) -> None:
    chunks, expected = CASES[case]
    assert read(*chunks, n=2 if case.startswith("a server that ignores n") else 1) == expected


INCOMPLETE: dict[str, list[Fields | bytes]] = {
    "nothing at all": [],
    "no finish reason": [ROLE, chunk(delta(content="a"))],
    "[DONE] does not replace a finish reason": [ROLE, chunk(delta(content="a")), b"[DONE]"],
    "one of two choices has no finish reason": [chunk(delta(0, content="a"), delta(1, content="b")), STOP, b"[DONE]"],
    "the second of two choices never came, and no [DONE]": [ROLE, STOP],
}


@pytest.mark.parametrize("case", INCOMPLETE)
def test_a_stream_without_a_finish_reason_is_an_incomplete_answer(case: str) -> None:
    with pytest.raises(IncompleteAnswer):
        read(*INCOMPLETE[case], n=2)


ERRORS: dict[str, tuple[Fields, str, int]] = {
    "OpenAI's object": ({"error": {"message": "Overloaded", "type": "server_error", "code": None}}, "Overloaded", 502),
    "with a status": ({"error": {"message": "Slow down", "code": 429}}, "Slow down", 429),
    "of an overloaded server": ({"error": {"message": "Busy", "code": 529}}, "Busy", 503),
    "a string": ({"error": "out of memory"}, "out of memory", 502),
    "the older object of vLLM": ({"object": "error", "message": "aborted", "code": 400}, "aborted", 400),
    "beside the choices (OpenRouter)": (
        chunk(delta(reason="error", content="last words"), error={"message": "gone", "code": 502}),
        "gone",
        502,
    ),
    "a finish reason only": (
        chunk(delta(reason="error")),
        "The provider reported an error without an explanation.",
        502,
    ),
}


@pytest.mark.parametrize("case", ERRORS)
def test_an_error_in_the_stream_is_reported(case: str) -> None:
    given, message, status = ERRORS[case]
    reader = ChunkReader()
    reader.take(ROLE | {"choices": [delta(role="assistant", content="")]})
    events = reader.take(json.loads(json.dumps(given)))
    assert [short(event) for event in events] == (["last words"] if "OpenRouter" in case else [])
    assert all("error" not in event.chunk for event in events if not isinstance(event, Idle))
    with pytest.raises(ReportedError) as raised:
        reader.end()
    assert (raised.value.message, raised.value.status) == (message, status)


def test_an_error_of_null_is_ignored() -> None:
    assert read(ROLE | {"error": None}, STOP) == [OPENED, "=stop"]


def test_log_probabilities_stay_with_the_text_and_no_field_is_repeated() -> None:
    reader = ChunkReader()
    full = delta(reason="stop", role="assistant", content="Hi", reasoning="hm") | {
        "logprobs": {"content": [1]},
        "stop_reason": 7,
    }
    events = [*reader.take(chunk(full)), *reader.end()]
    parts = [
        event.chunk["choices"][0]
        for event in events
        if not isinstance(event, Usage | type(None)) and hasattr(event, "chunk")
    ]
    assert [part.get("logprobs") for part in parts] == [None, None, {"content": [1]}, None]
    assert [part.get("stop_reason") for part in parts] == [None, None, None, 7]


def test_a_delta_with_too_many_parts_is_an_error() -> None:
    with pytest.raises(ValueError, match="too many parts"):
        ChunkReader().take({"choices": [delta(content=[""] * (MAX_ENTRIES + 1))]})


def test_nothing_is_read_after_the_end_marker() -> None:
    reader = ChunkReader()
    reader.read(b"[DONE]")
    assert reader.read_value({"choices": [delta(content="late")]}, True) == []


def test_padding_is_dropped_and_other_fields_of_the_envelope_are_kept() -> None:
    reader = ChunkReader()
    (event,) = reader.take(
        chunk(delta(role="assistant", content=""), obfuscation="xyz", system_fingerprint="fp", usage=None)
    )
    assert isinstance(event, OtherDelta)
    assert event.chunk == chunk(delta(role="assistant", content=""), system_fingerprint="fp", usage=None)


@pytest.mark.parametrize("requested", [True, False])
def test_usage_stays_on_every_chunk_only_if_requested(requested: bool) -> None:
    reader = ChunkReader(usage_on_every_chunk=requested)
    given = [chunk(delta(role="assistant", content="a"), usage=USAGE), chunk(delta(reason="stop"), usage=USAGE)]
    events = [event for one in given for event in reader.take(one)] + reader.end()
    carried = [event.chunk.get("usage") for event in events if not isinstance(event, Idle)]
    assert carried == [*([USAGE if requested else None] * 3), USAGE]


@given(st.lists(st.lists(st.tuples(st.integers(0, 2), st.text(max_size=5)), min_size=1, max_size=3), max_size=12))
def test_no_text_is_lost_added_or_moved_between_choices(chunks: list[list[tuple[int, str]]]) -> None:
    reader = ChunkReader()
    events = []
    for texts in chunks:
        given = chunk(*(delta(index, content=text, role="assistant") for index, text in texts))
        events += reader.read(json.dumps(given).encode())
    for index in range(3):
        sent = "".join(text for texts in chunks for at, text in texts if at == index)
        assert "".join(event.text for event in events if isinstance(event, TextDelta) and event.choice == index) == sent


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["index", "delta", "content", "role", "finish_reason", "text", "type", "tool_calls"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(
    st.lists(
        st.fixed_dictionaries({"choices": json_values}, optional={"usage": json_values, "error": json_values}),
        max_size=4,
    )
)
def test_no_chunk_of_any_shape_breaks_the_reader(chunks: list[Fields]) -> None:
    reader = ChunkReader()
    for one in chunks:
        reader.take(one)
