"""Templates of requests: plain data, so that a service is described in a configuration."""

import json
import re
from collections.abc import Mapping
from typing import Any

_PLACE = re.compile(r"\{(\w+)\}")

Values = Mapping[str, Any]


def filled(template: Any, values: Values) -> Any:
    """The template with its `{names}` replaced, however deep.

    A text that is nothing but a name becomes the value itself, a number or a list too. Inside of other text the value
    becomes text, as JSON where the name ends in `_json`: what GraphQL and the like need. Other braces stay.
    """
    if isinstance(template, Mapping):
        return {key: filled(item, values) for key, item in template.items()}
    if isinstance(template, list | tuple):
        return [filled(item, values) for item in template]
    if not isinstance(template, str):
        return template
    whole = _PLACE.fullmatch(template)
    if whole and whole[1] in values:
        return values[whole[1]]
    return _PLACE.sub(lambda name: _as_text(name, values), template)


def named(template: Any) -> set[str]:
    """The names that a template uses."""
    if isinstance(template, Mapping):
        return {name for item in template.values() for name in named(item)}
    if isinstance(template, list | tuple):
        return {name for item in template for name in named(item)}
    return set(_PLACE.findall(template)) if isinstance(template, str) else set()


def _as_text(name: re.Match[str], values: Values) -> str:
    plain = name[1].removesuffix("_json")
    if plain not in values:
        return name[0]
    value = values[plain]
    return json.dumps(value, ensure_ascii=False) if plain != name[1] or not isinstance(value, str) else value
