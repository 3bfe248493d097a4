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
class Seen:
    """The result of an answer in a client."""

    status: int
    texts: dict[int, str] = field(default_factory=dict)  # by choice
    reasons: set[str] = field(default_factory=set)
    error: str = ""  # its message
    cited: list[str] = field(default_factory=list)  # ids of the references
    last: bool = False  # the sign that this API's streams end with, if they do

    def text(self, choice: int = 0) -> str:
        return OUR_MARKER.sub("", self.texts.get(choice, ""))

    def add(self, text: object, choice: int = 0) -> None:
        if isinstance(text, str):
            self.texts[choice] = self.texts.get(choice, "") + text

    def refer(self, references: object) -> None:
        if isinstance(references, list):
            self.cited = [one["id"] for one in references]


@dataclass(frozen=True)
class Client:
    """One client API."""

    path: str  # `{model}` is filled in
    body: Body
    read: Callable[[Seen, bytes], None]  # the bytes of an answer that began
    streamed: bool = True
    evidence: bool = True  # without any the bytes pass through
    choices: bool = False  # whether it can ask for several answers


def events(body: bytes) -> list[Any]:
    """The data of an event stream up to [DONE], as the SDKs read it. Fails for data that is not JSON."""
    text = body.decode().replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff")
    found = []
    for event in text.split("\n\n"):
        data = [line[5:].removeprefix(" ") for line in event.split("\n") if line.startswith("data:")]
        if data == ["[DONE]"]:
            break
        if data:
            found.append(json.loads("\n".join(data)))
    return found


def failed(error: Any) -> str:
    """The message of an error in the shape of any of the APIs."""
    inner = error.get("error", error) if isinstance(error, Mapping) else error
    return str(inner.get("message") or inner) if isinstance(inner, Mapping) else str(inner)


def read_chat(seen: Seen, body: bytes) -> None:
    for one in events(body):
        if one.get("error") or one.get("object") == "error":
            seen.error = failed(one)
            continue
        assert isinstance(one["choices"], list)
        for choice in one["choices"]:
            seen.add(choice["delta"].get("content"), choice["index"])
            seen.reasons |= {choice["finish_reason"]} - {None}
        seen.refer(one.get("references"))
    seen.last = body.endswith(b"data: [DONE]\n\n")


def read_whole(seen: Seen, body: bytes) -> None:
    answer = json.loads(body)
    for choice in answer["choices"]:
        seen.add(choice["message"]["content"], choice["index"])
        seen.reasons.add(choice["finish_reason"])
    seen.refer(answer.get("references"))
    seen.last = True


def read_response(seen: Seen, body: bytes) -> None:
    answer = json.loads(body)
    for item in answer["output"]:
        for part in item["content"] if item["type"] == "message" else ():
            seen.add(part["text"])
    seen.reasons.add({"completed": "stop", "incomplete": "length"}[answer["status"]])
    seen.refer(answer.get("references"))
    seen.last = True


def read_responses(seen: Seen, body: bytes) -> None:
    for one in events(body):
        match one["type"]:
            case "response.output_text.delta":
                seen.add(one["delta"])
            case "response.completed":
                seen.reasons.add("stop")
            case "response.incomplete":
                seen.reasons.add("length")
            case "response.failed":
                seen.error = failed(one["response"])
        if one["type"] in {"response.completed", "response.incomplete", "response.failed"}:
            seen.refer(one["response"].get("references"))
            seen.last = True


def read_ollama(seen: Seen, body: bytes) -> None:
    for line in body.decode().splitlines():
        if not line.strip():
            continue
        one = json.loads(line.removeprefix("\ufeff"))
        seen.refer(one.get("references"))
        if one.get("error"):
            seen.error = failed(one)
            seen.last = True
        else:
            seen.add(one["message"].get("content") if "message" in one else one["response"])
            if one["done"]:
                seen.reasons.add(one["done_reason"])
                seen.last = True


def read_gemini(seen: Seen, body: bytes) -> None:
    _responses(seen, events(body))


