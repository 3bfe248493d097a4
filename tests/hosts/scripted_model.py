"""An OpenAI-compatible model with prepared answers, and with embeddings for the search of a host."""

import asyncio
import hashlib
import json
import re
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from tests.upstreams.wire import Break, Request, Step, chunk, head, whole

MODEL = "scripted"
DIMENSIONS = 256  # length of an embedding; words rarely share a dimension
BACKGROUND = "</chat_history>"  # the end of Open WebUI's requests for titles, tags and search queries
JSON = "Content-Type: application/json"
EVENTS = "Content-Type: text/event-stream"

Fields = dict[str, Any]


@dataclass(frozen=True)
class Reply:
    """The answer to a question. `then`: the stream stays open after the text until the client disconnects."""

    text: str
    then: Break | None = None
    tool: str = ""  # the tool to call first, if the request offers it
    arguments: Mapping[str, Any] = field(default_factory=dict)


class ScriptedModel:
    """Answers the question whose words occur in the last user message, and `other` if no question does."""

    def __init__(self, replies: Mapping[str, Reply], other: str = "I do not know.") -> None:
        self.requests: list[Fields] = []  # the bodies of all chat requests
        self._replies = replies
        self._other = Reply(other)
        self._ids = count(1)

    async def __call__(self, request: Request) -> AsyncIterator[Step]:
        if request.target.endswith("/models"):
            listed = [{"id": MODEL, "object": "model", "created": 1, "owned_by": "tests"}]
            yield whole("200 OK", _encoded({"object": "list", "data": listed}), JSON)
        elif request.target.endswith("/embeddings"):
            yield whole("200 OK", _encoded(embeddings(request.json)), JSON)
        else:
            self.requests.append(request.json)
            async for step in self._answer(request.json):
                yield step

    async def _answer(self, body: Fields) -> AsyncIterator[Step]:
        reply = self._reply(body["messages"])
        called = any(message["role"] == "tool" for message in body["messages"])
        offered = {tool["function"]["name"] for tool in body.get("tools", ())}
        calls = [self._call(reply)] if reply.tool in offered and not called else []
        if not body.get("stream"):
            message: Fields = {"role": "assistant", "content": None if calls else reply.text}
            message |= {"tool_calls": calls} if calls else {}
            choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}
            yield whole("200 OK", _encoded({**self._envelope("chat.completion"), "choices": [choice]}), JSON)
            return
        yield head("200 OK", EVENTS, "Transfer-Encoding: chunked")
        deltas = (
            [{"tool_calls": calls}] if calls else [{"content": piece} for piece in re.findall(r"\s*\S+", reply.text)]
        )
        for delta in deltas:
            yield self._event({"delta": delta, "finish_reason": None})
            await asyncio.sleep(0)
        if reply.then and not calls:
            yield reply.then
            return
        yield self._event({"delta": {}, "finish_reason": "tool_calls" if calls else "stop"})
        yield chunk(b"data: [DONE]\n\n")
        yield chunk(b"")

    def _reply(self, messages: list[Fields]) -> Reply:
        question = next(_text(message) for message in reversed(messages) if message["role"] == "user")
        if question.endswith(BACKGROUND):
            return self._other
        return next((reply for words, reply in self._replies.items() if words in question), self._other)

    def _call(self, reply: Reply) -> Fields:
        function = {"name": reply.tool, "arguments": json.dumps(reply.arguments)}
        return {"index": 0, "id": f"call_{next(self._ids)}", "type": "function", "function": function}

    def _event(self, choice: Fields) -> bytes:
        envelope = {**self._envelope("chat.completion.chunk"), "choices": [{"index": 0, **choice}]}
        return chunk(b"data: " + _encoded(envelope) + b"\n\n")

    def _envelope(self, kind: str) -> Fields:
        return {"id": f"chatcmpl-{next(self._ids)}", "object": kind, "created": 1, "model": MODEL}


def embeddings(body: Fields) -> Fields:
    """Return one vector per text that counts its words."""
    texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
    listed = [{"object": "embedding", "index": at, "embedding": _vector(text)} for at, text in enumerate(texts)]
    return {"object": "list", "data": listed, "model": MODEL, "usage": {"prompt_tokens": 1, "total_tokens": 1}}


def _vector(text: str) -> list[float]:
    counts = [0.0] * DIMENSIONS
    for word in re.findall(r"\w{3,}", text.lower()):
        counts[int(hashlib.sha256(word.encode()).hexdigest(), 16) % DIMENSIONS] += 1.0
    length = sum(value * value for value in counts) ** 0.5 or 1.0
    return [value / length for value in counts]


def _text(message: Fields) -> str:
    content = message["content"]
    return content if isinstance(content, str) else " ".join(part.get("text", "") for part in content)


def _encoded(value: Fields) -> bytes:
    return json.dumps(value).encode()
