"""Many paced streams through one server process: the text that each client reads, and the memory of the process.

Every answer carries the nonce of who asked, in its evidence, its question and its text, so that one that is lost or
gets into another's is received. Nobody's answer goes on before all are under way, however slow the machine.
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
PACE = 0.1  # seconds between two tokens: ten a second, as a busy provider writes
MARKER = re.compile(r" ?\[\d+\]")
FACTS = ("Station {nonce} sells {number} tickets a day. ", "The line of {nonce} was opened in {year}. ")
FILLER = "The town council met again and spoke about the budget of the harbour, the school and the old mill."


@dataclass
class Told:
    """The text that one client read."""

    nonce: str
    text: str  # without our markers
    strangers: set[str]  # nonces of others in it
    cited: int  # sentences with a marker
    ended: bool


class Together:
    """A provider of Chat Completions that says each sentence but the first once so many streams are open."""

    def __init__(self, streams: int) -> None:
        self.most = 0  # maximum of simultaneously open streams
        self._streams = streams
        self._open = 0
        self._all = asyncio.Event()

    async def __call__(self, request: Request) -> AsyncIterator[Step]:
        found = set(NONCE.findall(request.body.decode()))
        assert len(found) == 1, "another client's words in a request"
        self._open += 1
        self.most = max(self.most, self._open)
        if self._open == self._streams:
            self._all.set()
        yield head("200 OK", "Content-Type: text/event-stream", "Transfer-Encoding: chunked")
        for number, sentence in enumerate(sentences(found.pop())):
            for token in re.findall(r"\S+\s*", sentence):
                yield chunk(_event({"content": token}))
                await asyncio.sleep(PACE)
            if not number:
                await self._all.wait()
        yield chunk(_event({}, "stop") + b"data: [DONE]\n\n") + chunk(b"")
        self._open -= 1


def sentences(nonce: str) -> Iterator[str]:
    """Yield the sentences for the client with this nonce; all of them are in the evidence."""
    for number in range(SENTENCES):
        yield FACTS[number % 2].format(nonce=nonce, number=number + 41, year=number + 1932)


async def ask(session: aiohttp.ClientSession, url: str, words: int) -> Told:
    """Ask for one such answer, with so many further words of evidence, and read it."""
    nonce = f"nonce{secrets.token_hex(8)}"
    evidence = [{"text": sentence, "id": f"{nonce}-{at}"} for at, sentence in enumerate(sentences(nonce))]
    filler = FILLER.split() * (words // len(FILLER.split()) + 1)
    evidence += [{"text": f"{nonce} {' '.join(filler[at : at + 200])}"} for at in range(0, words, 200)]
    body = {"model": "paced/m", "messages": [{"role": "user", "content": "What is there?"}], "stream": True}
    async with session.post(f"{url}/v1/chat/completions", json=body | {"evidence": evidence}) as answer:
        return _told(nonce, await answer.read())


def _told(nonce: str, body: bytes) -> Told:
    chunks = [json.loads(line[6:]) for line in body.decode().splitlines() if line.startswith("data: {")]
    choices = [choice for one in chunks for choice in one["choices"]]
    text = "".join(choice["delta"].get("content") or "" for choice in choices)
    return Told(
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
