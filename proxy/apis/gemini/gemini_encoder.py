"""GeminiEncoder: chunks as Gemini's responses, with grounding metadata on the last response of each candidate."""

from collections.abc import Mapping, Sequence
from typing import Any

from citestream.providers.events import Chunk
from citestream.providers.wire.gemini.candidates import finish_reason, logprobs_result, metadata_of_usage
from citestream.providers.wire.gemini.contents import answer_parts, call_part
from citestream.providers.wire.json_text import as_object
from citestream.providers.wire.openai_messages import parse_tool_calls

from ...http.client_api import Encoder
from ...http.encoding import dumps_event
from ...pipeline.collect_chunks import Completion
from ...pipeline.merge_deltas import Piece, pieces_of
from .grounding_metadata import Text, byte_length, grounding_metadata

Fields = dict[str, Any]

EMPTY_PART = {"text": ""}  # the content of a streamed response that carries no content
STATUSES = {  # HTTP status -> Google's name
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    413: "INVALID_ARGUMENT",
    429: "RESOURCE_EXHAUSTED",
    499: "CANCELLED",
    501: "UNIMPLEMENTED",
    502: "UNAVAILABLE",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}


def error_body(error: Fields, status: int) -> Fields:
    """Return OpenAI's error object as Google's clients read one."""
    return {"error": {"code": status, "message": error["error"]["message"], "status": STATUSES.get(status, "INTERNAL")}}


class GeminiEncoder(Encoder):
    """Encodes one answer."""

    keepalive = b"\n"  # Google's clients fail on comments

    def __init__(self, *, sse: bool) -> None:
        """`sse`: encode server-sent events; otherwise one JSON array for the whole stream."""
        self._sse = sse
        self._completion = Completion()
        self._written = False
        self._failed = False

    @property
    def content_type(self) -> str:
        """The content type of the stream."""
        return "text/event-stream" if self._sse else "application/json"

    def chunks(self, chunks: Sequence[Chunk]) -> bytes:
        """Return a response for each piece of text or thought. All else is sent at the end, with the usage."""
        written = []
        for chunk in chunks:
            self._completion.add(chunk)
            for choice in chunk.get("choices") or ():
                if parts := [part for _, part in answer_parts(pieces_of(choice.get("delta") or {}))]:
                    candidate = {"content": {"role": "model", "parts": parts}, "index": choice.get("index", 0)}
                    written.append(self._encode({"candidates": [candidate], **_envelope(chunk)}))
        return b"".join(written)

    def failure(self, error: Fields, status: int) -> bytes:
        """Return what has not been sent of the answer, then the error. `error` has to be the first key."""
        self._failed = True
        body = self._completion.body()
        candidates = [self._last(choice, truncated=True) for choice in body["choices"]]
        candidates = [
            candidate for candidate in candidates if not _is_empty(candidate) or candidate.keys() > {"content", "index"}
        ]
        last = self._encode({"candidates": candidates, **_envelope(body)}) if candidates else b""
        return last + self._encode(error_body(error, status))

    def end(self) -> bytes:
        """Return the last response of each candidate, with the usage. After a failure only the array is closed."""
        last = b""
        if not self._failed:
            body = self._completion.body()
            last = self._encode(_response(body, [self._last(choice) for choice in body["choices"]]))
        return last if self._sse else last + (b"]" if self._written else b"[]")

    def containers(self) -> list[Any]:
        """See Encoder."""
        return self._completion.containers()

    def body(self, completion: Completion) -> Fields:
        """Return the whole answer as one response."""
        body = completion.body()
        return _response(body, [_whole(choice, completion.pieces(choice["index"])) for choice in body["choices"]])

    def _last(self, choice: Fields, *, truncated: bool = False) -> Fields:
        """Return the last streamed part of a candidate: tool calls, finish reason, grounding, log-probabilities."""
        calls = [call_part(call) for call in parse_tool_calls(choice["message"], truncated=truncated)]
        return _candidate(choice, calls or [EMPTY_PART], _streamed_texts(self._completion.pieces(choice["index"])))

    def _encode(self, response: Fields) -> bytes:
        data = dumps_event(response)
        if self._sse:
            return b"data: " + data + b"\n\n"
        separator, self._written = (b",\n" if self._written else b"["), True
        return separator + data


def _streamed_texts(pieces: Sequence[Piece]) -> list[Text]:
    """Return the answer's text for offsets. A stream's text is one part, in which refusals count too."""
    texts, content = list[Text](), list[str]()
    start = before = 0
    for kind, value in [*pieces, ("refusal", "")]:
        if kind == "content":
            content.append(value)
        elif kind == "refusal":
            text = "".join(content)
            texts.append(Text(0, start, text, before))
            start, before = start + len(text), before + byte_length(text) + byte_length(value)
            content.clear()
    return texts


def _whole(choice: Fields, pieces: Sequence[Piece]) -> Fields:
    parts = answer_parts(pieces)
    texts, start = [], 0
    for index, (kind, part) in enumerate(parts):
        if kind == "content":
            texts.append(Text(index, start, part["text"]))
            start += len(part["text"])
    calls = [call_part(call) for call in parse_tool_calls(choice["message"])]
    return _candidate(choice, [part for _, part in parts] + calls, texts)


def _candidate(choice: Fields, parts: list[Fields], texts: list[Text]) -> Fields:
    message, native = choice["message"], dict(as_object(choice.get("google")))
    grounding = as_object(native.pop("groundingMetadata", None))
    if grounding or "references" in message or "annotations" in message:
        texts = texts or [Text(0, 0, "")]
        native["groundingMetadata"] = grounding_metadata(message, choice["index"], texts, grounding)
    reason = choice.get("finish_reason")
    return {
        "content": {"role": "model", **({"parts": parts} if parts else {})},
        **({"finishReason": finish_reason(reason, choice.get("native_finish_reason"))} if reason else {}),
        "index": choice["index"],
        **native,
        **logprobs_result(choice.get("logprobs")),
    }


def _is_empty(candidate: Fields) -> bool:
    return bool(candidate["content"].get("parts") == [EMPTY_PART])


def _response(body: Fields, candidates: list[Fields]) -> Fields:
    """Return candidates, usage and Gemini's own fields. A prompt that Gemini blocked has no candidates."""
    native = dict(as_object(body.get("google")))
    usage = native.pop("usageMetadata", None) or metadata_of_usage(body.get("usage") or {})
    if as_object(native.get("promptFeedback")).get("blockReason"):
        candidates = [
            candidate for candidate in candidates if candidate["content"].get("parts", [EMPTY_PART]) != [EMPTY_PART]
        ]
    return {
        **({"candidates": candidates} if candidates else {}),
        **({"usageMetadata": usage} if usage else {}),
        **native,
        **_envelope(body),
    }


def _envelope(body: Mapping[str, Any]) -> Fields:
    """Return the fields that every response of an answer has."""
    named = {"modelVersion": body.get("model"), "responseId": body.get("id")}
    return {key: value for key, value in named.items() if value}
