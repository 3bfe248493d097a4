"""Events of the Messages API and chunks of the OpenAI API: streams, stop reasons and usage.

Thinking becomes `reasoning`, and also `reasoning_details` in OpenRouter's format, which has room for signatures: a
client that sends these back with the answer can continue after a tool call. Other blocks that only Anthropic has, such
as the calls and results of tools that it runs itself, go into `anthropic.content` of the delta, numbered like all
blocks. Lists with an `index` are joined by OpenAI's clients.
"""

from collections.abc import Container, Mapping
from time import time
from typing import Any

from ...errors import reported
from ...events import Chunk, Event
from ..json_text import as_object, dumps
from ..openai_messages import stop_sequence, usage_of
from ..translating_reader import TranslatingReader
from .content_blocks import REASONING_FORMAT

Fields = dict[str, Any]

FINISH_REASONS = {  # Anthropic's stop reason -> OpenAI's finish reason
    "end_turn": "stop",
    "stop_sequence": "stop",
    "pause_turn": "stop",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tool_calls",
    "refusal": "content_filter",
}
STOP_REASONS = {  # OpenAI's finish reason -> Anthropic's stop reason
    "stop": "end_turn",
    "length": "max_tokens",
    "tool_calls": "tool_use",
    "function_call": "tool_use",
    "content_filter": "refusal",
}
# Fields that are translated, of a tool call's block and of the last event. Others stay in `anthropic`.
CALL_FIELDS = frozenset({"type", "id", "name", "input"})
EVENT_FIELDS = frozenset({"type", "delta", "usage"})
INPUT_COUNTS = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


