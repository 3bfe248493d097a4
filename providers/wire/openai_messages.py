"""Messages of the OpenAI API: their text, their parts and their tool calls, as every translation needs them."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from ..errors import Rejected
from ..events import Message
from .json_text import as_object, dumps, loads

Fields = dict[str, Any]

# The first characters of images in base64 -> media type.
_IMAGE_PREFIXES = {"/9j/": "image/jpeg", "iVBORw": "image/png", "R0lG": "image/gif", "UklGR": "image/webp"}
_GENERATED = "call_made"  # prefix of generated tool call ids
_DATA_URL = re.compile(r"data:([\w.+-]+/[\w.+-]+)?[^,]{0,200}?;base64,", re.IGNORECASE)


def unsupported(message: str, param: str) -> Rejected:
    """Return the error for content that a provider has no field for: 400, because the client has to change it."""
    return Rejected(message, status=400, param=param, code="unsupported_value")


def content_parts(content: object) -> Iterator[Mapping[str, Any]]:
    """Yield the parts of a message's content. A plain string is one text part."""
    if isinstance(content, str):
        if content:
            yield {"type": "text", "text": content}
    elif isinstance(content, list):
        for part in content:
            if isinstance(part, str):
                yield {"type": "text", "text": part}
            elif isinstance(part, Mapping):
                yield part


def text_of(content: object) -> str:
    """Return the text and refusal parts of a message's content, one per line."""
    texts = (part.get("text", part.get("refusal")) for part in content_parts(content))
    return "\n".join(text for text in texts if isinstance(text, str))


def image_part(media_type: str, data: str) -> Fields:
    """Return an `image_url` part of base64 data."""
    return {"type": "image_url", "image_url": {"url": f"data:{media_type};base64,{data}"}}


def image_url(part: Mapping[str, Any]) -> str:
    """Return the URL of an `image_url` part. Some clients write it as a plain string."""
    image = part.get("image_url")
    url = image.get("url") if isinstance(image, Mapping) else image
    return url if isinstance(url, str) else ""


def parse_data_url(url: str) -> tuple[str, str] | None:
    """Return (media type, base64 data) of a `data:` URL, None for any other URL."""
    match = _DATA_URL.match(url)
    return (match[1] or "application/octet-stream", url[match.end() :]) if match else None


def detect_image_type(image: str) -> str:
    """Return the media type of an image in base64 by its first characters. Ollama's API does not state it."""
    return next((kind for prefix, kind in _IMAGE_PREFIXES.items() if image.startswith(prefix)), "image/png")


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call with its arguments as an object. `extra`: what its provider stored with it, such as a signature."""

    id: str | None  # None if the provider sent none
    name: str
    arguments: Fields
    extra: Mapping[str, Any]


def parse_tool_call(call: Mapping[str, Any]) -> ToolCall:
    """Parse a tool call for an API in which all tools are functions and arguments are objects.

    Arguments that are not a JSON object, and the text input of a custom tool, become a field of an object.
    """
    received_id = call.get("id")
    call_id = None if isinstance(received_id, str) and received_id.startswith(_GENERATED) else received_id or None
    extra = as_object(call.get("extra_content"))
    if call.get("type") == "custom":
        custom = as_object(call.get("custom"))
        return ToolCall(call_id, custom.get("name") or "", {"input": custom.get("input") or ""}, extra)
    function = as_object(call.get("function"))
    written = function.get("arguments")
    value = _decode_arguments(written)
    if not isinstance(value, dict):
        value = {"arguments": written} if written else {}
    return ToolCall(call_id, function.get("name") or "", value, extra)


def parse_tool_calls(message: Mapping[str, Any], *, truncated: bool = False) -> list[ToolCall]:
    """Parse all tool calls of a message.

    `truncated`: the answer was cut off, so calls whose arguments are not complete JSON are left out.
    """
    return [parse_tool_call(call) for call in call_fragments(message) if not truncated or _is_complete(call)]


def call_fragments(delta: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the tool calls of a message, or the fragments of a delta, with OpenAI's older `function_call`."""
    legacy = delta.get("function_call")
    return [*(delta.get("tool_calls") or ()), *([{"index": 0, "function": legacy}] if legacy else ())]


def _decode_arguments(written: object) -> Any:
    return loads(written.encode("utf-8", "surrogatepass"))[0] if isinstance(written, str) else written


def _is_complete(call: Mapping[str, Any]) -> bool:
    return _decode_arguments(as_object(call.get("function")).get("arguments")) is not None


