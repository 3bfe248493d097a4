"""From Ollama's messages to the hub's: for an Ollama provider without a loss, for others as far as they go."""

from collections.abc import Mapping, Sequence
from typing import Any

from citestream.providers.events import Message
from citestream.providers.wire.messages import image_kind

from ...http.encoding import dumps
from ..extensions import Body
from ..tool_calls import CallIds


def own_messages(raw: Sequence[Body]) -> list[Message]:
    """For an Ollama provider: text that evidence can be put into, everything else as it is."""
    return [
        {
            "role": message["role"],
            "content": message.get("content") or "",
            "ollama": {key: value for key, value in message.items() if key not in ("role", "content")},
        }
        for message in raw
    ]


def chat_messages(raw: Sequence[Body]) -> list[Message]:
    """For any other provider. Thoughts of earlier answers are left out: strict servers refuse what they do not know."""
    calls = CallIds()
    return [_message(message, calls) for message in raw]


def prompt_messages(body: Body) -> list[Body]:
    """The messages that `/api/generate` means."""
    system = body.get("system")
    user = {"role": "user", "content": body.get("prompt") or ""}
    user |= {"images": body["images"]} if body.get("images") else {}
    return [{"role": "system", "content": system}, user] if system else [user]


def _message(message: Body, calls: CallIds) -> Message:
    found: Message = {"role": message["role"], "content": _content(message.get("content"), message.get("images"))}
    if message.get("tool_calls"):
        found["tool_calls"] = [_call(call, calls) for call in message["tool_calls"]]
    if message["role"] == "tool":
        name = message.get("tool_name")
        found["tool_call_id"] = calls.answered(name, message.get("tool_call_id"))
        found |= {"name": name} if name else {}
    return found


def _content(text: str | None, images: Any) -> Any:
    if not images:
        return text or ""
    pictures = [
        {"type": "image_url", "image_url": {"url": f"data:{image_kind(image)};base64,{image}"}} for image in images
    ]
    return [*([{"type": "text", "text": text}] if text else []), *pictures]


def _call(call: Mapping[str, Any], calls: CallIds) -> Body:
    function = call["function"]
    arguments = function.get("arguments") or {}
    written = arguments if isinstance(arguments, str) else dumps(arguments).decode()
    known_as = calls.called(function["name"], call.get("id"))
    return {"id": known_as, "type": "function", "function": {"name": function["name"], "arguments": written}}
