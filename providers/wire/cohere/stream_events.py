"""The events of a streamed answer of Cohere's chat API, and the parts that complete answers have too."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from ..json_text import as_list, as_object
from ..openai_messages import stop_sequence

Fields = dict[str, Any]

BlockKind = Literal["text", "thinking"]

FINISH_REASONS = {  # OpenAI's -> Cohere's
    "stop": "COMPLETE",
    "length": "MAX_TOKENS",
    "tool_calls": "TOOL_CALL",
    "function_call": "TOOL_CALL",
    "content_filter": "ERROR",
}
STOP_SEQUENCE = "stop_sequence"  # Anthropic's name of an end at one of the client's stop sequences


def finish_reason(choice: Mapping[str, Any]) -> str:
    """Return the finish reason of a choice, an unknown one in capitals. ERROR if there is none.

    Anthropic and vLLM say whether a stop sequence ended the answer.
    """
    if choice.get("native_finish_reason") == STOP_SEQUENCE or stop_sequence(choice) is not None:
        return "STOP_SEQUENCE"
    reason = choice.get("finish_reason") or "error"
    return FINISH_REASONS.get(reason, reason.upper())


def usage_fields(usage: Any) -> Fields:
    """Return OpenAI's token counts as Cohere's `usage`, {} if there are none."""
    counts_of_openai = as_object(usage)
    tokens = {
        "input_tokens": counts_of_openai.get("prompt_tokens"),
        "output_tokens": counts_of_openai.get("completion_tokens"),
    }
    if None in tokens.values():
        return {}
    cached = as_object(counts_of_openai.get("prompt_tokens_details")).get("cached_tokens")
    counts: Fields = {"billed_units": tokens, "tokens": dict(tokens)}
    return {"usage": counts | ({} if cached is None else {"cached_tokens": cached})}


def logprobs_items(logprobs: Any) -> list[Fields]:
    """Return OpenAI's log-probabilities as Cohere's, one item per token. The ids of the tokens are unknown."""
    tokens = as_list(as_object(logprobs).get("content"))
    return [{"text": token["token"], "token_ids": [], "logprobs": [token["logprob"]]} for token in tokens]


def joined_logprobs(items: Sequence[Fields]) -> Fields:
    """Return the items of one event as its `logprobs`, {} if there are none."""
    if not items:
        return {}
    values = [value for item in items for value in item["logprobs"]]
    return {"logprobs": {"text": "".join(item["text"] for item in items), "token_ids": [], "logprobs": values}}


def message_start(name: str) -> Fields:
    """Return the first event. `name`: the id of the answer."""
    message = {"role": "assistant", "content": [], "tool_plan": "", "tool_calls": [], "citations": []}
    return {"id": name, **_event("message-start", message)}


def content_start(index: int, kind: BlockKind) -> Fields:
    """Return the begin of a block of text or thoughts."""
    return _event("content-start", {"content": {"type": kind, kind: ""}}, index)


def content_delta(index: int, kind: BlockKind, text: str) -> Fields:
    """Return the next text of a block."""
    return _event("content-delta", {"content": {kind: text}}, index)


def content_end(index: int) -> Fields:
    """Return the end of a block."""
    return {"type": "content-end", "index": index}


def tool_plan_delta(text: str) -> Fields:
    """Return the next text of the plan, which precedes tool calls."""
    return _event("tool-plan-delta", {"tool_plan": text})


def tool_call_start(index: int, name: str, function: str) -> Fields:
    """Return the begin of a tool call. `name`: its id."""
    call = {"id": name, "type": "function", "function": {"name": function, "arguments": ""}}
    return _event("tool-call-start", {"tool_calls": call}, index)


def tool_call_delta(index: int, arguments: str) -> Fields:
    """Return the next part of a call's arguments, which are JSON."""
    return _event("tool-call-delta", {"tool_calls": {"function": {"arguments": arguments}}}, index)


def tool_call_end(index: int) -> Fields:
    """Return the end of a tool call."""
    return {"type": "tool-call-end", "index": index}


def citation(start: int, end: int, text: str, sources: list[Fields], content_index: int, kind: str) -> Fields:
    """Return a citation. `start` and `end` are offsets in code points, in the text of the block or plan."""
    place = {"start": start, "end": end, "text": text, "sources": sources}
    return {**place, "content_index": content_index, "type": kind}


def citation_events(index: int, cited: Fields) -> list[Fields]:
    """Return both events of a citation. `index`: its position among all citations of the answer."""
    return [_event("citation-start", {"citations": cited}, index), {"type": "citation-end", "index": index}]


def message_end(name: str, reason: str, usage: Fields, error: str | None = None) -> Fields:
    """Return the last event. `error`: the message of an error that ended the answer."""
    delta = {"finish_reason": reason, **usage, **({} if error is None else {"error": error})}
    return {"type": "message-end", "id": name, "delta": delta}


def _event(kind: str, message: Fields, index: int | None = None) -> Fields:
    place = {} if index is None else {"index": index}
    return {"type": kind, **place, "delta": {"message": message}}
