"""Logging to standard error, the access log and request ids. Keys, questions, evidence and answers are not logged."""

import json
import logging
import re
import secrets
import sys
from collections.abc import Mapping
from contextvars import ContextVar
from datetime import UTC, datetime
from time import perf_counter
from traceback import format_tb
from types import MappingProxyType
from typing import Any

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from citestream.providers.one_line import one_line

from ..config import Log
from .log_limits import LimitedHandler

REQUEST_ID = web.RequestKey("request_id", str)
PROVIDER_REQUEST_ID = web.RequestKey("provider_request_id", str)  # set if the client receives its own id instead
CLIENT = web.RequestKey("client", str)  # name of the client key of the request
TENANT = web.RequestKey("tenant", str)  # owner of the data that is stored for the request; never logged
LOG_FIELDS: ContextVar[Mapping[str, str]] = ContextVar("log_fields", default=MappingProxyType({}))  # in all JSON lines
REQUEST_ID_HEADER = "x-request-id"  # in requests and responses
SERVER = "citestream"  # the default contains the versions of aiohttp and Python
CLIENT_CLOSED = 499  # status in the log if the client disconnected before the response; the same as in nginx
LOGGERS = ("citestream", "proxy", "providers")
_ID = re.compile(r"[\w.:-]{1,128}", re.ASCII)  # ids that are safe in a log line
PASSAGE_PREFIX = "/passages/"  # pages of cited passages; the rest of the path is a secret
MAX_PATH_CHARACTERS = 200  # characters of a path in the log

access = logging.getLogger("citestream.access")
content = logging.getLogger("citestream.content")


def configure_logging(config: Log) -> None:
    """Log to standard error.

    The configured level applies to this project. SDKs log prompts below WARNING, so their level is always WARNING.
    """
    handler = LimitedHandler(sys.stderr)
    layout = "%(asctime)s %(levelname)s %(name)s: %(message)s"
    plain = LineFormatter(layout) if config.content else RedactingFormatter(layout)
    handler.setFormatter(JsonFormatter(plain) if config.format == "json" else plain)
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    for name in LOGGERS:
        logging.getLogger(name).setLevel(config.level.upper())
    if config.content:
        content.setLevel(logging.INFO)
        content.warning("log.content is on: this log contains the questions, evidence and answers of all clients")


class LineFormatter(logging.Formatter):
    """Formats a message as one line, because it may contain a name that others have chosen, such as that of a file."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's name
        """Return the line without the traceback, which may follow."""
        return one_line(super().formatMessage(record))


class RedactingFormatter(LineFormatter):
    """Formats exceptions without their messages, which can contain questions or answers."""

    def formatException(self, ei: Any) -> str:  # noqa: N802 - logging's name
        """Return the types and tracebacks of an exception and its causes."""
        lines: list[str] = []
        error = ei[1]
        while isinstance(error, BaseException):
            lines[:0] = ["".join(format_tb(error.__traceback__)).rstrip("\n"), type(error).__qualname__]
            error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
        return "\n".join(filter(None, lines))

    def format(self, record: logging.LogRecord) -> str:
        """Return only the first line of messages with an exception, because asyncio appends the exception to them."""
        if record.exc_info:
            record = logging.makeLogRecord(
                {**record.__dict__, "msg": record.getMessage().partition("\n")[0], "args": ()}
            )
        return super().format(record)


class JsonFormatter(logging.Formatter):
    """Formats records as JSON lines in ASCII, so that they contain no control characters."""

    def __init__(self, plain: logging.Formatter) -> None:
        """Use `plain` to format exceptions."""
        super().__init__()
        self._plain = plain

    def format(self, record: logging.LogRecord) -> str:
        """Return the time, level, logger and message, the request id, and all fields of an access log line."""
        fields: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **LOG_FIELDS.get(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info:
            fields["message"] = fields["message"].partition("\n")[0]
            fields["exception"] = self._plain.formatException(record.exc_info)
        return json.dumps(fields, default=str)


def access_log(*, enabled: bool) -> Middleware:
    """Return a middleware that sets the id of each request and, if enabled, logs the request when it ends."""

    @web.middleware
    async def log_request(request: web.Request, handler: Handler) -> web.StreamResponse:
        received = request.headers.get(REQUEST_ID_HEADER, "")
        request[REQUEST_ID] = received if _ID.fullmatch(received) else f"req_{secrets.token_hex(12)}"
        began, status, provider_id = perf_counter(), CLIENT_CLOSED, ""
        token = LOG_FIELDS.set({"request_id": request[REQUEST_ID]})
        try:
            response = await handler(request)
            status, provider_id = response.status, response.headers.get(REQUEST_ID_HEADER, "")
        finally:
            if enabled:
                _write(request, status, (perf_counter() - began) * 1000, request.get(PROVIDER_REQUEST_ID, provider_id))
            LOG_FIELDS.reset(token)
        return response

    return log_request


def _write(request: web.Request, status: int, ms: float, provider_id: str) -> None:
    """Log a request. `provider_id` is the id in the response of the provider."""
    fields = {
        "remote": request.remote,
        "client": request.get(CLIENT) or None,
        "method": request.method,
        "path": _logged_path(request.rel_url.raw_path),
        "status": status,
        "ms": round(ms, 1),
    }
    if differs := provider_id != request[REQUEST_ID] and _ID.fullmatch(provider_id):
        fields["provider_request_id"] = provider_id
    access.info(
        "%s %r %s %s %s %.0fms %s%s",
        request.remote,
        request.get(CLIENT) or "-",
        request.method,
        fields["path"],
        status,
        ms,
        request[REQUEST_ID],
        f" {provider_id}" if differs else "",
        extra={"fields": fields},
    )


def _logged_path(raw: str) -> str:
    """Return a percent-encoded path, which contains no line break. It has no query, which can contain a key.

    The id of a passage is left out, because any person with it can read the passage.
    """
    return f"{PASSAGE_PREFIX}..." if raw.startswith(PASSAGE_PREFIX) else raw[:MAX_PATH_CHARACTERS]


async def set_response_headers(request: web.Request, response: web.StreamResponse) -> None:
    """Add the request id and security headers to a response.

    The id is that of the client if it sent one, otherwise that of the provider, otherwise a generated one.
    """
    response.headers["Server"] = SERVER
    response.headers["X-Content-Type-Options"] = (
        "nosniff"  # responses contain text of clients; a browser must not treat it as HTML
    )
    if REQUEST_ID not in request:
        return
    if request[REQUEST_ID] == request.headers.get(REQUEST_ID_HEADER):  # the client chose the id
        request[PROVIDER_REQUEST_ID] = response.headers.get(REQUEST_ID_HEADER, "")
        response.headers[REQUEST_ID_HEADER] = request[REQUEST_ID]
    response.headers.setdefault(REQUEST_ID_HEADER, request[REQUEST_ID])
