"""Part: a piece of a file as its reader hands it on; and the error of a file that cannot be read."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

MOST_AT_ONCE = 16 * 2**20  # bytes; a page of 8 MB takes 230 MB as a tree


@dataclass(frozen=True, slots=True)
class Part:
    """Some text of a file, to be cut into excerpts at paragraphs and at Markdown's headings."""

    text: str
    start: int = 0  # where it begins in the text of the file, or of the page
    page_number: int | None = None
    headings: tuple[str, ...] = ()  # that stand above it, outside of its text
    fields: Mapping[str, Any] = field(default_factory=dict)  # of evidence, for every excerpt of it
    ready: bool = False  # it is evidence as it stands: neither to be cut nor to be named after its file


class UnreadableFileError(Exception):
    """A file that holds no evidence; the message is one line that says which, where in it, and why."""

    def __init__(self, path: Path | str, reason: str, place: str = "") -> None:
        """`reason` completes the sentence that file and place begin."""
        self.reason = f"{place} {reason}".strip()
        super().__init__(f"{path}, {place} {reason}" if place else f"{path} {reason}")


def held_at_once(path: Path) -> None:
    """Raises UnreadableFileError for a file that is too large for a reader that needs all of it at a time."""
    size = path.stat().st_size
    if size > MOST_AT_ONCE:
        raise UnreadableFileError(path, f"is {size:,} bytes; of this format at most {MOST_AT_ONCE:,} are read")


def not_installed(path: Path, what: str) -> UnreadableFileError:
    """What to say where the package that reads a format is missing."""
    return UnreadableFileError(path, f"is {what}, whose reader is not installed: pip install 'citestream[documents]'")
