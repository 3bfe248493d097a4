"""HTTP to providers: one aiohttp session for the app, reading with time limits, and splitters for streams.

The splitters (server-sent events and NDJSON) are pure: they are fed with bytes, so tests need no socket.
"""

from .accept import Accepted, accept, check_reachable
from .body_reader import MAX_ANSWER_BYTES, TICK, Watch, read_body
from .ndjson import LineSplitter
from .retry import Retries
from .session import (
    LARGE_READ_BYTES,
    Call,
    Timeouts,
    Transport,
    content_type,
    drain,
    model_path,
    path_segment,
    raise_for_status,
    read_all,
    release,
)
from .sse import MAX_EVENT_BYTES, EventSplitter

__all__ = [
    "LARGE_READ_BYTES",
    "MAX_ANSWER_BYTES",
    "MAX_EVENT_BYTES",
    "TICK",
    "Accepted",
    "Call",
    "EventSplitter",
    "LineSplitter",
    "Retries",
    "Timeouts",
    "Transport",
    "Watch",
    "accept",
    "check_reachable",
    "content_type",
    "drain",
    "model_path",
    "path_segment",
    "raise_for_status",
    "read_all",
    "read_body",
    "release",
]
