"""Evidence from files: text and Markdown cut into excerpts, JSON and JSONL as they are."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .excerpts import cut

TEXT = frozenset({".txt", ".md", ".markdown", ".text", ".rst"})
DATA = frozenset({".json", ".jsonl"})


class UnreadableFileError(Exception):
    """A file that holds no evidence; the message says which and why."""


def evidence_of(path: Path) -> list[dict[str, Any]]:
    """The evidence in a file, or in all files of a folder, as entries of a request. Raises UnreadableFileError."""
    if not path.exists():
        raise UnreadableFileError(f"{path} does not exist")
    return [entry for file in _files(path) for entry in _of_file(file)]


def _files(path: Path) -> Iterable[Path]:
    if path.is_file():
        return [path]
    files = sorted(file for file in path.rglob("*") if file.suffix.lower() in TEXT | DATA and file.is_file())
    if not files:
        raise UnreadableFileError(f"{path} holds no file ending in {', '.join(sorted(TEXT | DATA))}")
    return files


def _of_file(file: Path) -> list[dict[str, Any]]:
    try:
        text = file.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise UnreadableFileError(f"{file} is not UTF-8 text") from None
    except OSError as error:
        raise UnreadableFileError(f"{file}: {error.strerror}") from None
    try:
        if file.suffix.lower() == ".jsonl":
            return [_entry(json.loads(line)) for line in text.splitlines() if line.strip()]
        if file.suffix.lower() == ".json":
            found = json.loads(text)
            return [_entry(item) for item in (found.get("evidence", found) if isinstance(found, dict) else found)]
    except ValueError as error:
        raise UnreadableFileError(f"{file} is not JSON: {error}") from None
    return [excerpt.as_evidence(file.name, number) for number, excerpt in enumerate(cut(text))]


def _entry(item: Any) -> dict[str, Any]:
    """A piece of evidence; a bare string is its text."""
    return {"text": item} if isinstance(item, str) else item
