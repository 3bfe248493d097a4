"""Entries: how services and tables name what evidence has, and entries of a request's `evidence` made of it."""

from collections.abc import Mapping
from typing import Any

from .retriever import Entry

USUAL = {  # what LangChain, LlamaIndex and Haystack call things, beside our own names
    "text": "text|content|page_content|chunk|body",
    "title": "title|metadata.title|meta.title",
    "url": "url|metadata.url|meta.url|link",
    "file_name": "file_name|metadata.file_name|metadata.source|source|filename|meta.name",
    "page_number": "page_number|metadata.page_number|metadata.page|page",
    "document_id": "document_id|metadata.document_id|doc_id|parent_id",
    "chunk_index": "chunk_index|metadata.chunk_index",
    "chunk_type": "chunk_type|metadata.chunk_type",
    "artifact_kind": "artifact_kind|metadata.artifact_kind",
    "is_generated_artifact": "is_generated_artifact|metadata.is_generated_artifact",
}

_TEXTS = ("text", "id", "document_id", "file_name", "title", "url", "chunk_type", "artifact_kind")
_NUMBERS = ("chunk_index", "page_number")


def entry(item: Any, fields: Mapping[str, str]) -> Entry:
    """An entry of a request's `evidence`; values of another kind are made what evidence wants, or left out."""
    made: Entry = {}
    for name, path in fields.items():
        value = _as_evidence(name, found(item, path))
        if value is not None:
            made[name] = value
    return made


def found(data: Any, path: str) -> Any:
    """What stands at a path such as `hits.hits`, `positions.0.0`, or `a|b` for the first of them that is there.

    A key may itself hold dots (`@search.score`). None where nothing stands there.
    """
    for alternative in path.split("|"):
        value = _at(data, alternative)
        if value is not None:
            return value
    return None


def _as_evidence(name: str, value: Any) -> Any:
    if name in _TEXTS:
        return text_of(value) or None
    if name in _NUMBERS:
        number = _number(value)
        return None if number is None else int(number)
    if name == "score":
        return _number(value)
    if name == "is_generated_artifact":
        return value if isinstance(value, bool) else None
    return value if isinstance(value, Mapping) else None  # metadata


def text_of(value: Any) -> str:
    """A text, or the texts of a list (Azure's captions, several values of a field)."""
    if isinstance(value, list):
        return "\n".join(filter(None, map(text_of, value)))
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    return str(value).encode("utf-8", "replace").decode()  # half characters would break whatever they are sent in


def _number(value: Any) -> float | None:
    try:
        number = float(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else None
    except (ValueError, OverflowError):
        return None
    return number if number is not None and abs(number) < 1e15 else None


def _at(data: Any, path: str) -> Any:
    if not path:
        return data
    if isinstance(data, list):
        first, _, rest = path.partition(".")
        return _at(data[int(first)], rest) if first.isdecimal() and int(first) < len(data) else None
    if not isinstance(data, Mapping):
        return None
    if path in data:
        return data[path]
    for dot in (place for place, character in enumerate(path) if character == "."):
        if path[:dot] in data and (value := _at(data[path[:dot]], path[dot + 1 :])) is not None:
            return value
    return None
