"""A provider of OpenAI's, Ollama's and Gemini's API and of embeddings. The name of the model selects how it fails.

`python -m tests.soak.upstream [PORT]` prints the address. An answer contains the nonce of its request, so that an
answer to the wrong client is detected. A request with two nonces is answered with LEAKED.
"""

import asyncio
import json
import re
import sys
from collections.abc import AsyncIterator, Iterator
from typing import Any

from tests.upstreams.embeddings import Embeddings, words
from tests.upstreams.scripted import WRITERS, Answer
from tests.upstreams.wire import Break, Request, Server, Step, chunk, head, whole

Fields = dict[str, Any]

NONCE = re.compile(r"nonce[0-9a-f]{16}")
LEAKED = "LEAKED"
PIECES = (
    "Station {0} sells 41 tickets",
    " a day [1]. ",
    "The line of {0} was opened in 1932 [2].",
    " The Harlan bridge was opened on 4 May",
    " 1932 [1]. The moon ",
    "is hollow [3].",
)
CUT_AFTER = 4  # events: the first sentences have arrived, the next has begun
PACE = 0.002  # seconds between two events, so that streams overlap
PAGE = b"<html><body><h1>502 Bad Gateway</h1>nginx at http://inside.corp.internal:8000</body></html>"
INVALID_JSON = '{"half":'  # the data of an event that is not valid JSON
HUGE = 100_000  # characters of one event


class Upstream:
    """Sends the answer that the name of the model selects; see `tests.soak.client.ENDS`."""

    def __init__(self) -> None:
        self.server: Server | None = None
        self._embeddings = Embeddings(of=words)

    async def __call__(self, request: Request) -> AsyncIterator[Step]:
        if self.server:
            self.server.requests.clear()  # they would need gigabytes in an hour
        path = request.target.partition("?")[0]
        if "embed" in path.lower():
            self._embeddings.batches.clear()
            async for step in self._embeddings(request):
                yield step
            return
        if path.endswith("/responses"):
            yield whole("404 Not Found", b"{}")
            return
        kind = "ollama" if path.startswith("/api/") else "gemini" if "/models/" in path else "openai"
        body = request.json
        name = path.rpartition("/")[2].partition(":")[0] if kind == "gemini" else body["model"]
        async for step in streamed(kind, name, [*events(kind, nonce_of(request.body), path)]):
            yield step


def nonce_of(body: bytes) -> str:
    """Return the nonce of a request, or LEAKED if there is not exactly one."""
    found = set(NONCE.findall(body.decode()))
    return found.pop() if len(found) == 1 else LEAKED


def events(kind: str, nonce: str, path: str) -> Iterator[bytes]:
    """Return the events of a good answer."""
    answer = Answer(tuple(("text", piece.format(nonce)) for piece in PIECES), (), "stop", (7, 9))
    for event in WRITERS[kind](answer):
        if path == "/api/generate":
            event["response"] = event.pop("message")["content"]
        data = json.dumps(event).encode()
        yield data + b"\n" if kind == "ollama" else b"data: " + data + b"\n\n"
    if kind == "openai":
        yield b"data: [DONE]\n\n"


async def streamed(kind: str, name: str, good: list[bytes]) -> AsyncIterator[Step]:
    """Return the steps of the answer of this model."""
    if name == "busy":
        yield whole(
            "503 Service Unavailable", b'{"error": {"message": "overloaded"}}', "Content-Type: application/json"
        )
        return
    if name == "page":
        yield whole("200 OK", PAGE, "Content-Type: text/html")
        return
    if name == "refused":
        yield Break.RESET
        return
    media = "application/x-ndjson" if kind == "ollama" else "text/event-stream"
    if name == "silent":
        yield Break.STALL
        return
    yield head("200 OK", f"Content-Type: {media}", "Transfer-Encoding: chunked")
    for at, event in enumerate(good):
        if at == CUT_AFTER and name in BREAKS:
            yield chunk(event[: len(event) // 2])
            yield BREAKS[name]
            return
        if at == CUT_AFTER and name == "junk":
            yield chunk(f"{INVALID_JSON}\n".encode() if kind == "ollama" else f"data: {INVALID_JSON}\n\n".encode())
        if name == "huge" and b"Station " in event:
            yield chunk(event.replace(b"Station ", b"Station " + b"and on " * (HUGE // 7), 1))
            continue
        if name == "drip":
            for place in range(0, len(event), 7):
                yield chunk(event[place : place + 7])
                await asyncio.sleep(0)
            continue
        yield chunk(event)
        await asyncio.sleep(PACE)
    yield chunk(b"")


BREAKS = {"cut": Break.CLOSE, "reset": Break.RESET, "stall": Break.STALL}


async def main(port: int = 0) -> None:
    upstream = Upstream()
    async with Server(upstream, port=port) as server:
        upstream.server = server
        print(f"upstream listening on {server.url}", flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(*map(int, sys.argv[1:])))
