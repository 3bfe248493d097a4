"""Remove the fields of a chunk whose types are wrong.

Broken and hostile providers send, for example, a string for a number. The translation into another client API would
fail on it, and the whole answer with it.
"""

from collections.abc import Mapping
from typing import Any

from ..events import Event, Idle

Fields = dict[str, Any]

_TEXT_FIELDS = ("reasoning", "reasoning_content", "refusal")  # fields of a delta; `content` may also be a list of parts
_TOKEN_LISTS = ("content", "refusal")  # fields of log-probabilities
_OBJECT_LISTS = ("annotations", "images")  # fields of a delta
_CALL_TYPES = {"index": int | None, "type": str | None}
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
        valid["tool_calls"] = [_call(call) for call in calls if isinstance(call, Mapping) and _is_call(call)]
    elif calls is not None:
        del valid["tool_calls"]
    legacy = valid.get("function_call")
    if legacy is not None and not (isinstance(legacy, Mapping) and _is_call({"function": legacy})):
        del valid["function_call"]
    for name in _OBJECT_LISTS:
        if isinstance(found := valid.get(name), list):
            valid[name] = [one for one in found if isinstance(one, Mapping)]
        elif found is not None:
            del valid[name]
    return valid


def _call(call: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a call without an index or type of a wrong type."""
    wrong = [name for name, kind in _CALL_TYPES.items() if not isinstance(call.get(name), kind)]
    return {name: value for name, value in call.items() if name not in wrong} if wrong else call


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
