"""JSON of other programs: decode and encode it leniently, and read decoded values whose types are unknown.

orjson refuses what JSON.stringify and Python's json.dumps produce from a string that was cut inside a character:
escapes of lone surrogates (`"\\ud83d"`), and bytes that are not UTF-8. Such an event still carries text, so the
standard library decodes it.
"""

import json
from collections.abc import Mapping
from typing import Any

import orjson

_REPLACEMENT = "\ufffd"


class WrongField(ValueError):  # noqa: N818 - names what is wrong, as citation's FieldError does
    """A field of a client's request cannot be translated. A server should answer 400 and name the field."""

    def __init__(self, path: str, message: str) -> None:
        """`path`: the field as the client wrote it (`contents[0].parts[1]`). `message`: what is wrong with it."""
        super().__init__(f"{path}: {message}")
        self.path = path
        self.message = message


def loads(data: bytes) -> tuple[Any, bool]:
    """Return the decoded value, None if it is not JSON, and whether it is free of lone surrogates."""
    try:
        return loads_strict(data, replace=True)
    except ValueError:
        return None, True


def loads_strict(data: bytes, *, replace: bool = False) -> tuple[Any, bool]:
    """Return the decoded value and whether it is free of lone surrogates. Raise ValueError if it is not JSON.

    `replace`: accept bytes that are not UTF-8, and replace them by U+FFFD.
    """
    try:
        return orjson.loads(data), True
    except orjson.JSONDecodeError:
        pass
    try:
        return json.loads(data.decode("utf-8", "replace") if replace else data), False
    except RecursionError:
        raise ValueError("nested too deeply") from None


def dumps(value: object) -> bytes:
    """Encode as JSON. Lone surrogates, which orjson refuses, are written as escapes."""
    try:
        return orjson.dumps(value)
    except TypeError:
        return json.dumps(value, separators=(",", ":")).encode()


def whole_characters(text: str) -> tuple[str, str]:
    """Replace lone surrogates by U+FFFD, and return a high surrogate at the end separately.

    The low surrogate that belongs to it may be at the start of the next text.
    """
    pending = ""
    if text and "\ud800" <= text[-1] <= "\udbff":
        text, pending = text[:-1], text[-1]
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace"), pending


def replace_surrogates(value: Any) -> Any:
    """Return the value with U+FFFD for every lone surrogate, so that it can be encoded again.

    Raise ValueError if it is nested too deeply for Python, which JSON of half the allowed depth is.
    """
    try:
        return _replaced(value)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _replaced(value: Any) -> Any:
    match value:
        case str():
            text, pending = whole_characters(value)
            return text + _REPLACEMENT if pending else text
        case dict():
            return {_replaced(key): _replaced(inner) for key, inner in value.items()}
        case list():
            return [_replaced(inner) for inner in value]
        case _:
            return value


def as_object(value: object) -> Mapping[str, Any]:
    """Return the value if it is an object, {} otherwise."""
    return value if isinstance(value, Mapping) else {}


def as_list(value: object) -> list[Any]:
    """Return the value if it is a list, [] otherwise."""
    return value if isinstance(value, list) else []


def without_none(**fields: Any) -> dict[str, Any]:
    """Return the fields that have a value."""
    return {name: value for name, value in fields.items() if value is not None}
