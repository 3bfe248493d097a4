"""Translate results of search services and tables into entries of a request's `evidence`."""

from collections.abc import Mapping
from typing import Any

from citestream.citation.text.page_numbers import page_number

from ..wire.json_text import as_object
from .retriever import Entry

COMMON_PATHS = {  # field of evidence -> its paths in LangChain, LlamaIndex and Haystack, and our own names
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


def make_entry(item: Any, fields: Mapping[str, str]) -> Entry:
    """Return an entry of `evidence`. Values of other types are converted, or left out.

    `fields`: the path of each field of evidence in the item; see `value_at`. With several paths such as `a|b`, a field
    has the first value that is neither empty nor of a wrong type.
    """
    entry: Entry = {}
    for name, path in fields.items():
        values = (_value(name, item, alternative) for alternative in path.split("|"))
        value = next((value for value in values if value is not None), None)
        if value is not None:
            entry[name] = value
    return entry


def value_at(data: Any, path: str) -> Any:
    """Return the value at a path such as `hits.hits`, `positions.0.0`, or `a|b` for the first that exists.

    A key may contain dots (`@search.score`). Returns None if the path does not exist.
    """
    for alternative in path.split("|"):
        value = _at(data, alternative)
        if value is not None:
            return value
    return None


def _value(name: str, item: Any, path: str) -> Any:
    """Return the value of a field at a path, None if it is missing or of a wrong type."""
    value = _convert(name, _at(item, path))
    parent, _, key = path.rpartition(".")
    if value is None or name != "page_number" or key != "page":
        return value
    return page_number(value, {**as_object(item), **as_object(_at(item, parent))})


def _convert(name: str, value: Any) -> Any:
    if name in _TEXTS:
        text = text_of(value)
        return text if text.strip() else None
    if name in _NUMBERS:
        number = _number(value)
        return None if number is None else int(number)
    if name == "score":
        return _number(value)
    if name == "is_generated_artifact":
        return value if isinstance(value, bool) else None
    return value if isinstance(value, Mapping) else None  # metadata


def text_of(value: Any) -> str:
    """Return a value as text. The texts of a list (Azure's captions, a field with several values) are joined."""
    if isinstance(value, list):
        return "\n".join(filter(None, map(text_of, value)))
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    return str(value).encode("utf-8", "replace").decode()  # lone surrogates cannot be encoded


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
        first, _, remaining_path = path.partition(".")
        return _at(data[int(first)], remaining_path) if first.isdecimal() and int(first) < len(data) else None
    if not isinstance(data, Mapping):
        return None
    if path in data:
        return data[path]
    for dot in (index for index, character in enumerate(path) if character == "."):
        if path[:dot] in data and (value := _at(data[path[:dot]], path[dot + 1 :])) is not None:
            return value
    return None
