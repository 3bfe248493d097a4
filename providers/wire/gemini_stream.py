"""GeminiReader: the events of `streamGenerateContent` in, events out, by way of the OpenAI chunk."""

import re
from collections.abc import Iterator, Mapping
from time import time
from typing import Any
from uuid import uuid4

from ..errors import ProviderError, ReportedError, reported
from ..events import Chunk, Event
from .json_text import clean, dumps, loads
from .messages import made_id
from .openai_chunks import ChunkReader
from .sanitize_chunk import counted

Fields = dict[str, Any]

REASONS = {"STOP": "stop", "MAX_TOKENS": "length", "CONTINUATION": "length"}
FILTERED = frozenset(
    {
        *("SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "ESCALATION", "MODEL_ARMOR"),
        *("IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION", "PUP_LIMITED_DISABLED"),
    }
)
# What has a place in a chunk. All else of an event, of a candidate, goes into its `google`, under Gemini's own names.
OF_EVENT = frozenset({"candidates", "usageMetadata", "modelVersion", "responseId", "error"})
OF_CANDIDATE = frozenset({"index", "content", "finishReason", "logprobsResult"})


class GeminiReader:
    """One stream, of one candidate or several."""

    text_field = b""  # no two events are alike: each counts the tokens so far
    void: re.Pattern[bytes] | None = None

    def __init__(self, model: str, candidates: int = 1) -> None:
        """`model`: what was asked for, where an event does not name it."""
        self._chunks = ChunkReader(candidates)
        self._envelope: Chunk = {
            "id": f"chatcmpl-{uuid4().hex}",
            "object": "chat.completion.chunk",
            "created": int(time()),
            "model": model,
        }
        self._calls: dict[int, int] = {}  # candidate -> tool calls so far
        self._usage: Mapping[str, Any] | None = None
        self._beside: Fields = {}  # of an event, what has yet to find a chunk
        self.done = False
        self.skipped = 0
        self.error: ProviderError | None = None

    @property
    def complete(self) -> bool:
        """Whether every candidate has its finish reason."""
        return self._chunks.complete

    def read(self, payload: bytes) -> list[Event]:
        """The events of one payload. One that is not JSON is skipped and counted."""
        event, is_clean = loads(payload)
        if not is_clean:
            event = clean(event)
        events = event if isinstance(event, list) else [event]  # an answer in one piece is an array of events
        if not all(isinstance(one, dict) for one in events):
            self.skipped += 1
            return []
        return [found for one in events for chunk in self._chunks_of(one) for found in self._chunks.take(chunk)]

    def end(self) -> list[Event]:
        """The ends of all candidates, and the usage. Raises IncompleteAnswer where one has no finish reason."""
        if self.error:
            raise self.error
        if self._usage is not None:
            beside = {**self._beside, "usageMetadata": self._usage}
            self._chunks.take({**self._envelope, "choices": [], "usage": _usage(self._usage), "google": beside})
        # Its streams end without a word, and a blocked prompt has one candidate, however many were asked for.
        self._chunks.done = True
        return self._chunks.end()

    def _chunks_of(self, event: Fields) -> Iterator[Chunk]:
        if event.get("error"):
            self.error = reported(event)
            return
        self._envelope["id"] = event.get("responseId") or self._envelope["id"]
        self._envelope["model"] = event.get("modelVersion") or self._envelope["model"]
        self._usage = counted(event.get("usageMetadata")) or self._usage  # cumulative
        self._beside |= {name: value for name, value in event.items() if name not in OF_EVENT}
        blocked = (event.get("promptFeedback") or {}).get("blockReason")
        if blocked and not event.get("candidates"):
            yield self._chunk(0, self._opening(0) | {"content": ""}, "content_filter", native_finish_reason=blocked)
        for candidate in event.get("candidates") or ():
            yield from self._candidate(candidate)

    def _candidate(self, candidate: Fields) -> Iterator[Chunk]:
        index = candidate.get("index")
        index = index if isinstance(index, int) else 0
        beside = {name: value for name, value in candidate.items() if name not in OF_CANDIDATE}
        fields: Fields = {"google": beside} if beside else {}
        if scored := _logprobs(candidate.get("logprobsResult")):
            fields["logprobs"] = scored
        opening = self._opening(index)
        parts = (candidate.get("content") or {}).get("parts") or ()
        deltas = [self._delta(index, part) for part in parts if isinstance(part, dict)]
        if opening:
            deltas = [opening | (deltas[0] if deltas else {}), *deltas[1:]]
        native = candidate.get("finishReason")
        last = deltas.pop() if deltas else {}
        for delta in deltas:
            yield self._chunk(index, delta)
        if native:
            fields["native_finish_reason"] = native
        yield self._chunk(index, last, self._reason(index, native, candidate.get("finishMessage")), **fields)

    def _opening(self, index: int) -> Fields:
        """Gemini names the role in every event, OpenAI once."""
        if index in self._calls:
            return {}
        self._calls[index] = 0
        return {"role": "assistant"}

    def _delta(self, index: int, part: Fields) -> Fields:
        signature = part.get("thoughtSignature")
        signed = {"extra_content": {"google": {"thought_signature": signature}}} if signature else {}
        if "functionCall" in part:
            return {"tool_calls": [self._call(index, part["functionCall"]) | signed]}
        if "text" in part:
            return {"reasoning" if part.get("thought") else "content": part["text"] or "", **signed}
        inline = part.get("inlineData")
        if inline:
            url = f"data:{inline.get('mimeType', '')};base64,{inline.get('data', '')}"
            return {"images": [{"type": "image_url", "image_url": {"url": url}}], **signed}
        return {"content_parts": [part]}

    def _call(self, index: int, call: Fields) -> Fields:
        number = self._calls[index]
        self._calls[index] += 1
        return {
            "index": number,
            "id": call.get("id") or made_id(),
            "type": "function",
            "function": {"name": call.get("name", ""), "arguments": dumps(call.get("args") or {}).decode()},
        }

    def _reason(self, index: int, native: str | None, message: object) -> str | None:
        """The finish reason; an error where Gemini failed (MALFORMED_FUNCTION_CALL, ...), since none would be true."""
        if not native:
            return None
        if native in FILTERED:
            return "content_filter"
        reason = REASONS.get(native)
        if reason is None:
            detail = f": {message}" if isinstance(message, str) and message else ""
            self.error = ReportedError(f"Gemini ended the answer with {native}{detail}", code=native)
        return "tool_calls" if reason == "stop" and self._calls.get(index) else reason

    def _chunk(self, index: int, delta: Fields, reason: str | None = None, **fields: Any) -> Chunk:
        beside, self._beside = self._beside, {}
        choice = {"index": index, "delta": delta, **fields, "finish_reason": reason}
        return {**self._envelope, "choices": [choice], **({"google": beside} if beside else {})}


def _usage(counts: Mapping[str, Any]) -> Fields:
    """Token counts as OpenAI names them: thoughts belong to the completion there, and are told apart in its details."""
    thoughts = counts.get("thoughtsTokenCount")
    cached = counts.get("cachedContentTokenCount")
    prompt = (counts.get("promptTokenCount") or 0) + (counts.get("toolUsePromptTokenCount") or 0)
    completion = (counts.get("candidatesTokenCount") or 0) + (thoughts or 0)
    usage: Fields = {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": counts.get("totalTokenCount") or prompt + completion,
    }
    if cached is not None:
        usage["prompt_tokens_details"] = {"cached_tokens": cached}
    if thoughts is not None:
        usage["completion_tokens_details"] = {"reasoning_tokens": thoughts}
    return usage


def _logprobs(result: object) -> Fields | None:
    """Gemini's two parallel lists as OpenAI's one."""
    if not isinstance(result, Mapping):
        return None
    tops = [top.get("candidates") or [] for top in result.get("topCandidates") or ()]
    chosen = result.get("chosenCandidates") or []
    content = [
        {**_token(token), "top_logprobs": [_token(other) for other in (tops[at] if at < len(tops) else ())]}
        for at, token in enumerate(chosen)
    ]
    return {"content": content, "refusal": None} if content else None


def _token(token: Mapping[str, Any]) -> Fields:
    text = token.get("token", "")
    known_as = {"token_id": token["tokenId"]} if "tokenId" in token else {}
    return {"token": text, **known_as, "logprob": token.get("logProbability", 0.0), "bytes": list(text.encode())}
