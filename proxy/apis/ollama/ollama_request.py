"""OllamaApi: parses requests of Ollama's API."""

from typing import Literal

from citestream.citation.evidence import EvidenceLimits, FieldError
from citestream.citation.options import Options
from citestream.providers.wire.ollama.chat_request import (
    chat_messages,
    chat_params,
    native_messages,
    prompt_messages,
    provider_params,
)

from ...http.client_api import ClientApi
from ...pipeline.request.job import Job
from ..extensions import EXTENSION_FIELDS, Body, parse_extensions
from ..field_types import Items, JsonObject, Shape, Text, check
from .ollama_encoder import OllamaEncoder

# Fields of /api/generate that replace the conversation, so that evidence cannot be added. Chats do not have them.
ONLY_OLLAMA = ("context", "raw", "suffix", "template")

Number = int | float


class _Function(Shape):
    name: Text
    arguments: JsonObject | Text | None = None


class _Call(Shape):
    id: Text | None = None
    function: _Function


class _Message(Shape):
    role: Text
    content: Text | None = None
    images: Items[Text] | None = None
    tool_calls: Items[_Call] | None = None
    tool_name: Text | None = None
    tool_call_id: Text | None = None


class _Options(Shape):
    temperature: Number | None = None
    top_k: Number | None = None
    top_p: Number | None = None
    seed: Number | None = None
    num_predict: Number | None = None
    frequency_penalty: Number | None = None
    presence_penalty: Number | None = None
    stop: Items[Text] | Text | None = None


class _Request(Shape):
    """The fields that are read here or translated. Other fields are not checked."""

    messages: Items[_Message] | None = None
    prompt: Text | None = None
    system: Text | None = None
    images: Items[Text] | None = None
    stream: bool | None = None
    options: _Options | None = None
    format: Literal["json", ""] | JsonObject | None = None
    think: bool | Text | None = None
    tools: Items[JsonObject] | None = None
    logprobs: bool | None = None
    top_logprobs: int | None = None


class OllamaApi(ClientApi):
    """`/api/chat`, or `/api/generate` with its prompt in place of messages."""

    native = "ollama"
    path = ""

    def __init__(self, path: str, *, generates: bool) -> None:
        self.path = path
        self.generates = generates

    def loaded(self, body: Body) -> Body | None:
        """Return the answer to a request without a question, as `ollama run` sends it before the first one."""
        if body.get("prompt" if self.generates else "messages") or any(body.get(key) for key in ONLY_OLLAMA):
            return None
        check(body, _Request)
        reason = "unload" if body.get("keep_alive") == 0 else "load"
        return OllamaEncoder(self.model(body), generates=self.generates).without_text(reason)

    def parse(self, body: Body, defaults: Options, limits: EvidenceLimits) -> Job:
        """Parse a request. Raises FieldError with the path of a wrong field.

        Content that only Ollama supports is not an error yet, because the provider may be Ollama.
        """
        check(body, _Request)
        # Ollama's own clients refuse unknown fields, except inside `options`.
        options = body.get("options") or {}
        hidden = {key: options[key] for key in EXTENSION_FIELDS if key in options}
        remaining, extensions = parse_extensions({**hidden, **body}, defaults, limits)
        if hidden:
            remaining["options"] = {key: value for key, value in options.items() if key not in hidden}
        raw = prompt_messages(remaining) if self.generates else remaining.get("messages") or []
        refused = self._refused(remaining)
        return Job(
            model=self.model(body),
            messages=chat_messages(raw),
            params=chat_params(remaining),
            native_params=provider_params(remaining),
            native_messages=None if refused else native_messages(raw),
            body=remaining,
            evidence=extensions.evidence,
            retrieval=extensions.retrieval,
            options=extensions.options,
            stream=remaining.get("stream") is not False,
            usage=True,
            json=remaining.get("format") not in (None, ""),
            native_only=refused,
        )

    def encoder(self, job: Job, _citations: object) -> OllamaEncoder:
        """Return the encoder of the answer."""
        return OllamaEncoder(job.model, generates=self.generates)

    def _refused(self, body: Body) -> FieldError | None:
        """Return the error for a request that can only be passed through. Without a question it only loads a model."""
        if not self.generates:
            return None if body.get("messages") else FieldError("messages", "must be a non-empty list of messages")
        for key in ONLY_OLLAMA:
            if body.get(key):
                return FieldError(key, "is supported by Ollama only, and not together with evidence")
        return None if body.get("prompt") else FieldError("prompt", "must be a non-empty string")


CHAT = OllamaApi("/api/chat", generates=False)
GENERATE = OllamaApi("/api/generate", generates=True)
