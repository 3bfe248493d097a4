"""Requests of Ollama's API, as the hub understands them: OpenAI's messages and parameters."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from citation.evidence import FieldError
from citation.options import Options
from providers.events import Message

from ...encoding import dumps
from ...job import Job
from ..extensions import OURS, Body, required_text, take
from .lines import Lines

OPTIONS = {  # Ollama's option -> OpenAI's parameter, for providers that do not speak Ollama's API
    "temperature": "temperature",
    "top_p": "top_p",
    "seed": "seed",
    "stop": "stop",
    "num_predict": "max_tokens",
    "frequency_penalty": "frequency_penalty",
    "presence_penalty": "presence_penalty",
}
OWN = ("options", "format", "think", "keep_alive", "truncate", "shift")  # told only to a provider that knows them
EFFORTS = {True: "medium", False: "none"}


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
        """A request. Raises FieldError with the path of a wrong field."""
        options = body.get("options") or {}
        if not isinstance(options, dict):
            raise FieldError("options", "must be an object")
        # Ollama's own clients refuse keys they do not know, but let any through inside of `options`
        hidden = {key: options[key] for key in OURS if key in options}
        plain = {key: value for key, value in options.items() if key not in hidden}
        rest, ours = take({**hidden, **body}, defaults, limit=limit, max_characters=max_characters)
        if "options" in rest:
            rest["options"] = plain
        return Job(
            model=self.model(body),
            messages=_prompt(rest) if self.generates else _messages(rest.get("messages")),
            params=_params(rest, plain),
            own={key: rest[key] for key in OWN if key in rest},
            body=rest,
            evidence=ours.evidence,
            options=ours.options,
            stream=rest.get("stream", True) is not False,
            usage=True,
            json=rest.get("format") not in (None, ""),
        )

    def encoder(self, job: Job, _annotations: object) -> Lines:
        """Who writes the answer."""
        return Lines(job.model, generates=self.generates)


CHAT = OllamaApi("/api/chat", generates=False)
GENERATE = OllamaApi("/api/generate", generates=True)


def _params(body: Body, options: Mapping[str, Any]) -> Body:
    params = {theirs: options[ours] for ours, theirs in OPTIONS.items() if options.get(ours) is not None}
    if body.get("tools"):
        params["tools"] = body["tools"]
    if isinstance(body.get("logprobs"), bool):
        params["logprobs"] = body["logprobs"]
    think = body.get("think")
    if think is not None:
        params["reasoning_effort"] = EFFORTS[think] if isinstance(think, bool) else think
    wanted = body.get("format")
    if isinstance(wanted, dict):
        params["response_format"] = {"type": "json_schema", "json_schema": {"name": "answer", "schema": wanted}}
    elif wanted:
        params["response_format"] = {"type": "json_object"}
    return params


def _messages(raw: Any) -> list[Message]:
    if not isinstance(raw, list) or not raw:
        raise FieldError("messages", "must be a non-empty list of messages")
    for position, message in enumerate(raw):
        if not isinstance(message, dict) or not isinstance(message.get("role"), str):
            raise FieldError(f"messages[{position}]", "must be an object with a role")
        if not isinstance(message.get("content"), str | None):
            raise FieldError(f"messages[{position}].content", "must be a string")
    return [_message(message, number) for number, message in enumerate(raw)]


def _message(message: Message, number: int) -> Message:
    """Images become parts, arguments of tool calls become text, thoughts go by OpenAI's name."""
    found: Message = {"role": message["role"], "content": _content(message.get("content"), message.get("images"))}
    if message.get("thinking"):
        found["reasoning"] = message["thinking"]
    if message.get("tool_calls"):
        calls = enumerate(message["tool_calls"])
        found["tool_calls"] = [_call(call, f"call_{number}_{index}") for index, call in calls]
    if message["role"] == "tool":
        found["tool_call_id"] = message.get("tool_call_id") or message.get("tool_name") or "call_0"
        if message.get("tool_name"):
            found["name"] = message["tool_name"]
    return found


def _content(text: str | None, images: Any) -> Any:
    if not images:
        return text or ""
    pictures = [{"type": "image_url", "image_url": {"url": f"data:image/png;base64,{image}"}} for image in images]
    return [*([{"type": "text", "text": text}] if text else []), *pictures]


def _call(call: Any, name: str) -> Message:
    function = call.get("function") or {} if isinstance(call, dict) else {}
    arguments = function.get("arguments") or {}
    written = arguments if isinstance(arguments, str) else dumps(arguments).decode()
    identity = call.get("id") or name if isinstance(call, dict) else name
    return {"id": identity, "type": "function", "function": {"name": function.get("name", ""), "arguments": written}}


def _prompt(body: Body) -> list[Message]:
    prompt, system = body.get("prompt"), body.get("system")
    if not isinstance(prompt, str):
        raise FieldError("prompt", "must be a string")
    user = {"role": "user", "content": _content(prompt, body.get("images"))}
    return [{"role": "system", "content": system}, user] if isinstance(system, str) and system else [user]
