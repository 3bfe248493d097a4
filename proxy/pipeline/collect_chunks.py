"""Collect the chunks of a stream into the body of one `chat.completion`."""

from collections.abc import Mapping
from typing import Any

from citestream.providers.events import Chunk
from citestream.providers.wire.json_text import as_object
from citestream.providers.wire.openai_chunks import VENDORS

from .merge_deltas import REASONING, Piece, append_pieces, join_logprobs, merge_deltas, merge_fields

Fields = dict[str, Any]
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
            if key in VENDORS and key in self._envelope:  # fields of a provider's own API arrive in several chunks
                self._envelope[key] = {**as_object(self._envelope[key]), **as_object(value)}
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
        is_list = all(value and (key in THOUGHTS or isinstance(value, list)) for key, value in delta.items())
        if not (delta and (is_text or is_list)) or index not in self._choices:
            return False
        fragments = self._fragments.setdefault(index, _Fragments())
        # A list may have several parts of one entry.
        return fragments.add(delta if is_text else merge_deltas({}, delta))

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
                choice["message"] = {**merge_deltas(choice["message"], value or {}), "role": "assistant"}
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
        append_pieces(pieces, delta)
        begun += [(kind, at) for at, (kind, _) in enumerate(pieces) if at >= known]
        begun += [("call", at) for at in range(sum(kind == "call" for kind, _ in begun), calls)]


class _Fragments:
    """Consecutive deltas with the same fields, which are joined in pairs of equal length.

    Joining each to all before it takes quadratic time: 28 s for 100,000 fragments of signed thoughts, and more than
    200 s for 60,000 tool calls.
    """

    def __init__(self) -> None:
        self._joined: list[tuple[int, Fields]] = []  # number of deltas, decreasing; their fields

    def add(self, delta: Fields) -> bool:
        """Add the next delta. Return False if its fields differ."""
        if self._joined and self._joined[0][1].keys() != delta.keys():
            return False
        count = 1
        while self._joined and self._joined[-1][0] == count:
            count, delta = 2 * count, merge_deltas(self._joined.pop()[1], delta)
        self._joined.append((count, delta))
        return True

    def joined(self) -> Fields:
        """Return all as one delta."""
        found = Fields()
        for _, delta in reversed(self._joined):
            found = merge_deltas(delta, found)
        return found


def _finished(choice: Fields) -> Fields:
    """Remove the `index` of tool calls, which connected their fragments."""
    calls = choice["message"].get("tool_calls")
    if not calls:
        return choice
    numbered = [{key: value for key, value in call.items() if key != "index"} for call in calls]
    return {**choice, "message": {**choice["message"], "tool_calls": numbered}}
