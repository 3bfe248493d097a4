"""Collecting: the chunks of a stream as the body of one `chat.completion`."""

from collections.abc import Mapping
from typing import Any

from citestream.providers.events import Chunk

from ..http.encoding import dumps
from .logprobs import joined

Fields = dict[str, Any]
Piece = tuple[str, Any]  # a kind of content, and its value

# Strings that are said anew in every chunk, or once; all others of a delta grow from chunk to chunk.
WHOLE = frozenset(
    {"id", "type", "object", "role", "name", "status", "format", "model", "signature", "thought_signature", "call_id"}
)
OWN = frozenset({"google", "ollama"})  # what a provider's own API has beside a chunk's fields, a part at a time
THOUGHTS = ("reasoning", "reasoning_content", "thinking")  # the names of one thing; some servers send two of them
PIECES = ("content", "refusal", "images", "content_parts", "extra_content")
TEXTS = frozenset({"content", "refusal", *THOUGHTS})


class Completion:
    """Collects chunks into the body of a `chat.completion`."""

    def __init__(self) -> None:
        self._envelope: Fields = {}
        self._choices: dict[int, Fields] = {}
        self._pieces: dict[int, list[Piece]] = {}
        self._begun: dict[int, list[tuple[str, int]]] = {}
        self._growing: dict[int, tuple[str, list[str]]] = {}  # text of one kind, joined when it is looked at

    def add(self, chunk: Chunk) -> None:
        """Take in one chunk, in order. Azure's reports on content come with an envelope that says nothing."""
        for key, value in chunk.items():
            if key in OWN and key in self._envelope:
                self._envelope[key] = {**self._envelope[key], **value}
            elif key != "choices" and (value not in (None, "", 0) or key not in self._envelope):
                self._envelope[key] = value
        for choice in chunk.get("choices") or ():
            if not self._grow(choice):
                self._settle(choice.get("index", 0))
                self._add_choice(choice)

    def body(self) -> Fields:
        """What a client that did not ask for a stream is sent."""
        for index in list(self._growing):
            self._settle(index)
        envelope = {"system_fingerprint": None} | self._envelope | {"object": "chat.completion"}
        choices = [_finished(self._choices[index]) for index in sorted(self._choices)]
        usage = envelope.pop("usage", None)
        return {"id": envelope.pop("id", None), **envelope, "choices": choices} | ({"usage": usage} if usage else {})

    def pieces(self, choice: int) -> list[Piece]:
        """What a message is made of (see `pieces_of`), in the order in which it came; calls are apart."""
        self._settle(choice)
        return self._pieces.get(choice, [])

    def begun(self, choice: int) -> list[tuple[str, int]]:
        """In which order all in a message began: (a piece's kind, its place in `pieces`) or ("call", its place)."""
        self._settle(choice)
        return self._begun.get(choice, [])

    def choice(self, choice: int) -> Fields:
        """A choice so far; the calls in its message have the `index` by which their fragments find each other."""
        self._settle(choice)
        return self._choices.get(choice, {})

    def message(self, choice: int) -> Fields:
        """Its message."""
        message: Fields = self.choice(choice).get("message", {})
        return message

    def _grow(self, chunk: Mapping[str, Any]) -> bool:
        """Keep text that only adds to the text before it: joined at once, long answers would cost their square."""
        if any(value is not None and key not in ("index", "delta") for key, value in chunk.items()):
            return False
        said = {key: value for key, value in (chunk.get("delta") or {}).items() if value is not None}
        if len(said) != 1:
            return False
        (key, text), index = *said.items(), chunk.get("index", 0)
        kind, texts = self._growing.get(index, (key, []))
        if key not in TEXTS or not isinstance(text, str) or kind != key or index not in self._choices:
            return False
        texts.append(text)
        self._growing[index] = (kind, texts)
        return True

    def _settle(self, choice: int) -> None:
        """Join what has grown."""
        if choice in self._growing:
            kind, texts = self._growing.pop(choice)
            self._add_choice({"index": choice, "delta": {kind: "".join(texts)}})

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
                choice["logprobs"] = joined(choice["logprobs"], value)
            elif key in ("index", "finish_reason"):
                choice[key] = choice.get(key) if value is None else value
            else:
                choice |= beside(choice, {key: value})

    def _begin(self, choice: int, delta: Mapping[str, Any], calls: int) -> None:
        """Note what begins with this delta; `calls`: how many there are with it."""
        pieces, begun = self._pieces.setdefault(choice, []), self._begun.setdefault(choice, [])
        known = len(pieces)
        _append(pieces, delta)
        begun += [(kind, at) for at, (kind, _) in enumerate(pieces) if at >= known]
        begun += [("call", at) for at in range(sum(kind == "call" for kind, _ in begun), calls)]


