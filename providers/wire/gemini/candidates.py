"""Answers of the Gemini API and chunks of the OpenAI API: finish reasons, usage, log-probabilities and streams."""

from collections.abc import Iterator, Mapping, Sequence
from time import time
from typing import Any

from ...errors import ReportedError, reported
from ...events import Chunk, Event
from ..json_text import as_list, as_object, without_none
from ..openai_messages import function_call, usage_of
from ..translating_reader import TranslatingReader

Fields = dict[str, Any]

# Gemini's finish reason -> OpenAI's; None: Gemini failed, so there is no true finish reason.
FINISH_REASONS: dict[str, str | None] = {
    "STOP": "stop",
    **dict.fromkeys(("MAX_TOKENS", "CONTINUATION"), "length"),
    **dict.fromkeys(
        (
            *("SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "ESCALATION"),
            *("MODEL_ARMOR", "IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT", "IMAGE_RECITATION", "PUP_LIMITED_DISABLED"),
        ),
        "content_filter",
    ),
    **dict.fromkeys(
        (
            *("OTHER", "IMAGE_OTHER", "NO_IMAGE", "MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL"),
            *("TOO_MANY_TOOL_CALLS", "MISSING_THOUGHT_SIGNATURE", "MALFORMED_RESPONSE"),
        )
    ),
}
# OpenAI's finish reason -> Gemini's.
TO_GEMINI = {
    "stop": "STOP",
    "tool_calls": "STOP",
    "function_call": "STOP",
    "length": "MAX_TOKENS",
    "content_filter": "SAFETY",
}
# Fields that have a counterpart in a chunk. All others go into the chunk's `google`, under Gemini's own names.
EVENT_FIELDS = frozenset({"candidates", "usageMetadata", "modelVersion", "responseId", "error"})
CANDIDATE_FIELDS = frozenset({"index", "content", "finishReason", "logprobsResult"})


class GeminiReader(TranslatingReader):
    """Translates the events of one `streamGenerateContent` stream, with one candidate or several."""

    text_field = b""  # no two events are equal except for their text: each counts the tokens so far

    def __init__(self, model: str, candidates: int = 1) -> None:
        """`model`: the requested model, for events that do not name it."""
        super().__init__(model, candidates)
        self._envelope["created"] = int(time())
        self._calls: dict[int, int] = {}  # candidate -> number of tool calls so far
        self._usage: Mapping[str, Any] | None = None
        self._extra: Fields = {}  # fields of events that have not been added to a chunk

    def read_value(self, value: Any, is_clean: bool) -> list[Event]:
        """Return the events of one decoded payload. An answer that is not streamed is an array of events."""
        if not isinstance(value, list):
            return super().read_value(value, is_clean)
        if not all(isinstance(event, dict) for event in value):
            self.skipped += 1
            return []
        events: list[Event] = []
        for event in value:
            events += super().read_value(event, is_clean)
        return events

    def end(self) -> list[Event]:
        """Return the ends of all candidates and the usage. Raises IncompleteAnswer without a finish reason."""
        if self._usage is not None:
            extra = {**self._extra, "usageMetadata": self._usage}
            self._chunks.take(
                {**self._envelope, "choices": [], "usage": usage_of_metadata(self._usage), "google": extra}
            )
        # Gemini's streams have no end marker, and a blocked prompt has one candidate, however many were requested.
        self._chunks.done = True
        return super().end()

    def _translate(self, event: Fields) -> list[Event]:
        return [translated for chunk in self._chunks_of(event) for translated in self._chunks.take(chunk)]

    def _chunks_of(self, event: Fields) -> Iterator[Chunk]:
        if event.get("error"):
            self.error = reported(event)
            return
        self._envelope["id"] = event.get("responseId") or self._envelope["id"]
        self._envelope["model"] = event.get("modelVersion") or self._envelope["model"]
        self._usage = valid_counts(event.get("usageMetadata")) or self._usage  # each event counts from the start
        self._extra |= {name: value for name, value in event.items() if name not in EVENT_FIELDS}
        blocked = as_object(event.get("promptFeedback")).get("blockReason")
        if blocked and not event.get("candidates"):
            yield self._chunk(0, self._role(0) | {"content": ""}, "content_filter", native_finish_reason=blocked)
        for candidate in event.get("candidates") or ():
            yield from self._candidate(candidate)

    def _candidate(self, candidate: Fields) -> Iterator[Chunk]:
        index = candidate.get("index")
        index = index if isinstance(index, int) else 0
        extra = {name: value for name, value in candidate.items() if name not in CANDIDATE_FIELDS}
        fields: Fields = {"google": extra} if extra else {}
        if logprobs := logprobs_of(candidate.get("logprobsResult")):
            fields["logprobs"] = logprobs
        role = self._role(index)  # before the deltas, because it starts the count of tool calls
        parts = (candidate.get("content") or {}).get("parts") or ()
        if metadata := as_object(extra.get("groundingMetadata")):
            extra["groundingMetadata"] = {**metadata, **_supports_in_text(metadata, parts)}
        deltas = [self._delta(index, part) for part in parts if isinstance(part, dict)] or [{}]
        if role:
            deltas[0] = role | deltas[0]
        for delta in deltas[:-1]:
            yield self._chunk(index, delta)
        native = candidate.get("finishReason")
        if native:
            fields["native_finish_reason"] = native
        yield self._chunk(index, deltas[-1], self._reason(index, native, candidate.get("finishMessage")), **fields)

    def _role(self, index: int) -> Fields:
        """Return the role for the first chunk of a candidate. Gemini repeats it in every event."""
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
        return function_call(call.get("name", ""), call.get("args"), call_id=call.get("id"), index=number)

    def _reason(self, index: int, native: str | None, message: object) -> str | None:
        """Return the finish reason, None if there is none. Sets `error` if Gemini failed."""
        if not native:
            return None
        reason = FINISH_REASONS.get(native)
        if reason is None:
            detail = f": {message}" if isinstance(message, str) and message else ""
            self.error = ReportedError(f"Gemini ended the answer with {native}{detail}", code=native)
        return "tool_calls" if reason == "stop" and self._calls.get(index) else reason

    def _chunk(self, index: int, delta: Fields, reason: str | None = None, **fields: Any) -> Chunk:
        extra, self._extra = self._extra, {}
        choice = {"index": index, "delta": delta, **fields, "finish_reason": reason}
        return {**self._envelope, "choices": [choice], **({"google": extra} if extra else {})}


def _supports_in_text(metadata: Mapping[str, Any], parts: Sequence[Any]) -> Fields:
    """Return the supports of an answer with several parts, with offsets in its whole text instead of one part."""
    supports = [dict(as_object(support)) for support in as_list(metadata.get("groundingSupports"))]
    before, lengths = [0], 0
    for part in map(as_object, parts):
        text = part.get("text")
        lengths += (
            len(text.encode("utf-8", "surrogatepass")) if isinstance(text, str) and not part.get("thought") else 0
        )
        before.append(lengths)
    for support in supports:
        segment = dict(as_object(support.get("segment")))
        index = segment.get("partIndex")
        if type(index) is int and 0 < index < len(parts):
            del segment["partIndex"]
            for name in ("startIndex", "endIndex"):
                if type(offset := segment.get(name, 0)) is int:
                    segment[name] = offset + before[index]
            support["segment"] = segment
    return {"groundingSupports": supports} if supports else {}


def finish_reason(reason: str | None, native: object) -> str:
    """Return OpenAI's finish reason as Gemini's. `native`: the provider's own reason, kept if Gemini has it."""
    return native if isinstance(native, str) and native in FINISH_REASONS else TO_GEMINI.get(reason or "", "OTHER")


def valid_counts(usage: object) -> Fields:
    """Return usage metadata without counts that are not numbers."""
    return {
        name: value for name, value in as_object(usage).items() if not name.endswith("Count") or isinstance(value, int)
    }


def usage_of_metadata(counts: Mapping[str, Any]) -> Fields:
    """Return OpenAI's usage. Thoughts are part of the completion there, and counted again in its details."""
    thoughts = counts.get("thoughtsTokenCount")
    cached = counts.get("cachedContentTokenCount")
    prompt = (counts.get("promptTokenCount") or 0) + (counts.get("toolUsePromptTokenCount") or 0)
    completion = (counts.get("candidatesTokenCount") or 0) + (thoughts or 0)
    usage = usage_of(prompt, completion, counts.get("totalTokenCount"))
    if cached is not None:
        usage["prompt_tokens_details"] = {"cached_tokens": cached}
    if thoughts is not None:
        usage["completion_tokens_details"] = {"reasoning_tokens": thoughts}
    return usage


def metadata_of_usage(usage: Mapping[str, Any]) -> Fields:
    """Return Gemini's usage metadata, which counts thoughts separately from the answer."""
    completion = usage.get("completion_tokens")
    thoughts = (usage.get("completion_tokens_details") or {}).get("reasoning_tokens")
    return without_none(
        promptTokenCount=usage.get("prompt_tokens"),
        candidatesTokenCount=None if completion is None else completion - (thoughts or 0),
        totalTokenCount=usage.get("total_tokens"),
        cachedContentTokenCount=(usage.get("prompt_tokens_details") or {}).get("cached_tokens"),
        thoughtsTokenCount=thoughts,
    )


def logprobs_of(result: object) -> Fields | None:
    """Return Gemini's two parallel lists of tokens as OpenAI's one list."""
    lists = as_object(result)
    if not lists:
        return None
    alternatives = [top.get("candidates") or [] for top in lists.get("topCandidates") or ()]
    content = [
        {
            **_openai_token(token),
            "top_logprobs": [
                _openai_token(alternative) for alternative in (alternatives[index] if index < len(alternatives) else ())
            ],
        }
        for index, token in enumerate(lists.get("chosenCandidates") or [])
    ]
    return {"content": content, "refusal": None} if content else None


def logprobs_result(logprobs: Mapping[str, Any] | None) -> Fields:
    """Return OpenAI's one list of tokens as Gemini's two, as the field of a candidate."""
    content = (logprobs or {}).get("content") or []
    if not content:
        return {}
    tops = [{"candidates": [_gemini_token(top) for top in token.get("top_logprobs") or ()]} for token in content]
    result = {"chosenCandidates": [_gemini_token(token) for token in content]}
    return {"logprobsResult": result | ({"topCandidates": tops} if any(top["candidates"] for top in tops) else {})}


def _openai_token(token: Mapping[str, Any]) -> Fields:
    text = token.get("token", "")
    token_id = {"token_id": token["tokenId"]} if "tokenId" in token else {}
    return {"token": text, **token_id, "logprob": token.get("logProbability", 0.0), "bytes": list(text.encode())}


def _gemini_token(token: Mapping[str, Any]) -> Fields:
    token_id = {} if token.get("token_id") is None else {"tokenId": token["token_id"]}
    return {"token": token.get("token"), **token_id, "logProbability": token.get("logprob")}
