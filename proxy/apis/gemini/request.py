"""Requests of Gemini's API, as the hub understands them: OpenAI's messages and parameters."""

from dataclasses import dataclass
from typing import Any

from citation.evidence import FieldError
from citation.options import Options
from providers.events import Message

from ...encoding import dumps
from ...job import Job
from ..extensions import Body, take
from .responses import Responses

CONFIG = {  # Gemini's generationConfig -> OpenAI's parameter
    "temperature": "temperature",
    "topP": "top_p",
    "topK": "top_k",
    "maxOutputTokens": "max_tokens",
    "stopSequences": "stop",
    "candidateCount": "n",
    "seed": "seed",
    "presencePenalty": "presence_penalty",
    "frequencyPenalty": "frequency_penalty",
}
JSON = "application/json"


@dataclass(frozen=True, slots=True)
class GeminiApi:
    """One of the two methods; `events`: its stream is server-sent events, not a JSON array."""

    name: str
    stream: bool
    events: bool
    native: str = "gemini"

    @property
    def path(self) -> str:
        """Below the base address; `{model}` is filled in by the provider."""
        return (
            (":streamGenerateContent?alt=sse" if self.events else ":streamGenerateContent")
            if self.stream
            else (":generateContent")
        )

    def model(self, _body: Body) -> str:
        """The model asked for, which stands in the path."""
        return self.name

    def parse(self, body: Body, defaults: Options, *, limit: int, max_characters: int) -> Job:
        """A request. Raises FieldError with the path of a wrong field."""
        rest, ours = take(body, defaults, limit=limit, max_characters=max_characters)
        written = _object(rest, "generationConfig") or _object(rest, "generation_config")
        config = {_camel(key): value for key, value in written.items()}
        return Job(
            model=self.name,
            messages=[*_system(rest), *_messages(rest.get("contents"))],
            params=_params(rest, config),
            body=rest,
            evidence=ours.evidence,
            options=ours.options,
            stream=self.stream,
            usage=True,
            json=config.get("responseMimeType") not in (None, "", "text/plain"),
        )

    def encoder(self, job: Job, _annotations: object) -> Responses:
        """Who writes the answer."""
        return Responses(job.model, events=self.events)


def _camel(key: str) -> str:
    """Google's servers take both spellings of a name."""
    first, *rest = key.split("_")
    return first + "".join(word.capitalize() for word in rest)


def _object(body: Body, key: str) -> Body:
    value = body.get(key) or {}
    if not isinstance(value, dict):
        raise FieldError(key, "must be an object")
    return value


def _params(body: Body, config: Body) -> Body:
    params = {theirs: config[ours] for ours, theirs in CONFIG.items() if config.get(ours) is not None}
    schema = config.get("responseJsonSchema") or config.get("responseSchema")
    if config.get("responseMimeType") == JSON and schema:
        params["response_format"] = {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}}
    elif config.get("responseMimeType") == JSON:
        params["response_format"] = {"type": "json_object"}
    declared = [d for tool in body.get("tools") or () for d in tool.get("functionDeclarations") or ()]
    if declared:
        params["tools"] = [{"type": "function", "function": _function(declaration)} for declaration in declared]
    return params


def _function(declaration: Body) -> Body:
    parameters = declaration.get("parametersJsonSchema") or declaration.get("parameters") or {"type": "object"}
    return {
        "name": declaration.get("name", ""),
        "description": declaration.get("description", ""),
        "parameters": _lowered(parameters),
    }


def _lowered(schema: Any) -> Any:
    """Gemini writes the types of a schema in capitals."""
    if isinstance(schema, dict):
        return {
            key: value.lower() if key == "type" and isinstance(value, str) else _lowered(value)
            for key, value in schema.items()
        }
    return [_lowered(item) for item in schema] if isinstance(schema, list) else schema


def _system(body: Body) -> list[Message]:
    text = _text(body.get("systemInstruction") or body.get("system_instruction") or {})
    return [{"role": "system", "content": text}] if text else []


def _text(content: Any) -> str:
    parts = content.get("parts") or () if isinstance(content, dict) else ()
    return "\n".join(part["text"] for part in parts if isinstance(part.get("text"), str))


def _messages(raw: Any) -> list[Message]:
    if isinstance(raw, dict):
        raw = [raw]
    if not isinstance(raw, list) or not raw:
        raise FieldError("contents", "must be a non-empty list of contents")
    messages: list[Message] = []
    for position, content in enumerate(raw):
        if not isinstance(content, dict) or not isinstance(content.get("parts"), list):
            raise FieldError(f"contents[{position}].parts", "must be a list of parts")
        messages += _of_content(content)
    return messages


def _of_content(content: Body) -> list[Message]:
    """One message, and one more for each result of a function."""
    parts = [part for part in content["parts"] if isinstance(part, dict)]
    results = [part["functionResponse"] for part in parts if "functionResponse" in part]
    answers: list[Message] = [
        {"role": "tool", "tool_call_id": result.get("id") or result.get("name", ""), "content": _dumped(result)}
        for result in results
    ]
    rest = [part for part in parts if "functionResponse" not in part]
    if not rest:
        return answers
    if content.get("role") == "model":
        return [*answers, _of_model(rest)]
    plain = all(set(part) == {"text"} for part in rest)
    found: Any = "\n".join(part["text"] for part in rest) if plain else [p for part in rest if (p := _part(part))]
    return [*answers, {"role": "user", "content": found}]


def _of_model(parts: list[Body]) -> Message:
    said = "".join(part["text"] for part in parts if isinstance(part.get("text"), str) and not part.get("thought"))
    message: Message = {"role": "assistant", "content": said}
    calls = [part["functionCall"] for part in parts if "functionCall" in part]
    if calls:
        message["tool_calls"] = [_call(call) for call in calls]
    return message


def _call(call: Body) -> Body:
    arguments = dumps(call.get("args") or {}).decode()
    name = call.get("name", "")
    return {"id": call.get("id") or name, "type": "function", "function": {"name": name, "arguments": arguments}}


def _dumped(result: Body) -> str:
    return dumps(result.get("response") or {}).decode()


def _part(part: Body) -> Body | None:
    if isinstance(part.get("text"), str):
        return {"type": "text", "text": part["text"]}
    inline = part.get("inlineData") or part.get("inline_data")
    if isinstance(inline, dict):
        kind = inline.get("mimeType") or inline.get("mime_type") or "application/octet-stream"
        return {"type": "image_url", "image_url": {"url": f"data:{kind};base64,{inline.get('data', '')}"}}
    return None
