"""Many paced streams through one server process: the text that each client reads, and the memory of the process.

The evidence, the question and the answer of a stream contain its nonce, so that lost and mixed-up answers are
detected. The provider holds back each answer until all streams are open, so that they are concurrent on any machine.
"""

import asyncio
import json
import re
import secrets
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import Any

import aiohttp

from tests.soak.upstream import NONCE
from tests.upstreams.wire import Request, Step, chunk, head

SENTENCES = 8
PACE = 0.1  # seconds between two tokens
MARKER = re.compile(r" ?\[\d+\]")
FACTS = ("Station {nonce} sells {number} tickets a day. ", "The line of {nonce} was opened in {year}. ")
FILLER = "The town council met again and spoke about the budget of the harbour, the school and the old mill."


@dataclass
class StreamedAnswer:
    """The answer that one client received."""

    nonce: str
    text: str  # without markers
    foreign_nonces: set[str]  # nonces of other clients in the answer
    markers: int
    ended: bool


class BarrierProvider:
    """A provider of Chat Completions that sends only the first sentence until `streams` streams are open."""

    def __init__(self, streams: int) -> None:
        self.max_open = 0  # maximum number of concurrent streams
        self._streams = streams
        self._open = 0
        self._all_open = asyncio.Event()

    async def __call__(self, request: Request) -> AsyncIterator[Step]:
        nonces = set(NONCE.findall(request.body.decode()))
        assert len(nonces) == 1, "a nonce of another client in the request"
        self._open += 1
        self.max_open = max(self.max_open, self._open)
        if self._open == self._streams:
            self._all_open.set()
        yield head("200 OK", "Content-Type: text/event-stream", "Transfer-Encoding: chunked")
        for number, sentence in enumerate(sentences(nonces.pop())):
            for token in re.findall(r"\S+\s*", sentence):
                yield chunk(_event({"content": token}))
                await asyncio.sleep(PACE)
            if not number:
                await self._all_open.wait()
        yield chunk(_event({}, "stop") + b"data: [DONE]\n\n") + chunk(b"")
        self._open -= 1


def sentences(nonce: str) -> Iterator[str]:
    """Yield the sentences for the client with this nonce; all of them are in the evidence."""
    for number in range(SENTENCES):
        yield FACTS[number % 2].format(nonce=nonce, number=number + 41, year=number + 1932)


async def ask(session: aiohttp.ClientSession, url: str, words: int) -> StreamedAnswer:
    """Send one request with additional evidence of `words` words. Return the answer."""
    nonce = f"nonce{secrets.token_hex(8)}"
    evidence = [{"text": sentence, "id": f"{nonce}-{at}"} for at, sentence in enumerate(sentences(nonce))]
    filler = FILLER.split() * (words // len(FILLER.split()) + 1)
    evidence += [{"text": f"{nonce} {' '.join(filler[at : at + 200])}"} for at in range(0, words, 200)]
    body = {"model": "paced/m", "messages": [{"role": "user", "content": "What is there?"}], "stream": True}
    async with session.post(f"{url}/v1/chat/completions", json=body | {"evidence": evidence}) as answer:
        return _parse(nonce, await answer.read())


def _parse(nonce: str, body: bytes) -> StreamedAnswer:
    chunks = [json.loads(line[6:]) for line in body.decode().splitlines() if line.startswith("data: {")]
    choices = [choice for one in chunks for choice in one["choices"]]
    text = "".join(choice["delta"].get("content") or "" for choice in choices)
    return StreamedAnswer(
        nonce,
        MARKER.sub("", text).strip(),
        set(NONCE.findall(body.decode())) - {nonce},
        len(MARKER.findall(text)),
        choices[-1]["finish_reason"] == "stop" and body.endswith(b"data: [DONE]\n\n"),
    )


def _event(delta: dict[str, Any], reason: str | None = None) -> bytes:
    one = {"index": 0, "delta": delta, "finish_reason": reason}
    body = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [one]}
    return b"data: " + json.dumps(body).encode() + b"\n\n"
