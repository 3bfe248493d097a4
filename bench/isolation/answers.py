"""The hostile answers and requests of `bench.isolation.matrix`. Each is a function of its size; 1 is about 1 MB."""

import json
from collections.abc import Callable, Iterable
from typing import Any

from bench.isolation.cases import SENTENCE, Fields

Answer = Callable[[float], bytes]  # its size -> the body

SHORT, THOUGHT = "It rose. ", "hm "
QUESTION = "What happened?"


def events(data: Iterable[object]) -> bytes:
    """Return server-sent events."""
    return b"".join(b"data: %b\n\n" % json.dumps(one).encode() for one in data)


def lines(data: Iterable[object]) -> bytes:
    """Return JSON, one value per line."""
    return b"".join(b"%b\n" % json.dumps(one).encode() for one in data)


def _times(size: float, count: int, *data: Any) -> list[Any]:
    """Return the data repeated; "{n}" in it is replaced by the number of the repetition."""
    text = json.dumps(data)
    if "{n}" not in text:
        return [*data] * int(count * size)
    numbered = (text.replace('"{n}"', str(n)).replace("{n}", str(n)) for n in range(int(count * size)))
    return [one for each in numbered for one in json.loads(each)]


def _openai(count: int, *deltas: Fields, choices: int = 1, **fields: Any) -> Answer:
    """Return the answer that repeats these deltas `count` times, in several choices in turn."""

    def answer(size: float) -> bytes:
        repeated = enumerate(_times(size, count, *deltas))
        chunks = [{"choices": [{"index": n % choices, "delta": delta, **fields}]} for n, delta in repeated]
        ends = [{"choices": [{"index": n, "delta": {}, "finish_reason": "stop"}]} for n in range(choices)]
        return events([*chunks, *ends]) + b"data: [DONE]\n\n"

    return answer


def _call(index: object, arguments: str = "{}") -> Fields:
    return {"tool_calls": [{"index": index, "id": f"c{index}", "function": {"name": "f", "arguments": arguments}}]}


_NEW_CALL = _call("{n}")
_LOGPROB = {"token": "word ", "logprob": -1, "top_logprobs": []}  # nosec B105 # a token of text
_DETAIL = {"type": "reasoning.text", "text": THOUGHT, "index": "{n}", "format": "anthropic-claude-v1", "signature": "s"}
_NOTE = {"type": "url_citation", "url_citation": {"url": "https://x.org/{n}", "title": "t"}}

