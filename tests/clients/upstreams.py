"""The scripted providers of the client tests, of which two do not finish their streams."""

import asyncio
import json
import re
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from itertools import count, pairwise
from typing import Any

from tests.upstreams import anthropic, gemini, ollama, openai
from tests.upstreams.wire import Answer, Break, Request, Server, Step, chunk, head, script, whole

# Split like the output of models. The evidence does not support the citation of the last sentence.
ANSWER = (
    *("🚀 The Saturn", " V was 110.6", " metres tall", " [1].", " Apollo 12 was", " struck by lightning", " twice"),
    *(" [2].", " The Moon is hollow", " [3]."),
)
STRUCTURED = "🚀 The Saturn V was 110.6 metres tall. Apollo 12 was struck by lightning twice."
REASONING = "They ask about water."  # the reasoning of tests.upstreams.openai.VLLM
# The fields of a message as OpenAI documents them, and `parsed`, which its own SDKs add to the result of `.stream()`.
FIELDS = {"role", "content", "name", "refusal", "audio", "function_call", "tool_calls", "tool_call_id", "parsed"}
EVENTS = "Content-Type: text/event-stream; charset=utf-8"
# The ids of the answers in tests/upstreams. Several clients run at the same time, so every answer gets its own.
ANSWER_IDS = re.compile(rb'"(chatcmpl-BxYz|chatcmpl-v|r3sp0ns3|msg_01XFDUDYJgAACzvnptvVoYEL)"')

Providers = dict[str, dict[str, Any]]


class UniqueIds:
    """Gives every answer a unique id of the same length, by which its references are stored."""

    def __init__(self, answer: Answer, numbers: Iterator[int]) -> None:
        self._answer = answer
        self._numbers = numbers

    async def __call__(self, request: Request) -> AsyncIterator[Step]:
        number = b"%04d" % next(self._numbers)

        def renamed(found: re.Match[bytes]) -> bytes:
            return b'"' + found[1][: -len(number)] + number + b'"'

        async for step in self._answer(request):
            yield ANSWER_IDS.sub(renamed, step) if isinstance(step, bytes) else step


class Strict(openai.OpenAI):
    """Refuses undocumented fields of messages, like the servers of Groq and Mistral.

    Two consecutive questions are refused too, like by chat templates: the client has dropped the answer between them.
    """

    async def __call__(self, request: Request) -> AsyncIterator[Step]:
        roles = [message["role"] for message in request.json["messages"]]
        if ("user", "user") in pairwise(roles):
            yield openai.error(400, f"roles must alternate: {roles}", "invalid_request_error", None)
            return
        for position, message in enumerate(request.json["messages"]):
            if unknown := message.keys() - FIELDS:
                text = f"property 'messages.{position}.{min(unknown)}' is unsupported"
                yield openai.error(400, text, "invalid_request_error", None)
                return
        async for step in super().__call__(request):
            yield step


class Structured(openai.OpenAI):
    """Streams a JSON object: as the arguments of a call if there are tools, otherwise as text or in a fenced block."""

    def events(self, body: dict[str, Any]) -> list[bytes]:
        """Return the data of the events."""
        answer = json.dumps({"answer": STRUCTURED}, ensure_ascii=False)
        if tools := body.get("tools"):
            function = {"name": tools[0]["function"]["name"], "arguments": answer}
            return self._ended({"tool_calls": [{"index": 0, "id": "call_a", "type": "function", "function": function}]})
        return self._ended({"content": answer if body.get("response_format") else f"```json\n{answer}\n```"})

    def _ended(self, delta: dict[str, Any]) -> list[bytes]:
        reason = "tool_calls" if "tool_calls" in delta else "stop"
        return [
            openai.compact(self._chunk(False, 0, delta)),
            openai.compact(self._chunk(False, 0, {}, reason)),
            b"[DONE]",
        ]


class Unfinished:
    """Sends one and a half sentences. Then it closes the connection, or waits until the client disconnects.

    `GET /closed/MODEL` answers when the stream for MODEL has been closed.
    """

    def __init__(self, then: Break) -> None:
        self._then = then
        self._closed: defaultdict[str, asyncio.Event] = defaultdict(asyncio.Event)

    async def __call__(self, request: Request) -> AsyncIterator[Step]:
        if request.method == "GET":
            await self._closed[request.target.removeprefix("/closed/")].wait()
            yield whole("200 OK", b"")
            return
        try:
            yield head("200 OK", EVENTS, "Transfer-Encoding: chunked")
            for event in openai.OpenAI(ANSWER[:6]).events({})[:7]:
                yield chunk(b"data: " + event + b"\n\n")
            yield self._then
        finally:
            self._closed[request.json["model"]].set()


async def started(stack: AsyncExitStack) -> Providers:
    """Start the providers. Return the section `providers` of a configuration."""
    answers: dict[str, tuple[str, str, Answer]] = {
        "openai": ("openai", "/v1", openai.OpenAI(ANSWER)),
        "ollama": ("ollama", "", ollama.Ollama(ANSWER)),
        "gemini": ("gemini", "", gemini.Gemini(ANSWER)),
        "anthropic": ("anthropic", "", anthropic.Anthropic(anthropic.text(*ANSWER))),
        "calling": ("openai", "/v1", openai.OpenAI(ANSWER, calls=True)),
        "reasoning": ("openai", "/v1", openai.VLLM(ANSWER)),
        "structured": ("openai", "/v1", Structured(ANSWER)),
        "strict": ("openai", "/v1", Strict(ANSWER)),
        "broken": ("openai", "/v1", Unfinished(Break.CLOSE)),
        "silent": ("openai", "/v1", Unfinished(Break.STALL)),
    }
    keys = {"openai": openai.KEY, "gemini": gemini.KEY, "ollama": "", "anthropic": anthropic.KEY}
    providers: Providers = {"extractive": {"kind": "extractive"}}
    numbers = count()
    for name, (kind, path, answer) in answers.items():
        server = await stack.enter_async_context(Server(UniqueIds(answer, numbers)))
        providers[name] = {"kind": kind, "base_url": server.url + path, "api_key": keys[kind], "models": ["any"]}
    return providers


async def search(stack: AsyncExitStack, evidence: list[dict[str, Any]]) -> dict[str, Any]:
    """Start a search service that always returns this evidence. Return the options of a configuration."""
    found = json.dumps({"results": evidence}).encode()
    server = await stack.enter_async_context(Server(script(whole("200 OK", found, "Content-Type: application/json"))))
    fields = {name: name for name in ("text", "id", "title", "url", "file_name")}
    retriever = {"kind": "http", "url": server.url, "body": {"q": "{query}"}, "entries": "results", "fields": fields}
    return {"retrievers": {"search": retriever}, "default_retriever": "search"}
