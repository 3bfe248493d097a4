"""JSON in and out: orjson, and the standard library for the few values that orjson refuses (lone surrogates)."""

import json
from typing import Any

import orjson
from aiohttp import web

from citestream.providers.wire.json_text import dumps

__all__ = ["dumps", "json_response", "loads"]


def loads(data: bytes | str) -> Any:
    """Decode JSON. Raise ValueError."""
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        try:
            return json.loads(data)
        except RecursionError:
            raise ValueError("nested too deeply") from None


def json_response(body: object, status: int = 200, headers: dict[str, str] | None = None) -> web.Response:
    """Return a response with a JSON body."""
    return web.Response(body=dumps(body), status=status, headers=headers, content_type="application/json")
