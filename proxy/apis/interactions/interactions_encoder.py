"""InteractionsEncoder: chunks as interactions of Gemini's API. Annotations follow the text of their sentence."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from citestream.providers.events import Chunk

from ...http.client_api import Citations, Encoder
from ...http.encoding import dumps_event
from ...pipeline.collect_chunks import Completion
from ...pipeline.request.job import Job
from ..gemini.gemini_encoder import STATUSES
from .answer_steps import AnswerSteps
from .stored_interactions import PREFIX, interaction_key

Fields = dict[str, Any]

INCOMPLETE_REASONS = frozenset({"length", "content_filter"})
CITATION_FIELDS = ("references", "grounding")  # fields that Gemini's own interactions do not have
REQUEST_FIELDS = ("system_instruction", "tools", "generation_config", "response_format", "previous_interaction_id")


def error_body(error: Fields, status: int) -> Fields:
    """Return OpenAI's error object as Google's clients read one of this API."""
    code = STATUSES.get(status, "INTERNAL").lower()
    return {"error": {"code": code, "message": error["error"]["message"]}}


class InteractionsEncoder(Encoder):
    """Encodes the first choice. This API has no others."""

    content_type = "text/event-stream"
    keepalive = b": keep-alive\n\n"

    def __init__(self, job: Job, citations: Citations, before: Sequence[Fields]) -> None:
        """`citations`: those of the answer so far. `before`: the steps of the interactions that this one continues."""
        self._job = job
        self._before = before
        key = uuid4().hex
        self.name = f"{PREFIX}{key}"
        self._created = _now()
        self._completion = Completion()
        self._steps = AnswerSteps(key, citations)
        self._begun = False
        self._failed = False

    def observe(self, chunks: Sequence[Chunk]) -> None:
        """See the next chunks of a complete answer."""
        for chunk in chunks:
            self._completion.add(chunk)
            self._steps.add(chunk)

    def chunks(self, chunks: Sequence[Chunk]) -> bytes:
        """Return the events of these chunks."""
        events = self._opening()
        for chunk in chunks:
            self._completion.add(chunk)
            events += self._steps.add(chunk)
        return b"".join(map(_encode, events))

    def failure(self, error: Fields, status: int) -> bytes:
        """Return the end of all steps, the failed interaction with its citations, and the error."""
        self._failed = True
        events = [*self._opening(), *self._steps.end(), self._status_update("failed")]
        return b"".join(map(_encode, [*events, {"event_type": "error", **error_body(error, status)}]))

    def end(self) -> bytes:
        """Return the last events and the end marker. Return nothing after a failure."""
        if self._failed:
            return b""
        events = [*self._opening(), *self._steps.end(self._annotations())]
        body = self._interaction()
        self._remember(body)
        last = {"event_type": "interaction.completed", "interaction": body | self._citation_fields()}
        return b"".join(map(_encode, [*events, last])) + b"event: done\ndata: [DONE]\n\n"

    def containers(self) -> list[Any]:
        """See Encoder."""
        return self._completion.containers()

    def body(self, _completion: Completion) -> Fields:
        """Return the whole answer. Its chunks have been observed."""
        self._steps.end(self._annotations())
        body = self._interaction()
        self._remember(body)
        return {**body, "steps": self._steps.values(), **self._citation_fields()}

    def _opening(self) -> list[Fields]:
        if self._begun:
            return []
        self._begun = True
        interaction = {"id": self.name, "object": "interaction", "status": "in_progress", "model": self._job.model}
        created = {"event_type": "interaction.created", "interaction": {**interaction, "created": self._created}}
        return [created, self._status_update("in_progress")]

    def _status_update(self, status: str) -> Fields:
        update = {"event_type": "interaction.status_update", "interaction_id": self.name, "status": status}
        return update | (self._citation_fields() if self._failed else {})

    def _interaction(self) -> Fields:
        """Return the interaction without its steps."""
        body = self._completion.body()
        fields = {key: self._job.body[key] for key in REQUEST_FIELDS if self._job.body.get(key) is not None}
        usage = body.get("usage")
        return {
            "id": self.name,
            "object": "interaction",
            "status": self._status(),
            "model": self._job.model,
            "created": self._created,
            "updated": _now(),
            **fields,
            **({"usage": _usage(usage)} if usage else {}),
        }

    def _status(self) -> str:
        if self._completion.finish_reason(0) in INCOMPLETE_REASONS:
            return "incomplete"
        return "requires_action" if self._steps.has_calls else "completed"

    def _remember(self, body: Fields) -> None:
        """Store the interaction with its conversation."""
        if self.store and self._job.body.get("store") is not False:
            given = [*self._before, *self._job.body["input"]]
            stored = {"input": given, "output": self._steps.values(), "interaction": body}
            self.store(interaction_key(self.name), stored)

    def _annotations(self) -> Any:
        return self._completion.message(0).get("annotations")

    def _citation_fields(self) -> Fields:
        body = self._completion.body()
        return {key: body[key] for key in CITATION_FIELDS if key in body}


def _encode(event: Fields) -> bytes:
    return b"event: %b\ndata: %b\n\n" % (event["event_type"].encode(), dumps_event(event))


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _usage(usage: Fields) -> Fields:
    """Return OpenAI's usage under the names of this API, in which thoughts are no output."""
    prompt, written = usage.get("prompt_tokens_details") or {}, usage.get("completion_tokens_details") or {}
    thoughts = written.get("reasoning_tokens") or 0
    return {
        "total_input_tokens": usage.get("prompt_tokens", 0),
        "total_cached_tokens": prompt.get("cached_tokens") or 0,
        "total_output_tokens": max(0, usage.get("completion_tokens", 0) - thoughts),
        "total_thought_tokens": thoughts,
        "total_tokens": usage.get("total_tokens", 0),
    }
