"""What every translation of OpenAI's messages needs: their text, their parts, the names behind tool call ids."""

import re
from collections.abc import Iterator, Mapping
from typing import Any
from uuid import uuid4

from ..errors import Rejected
from ..events import Message
from .json_text import loads

Fields = dict[str, Any]

_KINDS = {"/9j/": "image/jpeg", "iVBORw": "image/png", "R0lG": "image/gif", "UklGR": "image/webp"}
_MADE = "call_made"
_DATA_URL = re.compile(r"data:([\w.+-]+/[\w.+-]+)?[^,]{0,200}?;base64,", re.IGNORECASE)


def unsupported(message: str, param: str) -> Rejected:
    """What a provider cannot be told is the client's to change."""
    return Rejected(message, status=400, param=param, code="unsupported_value")


def parts(content: object) -> Iterator[Mapping[str, Any]]:
    """The parts of a message, a plain string being one."""
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
    """The texts of a message, one below the other."""
    found = (part.get("text", part.get("refusal")) for part in parts(content))
    return "\n".join(text for text in found if isinstance(text, str))


def image_url(part: Mapping[str, Any]) -> str:
    """The address of an `image_url` part, which some clients write as a plain string."""
    image = part.get("image_url")
    url = image.get("url") if isinstance(image, Mapping) else image
    return url if isinstance(url, str) else ""


def data_url(url: str) -> tuple[str, str] | None:
    """(media type, base64) of a `data:` URL; None for any other."""
    found = _DATA_URL.match(url)
    return (found[1] or "application/octet-stream", url[found.end() :]) if found else None


def image_kind(image: str) -> str:
    """The media type of an image by how its base64 begins; Ollama's API does not say it."""
    return next((kind for start, kind in _KINDS.items() if image.startswith(start)), "image/png")


def made_id() -> str:
    """An id for a tool call that came without one: OpenAI's clients cannot do without."""
    return f"{_MADE}{uuid4().hex[:19]}"


def is_made(identity: str) -> bool:
    """Whether an id is one of those, which clients of the provider's own API do not expect."""
    return identity.startswith(_MADE)


def tool_names(messages: list[Message]) -> dict[str, str]:
    """Tool call id -> name of the tool, for results that only tell the id."""
    return {
        call["id"]: name
        for message in messages
        for call in message.get("tool_calls") or ()
        if isinstance(call, Mapping) and call.get("id") and (name := called(call)[0])
    }


def called(call: Mapping[str, Any]) -> tuple[str, Fields]:
    """Name and arguments of a tool call, for an API where all tools are functions and arguments an object.

    What a model wrote as anything else stays readable, and so does the text that a custom tool takes.
    """
    if call.get("type") == "custom":
        custom = call.get("custom") or {}
        return custom.get("name") or "", {"input": custom.get("input") or ""}
    function = call.get("function") or {}
    written = function.get("arguments")
    value = loads(written.encode("utf-8", "surrogatepass"))[0] if isinstance(written, str) else written
    if not isinstance(value, dict):
        value = {"arguments": written} if written else {}
    return function.get("name") or "", value


def schema(response_format: object) -> tuple[bool, Fields | None]:
    """Whether JSON is asked for, and the JSON schema it has to fit."""
    if not isinstance(response_format, Mapping):
        return False, None
    kind = response_format.get("type")
    described = response_format.get("json_schema")
    wanted = described.get("schema") if isinstance(described, Mapping) else None
    return kind in {"json_object", "json_schema"}, wanted if isinstance(wanted, dict) else None


def stops(params: Mapping[str, Any]) -> list[str]:
    """`stop` as a list."""
    stop = params.get("stop")
    return [stop] if isinstance(stop, str) else [text for text in stop or () if isinstance(text, str)]


def first(params: Mapping[str, Any], *names: str) -> Any:
    """The first of these parameters that is set."""
    return next((params[name] for name in names if params.get(name) is not None), None)
