"""AnthropicEncoder: chunks as events of the Messages API. Citations are in the text block that they support."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import uuid4

from citestream.providers.events import Chunk
from citestream.providers.wire.anthropic.message_events import counts_of_usage, stop_fields
from citestream.providers.wire.json_text import as_object

from ...http.client_api import Citations, Encoder
from ...http.encoding import typed_event
from ...pipeline.collect_chunks import Completion
from .citation_location import Locations
from .message_content import CHOICE, MessageContent

Fields = dict[str, Any]

ERROR_TYPES = {  # HTTP status -> Anthropic's type of error
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    503: "overloaded_error",
    504: "timeout_error",
    529: "overloaded_error",
}
KNOWN_TYPES = frozenset({*ERROR_TYPES.values(), "api_error"})
CITATION_FIELDS = ("references", "grounding", "explained")
PING = {"type": "ping"}


def error_body(error: Fields, status: int) -> Fields:
    """Return OpenAI's error object as Anthropic's clients read one."""
    inner = error["error"]
    kind = ERROR_TYPES.get(status) or (
        "invalid_request_error" if status < 500 else inner["type"] if inner["type"] in KNOWN_TYPES else "api_error"
    )
    return {"type": "error", "error": {"type": kind, "message": inner["message"]}}


class AnthropicEncoder(Encoder):
    """Encodes the first choice. This API has no others."""

    content_type = "text/event-stream"
    keepalive = b'event: ping\ndata: {"type": "ping"}\n\n'

    def __init__(self, model: str, citations: Citations, locations: Locations) -> None:
        """`model`: the requested model, which the answer repeats. The others: see MessageContent."""
        self._content = MessageContent(citations, locations)
        self._envelope: Fields = {"id": "", "model": model}
        self._begun = False
        self._failed = False
        self._ending: Fields = {"stop_reason": None, "stop_sequence": None}
        self._usage: Fields = {}
        self._added: Fields = {}  # Citestream's fields, for the last event
        self._own: Fields = {}  # fields of Anthropic's last event that have no counterpart

    def observe(self, chunks: Sequence[Chunk]) -> None:
        """See the next chunks of a complete answer."""
        for chunk in chunks:
            self._events(chunk)

    def chunks(self, chunks: Sequence[Chunk]) -> bytes:
        """Return the events of the chunks. Stop reason, usage and references are sent at the end."""
        return b"".join([typed_event(event) for chunk in chunks for event in self._events(chunk)])

    def failure(self, error: Fields, status: int) -> bytes:
        """Return references without a stop reason, then the event for which Anthropic's clients raise an error."""
        self._failed = True
        events = self._content.end()
        if self._begun:
            self._ending["stop_reason"] = None
            events.append(self._last())
        return b"".join(map(typed_event, [*events, error_body(error, status)]))

    def end(self) -> bytes:
        """Return the end of the message. Returns nothing after a failure."""
        if self._failed:
            return b""
        events = [*self._start(), *self._content.end(), self._last(), {"type": "message_stop"}]
        return b"".join(map(typed_event, events))

    def containers(self) -> list[Any]:
        """See Encoder."""
        return self._content.containers()

    def body(self, completion: Completion) -> Fields:
        """Return the whole message."""
        self._content.end()
        ending = self._ending | {"usage": self._counts()} | self._added
        return self._own | self._message(self._content.blocks()) | ending

    def _events(self, chunk: Chunk) -> list[Fields]:
        self._envelope["id"] = chunk.get("id") or self._envelope["id"]
        self._usage |= _usage_of(chunk)
        self._own |= {key: value for key, value in as_object(chunk.get("anthropic")).items() if key != "usage"}
        self._added |= {key: chunk[key] for key in CITATION_FIELDS if key in chunk}
        events = self._start()
        for choice in chunk.get("choices") or ():
            if choice.get("index", CHOICE) == CHOICE:
                events += self._content.feed(choice.get("delta") or {})
                self._finish(choice)
        return events

    def _finish(self, choice: Mapping[str, Any]) -> None:
        if choice.get("finish_reason"):
            self._ending |= stop_fields(choice, calls=self._content.has_calls)

    def _start(self) -> list[Fields]:
        if self._begun:
            return []
        self._begun = True
        message = self._message([]) | {"stop_reason": None, "stop_sequence": None}
        return [{"type": "message_start", "message": message | {"usage": self._counts()}}, PING]

    def _last(self) -> Fields:
        return {**self._own, "type": "message_delta", "delta": self._ending, "usage": self._counts(), **self._added}

    def _message(self, content: list[Fields]) -> Fields:
        if not self._envelope["id"]:
            self._envelope["id"] = f"msg_{uuid4().hex}"
        return {**self._envelope, "type": "message", "role": "assistant", "content": content}

    def _counts(self) -> Fields:
        return self._usage or {"input_tokens": 0, "output_tokens": 0}


def _usage_of(chunk: Chunk) -> Fields:
    """Return the usage in a chunk as Anthropic counts it: Anthropic's own, or that of another provider."""
    if native := as_object(chunk.get("anthropic")).get("usage"):
        return dict(as_object(native))
    return counts_of_usage(usage) if (usage := chunk.get("usage")) else {}
