"""From the pieces of a message to the parts of a content."""

from collections.abc import Iterable, Iterator
from typing import Any

from ...pipeline.collect_chunks import Piece
from ..tool_calls import Call

Fields = dict[str, Any]
Part = tuple[str, Fields]  # the kind of piece it was made of, and the part


def parts_of(pieces: Iterable[Piece]) -> list[Part]:
    """In their order; a signature goes to the part before it."""
    parts: list[Part] = []
    for kind, value in pieces:
        if kind == "extra_content":
            _sign(parts, value)
        elif kind == "content" and parts and parts[-1][0] == "content":
            parts[-1][1]["text"] += value
        else:
            parts += [(kind, part) for part in _made(kind, value)]
    return parts


def call_part(call: Call) -> Fields:
    """A function call, with the signature that came with it."""
    named = {"name": call.name, "args": call.arguments}
    part: Fields = {"functionCall": {"id": call.id, **named} if call.id else named}
    return part | _signature(call.extra)


def _made(kind: str, value: Any) -> Iterator[Fields]:
    match kind:
        case "content" | "refusal":  # Gemini's models refuse in plain text
            yield {"text": value}
        case "reasoning":
            yield {"text": value, "thought": True}
        case "images":
            yield from (part for image in value if (part := _image(image)))
        case "content_parts":  # Mistral's have a type, Gemini's own are passed through as they are
            yield from (part for part in value if isinstance(part, dict) and "type" not in part)


def _image(image: Any) -> Fields | None:
    url = image.get("image_url", {}).get("url", "") if isinstance(image, dict) else ""
    head, found, data = url.partition(";base64,")
    return {"inlineData": {"mimeType": head.removeprefix("data:"), "data": data}} if found else None


def _sign(parts: list[Part], extra: Any) -> None:
    signature = _signature(extra)
    if signature and parts and "text" in parts[-1][1]:
        parts[-1][1].update(signature)
    elif signature:
        parts.append(("content", {"text": "", **signature}))


def _signature(extra: Any) -> Fields:
    google = extra.get("google") if isinstance(extra, dict) else None
    signature = google.get("thought_signature") if isinstance(google, dict) else None
    return {"thoughtSignature": signature} if signature else {}
