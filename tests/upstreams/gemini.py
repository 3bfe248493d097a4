"""An upstream that imitates generativelanguage.googleapis.com and Vertex AI byte for byte."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from typing import Any

from tests.upstreams.wire import Request, Step, chunk, head, whole

KEY = "AIzaSyUpstream0123456789abcdefghijk"
MODEL = "gemini-2.5-flash"
ANSWER = ("Water boils", " at 100 °C", " [1].")
HEADERS = (
    *("Vary: Origin", "Vary: X-Origin", "Vary: Referer", "Date: Fri, 20 Nov 2026 10:00:00 GMT"),
    *("Server: scaffolding on HTTPServer2", "X-XSS-Protection: 0", "X-Frame-Options: SAMEORIGIN"),
)
FIELDS = {"contents", "systemInstruction", "generationConfig", "tools", "toolConfig", "safetySettings", "cachedContent"}


def spaced(value: object) -> bytes:
    """Serialize JSON as the API does: with a space after colons and none after commas."""
    return json.dumps(value, separators=(",", ": "), ensure_ascii=False).encode()


class Gemini:
    """`:streamGenerateContent`, `:generateContent` and the list of models."""

    def __init__(
        self, answer: Sequence[str] = ANSWER, *, thoughts: Sequence[str] = (), calls: int = 0, finish: str = "STOP"
    ) -> None:
        self.answer = answer
        self.thoughts = thoughts
        self.calls = calls
        self.finish = finish

    async def __call__(self, request: Request) -> AsyncIterator[Step]:
        path = request.target.partition("?")[0]
        allowed = request.headers.get("x-goog-api-key") == KEY or request.headers.get("authorization", "").startswith(
            "Bearer ya29."
        )
        if not allowed:
            yield error(400, "API key not valid. Please pass a valid API key.", "INVALID_ARGUMENT")
        elif path.endswith("/publishers/google/models"):
            yield self._whole({"publisherModels": [{"name": f"publishers/google/models/{MODEL}"}]})
        elif path.endswith("/models"):
            models = [
                {"name": f"models/{MODEL}", "supportedGenerationMethods": ["generateContent", "countTokens"]},
                {"name": "models/gemini-embedding-001", "supportedGenerationMethods": ["embedContent"]},
            ]
            yield self._whole({"models": models})
        elif unknown := request.json.keys() - FIELDS:
            name = min(unknown)
            yield error(
                400, f'Invalid JSON payload received. Unknown name "{name}": Cannot find field.', "INVALID_ARGUMENT"
            )
        elif path.endswith(":generateContent"):
            yield self._whole(self.events()[-1])
        else:
            yield head(
                "200 OK",
                "Content-Type: text/event-stream",
                "Content-Disposition: attachment",
                *HEADERS,
                "Transfer-Encoding: chunked",
            )
            for event in self.events():
                yield chunk(b"data: " + spaced(event) + b"\r\n\r\n")
                await asyncio.sleep(0)
            yield chunk(b"")

    def events(self) -> list[dict[str, Any]]:
        """Return the events of a stream. Usage is cumulative."""
        parts: list[dict[str, Any]] = [{"text": text, "thought": True} for text in self.thoughts]
        parts += [{"text": text} for text in self.answer]
        call = {"functionCall": {"name": "weather", "args": {"city": "Zürich"}}, "thoughtSignature": "c2ln"}
        parts += [call for _ in range(self.calls)]
        return [self._event(at, part, last=at == len(parts) - 1) for at, part in enumerate(parts)]

    def _event(self, at: int, part: dict[str, Any], *, last: bool) -> dict[str, Any]:
        candidate: dict[str, Any] = {"content": {"parts": [part], "role": "model"}}
        candidate |= {"finishReason": self.finish} if last else {}
        candidate |= {"index": 0}
        thoughts = {"thoughtsTokenCount": 40} if self.thoughts else {}
        usage = {
            "promptTokenCount": 12,
            "candidatesTokenCount": at + 1,
            "totalTokenCount": 13 + at + 40 * len(thoughts),
        }
        usage |= {"cachedContentTokenCount": 8, **thoughts}
        return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": MODEL, "responseId": "r3sp0ns3"}

    def _whole(self, value: object) -> bytes:
        body = json.dumps(value, indent=2, ensure_ascii=False).encode()
        return whole("200 OK", body, "Content-Type: application/json; charset=UTF-8", *HEADERS)


def error(code: int, message: str, status: str, *details: dict[str, Any]) -> bytes:
    """Return an error in the format of Google's servers."""
    reasons = {400: "Bad Request", 403: "Forbidden", 429: "Too Many Requests", 503: "Service Unavailable"}
    body: dict[str, Any] = {"error": {"code": code, "message": message, "status": status}}
    if details:
        body["error"]["details"] = list(details)
    return whole(
        f"{code} {reasons[code]}",
        json.dumps(body, indent=2).encode(),
        "Content-Type: application/json; charset=UTF-8",
        *HEADERS,
    )
