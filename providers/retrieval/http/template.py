"""Templates of requests: plain data, so that a configuration can describe a service."""

import json
import re
from collections.abc import Mapping
from typing import Any

_PLACEHOLDER = re.compile(r"\{(\w+)\}")

Values = Mapping[str, Any]


def fill(template: Any, values: Values) -> Any:
    """Return the template with its `{names}` replaced at any depth.

    A string that consists of a name becomes the value itself, which may be a number or a list. Inside other text the
    value becomes text, or JSON if the name ends in `_json`, as GraphQL needs it. Other braces are kept.
    """
    if isinstance(template, Mapping):
        return {key: fill(item, values) for key, item in template.items()}
    if isinstance(template, list | tuple):
        return [fill(item, values) for item in template]
    if not isinstance(template, str):
        return template
    whole = _PLACEHOLDER.fullmatch(template)
    if whole and whole[1] in values:
        return values[whole[1]]
    return _PLACEHOLDER.sub(lambda name: _as_text(name, values), template)


def placeholders(template: Any) -> set[str]:
    """Return the names in a template."""
    if isinstance(template, Mapping):
        return {name for item in template.values() for name in placeholders(item)}
    if isinstance(template, list | tuple):
        return {name for item in template for name in placeholders(item)}
    return set(_PLACEHOLDER.findall(template)) if isinstance(template, str) else set()


def _as_text(name: re.Match[str], values: Values) -> str:
    plain = name[1].removesuffix("_json")
    if plain not in values:
        return name[0]
    value = values[plain]
    return json.dumps(value, ensure_ascii=False) if plain != name[1] or not isinstance(value, str) else value
