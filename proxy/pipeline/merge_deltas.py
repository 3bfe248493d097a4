"""Join the deltas of consecutive chunks, and read the content of a delta or message in its order."""

from collections.abc import Mapping
from typing import Any

Fields = dict[str, Any]
LogProbs = dict[str, Any]  # `{"content": [...], "refusal": [...]}`, one entry per token
Piece = tuple[str, Any]  # a kind of content, and its value

# Strings that are complete in the chunk that has them. All other strings of a delta are fragments to be joined.
COMPLETE_STRINGS = frozenset(
    {"id", "type", "object", "role", "name", "status", "format", "model", "signature", "thought_signature", "call_id"}
)
REASONING = ("reasoning", "reasoning_content", "thinking")  # names of the same text; some servers send two of them
PIECES = ("content", "refusal", "images", "content_parts", "extra_content")
MAX_TYPES = 10  # entries with one index whose types are compared with a fragment


def join_logprobs(first: LogProbs | None, second: LogProbs | None) -> LogProbs | None:
    """Return the log-probabilities of two consecutive texts."""
    if not first or not second:
        return first or second
    return {key: _concatenated(first.get(key), second.get(key)) for key in {**first, **second}}


def _concatenated(first: Any, second: Any) -> Any:
    return first + second if isinstance(first, list) and isinstance(second, list) else second or first


def merge_fields(known: Mapping[str, Any], more: Mapping[str, Any], *, join_lists: bool = True) -> Fields:
    """Merge the fields of two consecutive chunks, except their deltas. Later values replace earlier ones.

    Objects are merged. `join_lists`: lists are joined, such as the token ids of a choice.
    """
    found = dict(known)
    for key, value in more.items():
        earlier = found.get(key)
        match earlier, value:
            case list(), list() if join_lists:
                found[key] = earlier + value
            case dict(), dict():
                found[key] = earlier | value
            case _:
                found[key] = earlier if value is None else value
    return found


def merge_deltas(known: Mapping[str, Any], more: Mapping[str, Any]) -> Fields:
    """Merge two consecutive deltas: strings and lists are joined, objects merged, other values replaced."""
    return {**known, **{key: _joined(key, known.get(key), value) for key, value in more.items()}}


def reasoning_of(delta: Mapping[str, Any]) -> str:
    """Return the reasoning text of a delta. Providers use different names for its field."""
    return next((delta[key] for key in REASONING if isinstance(delta.get(key), str) and delta[key]), "")


def pieces_of(delta: Mapping[str, Any]) -> list[Piece]:
    """Return the content of a delta or message: reasoning under that name, then all else under its own name."""
    reasoning = reasoning_of(delta)
    found = [("reasoning", reasoning)] if reasoning else []
    return found + [(key, delta[key]) for key in PIECES if delta.get(key)]


def append_pieces(pieces: list[Piece], delta: Mapping[str, Any]) -> None:
    """Append the content of the next delta. Text of the same kind continues the last piece."""
    for kind, value in pieces_of(delta):
        if kind != "extra_content" and pieces and pieces[-1][0] == kind:
            pieces[-1] = (kind, pieces[-1][1] + value)
        else:
            pieces.append((kind, value))


def _joined(key: str, known: Any, value: Any) -> Any:
    """Join a value and the next one of the same field."""
    match known, value:
        case _, None:
            return known
        case dict(), dict():
            return merge_deltas(known, value)
        case list(), list():
            return _joined_lists(known, value)
        case str(), str() if key not in COMPLETE_STRINGS:
            return known + value
        case _, list() if key != "annotations":
            return _joined_lists([], value)
        case _:
            return value


def _joined_lists(known: list[Any], more: list[Any]) -> list[Any]:
    """Join two lists. Fragments of the same entry have the same `index`, and the same type if they have one."""
    found = list(known)
    places: dict[int, list[int]] = {}  # positions of the entries with an index
    for at, entry in enumerate(found):
        if _is_indexed(entry):
            places.setdefault(entry["index"], []).append(at)
    for entry in more:
        same = places.setdefault(entry["index"], []) if _is_indexed(entry) else []
        place = next((at for at in same[:MAX_TYPES] if _is_same_type(found[at], entry)), None)
        if place is None:
            same.append(len(found))
            found.append(entry)
        else:
            found[place] = merge_deltas(found[place], entry)
    return found


def _is_indexed(entry: Any) -> bool:
    return isinstance(entry, dict) and isinstance(entry.get("index"), int)


def _is_same_type(one: Fields, entry: Fields) -> bool:
    kinds = [kind for kind in (one.get("type"), entry.get("type")) if kind is not None]
    return bool(kinds[:1] == kinds[-1:])
