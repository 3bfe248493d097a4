"""OpenAI Chat Completions: the request in; server-sent events or one body out."""

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field

from citestream.citation.options import Options
from citestream.providers.events import Chunk

from ..http.encoding import dumps
from ..pipeline.collect_chunks import Completion
from ..pipeline.job import Job
from .earlier_answers import without_ours
from .extensions import Body, required_text, take
from .field_types import Shape, Whole, check


class OpenAIChatApi:
    """`POST /v1/chat/completions`."""

    native = "openai"
    path = "/chat/completions"

    def model(self, body: Body) -> str:
        """The model asked for."""
        return required_text(body, "model")

    def parse(self, body: Body, defaults: Options, *, limit: int, max_characters: int) -> Job:
        """A request. Raises FieldError with the path of a wrong field."""
        check(body, _Request)
        rest, ours = take(body, defaults, limit=limit, max_characters=max_characters)
        rest["messages"] = without_ours(body["messages"])
        return Job(
            model=self.model(body),
            messages=rest["messages"],
            params={key: value for key, value in rest.items() if key not in ("model", "messages", "stream")},
            body=rest,
            evidence=ours.evidence,
            retrieval=ours.retrieval,
            options=ours.options,
            stream=bool(body.get("stream")),
            usage=_wants_usage(body.get("stream_options")) or not body.get("stream"),
            json=_wants_json(body.get("response_format")) or body.get("format") not in (None, ""),
        )

    def encoder(self, _job: Job, _annotations: object) -> "Events":
        """Who writes the answer."""
        return Events()


class Events:
    """Writes the hub's chunks as they are: one server-sent event each."""

    content_type = "text/event-stream"
    keepalive = b": keep-alive\n\n"  # a comment: every parser of event streams skips it

    def chunks(self, chunks: Sequence[Chunk]) -> bytes:
        """One event a chunk."""
        return b"".join([b"data: " + dumps(chunk) + b"\n\n" for chunk in chunks])

    def failure(self, error: Body, _status: int) -> bytes:
        """The frame on which OpenAI's clients raise."""
        return b"data: " + dumps(error) + b"\n\n"

    def end(self) -> bytes:
        """What tells a client that nothing is missing."""
        return b"data: [DONE]\n\n"

    def body(self, completion: Completion) -> Body:
        """The hub's own shape."""
        return completion.body()


class _Function(Shape):
    name: str
    arguments: str | dict[str, Any] | None = None


class _Call(Shape):
    id: str | None = None
    function: _Function | None = None


class _Part(Shape):
    type: str | None = None
    text: str | None = None


class _Message(Shape):
    role: str
    content: str | list[str | _Part] | None = None
    name: str | None = None
    tool_call_id: str | None = None
    tool_calls: list[_Call] | None = None


class _Format(Shape):
    type: str | None = None
    json_schema: dict[str, Any] | None = None


class _Request(Shape):
    """What is read here or translated for other providers; the rest is checked by whoever reads it."""

    messages: Annotated[list[_Message], Field(min_length=1)]
    n: Annotated[Whole, Field(ge=1)] | None = None
    stop: str | list[str] | None = None
    stream: bool | None = None
    stream_options: dict[str, Any] | None = None
    response_format: _Format | None = None
    tools: list[dict[str, Any]] | None = None
    tool_choice: str | dict[str, Any] | None = None


def _wants_usage(options: Any) -> bool:
    return isinstance(options, dict) and options.get("include_usage") is True


def _wants_json(response_format: Any) -> bool:
    return isinstance(response_format, dict) and response_format.get("type") in ("json_object", "json_schema")
