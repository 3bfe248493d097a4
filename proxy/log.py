"""What is written to standard error: how, and the access log. Never a key, a question, evidence or an answer."""

import logging
import re
import secrets
import sys
from time import perf_counter
from traceback import format_tb
from typing import Any

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from .config import Log

REQUEST_ID = web.RequestKey("request_id", str)
CLIENT = web.RequestKey("client", str)  # the name of the client key that a request came with
HEADER = "x-request-id"  # tells the client the id
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
    written.setFormatter(logging.Formatter(layout) if config.content else Discreet(layout))
    logging.basicConfig(level=logging.WARNING, handlers=[written])
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


def logged(*, enabled: bool) -> Middleware:
    """Give every request an id and, where enabled, a line at its end: who, what, status, how long."""

    @web.middleware
    async def log(request: web.Request, handler: Handler) -> web.StreamResponse:
        request[REQUEST_ID] = f"req_{secrets.token_hex(12)}"
        began, status, theirs = perf_counter(), LEFT, ""
        try:
            response = await handler(request)
            status, theirs = response.status, _theirs(response.headers.get(HEADER, ""), request[REQUEST_ID])
        finally:
            if enabled:
                # Percent-encoded, so that it cannot break the line; without the query, which may hold a key
                path = request.rel_url.raw_path[:MAX_PATH]
                passed = (perf_counter() - began) * 1000
                who = request.get(CLIENT) or "-"
                access.info(
                    "%s %r %s %s %s %.0fms %s%s",
                    request.remote,
                    who,
                    request.method,
                    path,
                    status,
                    passed,
                    request[REQUEST_ID],
                    theirs,
                )
        return response

    return log


def _theirs(told: str, ours: str) -> str:
    """The provider's own id of a request, where that is what its client was told."""
    return f" {told}" if told != ours and _ID.fullmatch(told) else ""


async def identified(request: web.Request, response: web.StreamResponse) -> None:
    """Tell the client the id of its request; a provider's own id, passed on, stays. Not which versions answer."""
    response.headers["Server"] = SERVER
    response.headers["X-Content-Type-Options"] = "nosniff"  # what a client sent comes back in JSON, never as a page
    if REQUEST_ID in request:
        response.headers.setdefault(HEADER, request[REQUEST_ID])
