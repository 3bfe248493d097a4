"""JSON in and out: orjson, and the standard library for the few values that orjson refuses (lone surrogates)."""

import json
from collections.abc import AsyncIterator, Mapping
from threading import get_ident, main_thread
from typing import Any

import orjson
from aiohttp import web

from citestream.citation.text.steps import complete
from citestream.providers.scheduler import Work
from citestream.providers.wire.json_steps import dumps_in_steps, json_parts
from citestream.providers.wire.json_text import dumps

WRITTEN_BYTES = 512 * 2**10  # at once: the event loop copies what the client does not take yet, 1 ms per MB

__all__ = ["dumps", "dumps_event", "encode", "json_response", "json_response_in_steps", "loads", "typed_event"]


def loads(data: bytes | str) -> Any:
    """Decode JSON. Raise ValueError."""
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        try:
            return json.loads(data)
        except RecursionError:
            raise ValueError("nested too deeply") from None


def dumps_event(value: object) -> bytes:
    """Encode a part of an answer. In a thread, a large one is encoded in pieces.

    The codec holds the interpreter's lock, so that the event loop runs between the pieces only.
    """
    return dumps(value) if get_ident() == main_thread().ident else complete(dumps_in_steps(value))


def typed_event(event: Mapping[str, Any]) -> bytes:
    """Return a server-sent event, whose name is its `type`."""
    return f"event: {event['type']}\ndata: ".encode() + dumps_event(event) + b"\n\n"


async def encode(body: object) -> bytes:
    """Return the JSON of a body of any size, without long steps."""
    return await Work("encode").run(dumps_in_steps(body))


async def json_response_in_steps(body: object, headers: Mapping[str, str] | None = None) -> web.Response:
    """Return a response with a JSON body of any size, without long steps."""
    return response_of_parts(await Work("encode").run(json_parts(body)), headers)


def response_of_parts(
    parts: list[bytes],
    headers: Mapping[str, str] | None = None,
    content_type: str = "application/json",
    charset: str | None = None,
) -> web.Response:
    """Return a response whose body has any size."""
    size = sum(map(len, parts))
    if size <= WRITTEN_BYTES:
        return web.Response(body=b"".join(parts), headers=headers, content_type=content_type, charset=charset)
    # aiohttp would write bytes at once
    sized = {**(headers or {}), "Content-Length": str(size)}
    return web.Response(body=_each(parts), headers=sized, content_type=content_type, charset=charset)


async def _each(parts: list[bytes]) -> AsyncIterator[bytes]:
    for part in parts:
        yield part


def json_response(body: object, status: int = 200, headers: dict[str, str] | None = None) -> web.Response:
    """Return a response with a JSON body."""
    return web.Response(body=dumps(body), status=status, headers=headers, content_type="application/json")
