"""Tool calls for APIs that know them whole, with arguments as an object, and may leave out their ids."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from citestream.providers.wire.messages import is_made

from ..http.encoding import loads

Fields = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Call:
    """A call that the model made. `extra`: what its provider keeps with it, such as a signature."""

    id: str | None
    name: str
    arguments: Fields
    extra: Mapping[str, Any]


def calls_of(message: Mapping[str, Any], *, cut: bool = False) -> list[Call]:
    """The calls of a message. `cut`: it broke off; a call whose arguments are no JSON yet is left out."""
    legacy = message.get("function_call")
    called = [*(message.get("tool_calls") or ()), *([{"function": legacy}] if legacy else ())]
    return [found for one in called if (found := _call(one, cut))]


def _call(call: Mapping[str, Any], cut: bool) -> Call | None:
    function = call.get("function") or {}
    written = function.get("arguments") or ""
    try:
        arguments = loads(written) if written or cut else {}
    except ValueError:
        if cut:
            return None
        arguments = None
    if not isinstance(arguments, dict):
        arguments = {"arguments": written}
    known_as = call.get("id")
    if known_as and is_made(known_as):
        known_as = None
    return Call(known_as, function.get("name") or "", arguments, call.get("extra_content") or {})


class CallIds:
    """The ids of one conversation's calls, message by message; results belong to them by id, or by name in order."""

    def __init__(self) -> None:
        """No call yet."""
        self._open: list[tuple[str, str]] = []  # (id, name) of calls without a result
        self._count = 0

    def called(self, name: str, given: str | None) -> str:
        """The id of a call."""
        self._count += 1
        known_as = given or f"call_{self._count}"
        self._open.append((known_as, name))
        return known_as

    def answered(self, name: str | None, given: str | None) -> str:
        """The id of the call that a result belongs to: the given one, else the first open one of that name."""
        for known_as, called in self._open:
            if known_as == given or (not given and name in (None, called)):
                self._open.remove((known_as, called))
                return known_as
        return given or name or "call_0"
