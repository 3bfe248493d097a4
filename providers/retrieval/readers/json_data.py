"""JSON and JSON lines: evidence with its own fields, which is not split."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .part import Part, UnreadableFileError, check_memory
from .source_file import SourceFile
from .text import encoding_of

LISTS = ("evidence", "documents")  # keys of evidence in a JSON file with a request


def lines(source: SourceFile) -> Iterator[Part]:
    """Yield one piece of evidence for each line."""
    path = source.path
    with source.text(encoding_of(source), newline="\n") as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                yield _part(_json(line, path, f"line {number}"), path, f"line {number}")


def whole(source: SourceFile) -> Iterator[Part]:
    """Yield the evidence of a file: a list of evidence, one piece, or a request with evidence."""
    path = source.path
    check_memory(path, source.size)
    found = _json(source.read_text(encoding_of(source)), path, "")
    for number, item in enumerate(_list(found, path), 1):
        yield _part(item, path, f"entry {number}")


def _json(text: str, path: Path, location: str) -> Any:
    try:
        return json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        raise UnreadableFileError(path, "is not JSON", location) from None


def _list(found: Any, path: Path) -> list[Any]:
    if isinstance(found, dict):
        if "text" in found:
            return [found]
        found = next((found[key] for key in LISTS if key in found), None)
    if not isinstance(found, list):
        raise UnreadableFileError(path, 'must contain a list of evidence, such as [{"text": "…"}]')
    return found


def _part(item: Any, path: Path, location: str) -> Part:
    """Return a piece of evidence. A string is its text."""
    entry = {"text": item} if isinstance(item, str) else item
    if not isinstance(entry, dict) or not isinstance(entry.get("text"), str) or not entry["text"].strip():
        raise UnreadableFileError(path, "has no text", location)
    try:
        json.dumps(entry, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise UnreadableFileError(path, "contains a lone surrogate", location) from None
    return Part(entry["text"], fields={key: value for key, value in entry.items() if key != "text"}, ready=True)
