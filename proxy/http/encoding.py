"""JSON in and out: orjson, and the standard library for the little that orjson refuses (lone surrogates)."""

import json
from typing import Any

import orjson


def loads(data: bytes | str) -> Any:
    """Decode. Raises ValueError."""
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        try:
            return json.loads(data)
        except RecursionError:
            raise ValueError("nested too deeply") from None


def dumps(value: Any) -> bytes:
    """Encode as UTF-8 without line breaks."""
    try:
        return orjson.dumps(value)
    except TypeError:
        return json.dumps(value, separators=(",", ":")).encode()
