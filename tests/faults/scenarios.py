"""Faults of a provider: the bytes that it writes, and the text and the end that the client must receive.

Each byte that a server writes is given here. The expected results follow from the contract, not from the code:
all text that arrived, its references, an error if the answer is incomplete, and an end only if the provider sent one.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from tests.faults.dialects import DIALECTS, Dialect
from tests.faults.framing import (
    Piece,
    chunked,
    gzipped,
    head_of,
    http_1_0,
    in_pieces,
    joined,
    too_few_bytes,
    too_many_bytes,
)
from tests.upstreams.wire import Break, Step, head, whole

CITED = "The bridge was opened in 1932."  # the evidence says so
PARTS = ("The bridge was ", "opened in 1932.", " It car", "ries eight tracks.")
HALF, WHOLE = "".join(PARTS[:3]), "".join(PARTS)
SECOND = ("The bridge ", "was opened in 1932. Yes.")  # the second choice
MB = 1_000_000
EVENT_BYTES = 2 * MB  # the configured limit of the proxy
RETRY_AFTER = "Retry-After: 7"

Body = Callable[[Dialect], Sequence[Piece]]
Http = Callable[[Dialect, Sequence[Piece]], Sequence[Step]]


@dataclass(frozen=True)
class Scenario:
    """One fault. Without `status`, the answer begins, and `error` states whether it ends with an error."""

    body: Body = lambda _: ()
    text: str = WHOLE
    error: bool = False
    reason: str = "stop"
    status: int = 0  # the error status if no part of an answer was received
    http: Http | None = None  # the HTTP framing; by default chunked
    kinds: Sequence[str] = tuple(DIALECTS)
    short_timeouts: bool = False  # requested from the provider with short timeouts
    lossy: bool = False  # the kernel may drop bytes that were sent before
    choices: int = 1
    refused: bool = False  # no server listens at the address
    headers_sent: bool = False  # the provider sends headers with status 200
    changed: bool = False  # the passed-through bytes differ from `body`, because they are cut at a limit or at [DONE]
    retry_after: bool = False  # with `Retry-After: 7`
    partial_event: bool = False  # the last event may be incomplete, and is dropped when bytes pass through
    pause: float = 0.0  # seconds between two pieces


def half(dialect: Dialect) -> list[Piece]:
    """The first sentence and the beginning of the second."""
    return [dialect.text(part) for part in PARTS[:3]]


def full(dialect: Dialect) -> list[Piece]:
    """A complete answer."""
    return [*(dialect.text(part) for part in PARTS), dialect.finish(), *([dialect.done] if dialect.done else [])]


def steps(*written: Step) -> Http:
    """These steps for any body."""
    return lambda _dialect, _pieces: written


def half_and(*more: Piece) -> Body:
    return lambda dialect: [*half(dialect), *more]


def error_event(who: str) -> Body:
    """An error in the stream, in the format of `who`."""
    return lambda dialect: [*half(dialect), dialect.errors[who]]


def error_response(status: str, body: bytes, *lines: str) -> Scenario:
    code = int(status[:3])
    expected = code if 400 <= code < 500 or code == 503 else 502
    kind = () if any(line.startswith("Content-Type") for line in lines) else ("Content-Type: application/json",)
    return Scenario(status=expected, http=steps(whole(status, body, *kind, *lines)), retry_after=RETRY_AFTER in lines)


def line_ends(end: bytes) -> Body:
    return lambda dialect: [joined([piece]).replace(b"\r\n", b"\n").replace(b"\n", end) for piece in full(dialect)]


def padded(dialect: Dialect) -> list[Piece]:
    first, *rest = PARTS
    return [
        dialect.text(first, padding="x" * (3 * MB // 2)),
        *(dialect.text(part) for part in rest),
        dialect.finish(),
        dialect.done,
    ]


def surrogates(dialect: Dialect) -> list[Piece]:
    """A surrogate pair that is split between two events, and an unpaired surrogate."""
    texts = [part.encode() for part in ("The bridge was opened in 1932. \\ud83d", "\\ude00 \\udc00.")]
    written = [dialect.text("TEXT").replace(b"TEXT", text) for text in texts]
    return [*written, dialect.finish(), dialect.done]


def interleaved(dialect: Dialect) -> list[Piece]:
    first = [dialect.text(part) for part in PARTS]
    second = [dialect.text(part, choice=1) for part in SECOND]
    mixed = [first[0], second[0], first[1], first[2], second[1], first[3]]
    return [*mixed, dialect.finish(choice=1), dialect.finish(), dialect.done]


SSE = ("openai", "gemini", "anthropic")

BEFORE: dict[str, Scenario] = {
    "connection refused": Scenario(status=502, refused=True),
    "reset before the headers": Scenario(status=502, http=steps(Break.RESET)),
    "close before the headers": Scenario(status=502, http=steps(Break.CLOSE)),
    "a truncated header": Scenario(status=502, http=steps(b"HTTP/1.1 200 OK\r\nContent-Ty", Break.CLOSE)),
    "reset in the headers": Scenario(status=502, http=steps(b"HTTP/1.1 200 OK\r\nContent-Ty", Break.RESET)),
    "not HTTP": Scenario(status=502, http=steps(b"SSH-2.0-OpenSSH_9.2\r\n\r\n", Break.CLOSE)),
    "silence before the headers": Scenario(status=504, http=steps(Break.STALL), short_timeouts=True),
    "a redirect": error_response("302 Found", b"", "Location: http://127.0.0.1:1/steal"),
    "a permanent redirect": error_response("308 Permanent Redirect", b"", "Location: http://127.0.0.1:1/steal"),
    "HTML instead of a stream": Scenario(
        status=502,
        http=steps(whole("200 OK", b"<html>Welcome to nginx on host-7.internal</html>", "Content-Type: text/html")),
    ),
    "400": error_response("400 Bad Request", b'{"error":{"message":"Too long"}}'),
    "401 that quotes a key": error_response(
        "401 Unauthorized", b'{"error":{"message":"Key sk-secret0123456789 is wrong"}}'
    ),
    "404": error_response("404 Not Found", b'{"error":"model not found"}'),
    "429 with Retry-After": error_response("429 Too Many Requests", b'{"error":{"message":"Slow down"}}', RETRY_AFTER),
    "500": error_response("500 Internal Server Error", b"Traceback at /srv/app.py", "Content-Type: text/plain"),
    "502 in HTML": error_response("502 Bad Gateway", b"<html>host-7.internal</html>", "Content-Type: text/html"),
    "503 with Retry-After": error_response("503 Service Unavailable", b'{"error":{"message":"Busy"}}', RETRY_AFTER),
    "more bytes than Content-Length": Scenario(status=502, body=full, http=too_many_bytes),
    "an error with a truncated body": Scenario(
        status=503, http=steps(head("503 Service Unavailable", "Content-Length: 100") + b'{"err', Break.CLOSE)
    ),
    "an empty body": Scenario(status=502, http=lambda d, _: [head_of(d, "Content-Length: 0")], headers_sent=True),
    "silence after the headers": Scenario(
        headers_sent=True, status=504, body=lambda _: [Break.STALL], short_timeouts=True
    ),
    "endless comments": Scenario(
        headers_sent=True,
        status=504,
        kinds=SSE,
        short_timeouts=True,
        pause=0.02,
        body=lambda _: [b": processing\n\n"] * 500,
    ),
    "close after the headers": Scenario(headers_sent=True, status=502, body=lambda _: [Break.CLOSE]),
    "reset after the headers": Scenario(headers_sent=True, status=502, body=lambda _: [Break.RESET]),
    "an error as the first event": Scenario(
        headers_sent=True, status=502, body=lambda d: [next(iter(d.errors.values()))]
    ),
}

WITHIN: dict[str, Scenario] = {
    "close in the answer": Scenario(half_and(Break.CLOSE), HALF, error=True),
    "reset in the answer": Scenario(half_and(Break.RESET), HALF, error=True, lossy=True),
    "end without a finish reason": Scenario(half_and(), HALF, error=True),
    "half an event, then the end": Scenario(lambda d: [*half(d), d.text("x")[:30]], HALF, error=True),
    "half an event, then a close": Scenario(lambda d: [*half(d), d.text("x")[:30], Break.CLOSE], HALF, error=True),
    "an event without its blank line, then the end": Scenario(
        lambda d: [*half(d)[:2], joined(half(d)[2:]).rstrip()], HALF, error=True
    ),
    "silence in the answer": Scenario(half_and(Break.STALL), HALF, error=True, short_timeouts=True),
    "silence in an event": Scenario(
        lambda d: [*half(d), d.text("x")[:30], Break.STALL], HALF, error=True, short_timeouts=True
    ),
    "[DONE] without a finish reason": Scenario(
        lambda d: [*half(d), d.done], HALF, error=True, changed=True, kinds=("openai",)
    ),
    "an endless line": Scenario(lambda d: [*half(d), b"data: ", *[b"x" * MB] * 3], HALF, error=True, changed=True),
    "fewer bytes than Content-Length": Scenario(half, HALF, error=True, http=too_few_bytes),
    "broken framing": Scenario(
        half, HALF, error=True, http=lambda d, pieces: [*chunked(d, pieces)[:-1], b"no size\r\n", Break.CLOSE]
    ),
    **{
        f"an error in the stream: {who}": Scenario(error_event(who), HALF, error=True, kinds=(kind,))
        for kind, dialect in DIALECTS.items()
        for who in dialect.errors
    },
    "an error next to text": Scenario(
        lambda d: [*half(d)[:2], d.text(PARTS[2], error={"message": "gone", "code": 502})],
        HALF,
        error=True,
        kinds=("openai",),
    ),
}

HARMLESS: dict[str, Scenario] = {
    "no fault": Scenario(full),
    "a slow stream": Scenario(lambda d: in_pieces(full(d), 16), pause=0.002),
    "one byte at a time": Scenario(lambda d: in_pieces(full(d))),
    "the whole stream in one write": Scenario(lambda d: [joined(full(d))]),
    "unrequested gzip": Scenario(full, http=gzipped),
    "HTTP/1.0": Scenario(full, http=http_1_0),
    "a byte order mark": Scenario(lambda d: [b"\xef\xbb", b"\xbf", *full(d)]),
    "CRLF": Scenario(line_ends(b"\r\n")),
    "CR alone": Scenario(line_ends(b"\r"), kinds=SSE),
    "LF alone": Scenario(line_ends(b"\n")),
    "comments, names, ids, empty events": Scenario(
        lambda d: [b": hello\n\nevent: ping\n\nretry: 5\nid: 7\n\ndata\n\n", *full(d)], kinds=SSE
    ),
    "empty lines": Scenario(lambda d: [b"\n\r\n", *[joined([piece]) + b"\n" for piece in full(d)]], kinds=("ollama",)),
    "split UTF-8 characters": Scenario(
        lambda d: in_pieces([d.text("The bridge was opened in 1932. 水 °"), d.text("🙂."), d.finish(), d.done]),
        "The bridge was opened in 1932. 水 °🙂.",
    ),
    "surrogate pairs split between events": Scenario(
        surrogates, "The bridge was opened in 1932. 😀 \ufffd.", kinds=("openai",)
    ),
    # Servers written in Go and Google's servers cannot send unpaired surrogates.
    "unpaired surrogates": Scenario(
        surrogates, "The bridge was opened in 1932. \ufffd\ufffd \ufffd.", kinds=("ollama", "gemini", "anthropic")
    ),
    "an event of 1.5 MB": Scenario(padded),
    "an event that is not JSON": Scenario(
        lambda d: [*half(d), (b"data: " if d.kind in SSE else b"") + b"{oops}" + d.separator, *full(d)[3:]]
    ),
    "an event that is not an object": Scenario(
        lambda d: [*half(d), (b"data: " if d.kind in SSE else b"") + b"[1,2]" + d.separator, *full(d)[3:]]
    ),
    "two finish reasons": Scenario(
        lambda d: [*(d.text(part) for part in PARTS), d.finish("stop"), d.finish("stop"), d.done]
    ),
    "text after the finish reason": Scenario(lambda d: [*half(d), d.finish(), d.text(PARTS[3]), d.done], kinds=SSE),
    "an answer cut by the length limit": Scenario(
        lambda d: [*half(d), d.finish("length" if d.kind != "gemini" else "max_tokens"), d.done], HALF, reason="length"
    ),
    "no [DONE]": Scenario(lambda d: full(d)[:-1], kinds=("openai",)),
    "[DONE] without its blank line": Scenario(lambda d: [*full(d)[:-1], b"data: [DONE]"], kinds=("openai",)),
    "more after [DONE]": Scenario(lambda d: [*full(d), d.text("x")], kinds=("openai",)),
    "a finish reason without its blank line": Scenario(
        lambda d: [*(d.text(part) for part in PARTS), d.finish().rstrip()]
    ),
    "close after the finish reason": Scenario(lambda d: [*(d.text(p) for p in PARTS), d.finish(), Break.CLOSE]),
    "silence after the finish reason": Scenario(
        lambda d: [*(d.text(p) for p in PARTS), d.finish(), Break.STALL], short_timeouts=True
    ),
    "two interleaved choices": Scenario(interleaved, kinds=("openai", "gemini"), choices=2),
}

GROUPS: Mapping[str, Mapping[str, Scenario]] = {
    "before an answer": BEFORE,
    "in an answer": WITHIN,
    "harmless": HARMLESS,
}
SCENARIOS: Mapping[str, Scenario] = {**BEFORE, **WITHIN, **HARMLESS}


def length(kind: str) -> int:
    """The number of bytes of a complete answer."""
    return len(joined(full(DIALECTS[kind])))


def closed_at(kind: str, at: int) -> Scenario:
    """An answer up to this byte, then a close. The client receives the text of the complete events."""
    pieces = [piece for piece in full(DIALECTS[kind]) if isinstance(piece, bytes)]
    ends = accumulate(len(piece) for piece in pieces)
    events = sum(end - len(piece) + len(piece.rstrip()) <= at for end, piece in zip(ends, pieces, strict=True))
    finished = events > len(PARTS)
    return Scenario(
        lambda _: [b"".join(pieces)[:at], Break.CLOSE],
        "".join(PARTS[:events]),
        error=not finished,
        status=0 if events else 502,
        headers_sent=True,
        partial_event=True,
    )
