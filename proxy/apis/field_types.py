"""Shapes: the types of the request fields that Citestream reads. A wrong type is reported with the field's path.

Fields that a shape does not name may contain anything, because only the provider reads them.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError, model_validator

from citestream.citation.evidence import FieldError

from ..config.validation_errors import format_path

Path = tuple[str | int, ...]

# 3.0 is a whole number in JSON, and some clients write it so.
Whole = Annotated[int, BeforeValidator(lambda given: int(given) if _is_whole(given) else given)]

_TYPE_NAMES = {
    "string_type": "a string",
    "bool_type": "a boolean",
    "int_type": "a whole number",
    "float_type": "a number",
    "list_type": "a list",
    "dict_type": "an object",
    "model_type": "an object",
}
_MESSAGES = {
    "missing": "is missing",
    "too_short": "must not be empty",
    "greater_than_equal": "must be at least {ge}",
    "literal_error": "must be {expected}",
}
MAX_ELEMENTS = 1_000  # messages, tools or other elements that are checked at a time: 2 ms
_LONE_SURROGATE = "string_unicode"  # from a client that cuts strings inside a character; accepted as a string


class Shape(BaseModel):
    """An object of a request. Values are not converted: `"1"` is not a number, and 1 is not true."""

    model_config = ConfigDict(strict=True, extra="ignore")

    @model_validator(mode="before")
    @classmethod
    def _let_others_run(cls, given: Any) -> Any:
        """Return what is given. While pydantic checks a body in a thread, other threads can run at each Python call."""
        return given


def _is_whole(given: Any) -> bool:
    return isinstance(given, float) and given.is_integer()


def check(body: Any, shape: type[Shape]) -> None:
    """Raise FieldError for a field of the wrong type. If there are several, the innermost is reported."""
    problems = _problems(body, shape)
    if not problems:
        return
    by_path: dict[Path, list[Mapping[str, Any]]] = {}
    for problem in problems:
        by_path.setdefault(_path(problem, body), []).append(problem)
    wrong = {path: found for path, found in by_path.items() if all(one["type"] != _LONE_SURROGATE for one in found)}
    if wrong:
        path = max(wrong, key=len)
        raise FieldError(format_path(path), _message(wrong[path]))


def _problems(body: Any, shape: type[Shape]) -> list[Mapping[str, Any]]:
    """Return the errors that pydantic finds. The elements of long lists are checked some at a time.

    pydantic holds the interpreter's lock, and takes 130 ms for 100,000 messages.
    """
    long = {name: value for name, value in body.items() if _is_long(value)} if isinstance(body, dict) else {}
    first = {**body, **{name: value[:MAX_ELEMENTS] for name, value in long.items()}} if long else body
    if found := _errors(first, shape):
        return found
    for name, value in long.items():
        for start in range(MAX_ELEMENTS, len(value), MAX_ELEMENTS):
            if found := _errors({**first, name: value[start : start + MAX_ELEMENTS]}, shape):
                return [{**one, "loc": _shifted(one["loc"], name, start)} for one in found]
    return []


def _is_long(value: Any) -> bool:
    return isinstance(value, list) and len(value) > MAX_ELEMENTS


def _errors(body: Any, shape: type[Shape]) -> list[Mapping[str, Any]]:
    try:
        shape.model_validate(body)
    except ValidationError as error:
        return [*error.errors(include_url=False, include_input=False)]
    return []


def _shifted(location: Path, name: str, start: int) -> Path:
    """Return a location with the index of an element of the field `name` increased."""
    is_element = len(location) > 1 and location[0] == name and isinstance(location[1], int)
    return (name, start + int(location[1]), *location[2:]) if is_element else location


def _path(problem: Mapping[str, Any], body: Any) -> Path:
    """Return the location of a problem without pydantic's names for the members of a union."""
    path: list[str | int] = []
    value = body
    location: Path = problem["loc"]
    for at, part in enumerate(location):
        if part in value if isinstance(value, dict) else isinstance(value, list) and isinstance(part, int):
            value = value[part]
            path.append(part)
        elif problem["type"] == "missing" and at == len(location) - 1:
            path.append(part)
    return tuple(path)


def _message(problems: Sequence[Mapping[str, Any]]) -> str:
    """Return the message for all problems of one field, such as `must be a string or a list`."""
    other = next((problem for problem in problems if problem["type"] not in _TYPE_NAMES), None)
    if other:
        return _MESSAGES[other["type"]].format(**other.get("ctx", {}))
    return f"must be {' or '.join(dict.fromkeys(_TYPE_NAMES[problem['type']] for problem in problems))}"