class AnthropicReader(TranslatingReader):
    """Translates the events of one stream. Anthropic always sends one choice."""

    def __init__(self, model: str) -> None:
        """`model`: the requested model, until the first event names it."""
        super().__init__(model)
        self._envelope["created"] = int(time())
        self._calls: dict[int, int] = {}  # index of a block -> index of its tool call
        self._inputs: dict[int, Any] = {}  # index of an open tool call's block -> the input that its start contained
        self._usage: Fields = {}
        self._text_block = -1  # index of the latest text block
        self._cited: dict[int, list[Any]] = {}  # index of an open text block -> Anthropic's own citations of its text

    @property
    def text_field(self) -> bytes:
        """The JSON name of the field with a delta's text; empty after the last event."""
        return b"" if self.done else b'"text"'

    def end(self) -> list[Event]:
        """Return the end and the usage. Raises IncompleteAnswer without a stop reason."""
        if self._usage and self.complete:
            usage = {"usage": usage_of_counts(self._usage), "anthropic": {"usage": self._usage}}
            self._chunks.take({**self._envelope, "choices": [], **usage})
        return super().end()

    def _translate(self, event: Fields) -> list[Event]:
        match event.get("type"):
            case "message_start":
                return self._start(as_object(event.get("message")))
            case "content_block_start":
                return self._block(_index(event), as_object(event.get("content_block")))
            case "content_block_delta":
                return self._delta(_index(event), as_object(event.get("delta")))
            case "content_block_stop":
                return self._end_call(_index(event)) + self._end_text(_index(event))
            case "message_delta":
                self._usage |= as_object(event.get("usage"))
                return self._finish(event)
            case "message_stop":
                self.done = True
            case "error":
                self.error = reported(event)
            case None if event.get("error"):  # a gateway's, in OpenAI's form
                self.error = reported(event)
        return []  # ping, and types that a later version adds

    def _start(self, message: Mapping[str, Any]) -> list[Event]:
        self._envelope["id"] = message.get("id") or self._envelope["id"]
        self._envelope["model"] = message.get("model") or self._envelope["model"]
        self._usage |= as_object(message.get("usage"))
        opening = self._chunk({"role": "assistant", "content": ""})
        return self._chunks.take(opening | ({"anthropic": {"usage": dict(self._usage)}} if self._usage else {}))

    def _block(self, index: int, block: Mapping[str, Any]) -> list[Event]:
        match _string(block, "type"):
            case "text":
                return self._begin_text(index, block)
            case "thinking":
                texts = {"text": "thinking", "signature": "signature"}
                detail = {
                    name: _string(block, native_name) for name, native_name in texts.items() if block.get(native_name)
                }
                return self._thought(index, detail) if detail else []
            case "redacted_thinking":
                return self._details({"type": "reasoning.encrypted", "data": block.get("data") or "", "index": index})
            case "tool_use":
                self._calls[index] = len(self._calls)
                self._inputs[index] = block.get("input")
                function = {"name": block.get("name") or "", "arguments": ""}
                call = {"index": self._calls[index], "id": block.get("id"), "type": "function", "function": function}
                extra = _others(block, CALL_FIELDS)
                return self._emit({"tool_calls": [call | ({"extra_content": {"anthropic": extra}} if extra else {})]})
            case _:
                return self._own({**block, "index": index})

    def _delta(self, index: int, delta: Mapping[str, Any]) -> list[Event]:
        match delta.get("type"):
            case "text_delta":
                return self._emit({"content": _string(delta, "text")})
            case "thinking_delta":
                return self._thought(index, {"text": _string(delta, "thinking")})
            case "signature_delta":
                return self._thought(index, {"signature": _string(delta, "signature")})
            case "input_json_delta" if index in self._calls:
                written = _string(delta, "partial_json")
                if written:
                    self._inputs.pop(index, None)
                return self._arguments(index, written)
            case "input_json_delta":
                return self._own({"index": index, "partial_json": _string(delta, "partial_json")})
            case "citations_delta":  # Anthropic's own, of a search that it made
                if index not in self._cited:  # not announced
                    return self._own({"index": index, "citations": [delta.get("citation")]})
                self._cited[index].append(delta.get("citation"))
                return []
            case _:
                return []

    def _begin_text(self, index: int, block: Mapping[str, Any]) -> list[Event]:
        """Return the beginning of a text block. One that may have citations is announced, so that it stays apart.

        The place of the announcement among the texts is the offset of the block: texts do not pass here one by one.
        """
        citations, previous = block.get("citations"), self._text_block
        self._text_block = index
        events: list[Event] = []
        if isinstance(citations, list) or (previous >= 0 and previous == index - 1):
            self._cited[index] = [*citations] if isinstance(citations, list) else []
            events = self._own({"index": index, "text_start": True})
        return events + (self._emit({"content": _string(block, "text")}) if block.get("text") else [])

    def _end_text(self, index: int) -> list[Event]:
        """Return the end of an announced text block, with its citations."""
        citations = self._cited.pop(index, None)
        return [] if citations is None else self._own({"index": index, "citations": citations, "text_end": True})

    def _end_call(self, index: int) -> list[Event]:
        """Return the arguments of a tool call without deltas: gateways send them whole, or there are none."""
        if index not in self._inputs:
            return []
        arguments = self._inputs.pop(index)
        return self._arguments(index, dumps(arguments if isinstance(arguments, dict | list) else {}).decode())

    def _arguments(self, index: int, written: str) -> list[Event]:
        return self._emit({"tool_calls": [{"index": self._calls[index], "function": {"arguments": written}}]})

    def _thought(self, index: int, fields: Fields) -> list[Event]:
        detail = {"type": "reasoning.text", **fields, "format": REASONING_FORMAT, "index": index}
        text = {"reasoning": fields["text"]} if fields.get("text") else {}
        return self._emit({**text, "reasoning_details": [detail]})

    def _details(self, detail: Fields) -> list[Event]:
        return self._emit({"reasoning_details": [detail | {"format": REASONING_FORMAT}]})

    def _own(self, block: Fields) -> list[Event]:
        return self._emit({"anthropic": {"content": [block]}})

    def _finish(self, event: Fields) -> list[Event]:
        delta = as_object(event.get("delta"))
        native = delta.get("stop_reason")
        if not isinstance(native, str):
            return []
        of_delta, of_event = _others(delta, {"stop_reason"}), _others(event, EVENT_FIELDS)
        fields: Fields = {"native_finish_reason": native} | ({"anthropic": of_delta} if of_delta else {})
        chunk = self._chunk({}, FINISH_REASONS.get(native, "stop"), **fields)
        return self._chunks.take(chunk | ({"anthropic": of_event} if of_event else {}))

    def _emit(self, delta: Fields) -> list[Event]:
        return self._chunks.take(self._chunk(delta))

    def _chunk(self, delta: Fields, reason: str | None = None, **fields: Any) -> Chunk:
        return {**self._envelope, "choices": [{"index": 0, "delta": delta, **fields, "finish_reason": reason}]}


