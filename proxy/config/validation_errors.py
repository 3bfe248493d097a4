"""Error messages for invalid configurations: one line per problem, with its path and a suggestion."""

from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from difflib import get_close_matches
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel

from citestream.citation.evidence import FieldError

Path = tuple[str | int, ...]


class ConfigError(ValueError):
    """The configuration is invalid. The message has one line per problem."""


def format_problem(problem: Mapping[str, Any], model: type[BaseModel]) -> str:
    """Return one line for a pydantic error. Values are not quoted, because they may be API keys."""
    path = format_path(problem["loc"])
    cause = (problem.get("ctx") or {}).get("error")
    if isinstance(cause, FieldError):
        return str(cause)
    if problem["type"] == "extra_forbidden":
        return f"{path}: there is no such option{_suggest_option(model, problem['loc'])}"
    message = _message(problem)
    return f"{path}: {message}" if path else message


def _suggest_option(model: type[BaseModel], path: Path) -> str:
    """Return a suggestion for an unknown option: the same name in another section, or a similar one in this section."""
    if len(path) == 1:
        candidates = [f"{section}.{path[0]}" for section in keys_at(model, ()) if path[0] in keys_at(model, (section,))]
        if candidates:
            return f"; did you mean {candidates[0]}?"
    return suggestion(path[-1], keys_at(model, path[:-1]))


def format_path(path: Iterable[str | int]) -> str:
    """Return a path in the usual notation: `server.keys[0].name`."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}"
    return text.removeprefix(".")


def suggestion(key: object, choices: Iterable[str]) -> str:
    """Return the end of an error message about an unknown key: the most similar known key, or all known keys."""
    choices = list(choices)
    close = get_close_matches(str(key).lower(), choices, n=1)
    if close:
        return f"; did you mean {close[0]}?"
    return f"; known: {', '.join(choices)}" if choices else ""


def keys_at(model: type[BaseModel], path: Path) -> list[str]:
    """Return the keys of the section at this path."""
    section = annotation_at(model, path)
    if is_dataclass(section):
        return [field.name for field in fields(section)]
    return list(getattr(section, "model_fields", {}))


def annotation_at(model: type[BaseModel], path: Path) -> Any:
    """Return the type of the option at this path, or None if there is no such option."""
    annotation: Any = model
    for part in path:
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            field = annotation.model_fields.get(str(part))
            annotation = field.annotation if field else None
        elif is_dataclass(annotation):
            annotation = next((field.type for field in fields(annotation) if field.name == part), None)
        elif get_origin(annotation) in (dict, tuple):  # dict[str, X], tuple[X, ...]
            annotation = get_args(annotation)[1 if get_origin(annotation) is dict else 0]
        else:
            return None
        annotation = _unwrap(annotation)
    return annotation


def _unwrap(annotation: Any) -> Any:
    """Return the type inside Annotated and optional types."""
    while get_origin(annotation) in (Annotated, Union):
        annotation = get_args(annotation)[0]
    return annotation


_MESSAGES = {
    "missing": "is missing",
    "bool_parsing": "must be true or false",
    "bool_type": "must be true or false",
    "dict_type": "must be a mapping of names to values",
    "float_parsing": "must be a number",
    "float_type": "must be a number",
    "int_from_float": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_type": "must be a whole number",
    "model_type": "must be a section with options",
    "model_attributes_type": "must be a section with options",
    "string_type": "must be a string",
    "tuple_type": "must be a list",
    "greater_than": "must be more than {gt:g}",
    "greater_than_equal": "must be at least {ge:g}",
    "less_than_equal": "must be at most {le:g}",
    "literal_error": "must be {expected}",
    "finite_number": "must be a finite number",
}


def _message(problem: Mapping[str, Any]) -> str:
    template = _MESSAGES.get(problem["type"])
    if template is None:
        return str(problem["msg"]).removeprefix("Value error, ")
    return template.format(**problem.get("ctx") or {})
