"""CallIds: ids for tool calls of APIs that may leave them out; results then belong to calls by name, in order."""


class CallIds:
    """Those of one conversation, message by message."""

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
