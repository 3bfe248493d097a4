"""Responses: the hub's chunks as Gemini's; grounding metadata on the last of each candidate."""

from collections.abc import Sequence
from typing import Any

from providers.events import Chunk

from ...completion import Completion
from ...encoding import dumps, loads

Fields = dict[str, Any]

REASONS = {"stop": "STOP", "tool_calls": "STOP", "length": "MAX_TOKENS", "content_filter": "SAFETY"}
STATUSES = {400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND"} | {
    413: "INVALID_ARGUMENT",
    429: "RESOURCE_EXHAUSTED",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}


def refusal(error: Fields, status: int) -> Fields:
    """OpenAI's error object as Google's clients read one."""
    return {"error": {"code": status, "message": error["error"]["message"], "status": STATUSES.get(status, "INTERNAL")}}


class Responses:
    """Writes one answer."""

    def __init__(self, model: str, *, events: bool) -> None:
        """`events`: server-sent events; otherwise one JSON array over the whole stream."""
        self._model = model
        self._events = events
        self._completion = Completion()
        self._written = False
        self._failed = False

    @property
    def content_type(self) -> str:
        """Of the stream."""
        return "text/event-stream" if self._events else "application/json"

    @property
    def keepalive(self) -> bytes:
        """An empty line; Google's clients break on comments."""
        return b"\n"

    def chunks(self, chunks: Sequence[Chunk]) -> bytes:
        """One response for each piece of text or thought; what ends a candidate waits for the usage."""
        written = []
        for chunk in chunks:
            self._completion.add(chunk)
            for choice in chunk.get("choices") or ():
                if parts := _parts(choice.get("delta") or {}):
                    candidate = {"content": {"role": "model", "parts": parts}, "index": choice.get("index", 0)}
                    written.append(self._one({"candidates": [candidate]}))
        return b"".join(written)

    def failure(self, error: Fields) -> bytes:
        """An error inside the stream; `error` has to be the first key."""
        self._failed = True
        return self._one(refusal(error, 503), bare=True)

    def end(self) -> bytes:
        """What ends each candidate, with the usage; nothing of it after a failure."""
        last = b"" if self._failed else self._last()
        return last if self._events else last + (b"]" if self._written else b"[]")

    def body(self, completion: Fields) -> Fields:
        """The whole answer at once."""
        return self._finished(completion, whole=True)

    def _last(self) -> bytes:
        return self._one(self._finished(self._completion.body(), whole=False), bare=True)

    def _one(self, response: Fields, *, bare: bool = False) -> bytes:
        data = dumps(response if bare else response | {"modelVersion": self._model})
        if self._events:
            return b"data: " + data + b"\n\n"
        lead, self._written = (b",\n" if self._written else b"["), True
        return lead + data

    def _finished(self, body: Fields, *, whole: bool) -> Fields:
        response: Fields = {"candidates": [_candidate(choice, body, whole) for choice in body["choices"]]}
        if usage := body.get("usage"):
            response["usageMetadata"] = _usage(usage)
        return response | {"modelVersion": self._model} | ({"responseId": body["id"]} if body.get("id") else {})


def _candidate(choice: Fields, body: Fields, whole: bool) -> Fields:
    message = choice["message"]
    parts = (_parts(message) if whole else []) + _calls(message)
    candidate: Fields = {
        "content": {"role": "model", "parts": parts or [{"text": ""}]},
        "finishReason": REASONS.get(choice.get("finish_reason") or "", "OTHER"),
        "index": choice["index"],
    }
    if "references" in message:
        text = message.get("content") or ""
        candidate["groundingMetadata"] = _grounding(message["references"], text, choice["index"], body)
    return candidate


def _parts(message: Fields) -> list[Fields]:
    thought = message.get("reasoning") or message.get("reasoning_content") or message.get("thinking")
    thoughts = [{"text": thought, "thought": True}] if isinstance(thought, str) and thought else []
    return thoughts + ([{"text": message["content"]}] if message.get("content") else [])


def _calls(message: Fields) -> list[Fields]:
    found = []
    for call in message.get("tool_calls") or ():
        function = call.get("function") or {}
        try:
            arguments = loads(function.get("arguments") or "{}")
        except ValueError:
            arguments = {"arguments": function["arguments"]}
        named = {"name": function.get("name", ""), "args": arguments}
        found.append({"functionCall": ({"id": call["id"]} if call.get("id") else {}) | named})
    return found


def _grounding(references: list[Fields], text: str, index: int, body: Fields) -> Fields:
    """`groundingChunks` and `groundingSupports`, whose offsets count bytes of UTF-8."""
    supports: dict[tuple[int, int], Fields] = {}
    for position, reference in enumerate(references):
        for span in reference["spans"]:
            if span["choice"] == index:
                support = supports.setdefault((span["start"], span["end"]), _support(text, span))
                support["groundingChunkIndices"].append(position)
                support["confidenceScores"].append(round(span["support"], 4))
    links = [annotation["url_citation"]["url"] for annotation in _annotations(body, index)]
    chunks = [
        {
            "retrievedContext": {
                "uri": links[position] if position < len(links) else reference["url"] or reference["id"],
                "title": reference["title"] or reference["file_name"] or reference["id"],
                "text": reference["snippet"],
            }
        }
        for position, reference in enumerate(references)
    ]
    return {"groundingChunks": chunks, "groundingSupports": [supports[key] for key in sorted(supports)]}


def _annotations(body: Fields, index: int) -> list[Fields]:
    for choice in body["choices"]:
        if choice["index"] == index:
            annotations: list[Fields] = choice["message"].get("annotations") or []
            return annotations
    return []


def _support(text: str, span: Fields) -> Fields:
    sentence = text[span["start"] : span["end"]]
    start = len(text[: span["start"]].encode("utf-8", "surrogatepass"))
    end = start + len(sentence.encode("utf-8", "surrogatepass"))
    segment = {"partIndex": 0, "startIndex": start, "endIndex": end, "text": sentence}
    return {"segment": segment, "groundingChunkIndices": [], "confidenceScores": []}


def _usage(usage: Fields) -> Fields:
    details = {
        "promptTokenCount": usage.get("prompt_tokens"),
        "candidatesTokenCount": usage.get("completion_tokens"),
        "totalTokenCount": usage.get("total_tokens"),
        "cachedContentTokenCount": (usage.get("prompt_tokens_details") or {}).get("cached_tokens"),
        "thoughtsTokenCount": (usage.get("completion_tokens_details") or {}).get("reasoning_tokens"),
    }
    return {key: value for key, value in details.items() if value is not None}
