"""OpenAI Chat Completions: parse requests, and encode server-sent events or one body."""

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field

from citestream.citation.evidence import EvidenceLimits
from citestream.citation.options import Options
from citestream.providers.events import Chunk
from citestream.providers.wire.json_text import dumps
from citestream.providers.wire.openai_messages import json_format

from ..http.client_api import ClientApi, Encoder
from ..http.encoding import dumps_event
from ..pipeline.collect_chunks import Completion
from ..pipeline.request.job import Job
from .earlier_answers import strip_messages
from .extensions import Body, parse_extensions
from .field_types import Items, JsonObject, Shape, Text, Whole, check


class OpenAIChatApi(ClientApi):
    """`POST /v1/chat/completions`."""

    native = "openai"
    path = "/chat/completions"

    def parse(self, body: Body, defaults: Options, limits: EvidenceLimits) -> Job:
        """Parse a request. Raises FieldError with the path of a wrong field."""
        check(body, _Request)
        remaining, extensions = parse_extensions(body, defaults, limits)
        remaining["messages"] = strip_messages(body["messages"])
        return Job(
            model=self.model(body),
            messages=remaining["messages"],
            params={key: value for key, value in remaining.items() if key not in ("model", "messages", "stream")},
            native_params={} if body.get("stream") else {"openai": {"stream": False}},
            body=remaining,
            evidence=extensions.evidence,
            retrieval=extensions.retrieval,
            options=extensions.options,
            stream=bool(body.get("stream")),
            stream_chunks=bool(body.get("stream")),
            usage=_wants_usage(body.get("stream_options")) or not body.get("stream"),
            json=json_format(body.get("response_format"))[0] or _is_ollamas_json(body.get("format")),
        )

    def encoder(self, _job: Job, _citations: object) -> "ChatEncoder":
        """Return the encoder of the answer."""
        return ChatEncoder()


class ChatEncoder(Encoder):
    """Encodes each chunk as one server-sent event, unchanged."""

    content_type = "text/event-stream"
    keepalive = b": keep-alive\n\n"  # a comment, which every parser of event streams skips

    def chunks(self, chunks: Sequence[Chunk]) -> bytes:
        """Return one event for each chunk."""
        return b"".join([b"data: " + dumps_event(chunk) + b"\n\n" for chunk in chunks])

    def failure(self, error: Body, _status: int) -> bytes:
        """Return the event for which OpenAI's clients raise an error."""
        return b"data: " + dumps(error) + b"\n\n"

    def end(self) -> bytes:
        """Return the end marker, which shows that the answer is complete."""
        return b"data: [DONE]\n\n"

    def body(self, completion: Completion) -> Body:
        """Return the whole answer."""
        return completion.body()


class _Function(Shape):
    name: Text
    arguments: Text | JsonObject | None = None


class _Call(Shape):
    id: Text | None = None
    function: _Function | None = None


class _Part(Shape):
    type: Text | None = None
    text: Text | None = None


class _Message(Shape):
    role: Text
    content: Text | Items[Text | _Part] | None = None
    name: Text | None = None
    tool_call_id: Text | None = None
    tool_calls: Items[_Call] | None = None


class _Format(Shape):
    type: Text | None = None
    json_schema: JsonObject | None = None


class _Request(Shape):
    """The fields that are read here or translated. Other fields are not checked."""

    messages: Annotated[Items[_Message], Field(min_length=1)]
    n: Annotated[Whole, Field(ge=1)] | None = None
    stop: Text | Items[Text] | None = None
    stream: bool | None = None
    stream_options: JsonObject | None = None
    response_format: _Format | None = None
    tools: Items[JsonObject] | None = None
    tool_choice: Text | JsonObject | None = None


def _wants_usage(options: Any) -> bool:
    return isinstance(options, dict) and options.get("include_usage") is True


def _is_ollamas_json(value: Any) -> bool:
    """Return whether the field `format`, which belongs to Ollama's API, asks for JSON."""
    return value == "json" or isinstance(value, dict)