def beside(known: Mapping[str, Any], more: Mapping[str, Any], *, growing: bool = True) -> Fields:
    """What stands beside the deltas of two chunks in a row: objects are merged, of all else the later counts.

    `growing`: but lists grow, as those of a choice do (token ids); those of a chunk are said anew.
    """
    found = dict(known)
    for key, value in more.items():
        earlier = found.get(key)
        match earlier, value:
            case list(), list() if growing:
                found[key] = earlier + value
            case dict(), dict():
                found[key] = earlier | value
            case _:
                found[key] = earlier if value is None else value
    return found


def _merged(known: Mapping[str, Any], more: Mapping[str, Any]) -> Fields:
    """Two deltas in a row: strings and lists grow, objects are merged, of all else the later counts."""
    return {**known, **{key: _joined(key, known.get(key), value) for key, value in more.items()}}


def thought_of(delta: Mapping[str, Any]) -> str:
    """What a delta adds to the thoughts, by whatever name."""
    return next((delta[key] for key in THOUGHTS if isinstance(delta.get(key), str) and delta[key]), "")


def pieces_of(delta: Mapping[str, Any]) -> list[Piece]:
    """What of a delta, or a message, is shown: thoughts (always `reasoning`), then everything under its own name."""
    thought = thought_of(delta)
    found = [("reasoning", thought)] if thought else []
    return found + [(key, delta[key]) for key in PIECES if delta.get(key)]


def _append(pieces: list[Piece], delta: Mapping[str, Any]) -> None:
    for kind, value in pieces_of(delta):
        if kind != "extra_content" and pieces and pieces[-1][0] == kind:
            pieces[-1] = (kind, pieces[-1][1] + value)
        else:
            pieces.append((kind, value))


def _finished(choice: Fields) -> Fields:
    """Without the positions by which the fragments of calls found each other."""
    calls = choice["message"].get("tool_calls")
    if not calls:
        return choice
    numbered = [{key: value for key, value in call.items() if key != "index"} for call in calls]
    return {**choice, "message": {**choice["message"], "tool_calls": numbered}}


def _joined(key: str, known: Any, value: Any) -> Any:
    """A value and what comes next under the same name."""
    if key == "arguments" and value is not None and not isinstance(value, str):
        value = dumps(value).decode()
    match known, value:
        case _, None:
            return known
        case dict(), dict():
            return _merged(known, value)
        case list(), list():
            return _listed(known, value)
        case str(), str() if key not in WHOLE:
            return known + value
        case _, list() if key != "annotations":
            return _listed([], value)
        case _:
            return value


def _listed(known: list[Any], more: list[Any]) -> list[Any]:
    """The entries one after the other; fragments of one entry share an `index`, and its type if they say one."""
    found = list(known)
    for entry in more:
        place = next((at for at, one in enumerate(found) if _same(one, entry)), None)
        if place is None:
            found.append(entry)
        else:
            found[place] = _merged(found[place], entry)
    return found


def _same(one: Any, entry: Any) -> bool:
    if not (isinstance(one, dict) and isinstance(entry, dict)) or not isinstance(entry.get("index"), int):
        return False
    kinds = {one.get("type"), entry.get("type")} - {None}
    return one.get("index") == entry["index"] and len(kinds) <= 1
