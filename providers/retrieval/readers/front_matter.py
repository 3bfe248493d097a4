"""Front matter: the YAML between two lines of `---` at the start of a Markdown file, as fields of evidence."""

import re
from collections.abc import Mapping
from math import isfinite
from typing import Any

import yaml

MAX_LENGTH = 16 * 2**10  # characters; a longer block is text after a horizontal rule
_FRONT = re.compile(r"---[ \t]*\n(.*?\n)(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_TEXTS = ("title", "url", "document_id", "chunk_type", "artifact_kind")
_Plain = str | int | float | bool


def front_matter(text: str) -> tuple[dict[str, Any], int]:
    """Return the fields and the start of the text, ({}, 0) without front matter."""
    match = _FRONT.match(text[:MAX_LENGTH])
    if not match:
        return {}, 0
    try:
        data = yaml.safe_load(match[1])
        return (_fields(data), match.end()) if isinstance(data, Mapping) else ({}, 0)
    except Exception:  # noqa: BLE001 - PyYAML raises KeyError, IndexError and others for values of a wrong form
        return {}, 0


def _fields(data: Mapping[Any, Any]) -> dict[str, Any]:
    """Return fields of evidence. Other plain values and dates become metadata. Raises ValueError for huge numbers."""
    fields: dict[str, Any] = {key: str(data[key]) for key in _TEXTS if isinstance(data.get(key), _Plain)}
    if isinstance(data.get("is_generated_artifact"), bool):
        fields["is_generated_artifact"] = data["is_generated_artifact"]
    metadata = {
        str(key): value if isinstance(value, str | int) or _is_finite(value) else str(value)
        for key, value in data.items()
        if key not in (*_TEXTS, "is_generated_artifact") and not isinstance(value, Mapping | list | None)
    }
    return fields | ({"metadata": metadata} if metadata else {})


def _is_finite(value: Any) -> bool:
    """Return whether a value is a number that JSON can express."""
    return isinstance(value, float) and isfinite(value)
