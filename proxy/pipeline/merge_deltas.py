"""Join the deltas of consecutive chunks, and read the content of a delta or message in its order."""

from collections.abc import Iterable, Mapping
from typing import Any

from citestream.providers.wire.chunk_limits import MAX_FIELDS

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


class JoinedFields(dict[str, Any]):
    """The fields of consecutive chunks, except their deltas: objects are merged, lists joined, other values replaced.

    Log-probabilities and the token ids of a choice are such lists.
    """

    def __init__(self, *, join_lists: bool = True) -> None:
        """`join_lists`: False: a later list replaces an earlier one."""
        super().__init__()
        self._join_lists = join_lists

    def add(self, fields: Mapping[str, Any]) -> None:
        """Add the fields of the next chunk. Further ones than MAX_FIELDS are dropped."""
        for key, value in fields.items():
            match self.get(key), value:
                case None, _ if key not in self and len(self) >= MAX_FIELDS:
                    continue
                case earlier, None:
                    self[key] = earlier
                case list() as earlier, list() if self._join_lists:
                    earlier.extend(value)
                case dict() as earlier, dict():
                    earlier.update(value)
                case _, list() | dict():
                    self[key] = value.copy()
                case _:
                    self[key] = value


def reasoning_of(delta: Mapping[str, Any]) -> str:
    """Return the reasoning text of a delta. Providers use different names for its field."""
    return next((delta[key] for key in REASONING if isinstance(delta.get(key), str) and delta[key]), "")


def pieces_of(delta: Mapping[str, Any]) -> list[Piece]:
    """Return the content of a delta or message: reasoning under that name, then all else under its own name."""
    reasoning = reasoning_of(delta)
    pieces = [("reasoning", reasoning)] if reasoning else []
    return pieces + [(key, delta[key]) for key in PIECES if delta.get(key)]


class JoinedDelta(dict[str, Any]):
    """Consecutive deltas: strings and lists are joined, objects merged, other values replaced.

    Adding a delta takes time in proportion to its length, and so does `value` for all of them. The values may not be
    joined yet.
    """

    def __init__(self, delta: Mapping[str, Any]) -> None:
        """`delta`: the first one."""
        super().__init__()
        self.add(delta)

    def add(self, delta: Mapping[str, Any]) -> None:
        """Add the next delta. Further fields than MAX_FIELDS are dropped."""
        for key, value in delta.items():
            if key in self or len(self) < MAX_FIELDS:
                self[key] = _joined(key, self.get(key), value)

    def value(self) -> Fields:
        """Return the fields."""
        return {key: _whole(value) for key, value in self.items()}


class JoinedList(list[Any]):
    """Consecutive lists. Fragments of the same entry have the same `index`, and the same type if they have one."""

    def __init__(self, entries: Iterable[Any]) -> None:
        """`entries`: the first list."""
        super().__init__()
        self._places: dict[int, list[int]] = {}  # positions of the entries with an index
        self.add(entries)

    def add(self, entries: Iterable[Any]) -> None:
        """Add the next list."""
        for entry in entries:
            if not _is_indexed(entry):
                self.append(entry)
                continue
            same = self._places.setdefault(entry["index"], [])
            place = next((position for position in same[:MAX_TYPES] if _is_same_type(self[position], entry)), None)
            if place is None:
                same.append(len(self))
                self.append(entry)
            else:
                self[place] = _joined("", self[place], entry)

    def entry(self, position: int) -> Any:
        """Return one entry."""
        return _whole(self[position])

    def value(self) -> list[Any]:
        """Return the entries."""
        return [_whole(entry) for entry in self]


class _JoinedText(list[str]):
    """Consecutive strings."""

    def value(self) -> str:
        return "".join(self)


def _joined(key: str, earlier: Any, value: Any) -> Any:
    """Return the value of a field whose next value is `value`. `earlier`: the value before, which may be changed."""
    match earlier, value:
        case _, None:
            return earlier
        case JoinedDelta() | dict(), dict():
            joined = earlier if isinstance(earlier, JoinedDelta) else JoinedDelta(earlier)
            joined.add(value)
            return joined
        case _, list() if key == "annotations":  # complete entries: the `index` of a file's citation is an offset
            whole = earlier if isinstance(earlier, list) else []
            whole.extend(value)
            return whole
        case JoinedList(), list():
            earlier.add(value)
            return earlier
        case _, list():
            return JoinedList(value)
        case _, str() if key not in COMPLETE_STRINGS:
            text = earlier if isinstance(earlier, _JoinedText) else _JoinedText()
            text.append(value)
            return text
        case _:
            return value


def _whole(value: Any) -> Any:
    return value.value() if isinstance(value, JoinedDelta | JoinedList | _JoinedText) else value


def _is_indexed(entry: Any) -> bool:
    return isinstance(entry, dict) and isinstance(entry.get("index"), int)


def _is_same_type(earlier: Fields, entry: Fields) -> bool:
    kinds = [kind for kind in (earlier.get("type"), entry.get("type")) if kind is not None]
    return bool(kinds[:1] == kinds[-1:])