OPENAI: dict[str, Answer] = {
    "sentences": _openai(5_000, {"content": SENTENCE}),
    "tokens": _openai(20_000, {"content": "word "}),
    "tokens without a space": _openai(30_000, {"content": "word"}),
    "reasoning": _openai(20_000, {"reasoning": "word "}),
    "texts and thoughts": _openai(5_000, {"content": SHORT}, {"reasoning": THOUGHT}),
    "refusals and thoughts": _openai(5_000, {"refusal": SHORT}, {"reasoning": THOUGHT}),
    "texts and fragments of a call": _openai(3_000, {"content": SHORT}, _call(0)),
    "texts and calls": _openai(3_000, {"content": SHORT}, _NEW_CALL),
    "thoughts and calls": _openai(3_000, {"reasoning": SHORT}, _NEW_CALL),
    "calls": _openai(10_000, _NEW_CALL),
    "fragments of a call": _openai(20_000, _call(0, '{"a":1')),
    "fragments of two calls": _openai(10_000, _call(0, "xx"), _call(1, "xx")),
    "legacy calls": _openai(10_000, {"function_call": {"name": "f", "arguments": "xx"}}),
    "images": _openai(5_000, {"images": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,aaaa"}}]}),
    "unknown parts": _openai(5_000, {"content": [{"type": "x", "a": 1}]}),
    "text parts": _openai(50, {"content": [{"type": "text", "text": SHORT}] * 100}),
    "log-probabilities": _openai(10_000, {"content": "word "}, logprobs={"content": [_LOGPROB]}),
    "20 alternatives": _openai(
        2_000, {"content": "word "}, logprobs={"content": [_LOGPROB | {"top_logprobs": [_LOGPROB] * 20}]}
    ),
    "token ids": _openai(10_000, {"content": "word "}, token_ids=[1, 2, 3]),
    "fields of its own": _openai(5_000, {"content": SHORT, "x": 1}),
    "annotations": _openai(3_000, {"content": SHORT, "annotations": [_NOTE]}),
    "two choices": _openai(5_000, {"content": SHORT}, choices=2),
    "250 choices": _openai(10_000, {"content": "word "}, choices=250),
    "details of reasoning": _openai(5_000, {"reasoning_details": [_DETAIL]}),
    "texts and details of reasoning": _openai(3_000, {"reasoning_details": [_DETAIL]}, {"content": "a "}),
    "empty deltas": _openai(20_000, {}),
    "markers": _openai(5_000, {"content": "It rose [1]. "}),
    "a row of markers": _openai(5_000, {"content": "[1], "}),
    "open brackets": _openai(20_000, {"content": "["}),
    "one delta": lambda size: _openai(1, {"content": SENTENCE * int(5_000 * size)})(1),
    "events that are not JSON": lambda size: b"data: {x\n\n" * int(100_000 * size) + _openai(1, {"content": "a"})(1),
    "comments": lambda size: b": x\n\n" * int(300_000 * size) + _openai(1, {"content": "a"})(1),
    "nested fields": _openai(2_000, {"content": "a ", "x": json.loads("[" * 90 + "]" * 90)}),
    "whole": lambda size: json.dumps(
        {
            "choices": [
                {
                    "index": 0,
                    "message": {"role": "assistant", "content": SENTENCE * int(5_000 * size)},
                    "finish_reason": "stop",
                }
            ]
        }
    ).encode(),
}


def _block(at: object, block: Fields, *deltas: Fields) -> list[Fields]:
    """Return the events of one content block of Anthropic's API."""
    added = [{"type": "content_block_delta", "index": at, "delta": delta} for delta in deltas]
    return [
        {"type": "content_block_start", "index": at, "content_block": block}, *added,
        {"type": "content_block_stop", "index": at},
    ]  # fmt: skip


def _anthropic(count: int, *repeated: Fields) -> Answer:
    usage = {"input_tokens": 1, "output_tokens": 1}
    message = {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": [], "usage": usage}
    ends = [{"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": usage}, {"type": "message_stop"}]
    return lambda size: events([{"type": "message_start", "message": message}, *_times(size, count, *repeated), *ends])


_TEXT: Fields = {"type": "text", "text": ""}
_SHORT_TEXT = {"type": "text_delta", "text": SHORT}
_FRAGMENT = {"type": "input_json_delta", "partial_json": '{"a":1'}
_USE: Fields = {"type": "tool_use", "id": "c{n}", "name": "f", "input": {}}
_CITED = {
    "type": "char_location",
    "cited_text": "a",
    "document_index": 0,
    "start_char_index": "{n}",
    "end_char_index": 1,
}

ANTHROPIC: dict[str, Answer] = {
    "blocks of sentences": _anthropic(50, *_block("{n}", _TEXT, *[{"type": "text_delta", "text": SENTENCE}] * 100)),
    "blocks of one text": _anthropic(3_000, *_block("{n}", _TEXT, _SHORT_TEXT)),
    "blocks of thoughts": _anthropic(
        3_000, *_block("{n}", {"type": "thinking", "thinking": "", "signature": ""},
        {"type": "thinking_delta", "thinking": THOUGHT}, {"type": "signature_delta", "signature": "x"})
    ),
    "calls": _anthropic(5_000, *_block("{n}", _USE, _FRAGMENT)),
    "fragments of calls": _anthropic(20, *_block("{n}", _USE, *[_FRAGMENT] * 500)),
    "citations": _anthropic(
        3_000, *_block("{n}", _TEXT, _SHORT_TEXT, {"type": "citations_delta", "citation": _CITED})
    ),
    "calls of the server": _anthropic(5_000, *_block("{n}", _USE | {"type": "server_tool_use"})),
    "pings": _anthropic(50_000, {"type": "ping"}),
}  # fmt: skip


def _gemini(count: int, *parts: Fields, repeated: int = 1) -> Answer:
    """Return the answer that sends these parts `count` times, `repeated` times in each event."""

    def answer(size: float) -> bytes:
        groups = (
            [_times(1, repeated, *parts)] * int(count * size)
            if repeated > 1
            else [[p] for p in _times(size, count, *parts)]
        )
        texts = [{"candidates": [{"index": 0, "content": {"role": "model", "parts": group}}]} for group in groups]
        end = {"candidates": [{"index": 0, "content": {"role": "model", "parts": []}, "finishReason": "STOP"}]}
        return events([*texts, end])

    return answer


_FUNCTION_CALL = {"functionCall": {"name": "f", "args": {"a": "{n}"}}, "thoughtSignature": "x"}

GEMINI: dict[str, Answer] = {
    "sentences": _gemini(5_000, {"text": SENTENCE}),
    "tokens": _gemini(10_000, {"text": "word "}),
    "many parts in an event": _gemini(10, {"text": SHORT}, repeated=1_000),
    "texts and thoughts": _gemini(4_000, {"text": SHORT}, {"text": THOUGHT, "thought": True}),
    "calls": _gemini(5_000, _FUNCTION_CALL),
    "many calls in an event": _gemini(1, _FUNCTION_CALL, repeated=5_000),
    "images": _gemini(3_000, {"inlineData": {"mimeType": "image/png", "data": "aaaa"}}),
    "code": _gemini(
        3_000,
        {"executableCode": {"language": "PYTHON", "code": "x"}},
        {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "y"}},
    ),
}


def _ollama(count: int, *messages: Fields) -> Answer:
    end = {"message": {"role": "assistant", "content": ""}, "done": True, "done_reason": "stop"}

    def answer(size: float) -> bytes:
        sent = _times(size, count, *messages)
        return lines([*({"message": {"role": "assistant", "content": "", **one}, "done": False} for one in sent), end])

    return answer


_OLLAMA_CALL = {"function": {"name": "f", "arguments": {"a": "{n}"}}}

OLLAMA: dict[str, Answer] = {
    "sentences": _ollama(5_000, {"content": SENTENCE}),
    "tokens": _ollama(20_000, {"content": "word "}),
    "texts and thoughts": _ollama(5_000, {"content": SHORT}, {"thinking": THOUGHT}),
    "calls": _ollama(5_000, {"tool_calls": [_OLLAMA_CALL]}),
    "images": _ollama(5_000, {"images": ["aaaa"]}),
    "empty lines": lambda size: b"\n" * int(300_000 * size) + _ollama(1, {"content": "a"})(1),
    "one line": lambda size: _ollama(1, {"content": SENTENCE * int(5_000 * size)})(1),
}

PROVIDERS = {"openai": OPENAI, "anthropic": ANTHROPIC, "gemini": GEMINI, "ollama": OLLAMA}
TYPES = {"ollama": "application/x-ndjson"}  # content types other than that of server-sent events
