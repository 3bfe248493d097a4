"""Responses: the hub's chunks as Gemini's; grounding metadata on the last of each candidate."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from citestream.providers.events import Chunk

from ...http.encoding import dumps
from ...pipeline.collect_chunks import Completion, Piece, pieces_of
from ..tool_calls import calls_of
from .grounding import Text, grounding_metadata, size
from .parts import Part, call_part, parts_of
from .usage import logprobs_result, usage_metadata

Fields = dict[str, Any]

REASONS = {"stop": "STOP", "tool_calls": "STOP", "function_call": "STOP", "length": "MAX_TOKENS"} | {
    "content_filter": "SAFETY"
}
OTHER = "OTHER"  # an unknown reason, in Gemini's words
_NATIVE = """
    STOP MAX_TOKENS SAFETY RECITATION LANGUAGE OTHER BLOCKLIST PROHIBITED_CONTENT SPII MALFORMED_FUNCTION_CALL
    IMAGE_SAFETY IMAGE_PROHIBITED_CONTENT IMAGE_OTHER NO_IMAGE IMAGE_RECITATION UNEXPECTED_TOOL_CALL TOO_MANY_TOOL_CALLS
    MISSING_THOUGHT_SIGNATURE MALFORMED_RESPONSE ESCALATION PUP_LIMITED_DISABLED CONTINUATION MODEL_ARMOR
"""
NATIVE = frozenset(_NATIVE.split())
NOTHING = {"text": ""}  # what stands for no content in a stream
STATUSES = {400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND"} | {
    413: "INVALID_ARGUMENT",
    429: "RESOURCE_EXHAUSTED",
    499: "CANCELLED",
    501: "UNIMPLEMENTED",
    502: "UNAVAILABLE",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}


def refusal(error: Fields, status: int) -> Fields:
    """OpenAI's error object as Google's clients read one."""
    return {"error": {"code": status, "message": error["error"]["message"], "status": STATUSES.get(status, "INTERNAL")}}


class Responses:
    """Writes one answer."""

    def __init__(self, *, events: bool) -> None:
        """`events`: server-sent events; otherwise one JSON array over the whole stream."""
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
                if parts := [part for _, part in parts_of(pieces_of(choice.get("delta") or {}))]:
                    candidate = {"content": {"role": "model", "parts": parts}, "index": choice.get("index", 0)}
                    written.append(self._one({"candidates": [candidate], **_head(chunk)}))
        return b"".join(written)

    def failure(self, error: Fields, status: int) -> bytes:
        """What of the answer has not been sent, then the error; `error` has to be its first key."""
        self._failed = True
        body = self._completion.body()
        candidates = [self._ending(choice, cut=True) for choice in body["choices"]]
        told = [one for one in candidates if one["content"]["parts"] != [NOTHING] or one.keys() > {"content", "index"}]
        last = self._one({"candidates": told, **_head(body)}) if told else b""
        return last + self._one(refusal(error, status))

    def end(self) -> bytes:
        """What ends each candidate, with the usage; nothing of it after a failure."""
        last = b""
        if not self._failed:
            body = self._completion.body()
            last = self._one(_response(body, [self._ending(choice) for choice in body["choices"]]))
        return last if self._events else last + (b"]" if self._written else b"[]")

    def body(self, completion: Completion) -> Fields:
        """The whole answer at once."""
        body = completion.body()
        return _response(
            body, [_whole(choice, parts_of(completion.pieces(choice["index"]))) for choice in body["choices"]]
        )

    def _ending(self, choice: Fields, *, cut: bool = False) -> Fields:
        """The last of a candidate in a stream: calls, which are whole now, and all that is not content."""
        calls = [call_part(call) for call in calls_of(choice["message"], cut=cut)]
        return _candidate(choice, calls or [NOTHING], _streamed(self._completion.pieces(choice["index"])))

    def _one(self, response: Fields) -> bytes:
        data = dumps(response)
        if self._events:
            return b"data: " + data + b"\n\n"
        lead, self._written = (b",\n" if self._written else b"["), True
        return lead + data


def _streamed(pieces: Sequence[Piece]) -> list[Text]:
    """A stream's text, which counts as one part; refusals are text there, but none of the answer."""
    texts = [Text(0, 0, "")]
    for kind, value in pieces:
        last = texts[-1]
        if kind == "content":
            texts[-1] = replace(last, text=last.text + value)
        elif kind == "refusal":
            after = last.before + size(last.text) + size(value)
            texts.append(Text(0, last.start + len(last.text), "", after))
    return texts


def _whole(choice: Fields, made: list[Part]) -> Fields:
    texts, start = [], 0
    for index, (kind, part) in enumerate(made):
        if kind == "content":
            texts.append(Text(index, start, part["text"]))
            start += len(part["text"])
    calls = [call_part(call) for call in calls_of(choice["message"])]
    return _candidate(choice, [part for _, part in made] + calls, texts)


def _candidate(choice: Fields, parts: list[Fields], texts: list[Text]) -> Fields:
    message, theirs = choice["message"], dict(choice.get("google") or {})
    grounding = theirs.pop("groundingMetadata", None) or {}
    if grounding or "references" in message:
        theirs["groundingMetadata"] = grounding_metadata(message, choice["index"], texts or [Text(0, 0, "")], grounding)
    return {
        "content": {"role": "model", **({"parts": parts} if parts else {})},
        **_finish(choice),
        "index": choice["index"],
        **theirs,
        **logprobs_result(choice.get("logprobs")),
    }


def _finish(choice: Mapping[str, Any]) -> Fields:
    """The provider's own reason where it is one of Gemini's."""
    reason, native = choice.get("finish_reason"), choice.get("native_finish_reason")
    if not reason:
        return {}
    return {"finishReason": native if native in NATIVE else REASONS.get(reason, OTHER)}


def _response(body: Fields, candidates: list[Fields]) -> Fields:
    """Candidates, usage, and what only Gemini says; a prompt that it blocked has no candidates."""
    theirs = dict(body.get("google") or {})
    usage = theirs.pop("usageMetadata", None) or usage_metadata(body.get("usage") or {})
    blocked = (theirs.get("promptFeedback") or {}).get("blockReason")
    said = [one for one in candidates if not blocked or one["content"].get("parts", [NOTHING]) != [NOTHING]]
    return {
        **({"candidates": said} if said else {}),
        **({"usageMetadata": usage} if usage else {}),
        **theirs,
        **_head(body),
    }


def _head(body: Mapping[str, Any]) -> Fields:
    """What stands in every response of an answer."""
    named = {"modelVersion": body.get("model"), "responseId": body.get("id")}
    return {key: value for key, value in named.items() if value}
