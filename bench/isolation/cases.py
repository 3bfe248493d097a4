"""The requests and answers of `bench.isolation`, each with what the provider and the retriever answer."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from bench.proxy.sample_text import excerpts

DOCUMENTS = Path(__file__).parents[2] / "examples" / "documents"
SENTENCE = "The harbour was not opened in March 1932 because the pumps of the town failed. "
CHINESE = "solar-terms.md"

Fields = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Case:
    """A request, and what the provider and the retriever answer."""

    body: Fields
    path: str = "/v1/chat/completions"
    answer: bytes = b""  # body of the provider before compression
    content_type: str = "text/event-stream"
    compressed: bool = False
    results: bytes = b"[]"  # body of the retriever
    config: Fields = field(default_factory=dict)
    times: int = 1
    status: int = 200  # the provider's
    data: bytes = b""  # sent instead of the body
    headers: dict[str, str] = field(default_factory=dict)
    silent_seconds: float = 0.0  # the provider sends nothing but its headers, and the clients leave after this time
    then: "Callable[[Fields], Case] | None" = None  # a second request, which refers to the answer to the first one

    @property
    def content(self) -> bytes | None:
        """The bytes that are sent; None for a GET request."""
        return self.data or (json.dumps(self.body).encode() if self.body else None)


def _chat(evidence: list[str], *, stream: bool = True, **fields: Any) -> Fields:
    body: Fields = {"model": "fake/m", "messages": [{"role": "user", "content": "What happened?"}], "stream": stream}
    return body | {"evidence": [{"text": text} for text in evidence]} | fields


def _events(text: str, count: int) -> bytes:
    """Return the events of an answer that repeats a text."""
    one = {"choices": [{"index": 0, "delta": {"content": text}}]}
    end = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    return (f"data: {json.dumps(one)}\n\n" * count + f"data: {json.dumps(end)}\n\ndata: [DONE]\n\n").encode()


def flood(megabytes: float, *, stream: bool, evidence: bool = True, text: str = SENTENCE) -> Case:
    """Return the case of a provider that sends many events at once, compressed."""
    count = int(megabytes * 2**20) // len(_events(text, 1))
    body = _chat([SENTENCE] if evidence else [], stream=stream)
    return Case(body, answer=_events(text, count), compressed=True)


def _event(count: int, *, evidence: bool = True, **delta: Any) -> Case:
    """Return the case of a provider that sends one large event. `delta`: a field whose value is repeated."""
    repeated = {name: value * count for name, value in delta.items()}
    one = {"choices": [{"index": 0, "delta": repeated, "finish_reason": None if evidence else "stop"}]}
    return _payload(json.dumps(one).encode(), evidence=evidence)


def _deltas(count: int, delta: Fields, choices: int = 1) -> Case:
    """Return the case of a provider that sends `count` events with this delta, in several choices in turn.

    "{n}" in the delta is the number of the event.
    """
    events = []
    for number in range(count):
        one = {"choices": [{"index": number % choices, "delta": delta}]}
        events.append(f"data: {json.dumps(one)}\n\n".replace('"{n}"', str(number)))
    for number in range(choices):
        one = {"choices": [{"index": number, "delta": {}, "finish_reason": "stop"}]}
        events.append(f"data: {json.dumps(one)}\n\n")
    return Case(_chat([SENTENCE]), answer="".join([*events, "data: [DONE]\n\n"]).encode(), compressed=True)


def _payload(data: bytes, *, evidence: bool = True) -> Case:
    """Return the case of a provider that sends an event with this data before its answer."""
    answer = b"data: %b\n\n%b" % (data, _events("It rose. ", 1))
    return Case(_chat([SENTENCE] if evidence else []), answer=answer, compressed=True)


def _cite(sentences: list[str], evidence: list[str]) -> Case:
    return Case({"sentences": sentences, "evidence": [{"text": text} for text in evidence]}, "/v1/cite")


def _numbers(count: int, before: str = "") -> Case:
    """Return sentences of `count` numbers, each with a word `before` it, which are compared with 500 other numbers."""
    lists = [", ".join(f"{before}{n + at}" for n in range(1000, 1000 + count)) for at in range(3)]
    return _cite([f"It was {one}." for one in lists], [f"It was {', '.join(map(str, range(100, 600)))}."])


def _answered(**fields: Any) -> Case:
    return Case(_chat([], **fields), answer=_events("It rose. ", 1))


def _repeated_sentences() -> Case:
    """Return 200 excerpts of one sentence repeated 430 times, and 40 claims: 1.9 MB, just below the limit."""
    claims = [f"It closed in {1900 + n} because the pump failed." for n in range(40)]
    return _cite(claims, [f"Pump {n} not shut. " * 430 for n in range(200)])


def _table(size: int) -> Case:
    """Return a table of `size` rows and columns, which is cited to itself."""
    rows = [" | ".join(str(7 * column + row) for column in range(size)) for row in range(size)]
    text = "\n".join([rows[0], "|".join(["---"] * size), *rows])
    return Case({"text": text, "evidence": [{"text": text}]}, "/v1/cite")


def _nested_list(depth: int) -> Case:
    text = "".join(f"{'  ' * level}- It rose.\n" for level in range(depth))
    return Case({"text": text, "evidence": [{"text": SENTENCE}]}, "/v1/cite")


def _chinese() -> Case:
    text = (DOCUMENTS / CHINESE).read_text("utf-8") * 20
    return Case(_chat([text[at * 800 : (at + 1) * 800] for at in range(20)]), answer=_events("冬至。", 1))


def retrieved(count: int) -> Case:
    """Return the case of a retriever that returns `count` results."""
    results = json.dumps([{"text": f"The harbour opened in {n}.", "id": str(n)} for n in range(count)]).encode()
    return Case(_chat([], retrieval={"source": "search"}), answer=_events("It rose. ", 1), results=results)


def _long_history() -> Case:
    turns = [{"role": ("user", "assistant")[n % 2], "content": f"{n} {'word ' * 200} [1]"} for n in range(10_000)]
    return _answered(messages=[*turns, {"role": "user", "content": "What happened?"}])


def _anthropic_blocks() -> Case:
    blocks = [{"type": "text", "text": "What happened?"}] * 200_000
    body = {"model": "fake/m", "max_tokens": 9, "messages": [{"role": "user", "content": blocks}]}
    return Case(body, "/v1/messages", _events("It rose. ", 1))


def _counted_blocks() -> Case:
    return replace(_anthropic_blocks(), path="/v1/messages/count_tokens")


def _wrong_parts() -> Case:
    """Return the case of a request in which a million parts have the wrong type."""
    return _answered(messages=[{"role": "user", "content": [0] * 1_000} for _ in range(1_000)])


def _tool_fields() -> Case:
    return _answered(tools=[{"type": "function", **{str(n): n for n in range(500_000)}}])


def _batch_of_texts() -> Case:
    requests = [{"content": {"parts": [{"text": "a"}]}} for n in range(100_000)]
    return Case({"requests": requests}, "/v1beta/models/fake/m:batchEmbedContents")


def _gemini_contents() -> Case:
    contents = [{"role": ("user", "model")[n % 2], "parts": [{"text": "a"}]} for n in range(100_001)]
    return Case({"contents": contents}, "/v1beta/models/fake/m:generateContent", _events("It rose. ", 1))


def _earlier_markers() -> Case:
    answer = {"role": "assistant", "content": "It rose in 1932 [1]. " * 100_000}
    user = {"role": "user", "content": "What happened?"}
    return Case(_chat([SENTENCE], messages=[user, answer, user]), answer=_events("It rose. ", 1))


def _tools() -> Case:
    tools = [{"type": "function", "function": {"name": f"f{n}", "parameters": {}}} for n in range(100_000)]
    return Case(_chat([SENTENCE], tools=tools), answer=_events("It rose. ", 1))


def _tool_results() -> Case:
    results = json.dumps([{"text": f"{SENTENCE} {n}"} for n in range(10_000)])
    call = {"id": "c", "type": "function", "function": {"name": "search", "arguments": "{}"}}
    messages = [
        {"role": "user", "content": "What happened?"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": results},
    ]
    case = _answered(messages=messages)
    return Case(case.body, answer=case.answer, config={"evidence": {"from_tools": True}})


TEXT = {"content": "It rose. "}
CALL = {"tool_calls": [{"index": "{n}", "id": "c", "function": {"name": "f", "arguments": "{}"}}]}

CASES: dict[str, Callable[[], Case]] = {
    "gzip 5 MB, streamed": lambda: flood(5, stream=True),
    "gzip 5 MB, complete": lambda: flood(5, stream=False),
    "gzip 20 MB, streamed": lambda: flood(20, stream=True),
    "gzip 20 MB, complete": lambda: flood(20, stream=False),
    "gzip 20 MB, no evidence": lambda: flood(20, stream=True, evidence=False),
    "gzip 20 MB of letters": lambda: flood(20, stream=True, text="a"),
    "event with an image of 15 MB": lambda: _event(15 * 2**20, images="a"),
    "event with 5,000,000 numbers": lambda: _event(5_000_000, numbers=[0]),
    "event with 3,000,000 objects": lambda: _event(3_000_000, objects=[{}]),
    "event with 700,000 tool calls": lambda: _event(700_000, tool_calls=[{"index": 0}]),
    "event with 3,000,000 choices": lambda: _payload(json.dumps({"choices": [{}] * 3_000_000}).encode()),
    "event with 2,500,000 lines": lambda: _payload(b"data:\n" * 2_500_000),
    "60,000 events with a tool call": lambda: _deltas(60_000, CALL),
    "1,000 choices": lambda: _deltas(1_000, {"content": SENTENCE}, choices=1_000),
    "20,000 events of 1,000 choices": lambda: _deltas(20_000, TEXT, choices=1_000),
    "large event, no evidence": lambda: _event(5_000_000, evidence=False, numbers=[0]),
    "cite one long sentence": lambda: _cite(["The pumps not " + "pumps " * 73_000], [SENTENCE]),
    "cite 200 repeated sentences": _repeated_sentences,
    "cite 40 numbers to 500": lambda: _numbers(40, "more than "),
    "cite 250 numbers to 500": lambda: _numbers(250),
    "cite 100,000 sentences": lambda: _cite([f"It rose in {1900 + n}." for n in range(100_000)], [SENTENCE]),
    "cite to 100,000 texts": lambda: _cite([SENTENCE], ["It rose."] * 100_000),
    "cite a table of 40,000 cells": lambda: _table(200),
    "cite a list of 1,000 levels": lambda: _nested_list(1_000),
    "200,000 search results": lambda: retrieved(200_000),
    "10,000 messages": _long_history,
    "2 MB of one-letter lines": lambda: Case(_chat(["a\nb\n" * 500_000]), answer=_events("It rose. ", 1)),
    "2 MB of invisible characters": lambda: Case(_chat(["\u202eabc " * 380_000]), answer=_events("It rose. ", 1)),
    "first marker": lambda: Case(_chat([SENTENCE]), answer=_events("It rose [1], or 【1】, or (see [1]).", 1)),
    "20 English excerpts": lambda: Case(_chat(list(excerpts(20))), answer=_events("It rose. ", 1)),
    "20 Chinese excerpts": _chinese,
    "tool results": _tool_results,
    "100,000 tools": _tools,
    "100,000 Gemini contents": _gemini_contents,
    "200,000 Anthropic blocks": _anthropic_blocks,
    "count 200,000 Anthropic blocks": _counted_blocks,
    "batch of 100,000 Gemini texts": _batch_of_texts,
    "1,000,000 wrong parts": _wrong_parts,
    "500,000 fields of a tool": _tool_fields,
    "earlier answer of 2 MB": _earlier_markers,
    "200,000 Cohere documents": lambda: Case(_chat([], documents=["a"] * 200_000), "/v2/chat"),
    "dense JSON": lambda: _answered(metadata=[0] * 5_000_000),
    "one long string": lambda: _answered(metadata="a\n" * 10_000_000),
    "dense JSON objects": lambda: _answered(metadata=[{}] * 1_000_000),
}
