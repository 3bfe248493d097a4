"""Shapes: the types of the request fields that Citestream reads. A wrong type is reported with the field's path.

Fields that a shape does not name may contain anything, because only the provider reads them.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Annotated, Any, Self, TypeVar

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    FailFast,
    InstanceOf,
    ModelWrapValidatorHandler,
    ValidationError,
    model_validator,
)
from pydantic_core import ErrorDetails, InitErrorDetails

from citestream.citation.evidence import FieldError

from ..config.validation_errors import format_path

Body = dict[str, Any]
Path = tuple[str | int, ...]

T = TypeVar("T")

# A string. pydantic's own type refuses lone surrogates, from a client that cuts strings inside a character.
Text = InstanceOf[str]
# An object with any fields. pydantic copies a `dict[str, Any]`, which takes 0.1 s for a million fields.
JsonObject = InstanceOf[dict[str, Any]]


class _FailFast(FailFast):
    """pydantic's option, which has no hash and therefore cannot be part of a union."""

    def __hash__(self) -> int:
        return hash(type(self))


# A list, of which the first wrong element is reported: a body of 1 MB can have a million of them.
Items = Annotated[list[T], _FailFast()]

# 3.0 is a whole number in JSON, and some clients write it so.
Whole = Annotated[int, BeforeValidator(lambda value: int(value) if _is_whole(value) else value)]

_TYPE_NAMES = {
    "bool_type": "a boolean",
    "int_type": "a whole number",
    "float_type": "a number",
    "list_type": "a list",
    "model_type": "an object",
}
_CLASS_NAMES = {"str": "a string", "dict": "an object"}
_MESSAGES = {
    "missing": "is missing",
    "too_short": "must not be empty",
    "greater_than_equal": "must be at least {ge}",
    "literal_error": "must be {expected}",
    "string_unicode": "must be valid Unicode",  # a lone surrogate for one of several names
}
MAX_ELEMENTS = 1_000  # strings or other elements that are checked at a time: 0.1 ms


class Shape(BaseModel):
    """An object of a request. Values are not converted: `"1"` is not a number, and 1 is not true."""

    model_config = ConfigDict(strict=True, extra="ignore")

    @model_validator(mode="wrap")
    @classmethod
    def _check(cls, value: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        """Check what is given, long lists in parts, and drop the object that pydantic makes of it.

        pydantic holds the interpreter's lock, so other threads can run only while it calls this function. Checking a
        million strings at once would block them for 0.1 s, and freeing 200,000 objects together for 50 ms.
        """
        for name, start, part in _parts(value, cls):
            try:
                handler(part)
            except ValidationError as error:
                problems = [_shifted(problem, name, start) for problem in error.errors(include_url=False)]
                raise ValidationError.from_exception_data(cls.__name__, problems) from None
        return _CHECKED  # type: ignore[return-value] # no checked object is used


_CHECKED = None


@cache
def _names(shape: type[Shape]) -> tuple[str, ...]:
    """Return the names of the fields in JSON."""
    return tuple(field.alias or name for name, field in shape.model_fields.items())


def _parts(body: Any, shape: type[Shape]) -> Iterable[tuple[str, int, Any]]:
    """Return the objects to be checked. The first has the beginning of all long lists, each other a part of one.

    With it is the name of this list and the index of the part in it.
    """
    whole = (("", 0, body),)
    if not isinstance(body, dict):
        return whole
    names = _names(shape)
    long = [name for name in names if type(value := body.get(name)) is list and len(value) > MAX_ELEMENTS]
    return _parts_of_lists(body, names, long) if long else whole


def _parts_of_lists(body: Body, names: tuple[str, ...], long: list[str]) -> Iterator[tuple[str, int, Body]]:
    first = {name: body[name][:MAX_ELEMENTS] if name in long else body[name] for name in names if name in body}
    yield "", 0, first
    for name in long:
        for start in range(MAX_ELEMENTS, len(body[name]), MAX_ELEMENTS):
            yield name, start, {**first, name: body[name][start : start + MAX_ELEMENTS]}


def _shifted(problem: ErrorDetails, name: str, start: int) -> InitErrorDetails:
    """Return the problem with the index of an element of the field `name` increased."""
    location = [*problem["loc"]]
    index = next((position for position, part in enumerate(location) if isinstance(part, int)), 0)
    if index and location[0] == name:  # between them may be pydantic's name for a member of a union
        location[index] = start + int(location[index])
    return InitErrorDetails(
        type=problem["type"], loc=tuple(location), input=problem["input"], ctx=problem.get("ctx") or {}
    )


def _is_whole(value: Any) -> bool:
    return isinstance(value, float) and value.is_integer()


def check(body: Any, shape: type[Shape]) -> None:
    """Raise FieldError for a field of the wrong type. If there are several, the innermost is reported."""
    try:
        shape.model_validate(body)
    except ValidationError as error:
        by_path: dict[Path, list[ErrorDetails]] = {}
        for problem in error.errors(include_url=False):
            by_path.setdefault(_path(problem, body), []).append(problem)
        path = max(by_path, key=len)
        raise FieldError(format_path(path), _message(by_path[path])) from None


def _path(problem: ErrorDetails, body: Any) -> Path:
    """Return the location of a problem without pydantic's names for the members of a union."""
    path: list[str | int] = []
    value = body
    location = problem["loc"]
    for position, part in enumerate(location):
        if part in value if isinstance(value, dict) else isinstance(value, list) and isinstance(part, int):
            value = value[part]
            path.append(part)
        elif problem["type"] == "missing" and position == len(location) - 1:
            path.append(part)
    return tuple(path)


def _message(problems: Sequence[ErrorDetails]) -> str:
    """Return the message for all problems of one field, such as `must be a string or a list`."""
    names = [_type_name(problem) for problem in problems]
    if all(names):
        return f"must be {' or '.join(dict.fromkeys(names))}"
    described = problems[names.index("")]
    return _MESSAGES[described["type"]].format(**described.get("ctx", {}))


def _type_name(problem: ErrorDetails) -> str:
    """Return the name of the type that a field should have; "" if the problem is another one."""
    if problem["type"] == "is_instance_of":
        return _CLASS_NAMES[problem["ctx"]["class"]]
    return _TYPE_NAMES.get(problem["type"], "")
