"""Part: a piece of a file, as readers yield it; and the error for a file that cannot be read."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...one_line import one_line

MAX_IN_MEMORY_BYTES = 16 * 2**20  # bytes; the tree of a page of 8 MB takes 230 MB


@dataclass(frozen=True, slots=True)
class Part:
    """Text of a file, which is split into excerpts at paragraphs and, in Markdown, at headings."""

    text: str
    start: int = 0  # offset in the text of the file or page
    page_number: int | None = None
    headings: tuple[str, ...] = ()  # above it, outside of its text
    fields: Mapping[str, Any] = field(default_factory=dict)  # fields of evidence for all its excerpts
    is_markdown: bool = True  # lines such as "# Seats: 5" may be headings
    ready: bool = False  # it is one piece of evidence: neither split nor named after its file


class UnreadableFileError(Exception):
    """A file cannot be read as evidence. The message is one line with the file, the location and the reason."""

    def __init__(self, path: Path | str, reason: str, place: str = "") -> None:
        """`reason`: completes the sentence after file and location."""
        self.reason = f"{place} {reason}".strip()
        super().__init__(one_line(f"{path}, {place} {reason}" if place else f"{path} {reason}"))


class NoTextError(UnreadableFileError):
    """A document contains no text, such as a scanned one."""


def check_memory(path: Path, size: int) -> None:
    """Raise UnreadableFileError for a file that is too large to be read into memory as a whole."""
    if size > MAX_IN_MEMORY_BYTES:
        raise UnreadableFileError(path, f"is {size:,} bytes; of this format at most {MAX_IN_MEMORY_BYTES:,} are read")
