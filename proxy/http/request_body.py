"""Read the body of a request, and free what was made of a large one in steps."""

import asyncio
import json
import traceback
from typing import Any

from aiohttp import web
from aiohttp.typedefs import Handler

from citestream.citation.evidence import FieldError
from citestream.citation.text.steps import Steps
from citestream.providers.scheduler import Work, join, scheduler
from citestream.providers.transport import LARGE_READ_BYTES
from citestream.providers.wire.json_steps import MAX_NESTED, TooManyContainers, loads_in_steps, release_in_steps

from ..observability.logs import TENANT
from ..observability.telemetry import external_wait
from .error_responses import RequestError
from .middleware.body_budget import BodyBudget, Reservation

Fields = dict[str, Any]

LARGE_BODY_BYTES = 64 * 2**10  # bytes, whose values are freed in 1 ms, and citing them in 10 ms
BODY_SECONDS = web.AppKey("body_seconds", float)
BODIES = web.AppKey("bodies", BodyBudget)
_RESERVED = web.RequestKey("reserved", Reservation)
_HELD = web.RequestKey("large_values", list[Any])


async def read_json(request: web.Request) -> Fields:
    """Return the JSON object in the body. Raise RequestError 400, or 408 if it does not arrive in time."""
    return await decode_json(request, await read_body(request))


async def decode_json(request: web.Request, data: bytes) -> Fields:
    """Return the JSON object in a body that has arrived. Raise RequestError 400."""
    await scheduler().begin(request.get(TENANT, ""))
    parts: list[Any] = []  # freed in steps, also if the client leaves now
    hold(request, parts)
    try:
        body, _ = await Work("parse_request").run(loads_in_steps(data, parts=parts))
    except ValueError as error:
        raise RequestError(400, _explain(error, data), code="invalid_json") from None
    hold(request, body)
    if not isinstance(body, dict):
        raise RequestError(400, "the body must be a JSON object", code="invalid_json")
    return body


def required_text(body: Fields, key: str) -> str:
    """Return the value of a field. Raise FieldError unless it is a non-empty string."""
    value = body.get(key)
    if not isinstance(value, str) or not value:
        raise FieldError(key, "must be a non-empty string")
    return value


def _explain(error: ValueError, data: bytes) -> str:
    """Return why a body cannot be decoded, without quoting it."""
    match error:
        case _ if not data.strip():
            return "the body is empty, but must be a JSON object"
        case TooManyContainers():
            return f"the body has more than {MAX_NESTED:,} arrays and objects with others inside"
        case json.JSONDecodeError():
            return f"the body is not JSON: there is an error at line {error.lineno}, column {error.colno}"
        case UnicodeDecodeError():
            return f"the body is not JSON: byte {_undecodable_byte(data, error.start)} is not UTF-8"
        case _:
            return "the body is not JSON"


def _undecodable_byte(data: bytes, default: int) -> int:
    """Return the offset of the first byte that is not UTF-8. That of the error is in a piece of a large body."""
    try:
        data.decode()
    except UnicodeDecodeError as error:
        return error.start
    return default


async def read_body(request: web.Request) -> bytes:
    """Return the body. Raise RequestError 400 for a broken one, or 408 if it does not arrive in time."""
    if (length := request.content_length or 0) > request.client_max_size:  # do not wait for it
        raise web.HTTPRequestEntityTooLarge(request.client_max_size, length)
    try:
        if request.content.is_eof():  # the whole body has arrived with the headers, as for most requests
            return await _read(request)
        async with asyncio.timeout(request.app.get(BODY_SECONDS)):
            with external_wait():
                return await _read(request)
    except TimeoutError:
        raise RequestError(408, "the body did not arrive in time", code="request_timeout") from None
    except web.RequestPayloadError:
        raise RequestError(
            400, "the body is not encoded as its headers say", code="invalid_body", closes=True
        ) from None


async def _read(request: web.Request) -> bytes:
    """Return the body as `request.read` does. A compressed body is there at once, so others have their turn."""
    parts: list[bytes] = []
    size = 0
    reservation = _reserve(request)
    while data := await request.content.readany():
        reservation.add(data)
        parts.append(data)
        size += len(data)
        if size > request.client_max_size:
            raise web.HTTPRequestEntityTooLarge(request.client_max_size, size)
        if len(data) >= LARGE_READ_BYTES:
            await asyncio.sleep(0)
    return await join(parts)


async def reserve(request: web.Request, data: bytes) -> None:
    """Count stored data that a request refers to as a part of its body. Raise RequestError 503 if there is no room."""
    reservation = request.get(_RESERVED) or _reserve(request)
    work = Work("parse_request")
    for start in range(0, len(data), LARGE_BODY_BYTES):
        with work:
            reservation.add(data[start : start + LARGE_BODY_BYTES])
        if work.due:
            await work.pause()


def hold(request: web.Request, *values: Any, size: int = 0) -> None:
    """Hold values until the request has ended. If its body is large, they are freed in steps then.

    Otherwise Python would free them at once when the function returns that used them last. `size`: bytes of the JSON
    of the values, if they are more than the body.
    """
    if max(size, request.content.total_bytes) > LARGE_BODY_BYTES:
        request.setdefault(_HELD, []).extend(values)


@web.middleware
async def release_held(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Free the values that were held, and what the frames of a failed or cancelled request refer to."""
    try:
        return await handler(request)
    except BaseException as error:
        _clear_frames(error)
        raise
    finally:
        reservation = request.pop(_RESERVED, None)
        if held := request.get(_HELD):
            del request[_HELD]
            scheduler().start("parse_request", _release(held, reservation))
        elif reservation:
            reservation.release()


def _release(held: list[Any], reservation: Reservation | None) -> Steps[None]:
    """Free the values, and return their memory to the budget."""
    releasing = release_in_steps(*held)
    held.clear()  # otherwise the values are freed when this function returns
    try:
        yield from releasing
    finally:
        if reservation:
            reservation.release()


def _reserve(request: web.Request) -> Reservation:
    """Return what the body of this request reserves of the budget."""
    budget = request.app.get(BODIES) or BodyBudget(request.client_max_size)
    reservation = request[_RESERVED] = budget.reservation()
    return reservation


def _clear_frames(error: BaseException) -> None:
    """Clear the local variables of all functions that an exception has left.

    `TaskGroup` refers to the exception that it raises, and its traceback refers to `TaskGroup`. Such a cycle would keep
    the body of each cancelled request until the next garbage collection, which counts objects and not bytes.
    """
    errors, cleared = [error], set[int]()
    while errors:
        current = errors.pop()
        if id(current) in cleared:
            continue
        cleared.add(id(current))
        traceback.clear_frames(current.__traceback__)
        errors += [cause for cause in (current.__cause__, current.__context__) if cause is not None]
        if isinstance(current, BaseExceptionGroup):
            errors += current.exceptions
