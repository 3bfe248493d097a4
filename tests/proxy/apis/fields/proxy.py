"""A running proxy with providers that record their requests; a request and an answer of every API."""

import copy
import json
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import yaml

from tests.conftest import Launch
from tests.proxy.apis.fields.tables import Row, normalized, set_value
from tests.upstreams.wire import Request, Server, Step, chunk, head, serving

RULES = "Cite."  # the same for JSON answers, so that only the tested field makes a difference
TEXT = "Water boils at 100 °C."
EVIDENCE = [{"text": TEXT}]
CALL = {"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": '{"city":"Bern"}'}}
CHAT = [
    {"role": "user", "content": "What is the weather?"},
    {"role": "assistant", "content": "Let me look.", "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "call_1", "content": '{"sky":"grey"}'},
    {"role": "user", "content": "When does water boil?"},
]
CALLED = {"function": {"name": "weather", "arguments": {"city": "Bern"}}}
OLLAMA = [
    CHAT[0],
    {"role": "assistant", "content": "Let me look.", "tool_calls": [CALLED]},
    {"role": "tool", "tool_name": "weather", "content": '{"sky":"grey"}'},
    CHAT[3],
]
CONTENTS = [
    {"role": "user", "parts": [{"text": "What is the weather?"}]},
    {
        "role": "model",
        "parts": [{"text": "Let me look."}, {"functionCall": {"name": "weather", "args": {"city": "Bern"}}}],
    },
    {
        "role": "user",
        "parts": [
            {"functionResponse": {"name": "weather", "response": {"sky": "grey"}}},
            {"text": "When does water boil?"},
        ],
    },
]
COHERE = [CHAT[0], {"role": "assistant", "tool_plan": "Let me look.", "tool_calls": [CALL]}, CHAT[2], CHAT[3]]
MESSAGES = [
    CHAT[0],
    {
        "role": "assistant",
        "content": [
            {"type": "text", "text": "Let me look."},
            {"type": "tool_use", "id": "call_1", "name": "weather", "input": {"city": "Bern"}},
        ],
    },
    {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "call_1", "content": '{"sky":"grey"}'},
            {"type": "text", "text": "When does water boil?"},
        ],
    },
]
ITEMS = [
    CHAT[0],
    {"role": "assistant", "content": "Let me look."},
    {"type": "function_call", "call_id": "call_1", "name": "weather", "arguments": '{"city":"Bern"}'},
    {"type": "function_call_output", "call_id": "call_1", "output": '{"sky":"grey"}'},
    CHAT[3],
]
# Requests of a client without the tested field.
REQUESTS: dict[str, dict[str, Any]] = {
    "/v1/chat/completions": {"model": "{model}", "messages": CHAT},
    "/v1/responses": {"model": "{model}", "input": ITEMS},
    "/api/chat": {"model": "{model}", "messages": OLLAMA, "stream": False},
    "/api/generate": {"model": "{model}", "prompt": "When does water boil?", "stream": False},
    "/v1beta/models/{model}:generateContent": {"contents": CONTENTS},
    "/v2/chat": {"model": "{model}", "messages": COHERE},
    "/v1/messages": {"model": "{model}", "max_tokens": 99, "messages": MESSAGES},
}
# Clients that read an answer, by the name of the column.
CLIENTS = {
    "chat": "/v1/chat/completions",
    "responses": "/v1/responses",
    "ollama": "/api/chat",
    "generate": "/api/generate",
    "gemini": "/v1beta/models/{model}:generateContent",
    "cohere": "/v2/chat",
    "messages": "/v1/messages",
}
# Answers of a provider without the tested field: a stream of one event, or of several by their type.
ANSWERS: dict[str, dict[str, Any]] = {
    "openai": {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1763632800,
        "model": "m",
        "choices": [{"index": 0, "delta": {"role": "assistant", "content": TEXT}, "finish_reason": "stop"}],
    },
    "ollama": {
        "model": "m",
        "created_at": "2026-11-20T10:00:00.123456789Z",
        "message": {"role": "assistant", "content": TEXT},
        "done": True,
        "done_reason": "stop",
    },
    "gemini": {
        "candidates": [{"content": {"role": "model", "parts": [{"text": TEXT}]}, "finishReason": "STOP", "index": 0}],
        "modelVersion": "m",
        "responseId": "r1",
    },
    "anthropic": {
        "message_start": {"message": {"id": "msg_1", "model": "m"}},
        "content_block_start": {"index": 0, "content_block": {"type": "text", "text": ""}},
        "content_block_delta": {"index": 0, "delta": {"type": "text_delta", "text": TEXT}},
        "content_block_stop": {"index": 0},
        "message_delta": {"delta": {"stop_reason": "end_turn"}, "usage": {}},
        "message_stop": {},
    },
}


