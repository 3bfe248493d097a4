"""Translation of the exceptions of aiohttp, asyncio and SDKs into ProviderError."""

import socket
from collections.abc import Iterator, Mapping
from ssl import SSLCertVerificationError
from typing import Any

import orjson

from .error_objects import is_status, rejected
from .exceptions import ADDRESS, CERTIFICATE, CONNECT_TIMEOUT, BrokenStream, ProviderError, TimedOut, Unreachable


def translate(error: BaseException, service: str = "provider") -> ProviderError:
    """Return the error for an exception of aiohttp, asyncio or an SDK. SDK exceptions are recognised by attributes.

    `service`: a word for the service in the message, such as "retriever".
    """
    if isinstance(error, ProviderError):
        return error
    names = {kind.__name__ for kind in type(error).__mro__}
    if "ConnectionTimeoutError" in names:  # aiohttp's; nothing has been sent
        return TimedOut(f"The {service} could not be connected to in time.", code=CONNECT_TIMEOUT)
    if isinstance(error, TimeoutError) or any("Timeout" in name for name in names):
        return TimedOut(f"The {service} did not answer in time.")
    if "SSLError" in names or any(isinstance(cause, SSLCertVerificationError) for cause in _causes(error)):
        return Unreachable(f"The {service}'s certificate could not be verified.", code=CERTIFICATE)
    if isinstance(error, ValueError):  # checked after certificate errors, which are ValueErrors, too
        return Unreachable(f"The {service}'s address is not valid.", code=ADDRESS)
    if isinstance(error, RuntimeError):  # aiohttp's "Connection closed."
        return Unreachable(f"The connection to the {service} broke.")
    if "ClientResponseError" in names:  # aiohttp's, for an unreadable answer; its status 400 is not the server's
        return BrokenStream(f"The {service}'s answer is not valid HTTP.")
    status = next((code for name in ("status_code", "code", "status") if is_status(code := getattr(error, name, 0))), 0)
    if status:
        response = getattr(error, "response", None)
        headers = getattr(response, "headers", None) or getattr(error, "headers", None) or {}
        return rejected(status, headers, _body_of(error), service)
    if isinstance(error, ConnectionError | OSError) or any("Connect" in name or "Client" in name for name in names):
        return Unreachable(f"The {service} could not be reached{_reason(error)}.")
    return ProviderError(f"The {service} could not be used.")


def _reason(error: BaseException) -> str:
    """Return why no connection was made, without the address."""
    causes = list(_causes(error))
    if any(isinstance(cause, socket.gaierror) for cause in causes):
        return ": its host name is unknown"
    if any(isinstance(cause, ConnectionRefusedError) for cause in causes):
        return ": its host refused the connection"
    return ""


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield the exception and its causes."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _body_of(error: BaseException) -> bytes:
    """Return the error object of an SDK's exception as JSON."""
    for name in ("body", "details", "error"):
        value: Any = getattr(error, name, None)
        if isinstance(value, Mapping | list):
            return orjson.dumps(value if "error" in value or name != "body" else {"error": value}, default=str)
        if isinstance(value, str) and value:
            return orjson.dumps({"error": value})
    return b""
