"""Requests and parsers of each client API, written without the code under test."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

Fields = dict[str, Any]
Body = Callable[[str, int], Fields]  # (model, choices) -> the request

QUESTION = "When was the bridge opened?"
EVIDENCE = [{"text": "The bridge was opened in 1932 by the mayor.", "id": "bridge"}]
OUR_MARKER = re.compile(r" ?\[1\]")


@dataclass
class Received:
    """An answer as a client received it."""

    status: int
    texts: dict[int, str] = field(default_factory=dict)  # by choice
    reasons: set[str] = field(default_factory=set)
    error: str = ""  # the message of the error
    cited: list[str] = field(default_factory=list)  # ids of the references
    ended: bool = False  # whether the stream has the end marker of its API

    def text(self, choice: int = 0) -> str:
        return OUR_MARKER.sub("", self.texts.get(choice, ""))

    def add(self, text: object, choice: int = 0) -> None:
        if isinstance(text, str):
            self.texts[choice] = self.texts.get(choice, "") + text

    def add_references(self, references: object) -> None:
        if isinstance(references, list):
            self.cited = [one["id"] for one in references]


@dataclass(frozen=True)
class Client:
    """One client API."""

    path: str  # `{model}` is filled in
    body: Body
    read: Callable[[Received, bytes], None]  # parses the body of an answer
    streamed: bool = True
    evidence: bool = True  # without evidence the bytes pass through
    choices: bool = False  # whether a request can ask for several choices


def events(body: bytes) -> list[Any]:
    """Parse an event stream up to [DONE], as the SDKs do. Data that is not JSON raises an error."""
    text = body.decode().replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")
    found = []
    for event in text.split("\n\n"):
        data = [line[5:].removeprefix(" ") for line in event.split("\n") if line.startswith("data:")]
        if data == ["[DONE]"]:
            break
        if data:
            found.append(json.loads("\n".join(data)))
    return found


def error_message(error: Any) -> str:
    """Return the message of an error in the format of any API."""
    inner = error.get("error", error) if isinstance(error, Mapping) else error
    return str(inner.get("message") or inner) if isinstance(inner, Mapping) else str(inner)


def read_chat(received: Received, body: bytes) -> None:
    for one in events(body):
        if one.get("error") or one.get("object") == "error":
            received.error = error_message(one)
            continue
        assert isinstance(one["choices"], list)
        for choice in one["choices"]:
            received.add(choice["delta"].get("content"), choice["index"])
            received.reasons |= {choice["finish_reason"]} - {None}
        received.add_references(one.get("references"))
    received.ended = body.endswith(b"data: [DONE]\n\n")


def read_whole(received: Received, body: bytes) -> None:
    answer = json.loads(body)
    for choice in answer["choices"]:
        received.add(choice["message"]["content"], choice["index"])
        received.reasons.add(choice["finish_reason"])
    received.add_references(answer.get("references"))
    received.ended = True


def read_response(received: Received, body: bytes) -> None:
    answer = json.loads(body)
    for item in answer["output"]:
        for part in item["content"] if item["type"] == "message" else ():
            received.add(part["text"])
    received.reasons.add({"completed": "stop", "incomplete": "length"}[answer["status"]])
    received.add_references(answer.get("references"))
    received.ended = True


def read_responses(received: Received, body: bytes) -> None:
    for one in events(body):
        match one["type"]:
            case "response.output_text.delta":
                received.add(one["delta"])
            case "response.completed":
                received.reasons.add("stop")
            case "response.incomplete":
                received.reasons.add("length")
            case "response.failed":
                received.error = error_message(one["response"])
        if one["type"] in {"response.completed", "response.incomplete", "response.failed"}:
            received.add_references(one["response"].get("references"))
            received.ended = True


def read_ollama(received: Received, body: bytes) -> None:
    for line in body.decode().splitlines():
        if not line.strip():
            continue
        one = json.loads(line.removeprefix("\ufeff"))
        received.add_references(one.get("references"))
        if one.get("error"):
            received.error = error_message(one)
            received.ended = True
        else:
            received.add(one["message"].get("content") if "message" in one else one["response"])
            if one["done"]:
                received.reasons.add(one["done_reason"])
                received.ended = True


def read_gemini(received: Received, body: bytes) -> None:
    _responses(received, events(body))


def read_array(received: Received, body: bytes) -> None:
    _responses(received, json.loads(body))


def read_candidates(received: Received, body: bytes) -> None:
    _responses(received, [json.loads(body)])


def read_cohere(received: Received, body: bytes) -> None:
    for one in events(body):
        match one["type"]:
            case "content-delta":
                received.add(one["delta"]["message"]["content"].get("text"))
            case "message-end":
                delta = one["delta"]
                received.error = delta.get("error", "")
                received.reasons |= set() if received.error else {COHERE_REASONS[delta["finish_reason"]]}
                received.add_references(one.get("references"))
                received.ended = True


def read_cohere_answer(received: Received, body: bytes) -> None:
    answer = json.loads(body)
    for block in answer["message"]["content"]:
        received.add(block["text"])
    received.reasons.add(COHERE_REASONS[answer["finish_reason"]])
    received.add_references(answer.get("references"))
    received.ended = True


def read_messages(received: Received, body: bytes) -> None:
    for one in events(body):
        match one["type"]:
            case "content_block_delta":
                received.add(one["delta"].get("text"))
            case "message_delta":
                received.reasons |= {MESSAGE_REASONS[one["delta"]["stop_reason"]]} - {""}
                received.add_references(one.get("references"))
            case "message_stop":
                received.ended = True
            case "error":
                received.error = error_message(one)
                received.ended = True


def read_message(received: Received, body: bytes) -> None:
    answer = json.loads(body)
    for block in answer["content"]:
        received.add(block["text"])
    received.reasons.add(MESSAGE_REASONS[answer["stop_reason"]])
    received.add_references(answer.get("references"))
    received.ended = True


MESSAGE_REASONS = {"end_turn": "stop", "max_tokens": "length", None: ""}
COHERE_REASONS = {"COMPLETE": "stop", "MAX_TOKENS": "length", "ERROR": "content_filter"}


def _responses(received: Received, responses: list[Any]) -> None:
    for one in responses:
        if one.get("error"):
            received.error = error_message(one)
        for candidate in one.get("candidates") or ():
            index = candidate.get("index", 0)
            for part in candidate.get("content", {}).get("parts") or ():
                received.add(part.get("text"), index)
            reason = candidate.get("finishReason")
            received.reasons |= {{"STOP": "stop", "MAX_TOKENS": "length"}.get(reason, reason)} - {None}
            chunks = candidate.get("groundingMetadata", {}).get("groundingChunks")
            if chunks and chunks[0]["retrievedContext"]["text"]:
                received.cited = ["bridge"]
    received.ended = True


def chat(model: str, choices: int) -> Fields:
    body: Fields = {"model": model, "messages": [{"role": "user", "content": QUESTION}]}
    return {**body, **({"n": choices} if choices > 1 else {})}


def response(model: str, _: int) -> Fields:
    return {"model": model, "input": QUESTION}


def message(model: str, _: int) -> Fields:
    return {**chat(model, 1), "max_tokens": 99}


def generate(model: str, _: int) -> Fields:
    return {"model": model, "prompt": QUESTION}


def streamed(body: Body, stream: bool = True) -> Body:
    return lambda model, choices: {**body(model, choices), "stream": stream}


def gemini(_model: str, choices: int) -> Fields:
    body: Fields = {"contents": [{"role": "user", "parts": [{"text": QUESTION}]}]}
    return {**body, **({"generationConfig": {"candidateCount": choices}} if choices > 1 else {})}


CHAT, RESPONSES, MESSAGES = "/v1/chat/completions", "/v1/responses", "/v1/messages"
GENERATE = "/v1beta/models/{model}:generateContent"
STREAM = "/v1beta/models/{model}:streamGenerateContent"
CLIENTS: Mapping[str, Client] = {
    "chat": Client(CHAT, streamed(chat), read_chat, choices=True),
    "chat, whole": Client(CHAT, chat, read_whole, streamed=False, choices=True),
    "responses": Client(RESPONSES, streamed(response), read_responses),
    "responses, whole": Client(RESPONSES, response, read_response, streamed=False),
    "ollama chat": Client("/api/chat", streamed(chat), read_ollama),
    "ollama chat, whole": Client("/api/chat", streamed(chat, False), read_ollama, streamed=False),
    "ollama generate": Client("/api/generate", streamed(generate), read_ollama),
    "cohere": Client("/v2/chat", streamed(chat), read_cohere),
    "cohere, whole": Client("/v2/chat", chat, read_cohere_answer, streamed=False),
    "messages": Client(MESSAGES, streamed(message), read_messages),
    "messages, whole": Client(MESSAGES, message, read_message, streamed=False),
    "gemini SSE": Client(STREAM + "?alt=sse", gemini, read_gemini, choices=True),
    "gemini array": Client(STREAM, gemini, read_array, choices=True),
    "gemini, whole": Client(GENERATE, gemini, read_candidates, streamed=False, choices=True),
}
# By provider: a request without evidence in the API of the provider, whose bytes pass through.
PASSED: Mapping[str, Client] = {
    "openai": Client(CHAT, streamed(chat), read_chat, evidence=False, choices=True),
    "ollama": Client("/api/chat", streamed(chat), read_ollama, evidence=False),
    "gemini": Client(STREAM + "?alt=sse", gemini, read_gemini, evidence=False, choices=True),
    "anthropic": Client(MESSAGES, streamed(message), read_messages, evidence=False),
}