def _others(fields: Mapping[str, Any], translated: Container[str]) -> Fields:
    """Return the fields that have a value and no counterpart in a chunk."""
    return {name: value for name, value in fields.items() if name not in translated and value is not None}


def _index(event: Mapping[str, Any]) -> int:
    """Return the index of a block. Raises TypeError for anything but a number, so that the event is skipped."""
    index = event["index"]
    if not isinstance(index, int):
        raise TypeError("the index is not a number")
    return index


def _string(fields: Mapping[str, Any], name: str) -> str:
    """Return the value of a field. Raises TypeError for anything but a string, so that the event is skipped."""
    value = fields[name]
    if not isinstance(value, str):
        raise TypeError(f"{name} is not a string")
    return value


def stop_fields(choice: Mapping[str, Any], *, calls: bool) -> Fields:
    """Return the fields with which Anthropic's message ends. `choice`: of a chunk with a finish reason.

    The provider's own reason is kept if Anthropic has it. `calls`: the answer calls tools; some providers then finish
    with `stop`.
    """
    reason, native, matched = choice["finish_reason"], choice.get("native_finish_reason"), stop_sequence(choice)
    if isinstance(native, str) and native in FINISH_REASONS:
        stop = {"stop_reason": native}
    elif calls and reason == "stop":
        stop = {"stop_reason": "tool_use"}
    elif matched is not None:
        stop = {"stop_reason": "stop_sequence", "stop_sequence": matched}
    else:
        stop = {"stop_reason": STOP_REASONS.get(reason, "end_turn")}
    return {**stop, **as_object(choice.get("anthropic"))}


def usage_of_counts(counts: Mapping[str, Any]) -> Fields:
    """Return OpenAI's usage. There the tokens of the cache are a part of the prompt's."""
    prompt = sum(count for name in INPUT_COUNTS if isinstance(count := counts.get(name), int))
    output = counts.get("output_tokens")
    usage = usage_of(prompt, output if isinstance(output, int) else 0)
    if isinstance(cached := counts.get("cache_read_input_tokens"), int):
        usage["prompt_tokens_details"] = {"cached_tokens": cached}
    thoughts = as_object(counts.get("output_tokens_details")).get("thinking_tokens")
    if isinstance(thoughts, int):
        usage["completion_tokens_details"] = {"reasoning_tokens": thoughts}
    return usage


def counts_of_usage(usage: Mapping[str, Any]) -> Fields:
    """Return Anthropic's usage, which counts the tokens of the cache apart from the other input."""
    cached = as_object(usage.get("prompt_tokens_details")).get("cached_tokens") or 0
    thoughts = as_object(usage.get("completion_tokens_details")).get("reasoning_tokens")
    details = {"output_tokens_details": {"thinking_tokens": thoughts}} if thoughts else {}
    return {
        "input_tokens": max(0, (usage.get("prompt_tokens") or 0) - cached),
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": cached,
        "output_tokens": usage.get("completion_tokens") or 0,
        **details,
    }
