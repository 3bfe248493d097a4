"""CohereEncoder: chunks as the events of Cohere's stream. Citations follow the text of their sentence."""

from collections.abc import Sequence
from typing import Any
from uuid import uuid4

from citestream.providers.events import Chunk
from citestream.providers.wire.cohere import stream_events as wire

from ...http.client_api import Citations, Encoder
from ...http.encoding import typed_event
from ...pipeline.collect_chunks import Completion, first_choice
from ...pipeline.request.job import Job
from .cohere_message import CohereMessage

Fields = dict[str, Any]

CITATION_FIELDS = ("references", "grounding")  # fields that Cohere's own answers do not have


def error_body(error: Fields, _status: int) -> Fields:
    """Return OpenAI's error object as Cohere's clients read one."""
    return {"message": error["error"]["message"]}


class CohereEncoder(Encoder):
    """Encodes the first choice. This API has no others."""

    content_type = "text/event-stream"
    keepalive = b": keep-alive\n\n"  # a comment, which the clients in Python and JavaScript skip

    def __init__(self, job: Job, citations: Citations, *, cites: bool) -> None:
        """`citations`: those of the answer so far. `cites`: whether the client wants them."""
        self.name = str(uuid4())
        self._completion = Completion()
        plans = job.params.get("tool_choice") == "required"
        called = {message["tool_call_id"] for message in job.messages if message.get("tool_call_id")}
        self._message = CohereMessage(self.name, citations, cites=cites, plans=plans, called=called)
        self._cites = cites
        self._failed = False

    def observe(self, chunks: Sequence[Chunk]) -> None:
        """See the next chunks of a complete answer."""
        for chunk in chunks:
            self._completion.add(chunk)
            self._message.add(chunk)

    def chunks(self, chunks: Sequence[Chunk]) -> bytes:
        """Return the events of these chunks."""
        events = []
        for chunk in chunks:
            self._completion.add(chunk)
            events += self._message.add(chunk)
        return b"".join(map(typed_event, events))

    def failure(self, error: Fields, _status: int) -> bytes:
        """Return the end of an answer that broke off. Its finish reason is ERROR."""
        self._failed = True
        events = [*self._message.close(), self._last("ERROR", error["error"]["message"])]
        return b"".join(map(typed_event, events))

    def end(self) -> bytes:
        """Return the last event and the end marker. Return nothing after a failure."""
        if self._failed:
            return b""
        events = [*self._message.close(), self._last(self._finish_reason())]
        return b"".join(map(typed_event, events)) + b"data: [DONE]\n\n"

    def containers(self) -> list[Any]:
        """See Encoder."""
        return [*self._completion.containers(), *self._message.containers()]

    def body(self, completion: Completion) -> Fields:
        """Return the whole answer. Its chunks have been observed."""
        self._message.close()
        body = completion.body()
        items = wire.logprobs_items(first_choice(body).get("logprobs"))
        return {
            "id": self.name,
            "finish_reason": self._finish_reason(),
            "message": self._message.fields(),
            **wire.usage_fields(body.get("usage")),
            **({"logprobs": items} if items else {}),
            **self._citation_fields(body),
        }

    def _last(self, reason: str, error: str | None = None) -> Fields:
        body = self._completion.body()
        return wire.message_end(self.name, reason, wire.usage_fields(body.get("usage")), error) | self._citation_fields(
            body
        )

    def _finish_reason(self) -> str:
        return wire.finish_reason(first_choice(self._completion.body()))

    def _citation_fields(self, body: Fields) -> Fields:
        return {key: body[key] for key in CITATION_FIELDS if key in body} if self._cites else {}
