"""OllamaApi: requests of Ollama's API, as the hub understands them: OpenAI's messages and parameters."""

from dataclasses import dataclass
from typing import Any, Literal

from citestream.citation.evidence import FieldError
from citestream.citation.options import Options

from ...pipeline.job import Job
from ..extensions import OURS, Body, required_text, take
from ..field_types import Shape, check
from .lines import Lines
from .messages import chat_messages, own_messages, prompt_messages
from .params import chat_params, own_params

# Of /api/generate: they replace the conversation that evidence is put into, and no chat has them.
NO_CHAT = ("context", "raw", "suffix", "template")

Number = int | float


class _Function(Shape):
    name: str
    arguments: dict[str, Any] | str | None = None


class _Call(Shape):
    id: str | None = None
    function: _Function


class _Message(Shape):
    role: str
    content: str | None = None
    images: list[str] | None = None
    tool_calls: list[_Call] | None = None
    tool_name: str | None = None
    tool_call_id: str | None = None


class _Options(Shape):
    temperature: Number | None = None
    top_k: Number | None = None
    top_p: Number | None = None
    seed: Number | None = None
    num_predict: Number | None = None
    frequency_penalty: Number | None = None
    presence_penalty: Number | None = None
    stop: list[str] | str | None = None


class _Request(Shape):
    """What is read here or translated for other providers; the rest is checked by whoever reads it."""

    messages: list[_Message] | None = None
    prompt: str | None = None
    system: str | None = None
    images: list[str] | None = None
    stream: bool | None = None
    options: _Options | None = None
    format: Literal["json", ""] | dict[str, Any] | None = None
    think: bool | str | None = None
    tools: list[dict[str, Any]] | None = None
    logprobs: bool | None = None
    top_logprobs: int | None = None


@dataclass(frozen=True, slots=True)
class OllamaApi:
    """`/api/chat`, or `/api/generate` with its prompt in place of messages."""

    path: str
    generates: bool
    native: str = "ollama"

    def model(self, body: Body) -> str:
        """The model asked for."""
        return required_text(body, "model")

    def parse(self, body: Body, defaults: Options, *, limit: int, max_characters: int) -> Job:
        """A request. Raises FieldError with the path of a wrong field.

        What only Ollama itself can be told, or asked without evidence, is no error yet.
        """
        check(body, _Request)
        # Ollama's own clients refuse keys they do not know, but let any through inside of `options`
        options = body.get("options") or {}
        hidden = {key: options[key] for key in OURS if key in options}
        rest, ours = take({**hidden, **body}, defaults, limit=limit, max_characters=max_characters)
        if hidden:
            rest["options"] = {key: value for key, value in options.items() if key not in hidden}
        raw = prompt_messages(rest) if self.generates else rest.get("messages") or []
        refused = self._refused(rest)
        return Job(
            model=self.model(body),
            messages=chat_messages(raw),
            params=chat_params(rest),
            own=own_params(rest),
            own_messages=None if refused else own_messages(raw),
            body=rest,
            evidence=ours.evidence,
            retrieval=ours.retrieval,
            options=ours.options,
            stream=rest.get("stream") is not False,
            usage=True,
            json=rest.get("format") not in (None, ""),
            refused=refused,
        )

    def encoder(self, job: Job, _annotations: object) -> Lines:
        """Who writes the answer."""
        return Lines(job.model, generates=self.generates)

    def _refused(self, body: Body) -> FieldError | None:
        """What only a request that is passed through may hold; one without a question only loads the model there."""
        if not self.generates:
            return None if body.get("messages") else FieldError("messages", "must be a non-empty list of messages")
        for key in NO_CHAT:
            if body.get(key):
                return FieldError(key, "can be told to Ollama only, and not together with evidence")
        return None if body.get("prompt") else FieldError("prompt", "must be a non-empty string")


CHAT = OllamaApi("/api/chat", generates=False)
GENERATE = OllamaApi("/api/generate", generates=True)