def read_array(seen: Seen, body: bytes) -> None:
    _responses(seen, json.loads(body))


def read_candidates(seen: Seen, body: bytes) -> None:
    _responses(seen, [json.loads(body)])


def read_cohere(seen: Seen, body: bytes) -> None:
    for one in events(body):
        match one["type"]:
            case "content-delta":
                seen.add(one["delta"]["message"]["content"].get("text"))
            case "message-end":
                delta = one["delta"]
                seen.error = delta.get("error", "")
                seen.reasons |= set() if seen.error else {COHERE_REASONS[delta["finish_reason"]]}
                seen.refer(one.get("references"))
                seen.last = True


def read_cohere_answer(seen: Seen, body: bytes) -> None:
    answer = json.loads(body)
    for block in answer["message"]["content"]:
        seen.add(block["text"])
    seen.reasons.add(COHERE_REASONS[answer["finish_reason"]])
    seen.refer(answer.get("references"))
    seen.last = True


def read_messages(seen: Seen, body: bytes) -> None:
    for one in events(body):
        match one["type"]:
            case "content_block_delta":
                seen.add(one["delta"].get("text"))
            case "message_delta":
                seen.reasons |= {MESSAGE_REASONS[one["delta"]["stop_reason"]]} - {""}
                seen.refer(one.get("references"))
            case "message_stop":
                seen.last = True
            case "error":
                seen.error = failed(one)
                seen.last = True


def read_message(seen: Seen, body: bytes) -> None:
    answer = json.loads(body)
    for block in answer["content"]:
        seen.add(block["text"])
    seen.reasons.add(MESSAGE_REASONS[answer["stop_reason"]])
    seen.refer(answer.get("references"))
    seen.last = True


MESSAGE_REASONS = {"end_turn": "stop", "max_tokens": "length", None: ""}
COHERE_REASONS = {"COMPLETE": "stop", "MAX_TOKENS": "length", "ERROR": "content_filter"}


def _responses(seen: Seen, responses: list[Any]) -> None:
    for one in responses:
        if one.get("error"):
            seen.error = failed(one)
        for candidate in one.get("candidates") or ():
            index = candidate.get("index", 0)
            for part in candidate.get("content", {}).get("parts") or ():
                seen.add(part.get("text"), index)
            reason = candidate.get("finishReason")
            seen.reasons |= {{"STOP": "stop", "MAX_TOKENS": "length"}.get(reason, reason)} - {None}
            chunks = candidate.get("groundingMetadata", {}).get("groundingChunks")
            if chunks and chunks[0]["retrievedContext"]["text"]:
                seen.cited = ["bridge"]
    seen.last = True


def chat(model: str, choices: int) -> Fields:
    asked: Fields = {"model": model, "messages": [{"role": "user", "content": QUESTION}]}
    return {**asked, **({"n": choices} if choices > 1 else {})}


def response(model: str, _: int) -> Fields:
    return {"model": model, "input": QUESTION}


def message(model: str, _: int) -> Fields:
    return {**chat(model, 1), "max_tokens": 99}


def generate(model: str, _: int) -> Fields:
    return {"model": model, "prompt": QUESTION}


def streamed(body: Body, stream: bool = True) -> Body:
    return lambda model, choices: {**body(model, choices), "stream": stream}


def gemini(_model: str, choices: int) -> Fields:
    asked: Fields = {"contents": [{"role": "user", "parts": [{"text": QUESTION}]}]}
    return {**asked, **({"generationConfig": {"candidateCount": choices}} if choices > 1 else {})}


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
# By provider: its own API without evidence, whose bytes pass through.
PASSED: Mapping[str, Client] = {
    "openai": Client(CHAT, streamed(chat), read_chat, evidence=False, choices=True),
    "ollama": Client("/api/chat", streamed(chat), read_ollama, evidence=False),
    "gemini": Client(STREAM + "?alt=sse", gemini, read_gemini, evidence=False, choices=True),
    "anthropic": Client(MESSAGES, streamed(message), read_messages, evidence=False),
}
