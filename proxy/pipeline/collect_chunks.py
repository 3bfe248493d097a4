"""Collect the chunks of a stream into the body of one `chat.completion`."""

from collections.abc import Mapping
from typing import Any

from citestream.providers.events import Chunk

from ..http.encoding import dumps

Fields = dict[str, Any]
LogProbs = dict[str, Any]  # `{"content": [...], "refusal": [...]}`, one entry per token
Piece = tuple[str, Any]  # a kind of content, and its value

# Strings that are complete in the chunk that has them. All other strings of a delta are fragments to be joined.
COMPLETE_STRINGS = frozenset(
    {"id", "type", "object", "role", "name", "status", "format", "model", "signature", "thought_signature", "call_id"}
)
NATIVE_FIELDS = frozenset(
    {"google", "ollama", "anthropic"}
)  # fields of a provider's own API; they arrive in several chunks
REASONING = ("reasoning", "reasoning_content", "thinking")  # names of the same text; some servers send two of them
PIECES = ("content", "refusal", "images", "content_parts", "extra_content")
TEXTS = frozenset({"content", "refusal"})
THOUGHTS = frozenset({"reasoning_details", *REASONING})  # a fragment of a thought may have several of these fields


class Completion:
    """Collects chunks into the body of a `chat.completion`."""

    def __init__(self) -> None:
        self._envelope: Fields = {}
        self._choices: dict[int, Fields] = {}
        self._pieces: dict[int, list[Piece]] = {}
        self._begun: dict[int, list[tuple[str, int]]] = {}
        self._fragments: dict[int, _Fragments] = {}  # text of one kind that is not joined yet

    def add(self, chunk: Chunk) -> None:
        """Add the next chunk. The chunks of Azure's content filter have empty envelope fields, which are ignored."""
        for key, value in chunk.items():
            if key in NATIVE_FIELDS and key in self._envelope:
                self._envelope[key] = {**self._envelope[key], **value}
            elif key != "choices" and (value not in (None, "", 0) or key not in self._envelope):
                self._envelope[key] = value
        for choice in chunk.get("choices") or ():
            if not self._append_text(choice):
                self._join_text(choice.get("index", 0))
                self._add_choice(choice)

    def body(self) -> Fields:
        """Return the body for a client that did not ask for a stream."""
        for index in list(self._fragments):
            self._join_text(index)
        envelope = {"system_fingerprint": None} | self._envelope | {"object": "chat.completion"}
        choices = [_finished(self._choices[index]) for index in sorted(self._choices)]
        usage = envelope.pop("usage", None)
        return {"id": envelope.pop("id", None), **envelope, "choices": choices} | ({"usage": usage} if usage else {})

    def pieces(self, choice: int) -> list[Piece]:
        """Return the content of a message in its order; see `pieces_of`. Tool calls are not included."""
        self._join_text(choice)
        return self._pieces.get(choice, [])

    def begun(self, choice: int) -> list[tuple[str, int]]:
        """Return the order in which pieces and calls began: (kind, index in `pieces`) or ("call", index)."""
        self._join_text(choice)
        return self._begun.get(choice, [])

    def choice(self, choice: int) -> Fields:
        """Return a choice so far. Its tool calls still have the `index` that connects their fragments."""
        self._join_text(choice)
        return self._choices.get(choice, {})

    def message(self, choice: int) -> Fields:
        """Return the message of a choice so far."""
        message: Fields = self.choice(choice).get("message", {})
        return message

    def _append_text(self, chunk: Mapping[str, Any]) -> bool:
        """Keep a fragment of text for later and return True, if the chunk has nothing else."""
        if any(value is not None and key not in ("index", "delta") for key, value in chunk.items()):
            return False
        delta = {key: value for key, value in (chunk.get("delta") or {}).items() if value is not None}
        index = chunk.get("index", 0)
        is_text = len(delta) == 1 and delta.keys() <= TEXTS and all(isinstance(text, str) for text in delta.values())
        is_thought = delta.keys() <= THOUGHTS and all(delta.values())
        if not (delta and (is_text or is_thought)) or index not in self._choices:
            return False
        fragments = self._fragments.setdefault(index, _Fragments())
        return fragments.add(delta if is_text else _merged({}, delta))  # a list may have several parts of one entry

    def _join_text(self, choice: int) -> None:
        """Add the fragments of a choice to its message."""
        if fragments := self._fragments.pop(choice, None):
            self._add_choice({"index": choice, "delta": fragments.joined()})

    def _add_choice(self, chunk: Mapping[str, Any]) -> None:
        index = chunk.get("index", 0)
        choice = self._choices.get(index)
        if choice is None:
            message = {"role": "assistant", "content": None, "refusal": None}
            choice = {"index": index, "message": message, "logprobs": None, "finish_reason": None}
            self._choices[index] = choice
        for key, value in chunk.items():
            if key == "delta":
                choice["message"] = {**_merged(choice["message"], value or {}), "role": "assistant"}
                self._begin(index, value or {}, len(choice["message"].get("tool_calls") or ()))
            elif key == "logprobs":
                choice["logprobs"] = join_logprobs(choice["logprobs"], value)
            elif key in ("index", "finish_reason"):
                choice[key] = choice.get(key) if value is None else value
            else:
                choice |= merge_fields(choice, {key: value})

    def _begin(self, choice: int, delta: Mapping[str, Any], calls: int) -> None:
        """Record the pieces and calls that begin with this delta. `calls`: the number of calls so far."""
        pieces, begun = self._pieces.setdefault(choice, []), self._begun.setdefault(choice, [])
        known = len(pieces)
        _append(pieces, delta)
        begun += [(kind, at) for at, (kind, _) in enumerate(pieces) if at >= known]
        begun += [("call", at) for at in range(sum(kind == "call" for kind, _ in begun), calls)]


