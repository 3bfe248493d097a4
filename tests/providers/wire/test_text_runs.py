"""Consecutive text deltas are decoded together if only their text differs, otherwise one by one."""

from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from citestream.providers.events import Event, TextDelta
from citestream.providers.wire.anthropic.message_events import AnthropicReader
from citestream.providers.wire.gemini.candidates import GeminiReader
from citestream.providers.wire.ollama.chat_response import OllamaReader
from citestream.providers.wire.openai_chunks import ChunkReader
from citestream.providers.wire.text_runs import MAX_TEMPLATES, RunDecoder

HEAD = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
ROLE = orjson.dumps({**HEAD, "choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}}]})


def chunk(text: object, choice: int = 0, **fields: Any) -> bytes:
    one = {"index": choice, "delta": {"content": text}, "logprobs": None, "finish_reason": None}
    return orjson.dumps({**HEAD, "choices": [one], **fields})


def line(text: str, **fields: Any) -> bytes:
    fields_of_line = {
        "model": "m",
        "created_at": "2026-01-01T00:00:00Z",
        "message": {"role": "assistant", "content": text},
    }
    return orjson.dumps({**fields_of_line, "done": False, **fields})


def in_runs(reader: ChunkReader | OllamaReader | GeminiReader | AnthropicReader, payloads: list[bytes]) -> list[Event]:
    runs, events, at = RunDecoder(reader), [], 0
    while at < len(payloads):
        found, at = runs.decode(payloads, at)
        events += found
    return events


def one_by_one(
    reader: ChunkReader | OllamaReader | GeminiReader | AnthropicReader, payloads: list[bytes]
) -> list[Event]:
    return [event for payload in payloads for event in reader.read(payload)]


def joined(events: list[Event]) -> list[Event]:
    """Join neighbouring text deltas that differ only in their text."""
    done: list[Event] = []
    for event in events:
        last = done[-1] if done else None
        if isinstance(event, TextDelta) and isinstance(last, TextDelta) and without_text(event) == without_text(last):
            event = with_text(event, last.text + event.text)
            done.pop()
        done.append(event)
    return done


def without_text(delta: TextDelta) -> dict[str, Any]:
    return with_text(delta, "").chunk


def with_text(delta: TextDelta, text: str) -> TextDelta:
    (choice,) = delta.chunk["choices"]
    return TextDelta(
        delta.choice, text, {**delta.chunk, "choices": [{**choice, "delta": {**choice["delta"], "content": text}}]}
    )


RUNS = {
    "tokens": ([chunk(" a"), chunk(" b"), chunk("é"), chunk("。")], 3),
    "padding that differs": (
        [chunk(" a", obfuscation="x"), chunk(" b", obfuscation="yyyy"), chunk("c", obfuscation="")],
        2,
    ),
    "line breaks, quotes and backslashes are decoded": (
        [*map(chunk, ("a", "\n\n", 'said "', "b", '"', "\\", '\\"', "\\\\", "\t", "c"))],
        2,
    ),
    "a character by its number": ([chunk("a"), chunk("b"), chunk("\x01"), chunk("c"), chunk("d")], 4),
    "a text that occurs elsewhere in the chunk": ([chunk("c1"), chunk("m"), chunk("assistant")], 2),
    "fields that differ": ([chunk("a", x=1), chunk("b", x=2), chunk("c", x=2)], 3),
    "another choice": ([chunk("a"), chunk("a", 1), chunk("b"), chunk("b", 1)], 5),
    "an empty text": ([chunk("a"), chunk(""), chunk("b")], 4),
    "log-probabilities": ([chunk("a"), chunk("b", logprobs={"content": [1]}), chunk("c")], 3),
    "another field with the name of the text field": (
        [chunk("a", x={"content": "y"}), chunk("b", x={"content": "y"})],
        3,
    ),
    "an event that is not JSON": ([chunk("a"), chunk("b").replace(b'"b"', b'"\x01"'), chunk("c")], 3),
}


@pytest.mark.parametrize("case", RUNS)
def test_decoding_in_runs_gives_the_same_events(case: str) -> None:
    payloads, events = RUNS[case]
    reader, plain = ChunkReader(2), ChunkReader(2)
    found = in_runs(reader, [ROLE, *payloads])
    assert joined(found) == joined(one_by_one(plain, [ROLE, *payloads]))
    assert reader.skipped == plain.skipped
    assert len(found) <= events + 1


def test_lines_of_ollama_are_decoded_together_although_their_times_differ() -> None:
    payloads = [line(word, created_at=f"2026-01-01T00:00:00.{at:09}Z") for at, word in enumerate("abcd")]
    events = in_runs(OllamaReader("m"), payloads)
    assert "".join(event.text for event in events if isinstance(event, TextDelta)) == "abcd"
    assert len(events) <= 4


def test_deltas_of_anthropic_are_decoded_together() -> None:
    start = orjson.dumps({"type": "message_start", "message": {"id": "m1"}})
    texts = [{"type": "text_delta", "text": one} for one in "abcd"]
    deltas = [{"type": "content_block_delta", "index": 0, "delta": delta} for delta in texts]
    events = in_runs(AnthropicReader("m"), [start, *map(orjson.dumps, deltas)])
    assert "".join(event.text for event in events if isinstance(event, TextDelta)) == "abcd"
    assert len(events) <= 3


def test_events_of_gemini_are_decoded_one_by_one() -> None:
    payload = orjson.dumps({"candidates": [{"content": {"parts": [{"text": "a"}]}}]})
    assert len(in_runs(GeminiReader("m"), [payload] * 3)) == 4


def test_surrogate_pairs_are_joined_across_chunks() -> None:
    half, other = chunk("HALF").replace(b"HALF", b"\\ud83d"), chunk("HALF").replace(b"HALF", b"\\ude00")
    payloads = [ROLE, chunk("a"), chunk("b"), half, other, chunk("c"), chunk("d")]
    events = in_runs(ChunkReader(), payloads)
    assert "".join(event.text for event in events if isinstance(event, TextDelta)) == "ab😀cd"


def test_chunks_after_the_end_are_ignored() -> None:
    done = line("", done=True, done_reason="stop")
    for reader, payloads in (
        (ChunkReader(), [ROLE, chunk("a"), chunk("b"), b"[DONE]", chunk("c"), chunk("d")]),
        (OllamaReader("m"), [line(""), line("a"), line("b"), done, line("c"), line("d")]),
    ):
        events = in_runs(reader, payloads)
        assert "".join(event.text for event in events if isinstance(event, TextDelta)) == "ab"


def test_the_number_of_templates_is_limited() -> None:
    class Counting(ChunkReader):
        reads = 0

        def read(self, payload: bytes) -> list[Event]:
            self.reads += 1
            return super().read(payload)

    reader = Counting()
    payloads = [ROLE, *(chunk("a", x=number) for number in range(100))]
    assert len(in_runs(reader, payloads)) == len(payloads)
    assert reader.reads == len(payloads) + MAX_TEMPLATES


def test_a_text_of_quotes_is_decoded_in_linear_time() -> None:
    quotes = '"' * 2_000_000  # takes minutes if the text is scanned again at each quote
    events = in_runs(ChunkReader(), [ROLE, chunk("a"), chunk(quotes)])
    assert "".join(event.text for event in events if isinstance(event, TextDelta)) == f"a{quotes}"


def test_an_invalid_run_is_decoded_in_linear_time() -> None:
    class CountedPayloads(list[bytes]):
        reads = 0

        def __getitem__(self, at: Any) -> Any:
            self.reads += 1
            return super().__getitem__(at)

    good, bad = chunk("a"), chunk("a").replace(b'"a"', b'"\x01"')
    for payloads in (CountedPayloads([ROLE, *[good] * 500, bad]), CountedPayloads([ROLE, good, *[bad] * 500])):
        reader = ChunkReader()
        in_runs(reader, payloads)
        assert reader.skipped == payloads.count(bad)
        assert payloads.reads < 2 * (MAX_TEMPLATES + 1) * len(payloads)


MARKS = st.sampled_from(["\n", '"', "\\", "a", " b", "m"])
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=6) | MARKS
FIELDS = st.sampled_from([{}, {}, {}, {"obfuscation": "ab"}, {"obfuscation": "c"}, {"x": "content"}, {"usage": None}])
CHOICES = st.sampled_from([0, 0, 0, 1])
CHUNKS = st.builds(lambda text, choice, fields: chunk(text, choice, **fields), TEXTS, CHOICES, FIELDS)
OTHERS = st.sampled_from([ROLE, b"[1]", b"{", b"{}", chunk(None), chunk("x", choices=[]), chunk("a", usage={"n": 1})])


@given(st.lists(CHUNKS | CHUNKS | CHUNKS | OTHERS, max_size=20))
def test_any_chunks_give_the_same_events(payloads: list[bytes]) -> None:
    reader, plain = ChunkReader(2), ChunkReader(2)
    assert joined(in_runs(reader, payloads)) == joined(one_by_one(plain, payloads))
    assert (reader.skipped, reader.done, reader.complete) == (plain.skipped, plain.done, plain.complete)


@given(st.lists(st.builds(line, TEXTS), max_size=20))
def test_any_lines_give_the_same_events(payloads: list[bytes]) -> None:
    texts = [
        "".join(event.text for event in read(OllamaReader("m"), payloads) if isinstance(event, TextDelta))
        for read in (in_runs, one_by_one)
    ]
    assert texts[0] == texts[1]
