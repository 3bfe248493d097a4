"""HTTP responses with correct and incorrect framing."""

import gzip
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby, pairwise
from random import Random

from tests.faults.dialects import Dialect
from tests.upstreams.wire import Break, Step, chunk, head

MAX_PIECES = 2000  # per answer; more pieces find no further errors

Piece = bytes | Break


def head_of(dialect: Dialect, *lines: str) -> bytes:
    return head("200 OK", f"Content-Type: {dialect.content_type}", *lines)


def chunked(dialect: Dialect, pieces: Sequence[Piece]) -> list[Step]:
    """Each piece as an HTTP chunk, then the last chunk. Empty pieces are left out: an empty chunk ends the body."""
    framed = [chunk(piece) if isinstance(piece, bytes) else piece for piece in pieces if piece != b""]
    return [head_of(dialect, "Transfer-Encoding: chunked"), *framed, chunk(b"")]


def joined(pieces: Sequence[Piece]) -> bytes:
    return b"".join(piece for piece in pieces if isinstance(piece, bytes))


def in_pieces(pieces: Sequence[Piece], size: int = 1) -> list[Piece]:
    body = joined(pieces)
    return [body[at : at + size] for at in range(0, len(body), size)]


def as_written(pieces: Sequence[Piece]) -> Sequence[Piece]:
    return pieces


def at_random(pieces: Sequence[Piece]) -> list[Piece]:
    """The same bytes, split at random places, which depend only on the bytes."""
    rng = Random(joined(pieces)[:1000])
    return _split(pieces, lambda size: sorted(rng.randrange(size) for _ in range(min(size // 8 + 1, MAX_PIECES))))


def byte_by_byte(pieces: Sequence[Piece]) -> list[Piece]:
    """The same bytes one at a time, or in MAX_PIECES pieces if there are more bytes."""
    return _split(pieces, lambda size: range(0, size, size // MAX_PIECES + 1))


SPLITS: Mapping[str, Callable[[Sequence[Piece]], Sequence[Piece]]] = {
    "as they are written": as_written,
    "cut at random": at_random,
    "one byte at a time": byte_by_byte,
}


def _split(pieces: Sequence[Piece], cuts: Callable[[int], Sequence[int]]) -> list[Piece]:
    found: list[Piece] = []
    for is_bytes, run in groupby(pieces, lambda piece: isinstance(piece, bytes)):
        if not is_bytes:
            found += run
        elif body := joined([*run]):
            edges = [0, *cuts(len(body)), len(body)]
            found += [body[start:end] for start, end in pairwise(edges) if start < end]
    return found


def gzipped(dialect: Dialect, pieces: Sequence[Piece]) -> list[Step]:
    body = gzip.compress(joined(pieces))
    headers = head_of(dialect, "Content-Encoding: gzip", "Transfer-Encoding: chunked")
    return [headers, chunk(body[:40]), chunk(body[40:]), chunk(b"")]


def too_few_bytes(dialect: Dialect, pieces: Sequence[Piece]) -> list[Step]:
    """Fewer bytes than Content-Length states."""
    body = joined(pieces)
    return [head_of(dialect, f"Content-Length: {len(body) + 100}") + body, Break.CLOSE]


def too_many_bytes(dialect: Dialect, pieces: Sequence[Piece]) -> list[Step]:
    """More bytes than Content-Length states."""
    body = joined(pieces)
    return [head_of(dialect, f"Content-Length: {len(body)}") + body + b"HTTP/1.1 200 OK\r\n and more", Break.CLOSE]


def http_1_0(dialect: Dialect, pieces: Sequence[Piece]) -> list[Step]:
    return [f"HTTP/1.0 200 OK\r\nContent-Type: {dialect.content_type}\r\n\r\n".encode() + joined(pieces), Break.CLOSE]
