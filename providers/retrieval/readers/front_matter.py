"""Front matter: what a Markdown file says about itself between two lines of `---`, as fields of evidence."""

import re
from collections.abc import Mapping
from typing import Any

import yaml

LONGEST = 16 * 2**10  # characters; what is longer is a text that begins with a rule
_FRONT = re.compile(r"---[ \t]*\n(.*?\n)(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_TEXTS = ("title", "url", "document_id", "chunk_type", "artifact_kind")
_Plain = str | int | float | bool


def front_matter(text: str) -> tuple[dict[str, Any], int]:
    """The fields, and where the text itself begins: none and 0 where it has no front matter."""
    found = _FRONT.match(text[:LONGEST])
    if not found:
        return {}, 0
    try:
        said = yaml.safe_load(found[1])
    except (yaml.YAMLError, ValueError, RecursionError):
        return {}, 0
    return (_fields(said), found.end()) if isinstance(said, Mapping) else ({}, 0)


def _fields(said: Mapping[Any, Any]) -> dict[str, Any]:
    """What evidence has a field for; everything else that is plain, and dates, as metadata."""
    fields: dict[str, Any] = {key: str(said[key]) for key in _TEXTS if isinstance(said.get(key), _Plain)}
    if isinstance(said.get("is_generated_artifact"), bool):
        fields["is_generated_artifact"] = said["is_generated_artifact"]
    others = {
        str(key): value if isinstance(value, _Plain) else str(value)
        for key, value in said.items()
        if key not in (*_TEXTS, "is_generated_artifact") and not isinstance(value, Mapping | list | None)
    }
    return fields | ({"metadata": others} if others else {})
