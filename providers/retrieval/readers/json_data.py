"""JSON and JSON lines: evidence with its own fields, which is not split, and any other objects as rows of tables."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

from ..entries import COMMON_PATHS, make_entry
from .part import Part, UnreadableFileError, check_memory
from .source_file import SourceFile
from .tables.json_tables import WrittenFloat, parts_of
from .text import encoding_of

TEXTS = ("text", "page_content", "snippet")  # an object with one of these is evidence, also as LangChain writes it
# Fields of evidence. A file may have others, and values of other types, which become metadata.
_PATHS = COMMON_PATHS | {"text": "|".join(TEXTS), "id": "id", "score": "score", "metadata": "metadata"}
_HELP = "check it with `python -m json.tool`"

Item = tuple[int, Any]  # the number of an entry or line, and its value


def lines(source: SourceFile) -> Iterator[Part]:
    """Yield the entries of a file, of which each line has one."""
    yield from _parts(_lines(source))


def whole(source: SourceFile) -> Iterator[Part]:
    """Yield the entries of a list, or the values of an object. `evidence` and `documents` may contain evidence."""
    path = source.path
    check_memory(path, source.size)
    document = _json(source.read_text(encoding_of(source)), path, "")
    for headings, value in _sections(document):
        entries = value if isinstance(value, list) else [value]
        for part in _parts(enumerate(entries, 1)):
            yield replace(part, headings=(*headings, *part.headings))


def _lines(source: SourceFile) -> Iterator[Item]:
    with source.text(encoding_of(source), newline="\n") as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                yield number, _json(line, source.path, f"line {number}")


def _sections(document: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield the lists of evidence in an object, with their names, and the object without them."""
    if not isinstance(document, dict):
        yield (), document
        return
    lists = {key: value for key, value in document.items() if isinstance(value, list) and any(map(_is_evidence, value))}
    if other_fields := {key: value for key, value in document.items() if key not in lists}:
        yield (), other_fields
    for key, value in lists.items():
        yield (() if key in {"evidence", "documents"} else (key,)), value


def _json(text: str, path: Path, location: str) -> Any:
    try:
        value = json.loads(text.removeprefix("\ufeff"), parse_float=WrittenFloat, parse_constant=str)
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise UnreadableFileError(path, "contains a lone surrogate; write it as UTF-8 text", location) from None
    except json.JSONDecodeError as error:
        where = f"column {error.colno}" if location else f"line {error.lineno}, column {error.colno}"
        raise UnreadableFileError(path, f"is not JSON ({where}: {error.msg}); {_HELP}", location) from None
    except (ValueError, RecursionError):
        raise UnreadableFileError(path, f"is not JSON that can be read; {_HELP}", location) from None
    return value


def _parts(items: Iterable[Item]) -> Iterator[Part]:
    """Yield evidence as it is, and other entries that follow each other as a table. Blank evidence is skipped."""
    filled = (item for item in items if not _is_blank(item[1]))
    for is_evidence, group in groupby(filled, lambda item: _is_evidence(item[1])):
        if is_evidence:
            yield from (_evidence(value) for _, value in group)
        else:
            yield from parts_of(group)


def _is_blank(value: Any) -> bool:
    """Return whether a value is evidence without text."""
    text = value.get("text", "-") if isinstance(value, dict) else value
    return text is None or (isinstance(text, str) and not text.strip())


def _is_evidence(value: Any) -> bool:
    return isinstance(value, str) or (
        isinstance(value, dict) and any(isinstance(value.get(key), str) and value[key].strip() for key in TEXTS)
    )


def _evidence(value: dict[str, Any] | str) -> Part:
    """Return a piece of evidence. A string is its text. A page that is no number, such as "iv", is a page label."""
    if isinstance(value, str):
        return Part(value, ready=True)
    fields = make_entry(value, _PATHS)
    text, own_metadata = fields.pop("text"), fields.pop("metadata", {})
    read_values = [field for field in (*fields.values(), text) if isinstance(field, str | int | float)]
    other_fields = {
        key: entry for key, entry in value.items() if key not in {*fields, "metadata"} and entry not in read_values
    }
    label = next((other_fields.pop(key) for key in ("page_number", "page") if other_fields.get(key) is not None), None)
    if label is not None and "page_number" not in fields:
        other_fields.setdefault("page_label", label)
    metadata = {**{key: entry for key, entry in other_fields.items() if entry is not None}, **own_metadata}
    return Part(text, fields=fields | ({"metadata": metadata} if metadata else {}), ready=True)
