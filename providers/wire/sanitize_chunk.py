"""Mending: fields of a chunk that are not of the type they have to be are taken out, as if they had not come.

Providers in the wild and hostile ones send a text where a number belongs; whoever translates a chunk into another API
would fail at it, and the answer with it.
"""

from collections.abc import Mapping
from typing import Any

from ..events import Event, Idle

Fields = dict[str, Any]

_TEXTS = ("reasoning", "reasoning_content", "refusal")  # of a delta; content may be a list of parts
_SCORED = ("content", "refusal")  # of log-probabilities
_NUMBER = (int, float)


def mended(event: Event) -> Event:
    """The same event, its chunk changed in place where it has to be."""
    if isinstance(event, Idle):
        return event
    chunk = event.chunk
    if "usage" in chunk:
        chunk["usage"] = _counts(chunk["usage"]) if isinstance(chunk["usage"], Mapping) else None
    for choice in chunk.get("choices") or ():
        if choice.get("logprobs"):
            choice["logprobs"] = _logprobs(choice["logprobs"])
        delta = choice.get("delta")
        if delta and not _is_plain(delta):
            choice["delta"] = _delta(delta)
    return event


def counted(usage: object) -> Fields:
    """Of Gemini's counts those that are numbers, and what is beside them."""
    if not isinstance(usage, Mapping):
        return {}
    return {name: value for name, value in usage.items() if not name.endswith("Count") or isinstance(value, int)}


def _is_plain(delta: Fields) -> bool:
    """Nearly every delta of every provider."""
    return len(delta) == 1 and isinstance(delta.get("content"), str)


def _delta(delta: Fields) -> Fields:
    kept = {name: value for name, value in delta.items() if name not in _TEXTS or isinstance(value, str | None)}
    if not isinstance(kept.get("content"), str | list | None):
        del kept["content"]
    if isinstance(calls := kept.get("tool_calls"), list):
        kept["tool_calls"] = [call for call in calls if isinstance(call, Mapping) and _is_call(call)]
    elif calls is not None:
        del kept["tool_calls"]
    return kept


def _is_call(call: Mapping[str, Any]) -> bool:
    function = call.get("function")
    if not isinstance(function, Mapping | None) or not isinstance(call.get("id"), str | None):
        return False
    return not function or all(isinstance(function.get(name), str | None) for name in ("name", "arguments"))


def _counts(usage: Mapping[str, Any]) -> Fields:
    """Numbers of tokens, and details of them."""
    kept = dict(usage)
    for name, value in usage.items():
        if name.endswith("_details"):
            kept[name] = _counts(value) if isinstance(value, Mapping) else None
        elif name.endswith("_tokens") and not isinstance(value, _NUMBER):
            kept[name] = 0
    return kept


def _logprobs(given: object) -> Fields | None:
    if not isinstance(given, Mapping):
        return None
    return {**given, **{name: _tokens(given[name]) for name in _SCORED if given.get(name) is not None}}


def _tokens(given: object) -> list[Fields]:
    return [_token(one) for one in given if _is_token(one)] if isinstance(given, list) else []


def _token(one: Mapping[str, Any]) -> Fields:
    top = one.get("top_logprobs")
    return {**one, "top_logprobs": _tokens(top)} if top else dict(one)


def _is_token(one: object) -> bool:
    return isinstance(one, Mapping) and isinstance(one.get("token"), str) and isinstance(one.get("logprob"), _NUMBER)
