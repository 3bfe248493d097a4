"""Remove the fields of a chunk whose types are wrong.

Broken and hostile providers send, for example, a string for a number. The translation into another client API would
fail on it, and the whole answer with it.
"""

from collections.abc import Mapping
from typing import Any

from ..events import Event, Idle
from .chunk_limits import MAX_ENTRIES
from .json_text import dumps
from .vendor_fields import VENDORS

Fields = dict[str, Any]

_TEXT_FIELDS = ("reasoning", "reasoning_content", "refusal")  # fields of a delta; `content` may also be a list of parts
_TOKEN_LISTS = ("content", "refusal")  # fields of log-probabilities
_OBJECT_LISTS = ("annotations", "images", "content_parts")  # fields of a delta
_CALL_TYPES = {"index": int | None, "type": str | None}
_THOUGHT_TYPES = {**_CALL_TYPES, **dict.fromkeys(("text", "summary", "signature", "data"), str | None)}
_BLOCK_TYPES = {**_CALL_TYPES, "partial_json": str | None}  # fields of a block that only Anthropic has
_NUMBER = (int, float)


def sanitize(event: Event) -> Event:
    """Return the same event. Its chunk is changed in place where a type is wrong."""
    if isinstance(event, Idle):
        return event
    chunk = event.chunk
    if "usage" in chunk:
        chunk["usage"] = _usage(chunk["usage"]) if isinstance(chunk["usage"], Mapping) else None
    for choice in chunk.get("choices") or ():
        if choice.get("logprobs"):
            choice["logprobs"] = _logprobs(choice["logprobs"])
        delta = choice.get("delta")
        if delta and not _is_only_text(delta):
            choice["delta"] = _delta(delta)
    return event


def _is_only_text(delta: Fields) -> bool:
    """Return whether this is a plain text delta, as nearly every delta is."""
    return len(delta) == 1 and isinstance(delta.get("content"), str)


def _delta(delta: Fields) -> Fields:
    valid = {name: value for name, value in delta.items() if name not in _TEXT_FIELDS or isinstance(value, str | None)}
    if not isinstance(valid.get("content"), str | list | None):
        del valid["content"]
    if isinstance(calls := valid.get("tool_calls"), list):
        written = map(_with_written_arguments, _objects(calls))
        valid["tool_calls"] = [_typed(call, _CALL_TYPES) for call in written if _is_call(call)]
    elif calls is not None:
        del valid["tool_calls"]
    if valid.get("function_call") is not None:
        legacy = _with_written_arguments({"function": valid.pop("function_call")})
        valid |= {"function_call": legacy["function"]} if _is_call(legacy) else {}
    for name in _OBJECT_LISTS:
        if valid.get(name) is not None:
            valid[name] = _objects(valid[name])
    if "reasoning_details" in valid:
        valid["reasoning_details"] = [_typed(detail, _THOUGHT_TYPES) for detail in _objects(valid["reasoning_details"])]
    return {name: value for name, value in valid.items() if name not in VENDORS} | _vendor_fields(valid)


def _vendor_fields(delta: Fields) -> Fields:
    """Return the fields of a delta that only one API has."""
    valid = {name: dict(delta[name]) for name in VENDORS if isinstance(delta.get(name), Mapping)}
    if "content" in (native_fields := valid.get("anthropic", {})):
        native_fields["content"] = [_typed(block, _BLOCK_TYPES) for block in _objects(native_fields["content"])]
    return valid


def _objects(value: object) -> list[Fields]:
    """Return the objects of a list. Further ones than MAX_ENTRIES are dropped."""
    return [entry for entry in value[:MAX_ENTRIES] if isinstance(entry, dict)] if isinstance(value, list) else []


def _typed(fields: Fields, types: Mapping[str, Any]) -> Fields:
    """Return an object without the fields that have another type than the one in `types`."""
    wrong = [name for name, kind in types.items() if not isinstance(fields.get(name), kind)]
    return {name: value for name, value in fields.items() if name not in wrong} if wrong else fields


def _with_written_arguments(call: Fields) -> Fields:
    """Return a call with its arguments as JSON text. Some servers send an object or a list."""
    function = call.get("function")
    if not isinstance(function, dict) or not isinstance(function.get("arguments"), dict | list):
        return call
    return {**call, "function": {**function, "arguments": dumps(function["arguments"]).decode()}}


def _is_call(call: Mapping[str, Any]) -> bool:
    called = (_is_called(call.get("function"), "arguments"), _is_called(call.get("custom"), "input"))
    return isinstance(call.get("id"), str | None) and all(called)


def _is_called(tool: object, argument: str) -> bool:
    """Return whether a function or a custom tool, if there is one, has a name and an argument of the right type."""
    if not isinstance(tool, Mapping | None):
        return False
    return not tool or all(isinstance(tool.get(name), str | None) for name in ("name", argument))


def _usage(usage: Mapping[str, Any]) -> Fields:
    """Return the token counts, with 0 for a count that is not a number, and their details."""
    valid = dict(usage)
    for name, value in usage.items():
        if name.endswith("_details"):
            valid[name] = _usage(value) if isinstance(value, Mapping) else None
        elif name.endswith("_tokens") and not isinstance(value, _NUMBER):
            valid[name] = 0
    return valid


def _logprobs(logprobs: object) -> Fields | None:
    if not isinstance(logprobs, Mapping):
        return None
    return {**logprobs, **{name: _tokens(logprobs[name]) for name in _TOKEN_LISTS if logprobs.get(name) is not None}}


def _tokens(tokens: object) -> list[Fields]:
    return [_token(token) for token in tokens if _is_token(token)] if isinstance(tokens, list) else []


def _token(token: Mapping[str, Any]) -> Fields:
    top = token.get("top_logprobs")
    return {**token, "top_logprobs": _tokens(top)} if top else dict(token)


def _is_token(token: object) -> bool:
    return (
        isinstance(token, Mapping) and isinstance(token.get("token"), str) and isinstance(token.get("logprob"), _NUMBER)
    )
