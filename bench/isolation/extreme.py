"""Requests and answers that are extreme in one respect: marks, nesting, lengths of strings, or numbers of lines."""

import json
from collections.abc import Callable
from typing import Any

from bench.isolation.cases import SENTENCE, Case, Fields

MARKS = "a" + "\u0300" * 20_000 + "\u0316" * 20_000  # sorting them takes quadratic time
SCRIPTS = {
    "accents": MARKS,
    "alternating accents": "a" + "\u0316\u0300" * 50_000,
    "Tibetan vowels": "\u0f40" + "\u0f73\u0f81" * 50_000,
    "voicing marks of kana": "\u304b" + "\u3099\u309a" * 50_000,
    "half-width voicing marks": "\uff76" + "\uff9e\uff9f" * 50_000,
    "Hebrew points": "\u05d0" + "\u05b0\u05c1\u0591" * 30_000,
    "Indic marks": "\u0915" + "\u094d\u093c" * 50_000,
    "musical marks": "a" + "\U0001d165\U0001d16e" * 50_000,
    "ligatures of 18 letters": "\ufdfa" * 100_000,
    "letters that casefold to three": "\u0390" * 300_000,
    "a word of capitals with marks": "\u1e9e\u0130" * 200_000,
    "Hangul of parts": "\u1100\u1161\u11a8" * 100_000,
    "squared words": "\u33a5 \u3300" * 100_000,
}
PLACES: dict[str, Callable[[str], tuple[str, Fields]]] = {
    "question": lambda text: ("/v1/chat/completions", _ask("extractive", text)),
    "evidence": lambda text: ("/v1/cite", {"sentences": [SENTENCE], "evidence": [{"text": text}]}),
    "title": lambda text: ("/v1/cite", {"sentences": [SENTENCE], "evidence": [{"text": SENTENCE, "title": text}]}),
    "file name": lambda text: (
        "/v1/cite",
        {"sentences": [SENTENCE], "evidence": [{"text": SENTENCE, "file_name": text}]},
    ),
    "claim": lambda text: ("/v1/cite", {"text": f"It was {text}.", "evidence": [{"text": SENTENCE}]}),
}


def _ask(model: str, question: str, **fields: Any) -> Fields:
    messages = [{"role": "user", "content": question}]
    return {"model": model, "messages": messages, "stream": True, "evidence": [{"text": SENTENCE}], **fields}


def _text(place: str, text: str) -> Case:
    path, body = PLACES[place](text)
    return Case(body, path)


