"""Faults of a provider: the bytes that it writes, the text that must arrive nevertheless, and the end.

All that a server writes is here byte for byte. The expected result follows from the contract and not from the code:
all text that arrived, its references, an error where the answer is not whole, an end only where one was sent.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from tests.faults.dialects import DIALECTS, Dialect
from tests.faults.framing import Piece, chunked, head_of, in_pieces, joined, old_http, overlong, overstated, packed
from tests.upstreams.wire import Break, Step, head, whole

CITED = "The bridge was opened in 1932."  # the evidence says so
PARTS = ("The bridge was ", "opened in 1932.", " It car", "ries eight tracks.")
HALF, WHOLE = "".join(PARTS[:3]), "".join(PARTS)
SECOND = ("The bridge ", "was opened in 1932. Yes.")  # a second answer to the same question
MB = 1_000_000
EVENT_BYTES = 2 * MB  # the limit that the proxy is given
RETRY_AFTER = "Retry-After: 7"

Body = Callable[[Dialect], Sequence[Piece]]
Http = Callable[[Dialect, Sequence[Piece]], Sequence[Step]]


@dataclass(frozen=True)
class Scenario:
    """One fault. Without `status` the answer begins, and `error` says whether its end is one."""

    body: Body = lambda _: ()
    text: str = WHOLE
    error: bool = False
    reason: str = "stop"
    status: int = 0  # the error status if no part of an answer was received
    http: Http | None = None  # how it is framed; in chunks where nothing is said
    kinds: Sequence[str] = tuple(DIALECTS)
    impatient: bool = False  # to be asked by a proxy that waits a moment only
    lossy: bool = False  # the kernel may drop what was sent before
    choices: int = 1
    refused: bool = False  # nobody listens
    begun: bool = False  # its headers say that all is well
    changed: bool = False  # bytes that pass through are not these bytes: they come packed, or are cut at a limit
    waits: bool = False  # with `Retry-After: 7`
    torn: bool = False  # its last event may be half, and is dropped where bytes pass through
    drips: float = 0.0  # seconds between two pieces


def half(dialect: Dialect) -> list[Piece]:
    """The first sentence and a half."""
    return [dialect.text(part) for part in PARTS[:3]]


def full(dialect: Dialect) -> list[Piece]:
    """A whole answer."""
    return [*(dialect.text(part) for part in PARTS), dialect.finish(), *([dialect.done] if dialect.done else [])]


def steps(*written: Step) -> Http:
    """These, whatever the body."""
    return lambda _dialect, _pieces: written


def half_and(*more: Piece) -> Body:
    return lambda dialect: [*half(dialect), *more]


def reporting(who: str) -> Body:
    """An error in the stream, in the format of `who`."""
    return lambda dialect: [*half(dialect), dialect.errors[who]]


def answered(status: str, body: bytes, *lines: str) -> Scenario:
    code = int(status[:3])
    told = code if 400 <= code < 500 or code == 503 else 502
    kind = () if any(line.startswith("Content-Type") for line in lines) else ("Content-Type: application/json",)
    return Scenario(status=told, http=steps(whole(status, body, *kind, *lines)), waits=RETRY_AFTER in lines)


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


def spelled(dialect: Dialect) -> list[Piece]:
    """Half characters: a pair that two events share, and one that stays alone."""
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
    "silence before the headers": Scenario(status=504, http=steps(Break.STALL), impatient=True),
    "a redirect": answered("302 Found", b"", "Location: http://127.0.0.1:1/steal"),
    "a permanent redirect": answered("308 Permanent Redirect", b"", "Location: http://127.0.0.1:1/steal"),
    "HTML instead of a stream": Scenario(
        status=502,
        http=steps(whole("200 OK", b"<html>Welcome to nginx on host-7.internal</html>", "Content-Type: text/html")),
    ),
    "400": answered("400 Bad Request", b'{"error":{"message":"Too long"}}'),
    "401 that quotes a key": answered("401 Unauthorized", b'{"error":{"message":"Key sk-secret0123456789 is wrong"}}'),
    "404": answered("404 Not Found", b'{"error":"model not found"}'),
    "429 with Retry-After": answered("429 Too Many Requests", b'{"error":{"message":"Slow down"}}', RETRY_AFTER),
    "500": answered("500 Internal Server Error", b"Traceback at /srv/app.py", "Content-Type: text/plain"),
    "502 in HTML": answered("502 Bad Gateway", b"<html>host-7.internal</html>", "Content-Type: text/html"),
    "503 with Retry-After": answered("503 Service Unavailable", b'{"error":{"message":"Busy"}}', RETRY_AFTER),
    "more bytes than Content-Length": Scenario(status=502, body=full, http=overlong),
    "an error with a truncated body": Scenario(
        status=503, http=steps(head("503 Service Unavailable", "Content-Length: 100") + b'{"err', Break.CLOSE)
    ),
    "an empty body": Scenario(status=502, http=lambda d, _: [head_of(d, "Content-Length: 0")], begun=True),
    "silence after the headers": Scenario(begun=True, status=504, body=lambda _: [Break.STALL], impatient=True),
    "endless comments": Scenario(
        begun=True, status=504, kinds=SSE, impatient=True, drips=0.02, body=lambda _: [b": processing\n\n"] * 500
    ),
    "close after the headers": Scenario(begun=True, status=502, body=lambda _: [Break.CLOSE]),
    "reset after the headers": Scenario(begun=True, status=502, body=lambda _: [Break.RESET]),
    "an error as the first event": Scenario(begun=True, status=502, body=lambda d: [next(iter(d.errors.values()))]),
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
    "silence in the answer": Scenario(half_and(Break.STALL), HALF, error=True, impatient=True),
    "silence in an event": Scenario(
        lambda d: [*half(d), d.text("x")[:30], Break.STALL], HALF, error=True, impatient=True
    ),
    "[DONE] without a finish reason": Scenario(
        lambda d: [*half(d), d.done], HALF, error=True, changed=True, kinds=("openai",)
    ),
    "an endless line": Scenario(lambda d: [*half(d), b"data: ", *[b"x" * MB] * 3], HALF, error=True, changed=True),
    "fewer bytes than Content-Length": Scenario(half, HALF, error=True, http=overstated),
    "broken framing": Scenario(
        half, HALF, error=True, http=lambda d, pieces: [*chunked(d, pieces)[:-1], b"no size\r\n", Break.CLOSE]
    ),
    **{
        f"an error in the stream: {who}": Scenario(reporting(who), HALF, error=True, kinds=(kind,))
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
    "a slow stream": Scenario(lambda d: in_pieces(full(d), 16), drips=0.002),
    "one byte at a time": Scenario(lambda d: in_pieces(full(d))),
    "the whole stream in one write": Scenario(lambda d: [joined(full(d))]),
    "unrequested gzip": Scenario(full, http=packed),
    "HTTP/1.0": Scenario(full, http=old_http),
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
        spelled, "The bridge was opened in 1932. 😀 \ufffd.", kinds=("openai",)
    ),
    # Servers in Go and of Google's cannot send such at all
    "unpaired surrogates": Scenario(
        spelled, "The bridge was opened in 1932. \ufffd\ufffd \ufffd.", kinds=("ollama", "gemini", "anthropic")
    ),
    "an event of 1.5 MB": Scenario(padded),
    "an event that is not JSON": Scenario(
        lambda d: [*half(d), (b"data: " if d.kind in SSE else b"") + b"{oops}" + d.blank, *full(d)[3:]]
    ),
    "an event that is not an object": Scenario(
        lambda d: [*half(d), (b"data: " if d.kind in SSE else b"") + b"[1,2]" + d.blank, *full(d)[3:]]
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
        lambda d: [*(d.text(p) for p in PARTS), d.finish(), Break.STALL], impatient=True
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
    """Bytes of a whole answer."""
    return len(joined(full(DIALECTS[kind])))


def closed_at(kind: str, at: int) -> Scenario:
    """An answer up to this byte, and then a close. Only complete events count."""
    pieces = [piece for piece in full(DIALECTS[kind]) if isinstance(piece, bytes)]
    come = accumulate(len(piece) for piece in pieces)
    events = sum(end - len(piece) + len(piece.rstrip()) <= at for end, piece in zip(come, pieces, strict=True))
    finished = events > len(PARTS)
    return Scenario(
        lambda _: [b"".join(pieces)[:at], Break.CLOSE],
        "".join(PARTS[:events]),
        error=not finished,
        status=0 if events else 502,
        begun=True,
        torn=True,
    )
