"""EntryNumbers: give the entries of a stream's lists an index. OpenAI's clients join lists of deltas by it."""

from typing import Any

from .chunk_limits import MAX_ENTRIES
from .json_text import as_object

Fields = dict[str, Any]

NUMBERED = ("images", "content_parts")  # lists of a delta whose entries need an index, as tool calls have it


class EntryNumbers:
    """Counts the entries of one stream. OpenAI's clients fail on an entry without an index."""

    def __init__(self) -> None:
        """Start without entries."""
        self._counts: dict[tuple[int, str], int] = {}  # (choice, field) -> number of entries so far

    def number(self, choice: int, delta: Fields) -> None:
        """Give the entries of a delta's lists an index. Those that follow MAX_ENTRIES are dropped."""
        for name in NUMBERED:
            if isinstance(entries := delta.get(name), list):
                first = self._counts.get((choice, name), 0)
                self._counts[choice, name] = first + len(entries)
                numbered = enumerate(entries[:MAX_ENTRIES], first)
                delta[name] = [
                    {"index": index, **entry} if isinstance(entry, dict) else entry for index, entry in numbered
                ]
        if isinstance(calls := delta.get("tool_calls"), list):
            self._number_calls(choice, calls)

    def _number_calls(self, choice: int, calls: list[Any]) -> None:
        """Give tool calls an index. One without an index continues the last call if it has no id and no name."""
        count = self._counts.get((choice, "tool_calls"), 0)
        for place, call in enumerate(calls[:MAX_ENTRIES]):
            if not isinstance(call, dict):
                continue
            index = call.get("index")
            if not isinstance(index, int):
                index = count if _begins_call(call) else max(0, count - 1)
                calls[place] = {**call, "index": index}
            count = max(count, index + 1)
        self._counts[choice, "tool_calls"] = count


def _begins_call(call: Fields) -> bool:
    """Return whether a fragment of a tool call is its first one."""
    return bool(call.get("id") or as_object(call.get("function") or call.get("custom")).get("name"))
