"""Shapes: the types that fields of a request must have for us to read them; a wrong one is named by its path.

What else is in a request is the business of its provider, so fields that a shape does not name hold anything.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from citestream.citation.evidence import FieldError

from ..config.validation_errors import format_path

Path = tuple[str | int, ...]

# 3.0 is whole in JSON, and some clients write it so.
Whole = Annotated[int, BeforeValidator(lambda given: int(given) if _is_whole(given) else given)]


class Shape(BaseModel):
    """An object of a request. Nothing is converted: `"1"` is no number, and 1 is not true."""

    model_config = ConfigDict(strict=True, extra="ignore")


def _is_whole(given: Any) -> bool:
    return isinstance(given, float) and given.is_integer()


def check(body: Any, shape: type[Shape]) -> None:
    """Raises FieldError for the field that is wrong; the innermost, where there are several."""
    try:
        shape.model_validate(body)
    except ValidationError as error:
        problems = error.errors(include_url=False, include_input=False)
    else:
        return
    found: dict[Path, list[Mapping[str, Any]]] = {}
    for problem in problems:
        found.setdefault(_place(problem, body), []).append(problem)
    wrong = {place: why for place, why in found.items() if not any(one["type"] == _HALF for one in why)}
    if wrong:
        place = max(wrong, key=len)
        raise FieldError(format_path(place), _said(wrong[place]))


_HALF = "string_unicode"  # half a character, from a client that cuts strings: a string for all that


def _place(problem: Mapping[str, Any], body: Any) -> Path:
    """Where a problem is: its location without pydantic's names for the members of a union."""
    place: list[str | int] = []
    value = body
    loc: Path = problem["loc"]
    for at, part in enumerate(loc):
        if part in value if isinstance(value, dict) else isinstance(value, list) and isinstance(part, int):
            value = value[part]
            place.append(part)
        elif problem["type"] == "missing" and at == len(loc) - 1:
            place.append(part)
    return tuple(place)


def _said(problems: Sequence[Mapping[str, Any]]) -> str:
    """`must be a string or a list`."""
    kinds = [_NAMES[problem["type"]] for problem in problems if problem["type"] in _NAMES]
    if len(kinds) == len(problems):
        return f"must be {' or '.join(dict.fromkeys(kinds))}"
    (other, *_) = [problem for problem in problems if problem["type"] not in _NAMES]
    return _SAID[other["type"]].format(**other.get("ctx", {}))


_NAMES = {
    "string_type": "a string",
    "bool_type": "a boolean",
    "int_type": "a whole number",
    "float_type": "a number",
    "list_type": "a list",
    "dict_type": "an object",
    "model_type": "an object",
}
_SAID = {
    "missing": "is missing",
    "too_short": "must not be empty",
    "greater_than_equal": "must be at least {ge}",
    "literal_error": "must be {expected}",
}