class _Fragments:
    """Consecutive deltas with the same fields, which are joined in pairs of equal length.

    Joining each to all before it takes quadratic time: 28 s for 100,000 fragments of signed thoughts.
    """

    def __init__(self) -> None:
        self._joined: list[tuple[int, Fields]] = []  # number of deltas, decreasing; their fields

    def add(self, delta: Fields) -> bool:
        """Add the next delta. Return False if its fields differ."""
        if self._joined and self._joined[0][1].keys() != delta.keys():
            return False
        count = 1
        while self._joined and self._joined[-1][0] == count:
            count, delta = 2 * count, _merged(self._joined.pop()[1], delta)
        self._joined.append((count, delta))
        return True

    def joined(self) -> Fields:
        """Return all as one delta."""
        found = Fields()
        for _, delta in reversed(self._joined):
            found = _merged(delta, found)
        return found


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


def _merged(known: Mapping[str, Any], more: Mapping[str, Any]) -> Fields:
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


def _append(pieces: list[Piece], delta: Mapping[str, Any]) -> None:
    for kind, value in pieces_of(delta):
        if kind != "extra_content" and pieces and pieces[-1][0] == kind:
            pieces[-1] = (kind, pieces[-1][1] + value)
        else:
            pieces.append((kind, value))


def _finished(choice: Fields) -> Fields:
    """Remove the `index` of tool calls, which connected their fragments."""
    calls = choice["message"].get("tool_calls")
    if not calls:
        return choice
    numbered = [{key: value for key, value in call.items() if key != "index"} for call in calls]
    return {**choice, "message": {**choice["message"], "tool_calls": numbered}}


def _joined(key: str, known: Any, value: Any) -> Any:
    """Join a value and the next one of the same field."""
    if key == "arguments" and value is not None and not isinstance(value, str):
        value = dumps(value).decode()
    match known, value:
        case _, None:
            return known
        case dict(), dict():
            return _merged(known, value)
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
    for entry in more:
        place = next((at for at, one in enumerate(found) if _is_same_entry(one, entry)), None)
        if place is None:
            found.append(entry)
        else:
            found[place] = _merged(found[place], entry)
    return found


def _is_same_entry(one: Any, entry: Any) -> bool:
    if not (isinstance(one, dict) and isinstance(entry, dict)) or not isinstance(entry.get("index"), int):
        return False
    kinds = [kind for kind in (one.get("type"), entry.get("type")) if kind is not None]
    return one.get("index") == entry["index"] and kinds[:1] == kinds[-1:]
