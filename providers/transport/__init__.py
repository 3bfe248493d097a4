"""HTTP towards providers: one aiohttp session for the whole app, how its streams are read, and how they are split.

`Transport` sends, `reads` waits, `EventSplitter` (server-sent events) and `LineSplitter` (NDJSON) cut: both pure, fed
with bytes, so that every rule of the formats is tested without a socket.
"""

from .accept import Accepted, accept
from .body_reader import MAX_ANSWER_BYTES, TICK, Watch, reads
from .ndjson import LineSplitter
from .retry import Retries
from .session import Call, Timeouts, Transport, body, drain, kind_of, leave, refuse
from .sse import MAX_EVENT_BYTES, EventSplitter

__all__ = [
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
    "body",
    "drain",
    "kind_of",
    "leave",
    "reads",
    "refuse",
]
