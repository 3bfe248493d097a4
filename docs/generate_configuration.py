"""Generate the page about the configuration from its models. conf.py writes the page."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import yaml
from annotated_types import Ge, Gt, Le, Lt
from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from citestream.proxy.config import Config

EXAMPLE = Path(__file__).parents[1] / "config.example.yaml"

HEAD = """# Configuration

This page lists every option. The value of an option comes from these sources, and a later one overrides an earlier
one: the default, the YAML file (`--config FILE` or `CITESTREAM_CONFIG`), an environment variable, the command line.

The environment variable of an option is its path in capitals with two underscores for each dot:
`CITESTREAM_SERVER__PORT=9000` sets `server.port`. In strings of the file, `${NAME}` is replaced by an environment
variable. `${NAME:-text}` has a default for a missing one. `citestream check-config FILE` reports every unknown key
with a suggestion. `config.example.yaml` in the repository contains all options.
"""

_KINDS = {str: "text", int: "whole number", float: "number", bool: "true, false"}


def page() -> str:
    """Return the page."""
    return "\n".join([HEAD, *_sections(Config, ""), ""])


def _sections(model: type[BaseModel], path: str) -> Iterator[str]:
    """Yield a table for the options of a section, then its subsections."""
    rows, inner = [], []
    for name, field in model.model_fields.items():
        at = f"{path}.{name}".lstrip(".")
        kind, item = _kind(field.annotation)
        if (isinstance(kind, type) and issubclass(kind, BaseModel)) or is_dataclass(kind):
            inner.append((at + item, kind, field.description or ""))
        else:
            rows.append(_row(at, kind, field, item))
    if rows:
        yield from ("| option | values | default | meaning |", "|---|---|---|---|", *rows, "")
    for at, kind, description in inner:
        yield f"{'#' * min(2 + at.count('.'), 4)} `{at}`\n\n{_sentence(description)}\n"
        yield from _sections(kind, at) if issubclass(kind, BaseModel) else _options(kind, at)


def _row(at: str, kind: Any, field: FieldInfo, item: str) -> str:
    default = field.get_default(call_default_factory=True)
    values = (f"list of {_values(kind)}" if item == "[]" else _values(kind)) + _bounds(field)
    return f"| `{at}` | {values} | {_default(default)} | {_sentence(field.description or '')} |"


def _options(kind: Any, at: str) -> Iterator[str]:
    """Yield a table for request options. Their descriptions are in the example file."""
    said = _comments(at)
    hints = get_type_hints(kind)
    yield from ("| option | values | default | meaning |", "|---|---|---|---|")
    for field in fields(kind):
        values = _values(hints[field.name])
        yield f"| `{at}.{field.name}` | {values} | {_default(field.default)} | {_sentence(said[field.name])} |"
    yield ""


def _comments(section: str) -> dict[str, str]:
    """Return the comment of each option in a section of the example file."""
    lines = EXAMPLE.read_text("utf-8").splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith(f"{section}:"))
    found = {}
    for line in lines[start + 1 :]:
        if not line.startswith("  "):
            break
        option, _, comment = line.partition("  # ")
        found[option.strip().partition(":")[0]] = comment
    return found


def _kind(annotation: Any) -> tuple[Any, str]:
    """Return the type of a value or of the items of a container, and the suffix of the path to an item."""
    while get_origin(annotation) in (Annotated, Union):
        annotation = get_args(annotation)[0]
    if get_origin(annotation) is tuple:
        return _kind(get_args(annotation)[0])[0], "[]"
    if get_origin(annotation) is dict and isinstance(get_args(annotation)[1], type):
        inner = get_args(annotation)[1]
        if issubclass(inner, BaseModel):
            return inner, ".NAME"
    return annotation, ""


def _values(kind: Any) -> str:
    if get_origin(kind) is Literal:
        return ", ".join(f"`{value}`" for value in get_args(kind))
    return _KINDS.get(kind, "names and values")


def _bounds(field: FieldInfo) -> str:
    said = []
    for bound in field.metadata:
        match bound:
            case Ge(ge=least):
                said.append(f"≥ {least}")
            case Gt(gt=least):
                said.append(f"> {least}")
            case Le(le=most):
                said.append(f"≤ {most}")
            case Lt(lt=most):
                said.append(f"< {most}")
    return f", {', '.join(said)}" if said else ""


def _default(value: Any) -> str:
    if value is PydanticUndefined:
        return "required"
    if value in ("", (), {}, None):
        return ""
    written = yaml.safe_dump(value, default_flow_style=True, width=1000).removesuffix("\n...\n").strip()
    return f"`{written}`"


def _sentence(text: str) -> str:
    return text.replace("|", "\\|").replace("](", "]\\(")  # a link style is no link
