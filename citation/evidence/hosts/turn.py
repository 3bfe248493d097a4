"""The part of a conversation in which a host may have put evidence: the current turn and the system messages."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Place = Literal["system", "context", "user", "tool"]
PLACES: tuple[Place, ...] = ("system", "context", "user", "tool")  # in the order in which the model reads them

MAX_TRIES = 20  # occurrences of a literal that are looked at: each takes time in proportion to the text before it
# Open WebUI lists the files of a message before its text. The list is not a part of the question.
_ATTACHED_FILES = re.compile(r"\s*<attached_files>\n(?:<file [^\n]*\n)+</attached_files>\s*")
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Turn:
    """The texts of one turn. Earlier turns and assistant messages are left out: they never hold current evidence."""

    system: tuple[str, ...] = ()
    context: tuple[str, ...] = ()  # user messages directly before the last one: some hosts send the context apart
    user: str = ""  # the last user message
    tools: tuple[str, ...] = ()  # tool results after the last user message

    def texts(self, place: Place) -> tuple[str, ...]:
        """Return the texts in which a host may have put evidence."""
        texts = {"system": self.system, "context": self.context, "user": (self.user,), "tool": self.tools}
        return texts[place]


def position(place: Place, message: int = 0, offset: int = 0) -> tuple[int, int, int]:
    """Return where something begins in a turn, for comparison. `message`: the position among the texts of the place."""
    return PLACES.index(place), message, offset


def read_turn(messages: Sequence[Mapping[str, Any]]) -> Turn:
    """Return the current turn of a conversation in OpenAI's format."""
    roles = [message.get("role") for message in messages]
    last = max((index for index, role in enumerate(roles) if role == "user"), default=-1)
    first = last
    while first > 0 and roles[first - 1] == "user":
        first -= 1
    return Turn(
        tuple(_text(m) for m, role in zip(messages, roles, strict=True) if role in ("system", "developer")),
        tuple(_text(message) for message in messages[first:last]) if last >= 0 else (),
        _text(messages[last]) if last >= 0 else "",
        tuple(_text(m) for m, role in zip(messages[last + 1 :], roles[last + 1 :], strict=True) if role == "tool"),
    )


def without_attached_files(text: str) -> str:
    """Return the text of a user's message without the list of its files that a host puts before it."""
    files = _ATTACHED_FILES.match(text)
    return text[files.end() :] if files else text


def is_quoted(text: str, offset: int) -> bool:
    """Return whether an offset is in fenced code that was opened before it, or on a line of a Markdown quotation."""
    line = text.rfind("\n", 0, offset) + 1
    if text[line:offset].lstrip().startswith(">") or text[offset : offset + 1] == ">":
        return True
    fence = ""
    for opened in _FENCE.finditer(text, 0, line):
        mark = opened.group(1)
        if not fence:
            fence = mark
        elif mark[0] == fence[0] and len(mark) >= len(fence):
            fence = ""
    return bool(fence)


def find_line(text: str, literal: str, start: int = 0) -> int:
    """Return the offset of a literal that begins a line outside of code and quotations, or -1."""
    for _ in range(MAX_TRIES):
        if (position := text.find(literal, start)) < 0:
            break
        if not text[text.rfind("\n", 0, position) + 1 : position].strip() and not is_quoted(text, position):
            return position
        start = position + len(literal)
    return -1


def _text(message: Mapping[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = [part.get("text") for part in parts if isinstance(part, Mapping) and part.get("type", "text") == "text"]
    return "\n".join(text for text in texts if isinstance(text, str))
