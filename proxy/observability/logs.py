"""What is written to standard error: how, and the access log. Never a key, a question, evidence or an answer."""

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

from ..config import Log

REQUEST_ID = web.RequestKey("request_id", str)
THEIRS = web.RequestKey("theirs", str)  # the id in a provider's answer, where the client is told its own
CLIENT = web.RequestKey("client", str)  # the name of the client key that a request came with
TENANT = web.RequestKey("tenant", str)  # to whom alone belongs what is kept of a request; never shown
CURRENT: ContextVar[Mapping[str, str]] = ContextVar("current", default=MappingProxyType({}))  # named in all lines
HEADER = "x-request-id"  # tells the client the id, or us the one that the client has given the request already
SERVER = "citestream"  # aiohttp would name its own version and Python's
LEFT = 499  # the status the log shows for a client that went away before it had an answer
OURS = ("citestream", "proxy", "providers")  # loggers
_ID = re.compile(r"[\w.:-]{1,128}", re.ASCII)  # what of a provider may stand in a line of the log
MAX_PATH = 200  # characters of a path that are shown

access = logging.getLogger("citestream.access")
content = logging.getLogger("citestream.content")


def set_up(config: Log) -> None:
    """Write to standard error from the configured level on.

    That is the level of our own code. SDKs log requests, prompts in them, below WARNING: that never comes through.
    """
    written = logging.StreamHandler(sys.stderr)
    layout = "%(asctime)s %(levelname)s %(name)s: %(message)s"
    plain: logging.Formatter = logging.Formatter(layout) if config.content else Discreet(layout)
    written.setFormatter(Structured(plain) if config.format == "json" else plain)
    logging.basicConfig(level=logging.WARNING, handlers=[written])
    # Which line of code, thread and process writes is in no line of the log, and costs a fifth of each
    vars(logging).update(_srcfile=None, logThreads=False, logProcesses=False, logMultiprocessing=False)
    for name in OURS:
        logging.getLogger(name).setLevel(config.level.upper())
    if config.content:
        content.setLevel(logging.INFO)
        content.warning("log.content is on: questions, evidence and answers of everyone are written to this log")


class Discreet(logging.Formatter):
    """Says which exception came from where, and not with which words: those may quote what was asked or answered."""

    def formatException(self, ei: Any) -> str:  # noqa: N802 - logging's name
        """The kinds of the exception and of those behind it, each with its lines of code."""
        told: list[str] = []
        error = ei[1]
        while isinstance(error, BaseException):
            told[:0] = ["".join(format_tb(error.__traceback__)).rstrip("\n"), type(error).__qualname__]
            error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
        return "\n".join(filter(None, told))

    def format(self, record: logging.LogRecord) -> str:
        """asyncio repeats the words of an exception in further lines of its message."""
        if record.exc_info:
            record = logging.makeLogRecord(
                {**record.__dict__, "msg": record.getMessage().partition("\n")[0], "args": ()}
            )
        return super().format(record)


class Structured(logging.Formatter):
    """A line of JSON each, for programs that collect logs; in ASCII, so that nothing in it moves a cursor."""

    def __init__(self, plain: logging.Formatter) -> None:
        """`plain`: how an exception is told."""
        super().__init__()
        self._plain = plain

    def format(self, record: logging.LogRecord) -> str:
        """Time, gravity, who says it, what, and what it is about: of a request its id, of an access all its fields."""
        fields: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **CURRENT.get(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info:
            fields["message"] = fields["message"].partition("\n")[0]
            fields["exception"] = self._plain.formatException(record.exc_info)
        return json.dumps(fields, default=str)


def logged(*, enabled: bool) -> Middleware:
    """Give every request an id and, where enabled, a line at its end: who, what, status, how long."""

    @web.middleware
    async def log(request: web.Request, handler: Handler) -> web.StreamResponse:
        given = request.headers.get(HEADER, "")
        request[REQUEST_ID] = given if _ID.fullmatch(given) else f"req_{secrets.token_hex(12)}"
        began, status, theirs = perf_counter(), LEFT, ""
        told = CURRENT.set({"request_id": request[REQUEST_ID]})
        try:
            response = await handler(request)
            status, theirs = response.status, response.headers.get(HEADER, "")
        finally:
            if enabled:
                _write(request, status, (perf_counter() - began) * 1000, request.get(THEIRS, theirs))
            CURRENT.reset(told)
        return response

    return log


def _write(request: web.Request, status: int, passed: float, theirs: str) -> None:
    """The line of a request. `theirs`: the id that the answer had."""
    fields = {
        "remote": request.remote,
        "client": request.get(CLIENT) or None,
        "method": request.method,
        # Percent-encoded, so that it cannot break the line; without the query, which may hold a key
        "path": request.rel_url.raw_path[:MAX_PATH],
        "status": status,
        "ms": round(passed, 1),
    }
    if named := theirs != request[REQUEST_ID] and _ID.fullmatch(theirs):
        fields["provider_request_id"] = theirs
    access.info(
        "%s %r %s %s %s %.0fms %s%s",
        request.remote,
        request.get(CLIENT) or "-",
        request.method,
        fields["path"],
        status,
        passed,
        request[REQUEST_ID],
        f" {theirs}" if named else "",
        extra={"fields": fields},
    )


async def identified(request: web.Request, response: web.StreamResponse) -> None:
    """Tell the client the id of its request: the one it gave; else the provider's, passed on; else ours.

    Not which versions answer.
    """
    response.headers["Server"] = SERVER
    response.headers["X-Content-Type-Options"] = "nosniff"  # what a client sent comes back in JSON, never as a page
    if REQUEST_ID not in request:
        return
    if request[REQUEST_ID] == request.headers.get(HEADER):  # who named the request knows it by that name
        request[THEIRS] = response.headers.get(HEADER, "")
        response.headers[HEADER] = request[REQUEST_ID]
    response.headers.setdefault(HEADER, request[REQUEST_ID])
