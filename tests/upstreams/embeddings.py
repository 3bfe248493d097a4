"""Upstreams that imitate the embeddings APIs of OpenAI, Ollama and Gemini byte for byte.

The vector of a text is (number of letters, number of digits, 1), so that mixed-up vectors are detected.
"""

import base64
import json
import struct
import zlib
from collections.abc import AsyncIterator, Callable
from typing import Any

from tests.upstreams.wire import Request, Step, whole

KEY = "sk-upstream-0123456789abcdef"
JSON = "Content-Type: application/json"


def vector(text: str) -> list[float]:
    return [float(sum(map(str.isalpha, text))), float(sum(map(str.isdigit, text))), 1.0]


def words(text: str) -> list[float]:
    """Return a vector with one dimension per word: texts are similar if they share words."""
    found = [0.0] * 64
    for word in text.lower().strip(" .").split():
        found[zlib.crc32(word.encode()) % 64] += 1
    return found


class Embeddings:
    """All three APIs at one address. `most`: texts per request; `base64`: whether that encoding is supported."""

    def __init__(self, *, most: int = 2048, base64: bool = True, of: Callable[[str], list[float]] = vector) -> None:
        self.most = most
        self.base64 = base64
        self.of = of
        self.batches: list[list[str]] = []

    async def __call__(self, request: Request) -> AsyncIterator[Step]:
        if request.headers.get("authorization") == "Bearer wrong":
            yield failure("401 Unauthorized", {"error": {"message": "Incorrect API key provided.", "code": "invalid"}})
            return
        path = request.target.partition("?")[0]
        texts = _texts(path, request.json)
        if len(texts) > self.most:
            message = f"batch size {len(texts)} > maximum allowed batch size {self.most}"
            yield failure("413 Payload Too Large", {"error": {"message": message, "type": "validation"}})
            return
        self.batches.append(texts)
        yield whole("200 OK", json.dumps(self._answer(path, request.json, texts)).encode(), JSON)

    def _answer(self, path: str, body: Any, texts: list[str]) -> dict[str, Any]:
        vectors = [self.of(text) for text in texts]
        if path.endswith(":batchEmbedContents"):
            return {"embeddings": [{"values": row} for row in vectors]}
        if path == "/api/embed":
            return {"model": body["model"], "embeddings": vectors, "total_duration": 14143917, "prompt_eval_count": 8}
        packed = self.base64 and body.get("encoding_format") == "base64"
        data = [
            {"object": "embedding", "index": i, "embedding": _packed(row) if packed else row}
            for i, row in enumerate(vectors)
        ]
        usage = {"prompt_tokens": 8, "total_tokens": 8}
        return {"object": "list", "data": data[::-1], "model": body["model"], "usage": usage}  # any order is allowed


def failure(status: str, body: dict[str, Any]) -> bytes:
    return whole(status, json.dumps(body).encode(), JSON)


def _texts(path: str, body: Any) -> list[str]:
    if path.endswith(":batchEmbedContents"):
        return [one["content"]["parts"][0]["text"] for one in body["requests"]]
    given = body["input"]
    return [given] if isinstance(given, str) else given


def _packed(row: list[float]) -> str:
    return base64.b64encode(struct.pack(f"<{len(row)}f", *row)).decode()