def _events(deltas: list[Fields]) -> bytes:
    """Return the events of an answer with these deltas."""
    chunks: list[Fields] = [{"choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    return b"".join(b"data: %b\n\n" % json.dumps(one).encode() for one in chunks) + b"data: [DONE]\n\n"


def _pieces(text: str, count: int) -> list[str]:
    size = len(text) // count + 1
    return [text[start : start + size] for start in range(0, len(text), size)]


def arguments(text: str, deltas: int = 50) -> Case:
    """Return the case of a forced function `answer` whose arguments are this text, in so many deltas."""
    function = {"name": "answer", "parameters": {"type": "object", "properties": {"text": {"type": "string"}}}}
    fields = {
        "tools": [{"type": "function", "function": function}],
        "tool_choice": {"type": "function", "function": {"name": "answer"}},
    }
    calls: list[Fields] = [
        {"tool_calls": [{"index": 0, "function": {"arguments": piece}}]} for piece in _pieces(text, deltas)
    ]
    calls[0]["tool_calls"][0] |= {"id": "c", "type": "function"}
    calls[0]["tool_calls"][0]["function"]["name"] = "answer"
    return Case(_ask("fake/m", "What happened?", **fields), answer=_events(calls))


def structured(text: str, *, stream: bool = True, fenced: bool = False) -> Case:
    """Return the case of an answer in JSON: by `response_format`, or in a fence without a request for it."""
    text = f"```json\n{text}\n```" if fenced else text
    fields: Fields = {} if fenced else {"response_format": {"type": "json_object"}}
    body = _ask("fake/m", "What happened?", **fields) | {"stream": stream}
    return Case(body, answer=_events([{"content": piece} for piece in _pieces(text, 100)]))


def _values(megabytes: float) -> str:
    """Return JSON with a sentence per value."""
    return json.dumps({str(n): f"{SENTENCE}" for n in range(int(megabytes * 2**20) // (len(SENTENCE) + 14))})


def _whole(message: Fields) -> bytes:
    return json.dumps({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}).encode()


def _error(message: str) -> Case:
    return Case(
        _ask("fake/m", "What happened?"),
        answer=json.dumps({"error": {"message": message}}).encode(),
        content_type="application/json",
        status=400,
    )


def _nested(count: int, depth: int) -> str:
    return f"[{','.join(['[' * depth + ']' * depth] * count)}]"


SHARED = "The new harbour of the old town was not opened by the mayor before March"
TABLE = "\n".join(
    ["| a | b | c |", "|---|---|---|", *(f"| pump {n} | {n} litres | {2 * n} days |" for n in range(10_000))]
)
QUOTED = json.dumps({"answer": json.dumps({"claims": ["The bridge opened in 1932."] * 100_000})})

EXTREME: dict[str, Callable[[], Case]] = {
    **{
        f"{script} in {place}": lambda place=place, text=text: _text(place, text)  # type: ignore[misc]
        for script, text in SCRIPTS.items()
        for place in (PLACES if script == "accents" else ("question", "evidence"))
    },
    "200 excerpts of 9,900 accents": lambda: Case(
        {"sentences": [SENTENCE], "evidence": [{"text": MARKS[n : n + 9_900]} for n in range(200)]}, "/v1/cite"
    ),
    "question of 200,000 words": lambda: _text("question", " ".join(f"harbour{n}" for n in range(200_000))),
    "question of one word of 2 MB": lambda: _text("question", "ab1é" * 500_000),
    "10,000 messages to extractive": lambda: Case(
        _ask("extractive", "")
        | {"messages": [{"role": "user", "content": f"{n} {SENTENCE * 12}"} for n in range(10_000)]}
    ),
    "200 claims of 12 words to 100 excerpts": lambda: Case(
        {
            "sentences": [f"{SHARED} {n}." for n in range(200)],
            "evidence": [{"text": f"{SHARED} {n}. " * 12} for n in range(100)],
        },
        "/v1/cite",
    ),
    "table of 10,000 rows": lambda: Case({"text": TABLE, "evidence": [{"text": TABLE}]}, "/v1/cite"),
    "2 MB of short lines": lambda: _text("evidence", "It rose.\nab\n- x: 1\n" * 100_000),
    "2 MB of rows": lambda: _text("evidence", "| a | 12 |\n" * 180_000),
    "2 MB of short lines to extractive": lambda: Case(
        _ask("extractive", "What rose?", evidence=[{"text": "It rose.\nab\n- x: 1\n" * 100_000}])
    ),
    "20 MB of events": lambda: Case(
        _ask("fake/m", "What happened?"),
        answer=_events([{"content": "The harbour opened. "}] * 300_000),
        compressed=True,
    ),
    "arguments of 3 MB of quoted JSON": lambda: arguments(QUOTED),
    "arguments of 3 MB of values": lambda: arguments(_values(3)),
    "arguments in 30,000 deltas": lambda: arguments(QUOTED, 30_000),
    "arguments without an end": lambda: arguments('{"a": "' + '\\"' * 1_500_000),
    "arguments of one long string": lambda: arguments(json.dumps({"a": "The harbour opened. " * 150_000})),
    "JSON of 5 MB, streamed": lambda: structured(_values(5)),
    "JSON of 5 MB, complete": lambda: structured(_values(5), stream=False),
    "fenced JSON of 3 MB": lambda: structured(_values(3), fenced=True),
    "fenced JSON of 3 MB, complete": lambda: structured(_values(3), stream=False, fenced=True),
    "fenced JSON of one string": lambda: structured(QUOTED, fenced=True),
    "JSON of numbers": lambda: structured(json.dumps([0] * 1_500_000)),
    "JSON of 5,000 levels": lambda: structured("[" * 5_000 + '"It rose in 1932."' + "]" * 5_000),
    "whole answer of one JSON string": lambda: Case(
        _ask("fake/m", "What happened?", response_format={"type": "json_object"}) | {"stream": False},
        answer=_whole({"role": "assistant", "content": _values(5)}),
        content_type="application/json",
    ),
    "100,000 values of 90 levels": lambda: Case(
        _ask("fake/m", "a", metadata=json.loads(_nested(100_000, 90))), answer=_events([{"content": "a"}])
    ),
    "event of 90 levels": lambda: Case(
        _ask("fake/m", "a"), answer=_events([{"content": "a ", "x": json.loads(_nested(20_000, 90))}]), compressed=True
    ),
    **{
        f"error of {name}": lambda message=message: _error(message)  # type: ignore[misc]
        for name, message in {
            "hours": "1:" * 32_000,
            "labels": ("a." * 30 + "-") * 1_000,
            "names of keys": "key token secret a_" * 3_300,
            "words": "a" * 64_000,
            "hyphens": "a-" * 32_000,
            "stars": ("a" * 60 + "**") * 1_000,
            "addresses": "1.2.3." * 10_000,
            "protocols": "ab+" * 20_000,
            "keys": "key: " * 12_000,
            "organizations": "org-" + "abc" * 20_000,
        }.items()
    },
}
