"""What reading a provider costs: `python -m bench.providers`, CPU per chunk of `stream()` beside plain byte reading.

CPU of this process only (the upstream is another one), best of several runs. "coalesced": the upstream writes the
whole answer at once, so that many chunks come in one read; "paced": a pause after each chunk, so that each is a read of
its own, and waking up the loop dominates.
"""

import asyncio
import multiprocessing
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import aclosing, contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from time import process_time

from providers import provider
from providers.events import ChatRequest, Finish, TextDelta
from providers.transport import Call, Timeouts, Transport
from tests.upstreams.gemini import KEY, Gemini, spaced
from tests.upstreams.ollama import Ollama, line
from tests.upstreams.openai import OpenAI
from tests.upstreams.wire import Request, Server, Step, chunk, head

CHUNKS = {"coalesced": 5_000, "paced": 1_000}
PAUSE_SECONDS = 0.001
RUNS = 3
KINDS = ("openai", "ollama", "gemini")


@dataclass(frozen=True, slots=True)
class Cost:
    """Microseconds of CPU per chunk."""

    kind: str
    reads: str  # a key of CHUNKS
    plain: float  # bytes read and thrown away
    stream: float  # events of Provider.stream


def main() -> None:
    """Print the table."""
    print(f"{'provider':10}{'reads':12}{'plain bytes':>14}{'stream()':>12}   µs CPU per chunk")
    for cost in costs():
        print(f"{cost.kind:10}{cost.reads:12}{cost.plain:14.1f}{cost.stream:12.1f}")


def costs() -> Iterator[Cost]:
    """Every provider over HTTP, with both kinds of reads."""
    for kind in KINDS:
        for reads, chunks in CHUNKS.items():
            with upstream(kind, reads) as url:
                plain, streamed = asyncio.run(_measured(kind, url, chunks))
            yield Cost(kind, reads, plain * 1e6 / chunks, streamed * 1e6 / chunks)


@contextmanager
def upstream(kind: str, reads: str) -> Iterator[str]:
    """The address of a server in a process of its own, so that its CPU is not counted."""
    ours, theirs = multiprocessing.Pipe()
    context = multiprocessing.get_context("spawn")
    process = context.Process(target=_serve, args=(theirs, kind, reads), daemon=True)
    process.start()
    try:
        yield ours.recv()
    finally:
        process.terminate()
        process.join()


def _serve(pipe: Connection, kind: str, reads: str) -> None:
    content_type, events = _answer(kind, CHUNKS[reads])
    body = list(map(chunk, events))
    whole = [b"".join(body)] if reads == "coalesced" else body

    async def answer(_: Request) -> AsyncIterator[Step]:
        yield head("200 OK", f"Content-Type: {content_type}", "Transfer-Encoding: chunked")
        for piece in whole:
            yield piece
            if len(whole) > 1:
                await asyncio.sleep(PAUSE_SECONDS)
        yield chunk(b"")

    async def serve() -> None:
        async with Server(answer) as server:
            pipe.send(server.url)
            await asyncio.Event().wait()

    asyncio.run(serve())


def _answer(kind: str, chunks: int) -> tuple[str, list[bytes]]:
    """The content type and the events of an answer, as the vendor writes them."""
    words = [" water"] * chunks
    match kind:
        case "openai":
            events = OpenAI(words).events({"stream_options": {"include_usage": True}})
            return "text/event-stream", [b"data: " + event + b"\n\n" for event in events]
        case "ollama":
            return "application/x-ndjson", [line(one) for one in Ollama(words).lines()]
        case _:
            return "text/event-stream", [b"data: " + spaced(one) + b"\r\n\r\n" for one in Gemini(words).events()]


async def _measured(kind: str, url: str, chunks: int) -> tuple[float, float]:
    """Seconds of CPU of the best run: plain reading, stream()."""
    asked = provider(kind, base_url=f"{url}/v1" if kind == "openai" else url, api_key=KEY)
    transport = Transport()
    call = Call("POST", url, b"{}")

    async def plain() -> None:
        async with transport.open(call, Timeouts()) as response:
            while await response.content.readany():
                pass

    async def streamed() -> None:
        texts = finishes = 0
        async with aclosing(asked.stream(ChatRequest("m", [{"role": "user", "content": "Hi"}]))) as events:
            async for event in events:
                texts += isinstance(event, TextDelta)
                finishes += isinstance(event, Finish)
        assert (texts, finishes) == (chunks, 1)

    try:
        return await _best(plain), await _best(streamed)
    finally:
        await transport.aclose()
        await asked.aclose()


async def _best(run: Callable[[], Awaitable[None]]) -> float:
    await run()  # connects and imports
    times = []
    for _ in range(RUNS):
        started = process_time()
        await run()
        times.append(process_time() - started)
    return min(times)


if __name__ == "__main__":
    main()
