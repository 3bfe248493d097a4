"""Measure the CPU time per chunk of `provider.stream()`, compared with reading the bytes only.

python -m bench.providers                  # µs per chunk, best of 5; the upstream is a separate process
python -m bench.providers --chunks 20000

Two sizes of network reads: many chunks per read (a fast model or a busy proxy), and one chunk per read (an idle one).
The baseline is reading the same bytes in the same run. Takes a minute.
"""

import argparse
import asyncio
import json
import subprocess  # nosec B404 # runs a server during the measurement
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from functools import partial
from typing import Any

import aiohttp

from citestream.providers import provider
from citestream.providers.events import ChatRequest, TextDelta

ROUNDS = 5  # the best round counts, because other processes can run on the machine
KINDS = ("openai", "ollama", "gemini")
SPARSE = 1500  # chunks if each of them is a separate read, which is slow


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--chunks", type=int, default=5000)
    options.add_argument("--serve", action="store_true", help="run the upstream")
    chosen = options.parse_args()
    if chosen.serve:
        asyncio.run(serve())
        return
    with subprocess.Popen(  # nosec B603 # module of this project
        [sys.executable, "-m", "bench.providers", "--serve"], stdout=subprocess.PIPE, text=True
    ) as server:
        try:
            assert server.stdout
            url = server.stdout.readline().strip()
            print(json.dumps(asyncio.run(measured(url, chosen.chunks)), indent=1))
        finally:
            server.terminate()


async def measured(url: str, chunks: int) -> dict[str, Any]:
    """Return the CPU time per chunk in µs, for each provider and each size of network reads."""
    found: dict[str, Any] = {"python": sys.version.split()[0]}
    for way, count in (("many", chunks), ("one", SPARSE)):
        for kind in KINDS:
            base = f"{url}/{way}/{count}"
            asked = provider(kind, base_url=base, api_key="AIza-none")
            found[f"{kind}, {way} a read"] = {
                "bytes": await best(partial(plain, f"{base}/{kind}"), count),
                "events": await best(partial(events, asked, count), count),
            }
            await asked.aclose()
    return found


async def best(run: Callable[[], Awaitable[None]], count: int) -> float:
    times = []
    for _ in range(ROUNDS):
        started = time.process_time()
        await run()
        times.append((time.process_time() - started) / count * 1e6)
    return round(min(times), 1)


async def plain(url: str) -> None:
    """Read the bytes and discard them."""
    async with aiohttp.ClientSession() as session, session.post(url, data=b"{}") as response:
        async for _ in response.content.iter_any():
            pass


async def events(asked: Any, count: int) -> None:
    """Read the events."""
    text = ""
    async with aclosing(asked.stream(ChatRequest("m", [{"role": "user", "content": "x"}]))) as stream:
        async for event in stream:
            if isinstance(event, TextDelta):
                text += event.text
    assert text == " token" * count, text


async def serve() -> None:
    """Run the upstream: `/many/5000/...` writes 64 chunks at a time, `/one/1500/...` writes each chunk separately."""
    server = await asyncio.start_server(answered, "127.0.0.1", 0)
    print("http://{}:{}".format(*server.sockets[0].getsockname()), flush=True)
    await server.serve_forever()


async def answered(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while head := await reader.readuntil(b"\r\n\r\n"):
            first, _, rest = head.decode().partition("\r\n")
            length = next(
                (line.split(":")[1] for line in rest.split("\r\n") if line.lower().startswith("content-length")), "0"
            )
            await reader.readexactly(int(length))
            _, way, count, *path = first.split()[1].split("/")
            kind = (
                "ollama"
                if "api" in path or "ollama" in path
                else "gemini"
                if "Generate" in first or "gemini" in path
                else "openai"
            )
            await stream(writer, kind, int(count), 64 if way == "many" else 1)
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


async def stream(writer: asyncio.StreamWriter, kind: str, count: int, at_once: int) -> None:
    content_type = "application/x-ndjson" if kind == "ollama" else "text/event-stream"
    writer.write(f"HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\nTransfer-Encoding: chunked\r\n\r\n".encode())
    frames = [framed(chunk) for chunk in chunks(kind, count)]
    for at in range(0, len(frames), at_once):
        writer.write(b"".join(frames[at : at + at_once]))
        await writer.drain()
        if at_once == 1:
            await asyncio.sleep(0.0002)
    writer.write(b"0\r\n\r\n")
    await writer.drain()


def framed(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


def chunks(kind: str, count: int) -> list[bytes]:
    """Return chunks in the format of real servers: 330 bytes for OpenAI, 150 for Ollama, 300 for Gemini."""
    made: dict[str, Any]
    match kind:
        case "ollama":
            made = {"model": "llama3.2", "created_at": "2026-11-20T10:00:00.123456789Z", "done": False}
            line = json.dumps({**made, "message": {"role": "assistant", "content": " token"}}).encode() + b"\n"
            ending = json.dumps(
                {**made, "message": {"role": "assistant", "content": ""}, "done": True, "done_reason": "stop"}
            )
            return [line] * count + [ending.encode() + b"\n"]
        case "gemini":
            usage = {"promptTokenCount": 4, "candidatesTokenCount": 9, "totalTokenCount": 13}
            candidate = {"content": {"parts": [{"text": " token"}], "role": "model"}, "index": 0}
            made = {
                "candidates": [candidate],
                "usageMetadata": usage,
                "modelVersion": "gemini-2.5-flash",
                "responseId": "r" * 22,
            }
            last: dict[str, Any] = {**made, "candidates": [{"finishReason": "STOP", "index": 0}]}
            return [b"data: %s\r\n\r\n" % json.dumps(one).encode() for one in [made] * count + [last]]
        case _:
            made = {
                "id": "chatcmpl-" + "x" * 29,
                "object": "chat.completion.chunk",
                "created": 1763632800,
                "model": "gpt-4.1-2025-04-14",
            }
            made |= {"service_tier": "default", "system_fingerprint": "fp_b3f1", "usage": None, "obfuscation": "aB3xYz"}
            text = {"index": 0, "delta": {"content": " token"}, "logprobs": None, "finish_reason": None}
            last = {"index": 0, "delta": {}, "logprobs": None, "finish_reason": "stop"}
            data = [
                b"data: %s\n\n" % json.dumps({**made, "choices": [one]}).encode() for one in [text] * count + [last]
            ]
            return [*data, b"data: [DONE]\n\n"]


if __name__ == "__main__":
    main()
