"""Evidence from files: text and Markdown cut into excerpts, JSON and JSONL as they are."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .excerpts import cut

TEXT = frozenset({".txt", ".md", ".markdown", ".text", ".rst"})
DATA = frozenset({".json", ".jsonl", ".ndjson"})
LISTS = ("evidence", "documents")  # where a JSON file that holds a request has them

Entry = dict[str, Any]


class UnreadableFileError(Exception):
    """A file that holds no evidence; the message says which, where and why."""


def evidence_of(path: Path) -> list[Entry]:
    """The evidence in a file, or in all files of a folder, as entries of a request. Raises UnreadableFileError."""
    if not path.exists():
        raise UnreadableFileError(f"{path} does not exist")
    found = [entry for file, name in _files(path) for entry in _of_file(file, name)]
    if not found:
        raise UnreadableFileError(f"{path} holds no text")
    return found


def _files(path: Path) -> Iterator[tuple[Path, str]]:
    """The files and the names they are known by: inside a folder, the way to them."""
    if path.is_file():
        yield path, path.name
        return
    files = [
        file
        for file in sorted(path.rglob("*"))
        if file.suffix.lower() in TEXT | DATA and file.is_file() and not _hidden(file.relative_to(path))
    ]
    if not files:
        raise UnreadableFileError(f"{path} holds no file ending in {', '.join(sorted(TEXT | DATA))}")
    for file in files:
        yield file, file.relative_to(path).as_posix()


def _hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def _of_file(file: Path, name: str) -> list[Entry]:
    text = _text(file)
    match file.suffix.lower():
        case ".jsonl" | ".ndjson":
            lines = enumerate(text.split("\n"), 1)
            return [_entry(_json(line, f"{file}, line {n}"), f"{file}, line {n}") for n, line in lines if line.strip()]
        case ".json":
            return [_entry(item, f"{file}, entry {n}") for n, item in enumerate(_list(_json(text, str(file)), file), 1)]
        case _:
            return [excerpt.as_evidence(name, index) for index, excerpt in enumerate(cut(text))]


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise UnreadableFileError(f"{file} is not UTF-8 text") from None
    except OSError as error:
        raise UnreadableFileError(f"{file}: {error.strerror}") from None


def _json(text: str, place: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise UnreadableFileError(f"{place} is not JSON") from None


def _list(found: Any, file: Path) -> list[Any]:
    """A list of evidence, one piece of it, or a request that has some."""
    if isinstance(found, dict):
        if "text" in found:
            return [found]
        found = next((found[key] for key in LISTS if key in found), None)
    if not isinstance(found, list):
        raise UnreadableFileError(f'{file} must hold a list of evidence, such as [{{"text": "…"}}]')
    return found


def _entry(item: Any, place: str) -> Entry:
    """A piece of evidence; a bare string is its text."""
    entry = {"text": item} if isinstance(item, str) else item
    if not isinstance(entry, dict) or not isinstance(entry.get("text"), str) or not entry["text"].strip():
        raise UnreadableFileError(f"{place} has no text")
    return entry
