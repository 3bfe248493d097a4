"""What is wrong with a configuration, in one line each: where, what, and what was probably meant."""

from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from difflib import get_close_matches
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel

from citestream.citation.evidence import FieldError

Path = tuple[str | int, ...]


class ConfigError(ValueError):
    """The configuration is wrong; the message says where and what to do, a line each."""


def explained(problem: Mapping[str, Any], model: type[BaseModel]) -> str:
    """One line for one of pydantic's problems. Values are not quoted: one of them may be a key."""
    path = dotted(problem["loc"])
    cause = (problem.get("ctx") or {}).get("error")
    if isinstance(cause, FieldError):
        return str(cause)
    if problem["type"] == "extra_forbidden":
        return f"{path}: there is no such option{_meant(model, problem['loc'])}"
    message = _said(problem)
    return f"{path}: {message}" if path else message


def _meant(model: type[BaseModel], path: Path) -> str:
    """What was meant: an option of that name in a section of the tree, or the closest one in the same section."""
    if len(path) == 1:
        places = [f"{section}.{path[0]}" for section in keys(model, ()) if path[0] in keys(model, (section,))]
        if places:
            return f"; did you mean {places[0]}?"
    return meant(path[-1], keys(model, path[:-1]))


def dotted(path: Iterable[str | int]) -> str:
    """As one writes it: `server.keys[0].name`."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}"
    return text.removeprefix(".")


def meant(key: object, known: Iterable[str]) -> str:
    """The end of a sentence about an unknown key: what is closest to it, or what there is."""
    known = list(known)
    close = get_close_matches(str(key).lower(), known, n=1)
    if close:
        return f"; did you mean {close[0]}?"
    return f"; there are: {', '.join(known)}" if known else ""


def keys(model: type[BaseModel], path: Path) -> list[str]:
    """The keys of the section at this path."""
    section = annotation(model, path)
    if is_dataclass(section):
        return [field.name for field in fields(section)]
    return list(getattr(section, "model_fields", {}))


def annotation(model: type[BaseModel], path: Path) -> Any:
    """What type stands at this path; None where nothing can."""
    found: Any = model
    for part in path:
        if isinstance(found, type) and issubclass(found, BaseModel):
            field = found.model_fields.get(str(part))
            found = field.annotation if field else None
        elif is_dataclass(found):
            found = next((field.type for field in fields(found) if field.name == part), None)
        elif get_origin(found) in (dict, tuple):  # dict[str, X], tuple[X, ...]
            found = get_args(found)[1 if get_origin(found) is dict else 0]
        else:
            return None
        found = _plain(found)
    return found


def _plain(found: Any) -> Any:
    """Without what pydantic has around it."""
    while get_origin(found) in (Annotated, Union):
        found = get_args(found)[0]
    return found


_SAID = {
    "missing": "is missing",
    "bool_parsing": "must be true or false",
    "bool_type": "must be true or false",
    "dict_type": "must hold names and values",
    "float_parsing": "must be a number",
    "float_type": "must be a number",
    "int_from_float": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_type": "must be a whole number",
    "model_type": "must hold options of its own",
    "model_attributes_type": "must hold options of its own",
    "string_type": "must be a text",
    "tuple_type": "must be a list",
    "greater_than": "must be more than {gt:g}",
    "greater_than_equal": "must be at least {ge:g}",
    "less_than_equal": "must be at most {le:g}",
    "literal_error": "must be {expected}",
    "finite_number": "must be a finite number",
}


def _said(problem: Mapping[str, Any]) -> str:
    known = _SAID.get(problem["type"])
    if known is None:
        return str(problem["msg"]).removeprefix("Value error, ")
    return known.format(**problem.get("ctx") or {})