@dataclass
class Upstream:
    """A provider that answers every request with one event, or with one event of each type."""

    kind: str
    answer: dict[str, Any] = field(default_factory=dict)

    async def __call__(self, _: Request) -> AsyncIterator[Step]:
        answer = self.answer or ANSWERS[self.kind]
        events = [answer]
        if self.kind == "anthropic":
            events = [{"type": kind, **event} for kind, event in answer.items()]
        lines = self.kind == "ollama"
        content_type = "application/x-ndjson" if lines else "text/event-stream"
        yield head("200 OK", f"Content-Type: {content_type}", "Transfer-Encoding: chunked")
        for event in map(str.encode, map(json.dumps, events)):
            yield chunk(event + b"\n" if lines else b"data: " + event + b"\n\n")
        if self.kind == "openai":
            yield chunk(b"data: [DONE]\n\n")
        yield chunk(b"")


@dataclass
class FieldProxy:
    """A running proxy, its providers, and a client."""

    client: HTTPConnection
    upstreams: dict[str, tuple[Upstream, Server]]
    _baselines: dict[tuple[str, str], Any] = field(default_factory=dict)

    def sent(self, path: str, provider: str, row: Row | None = None) -> tuple[int, Any]:
        """Return the status and the body that the provider received, or the error."""
        _, server = self.upstreams[provider]
        server.requests.clear()
        body = copy.deepcopy(REQUESTS[path])
        if row:
            set_value(body, row.field, row.example)
        status, received = self._send(path, provider, body)
        return status, normalized(server.requests[-1].json) if server.requests else received

    def shown(self, client: str, provider: str, row: Row | None = None) -> tuple[int, Any]:
        """Return the status and the body that the client received."""
        upstream, _ = self.upstreams[provider]
        upstream.answer = copy.deepcopy(ANSWERS[provider])
        if row:
            set_value(upstream.answer, row.field, row.example)
        path = CLIENTS[client]
        status, received = self._send(path, provider, copy.deepcopy(REQUESTS[path]))
        upstream.answer = {}
        return status, normalized(received)

    def sent_without(self, path: str, provider: str) -> Any:
        """Return the body that the provider receives without the tested field."""
        if (path, provider) not in self._baselines:
            self._baselines[path, provider] = self.sent(path, provider)[1]
        return self._baselines[path, provider]

    def shown_without(self, client: str, provider: str) -> Any:
        """Return the body that the client receives without the tested field."""
        if (client, provider) not in self._baselines:
            self._baselines[client, provider] = self.shown(client, provider)[1]
        return self._baselines[client, provider]

    def _send(self, path: str, provider: str, body: dict[str, Any]) -> tuple[int, Any]:
        model = f"{provider}/m"
        if "model" in body:
            body["model"] = model
        sent = json.dumps({**body, "evidence": EVIDENCE})
        self.client.request("POST", path.format(model=model), sent, {"Content-Type": "application/json"})
        with self.client.getresponse() as answer:
            return answer.status, json.loads(answer.read())


@contextmanager
def running(launch: Launch, folder: Path) -> Iterator[FieldProxy]:
    """Run a proxy with a provider of each kind. `folder` contains its configuration."""
    with ExitStack() as stack:
        upstreams = {kind: Upstream(kind) for kind in ANSWERS}
        servers = {kind: stack.enter_context(serving(upstream)) for kind, upstream in upstreams.items()}
        providers: dict[str, Any] = {kind: {"base_url": server.url, "api_key": "k"} for kind, server in servers.items()}
        config = folder / "config.yaml"
        files = {"system": RULES, "unmarked": RULES, "evidence": "$excerpts"}
        for name, text in files.items():
            (folder / name).write_text(text)
        evidence = {"prompt_files": {name: str(folder / name) for name in files}}
        config.write_text(yaml.safe_dump({"providers": providers, "evidence": evidence, "log": {"access": False}}))
        command = [sys.executable, "-m", "citestream", "serve", "--port", "0", "--config", str(config)]
        url = stack.enter_context(launch(command, folder / "log"))
        client = HTTPConnection(url.removeprefix("http://"))
        yield FieldProxy(client, {kind: (upstreams[kind], servers[kind]) for kind in ANSWERS})
        client.close()