def new_call_id() -> str:
    """Generate an id for a tool call that came without one. OpenAI's clients require one."""
    return f"{_GENERATED}{uuid4().hex[:19]}"


def function_call(name: str, arguments: object, *, call_id: str | None = None, index: int | None = None) -> Fields:
    """Return a tool call of the OpenAI API. `arguments`: an object, or JSON text. `index`: its position in a stream."""
    written = arguments if isinstance(arguments, str) else dumps(arguments or {}).decode()
    call = {"id": call_id or new_call_id(), "type": "function", "function": {"name": name, "arguments": written}}
    return call if index is None else {"index": index, **call}


def tool_names(messages: list[Message]) -> dict[str, str]:
    """Map tool call ids to names of tools, for results that carry only the id."""
    return {
        call["id"]: name
        for message in messages
        for call in message.get("tool_calls") or ()
        if isinstance(call, Mapping) and call.get("id") and (name := parse_tool_call(call).name)
    }


class ToolCallIds:
    """Assigns ids to the tool calls and results of one conversation, in an API that does not require ids.

    A result belongs to the call with its id. Without an id it belongs to the first open call of its tool.
    """

    def __init__(self) -> None:
        """Start without calls."""
        self._open: list[tuple[str, str]] = []  # (id, name) of calls without a result
        self._count = 0

    def for_call(self, name: str, received_id: str | None) -> str:
        """Return the id of a call."""
        self._count += 1
        call_id = received_id or f"call_{self._count}"
        self._open.append((call_id, name))
        return call_id

    def for_result(self, name: str | None, received_id: str | None) -> str:
        """Return the id of the call that a result belongs to."""
        for call_id, called in self._open:
            if call_id == received_id or (not received_id and name in (None, called)):
                self._open.remove((call_id, called))
                return call_id
        return received_id or name or "call_0"


def json_format(response_format: object) -> tuple[bool, Fields | None]:
    """Return whether `response_format` asks for JSON, and the JSON schema that it names."""
    wanted = as_object(response_format)
    schema = as_object(wanted.get("json_schema")).get("schema")
    return wanted.get("type") in {"json_object", "json_schema"}, schema if isinstance(schema, dict) else None


def response_format(schema: object) -> Fields:
    """Return a `response_format` that asks for JSON. `schema`: a JSON schema, or nothing."""
    if not schema:
        return {"type": "json_object"}
    return {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}}


def stop_sequences(params: Mapping[str, Any]) -> list[str]:
    """Return the parameter `stop` as a list."""
    stop = params.get("stop")
    return [stop] if isinstance(stop, str) else [text for text in stop or () if isinstance(text, str)]


def stop_sequence(choice: Mapping[str, Any]) -> str | None:
    """Return the stop sequence that ended an answer, as vLLM reports it. OpenAI's servers do not, so it is None."""
    matched = choice.get("stop_reason")
    return matched if choice.get("finish_reason") == "stop" and isinstance(matched, str) else None


def max_tokens(params: Mapping[str, Any]) -> Any:
    """Return the limit of completion tokens under its current or its older name, None if there is none."""
    return first_set(params, "max_completion_tokens", "max_tokens")


def other_params(*, top_k: object = None, thinks: bool = True) -> dict[str, Fields]:
    """Return parameters that OpenAI's API does not have, by the API of the providers that take them.

    `top_k`: 0 or less for all tokens, as in Ollama's and Cohere's APIs; Gemini's clients send a float, which others
    refuse. `thinks`: False if the client switched thinking off. OpenAI's models without reasoning refuse that.
    """
    whole = int(top_k) if isinstance(top_k, float) and top_k.is_integer() else top_k
    sampling = {"top_k": whole} if whole is not None and not (isinstance(whole, int) and whole <= 0) else {}
    effort = {} if thinks else {"reasoning_effort": "none"}
    return {"anthropic": sampling, "ollama": sampling | effort, "gemini": sampling | effort}


def first_set(fields: Mapping[str, Any], *names: str) -> Any:
    """Return the value of the first of these fields that has one, None if none has."""
    return next((fields[name] for name in names if fields.get(name) is not None), None)


def chat_envelope(model: str) -> Fields:
    """Return the fields that all chunks of a new answer share, without `created`."""
    return {"id": f"chatcmpl-{uuid4().hex}", "object": "chat.completion.chunk", "model": model}


def usage_of(prompt: int, completion: int, total: int | None = None) -> Fields:
    """Return token counts as OpenAI names them."""
    total = total or prompt + completion
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": total}
