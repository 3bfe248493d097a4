"""JSON as providers write it: fast where it is right, and read all the same where orjson is stricter than they are.

orjson refuses what JSON.stringify and Python's json.dumps produce from a cut string: escapes of half a character
(`"\\ud83d"`), and bytes that are no UTF-8. Such an event still carries text, so it is read by the standard library.
"""

import json
from typing import Any

import orjson

_REPLACEMENT = "\ufffd"


def loads(data: bytes) -> tuple[Any, bool]:
    """The value, None where it is not JSON; and whether all of it is clean Unicode."""
    try:
        return orjson.loads(data), True
    except orjson.JSONDecodeError:
        pass
    try:
        return json.loads(data.decode("utf-8", "replace")), False
    except (ValueError, RecursionError):
        return None, True


def dumps(value: object) -> bytes:
    """JSON that every server can read, whatever a client sent: half characters as the escapes they came in as."""
    try:
        return orjson.dumps(value)
    except TypeError:
        return json.dumps(value).encode()


def whole_characters(text: str) -> tuple[str, str]:
    """The text with U+FFFD for half characters; a first half at its end is returned apart, its second may follow."""
    half = ""
    if text and "\ud800" <= text[-1] <= "\udbff":
        text, half = text[:-1], text[-1]
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace"), half


def clean(value: Any) -> Any:
    """The value with U+FFFD for every half character in it, so that it can be written as JSON again."""
    match value:
        case str():
            whole, half = whole_characters(value)
            return whole + _REPLACEMENT if half else whole
        case dict():
            return {clean(key): clean(inner) for key, inner in value.items()}
        case list():
            return [clean(inner) for inner in value]
        case _:
            return value
