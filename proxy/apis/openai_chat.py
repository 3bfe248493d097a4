"""OpenAI Chat Completions: the request in; server-sent events or one body out."""

from collections.abc import Sequence
from typing import Any

from citation.evidence import FieldError
from citation.options import Options
from providers.events import Chunk, Message

from ..encoding import dumps
from ..job import Job
from .extensions import Body, required_text, take


class OpenAIChatApi:
    """`POST /v1/chat/completions`."""

    native = "openai"
    path = "/chat/completions"

    def model(self, body: Body) -> str:
        """The model asked for."""
        return required_text(body, "model")

    def parse(self, body: Body, defaults: Options, *, limit: int, max_characters: int) -> Job:
        """A request. Raises FieldError with the path of a wrong field."""
        messages = _messages(body.get("messages"))
        rest, ours = take(body, defaults, limit=limit, max_characters=max_characters)
        return Job(
            model=self.model(body),
            messages=messages,
            params={key: value for key, value in rest.items() if key not in ("model", "messages", "stream")},
            body=rest,
            evidence=ours.evidence,
            options=ours.options,
            stream=_flag(body, "stream"),
            usage=_wants_usage(body.get("stream_options")) or not _flag(body, "stream"),
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

    def failure(self, error: Body) -> bytes:
        """The frame on which OpenAI's clients raise."""
        return b"data: " + dumps(error) + b"\n\n"

    def end(self) -> bytes:
        """What tells a client that nothing is missing."""
        return b"data: [DONE]\n\n"

    def body(self, completion: Body) -> Body:
        """The hub's own shape."""
        return completion


def _messages(raw: Any) -> list[Message]:
    if not isinstance(raw, list) or not raw:
        raise FieldError("messages", "must be a non-empty list of messages")
    for position, message in enumerate(raw):
        if not isinstance(message, dict):
            raise FieldError(f"messages[{position}]", "must be an object")
        if not isinstance(message.get("role"), str):
            raise FieldError(f"messages[{position}].role", "must be a string")
        if not isinstance(message.get("content"), str | list | None):
            raise FieldError(f"messages[{position}].content", "must be a string, a list of parts or null")
    return raw


def _flag(body: Body, key: str) -> bool:
    value = body.get(key)
    if value is not None and not isinstance(value, bool):
        raise FieldError(key, "must be a boolean")
    return bool(value)


def _wants_usage(options: Any) -> bool:
    if options is None:
        return False
    if not isinstance(options, dict):
        raise FieldError("stream_options", "must be an object")
    return options.get("include_usage") is True


def _wants_json(response_format: Any) -> bool:
    return isinstance(response_format, dict) and response_format.get("type") in ("json_object", "json_schema")
