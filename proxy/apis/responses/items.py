"""Items: what a message of the hub is in the Responses API, in the order in which it came.

Thoughts, the message, and each call are items of their own; text and refusal are parts of the message. What this API
has no place for stands on the message: its clients let through what they do not know.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from citestream.providers.wire.messages import data_url, image_url

from ...pipeline.collect_chunks import THOUGHTS, Completion

Fields = dict[str, Any]

PARTS = {"content": "output_text", "refusal": "refusal"}
# What has a place of its own, or is said in another.
PLACED = frozenset(
    {"role", "content", "refusal", "annotations", "references", "tool_calls", "function_call", "images", *THOUGHTS}
)


@dataclass(frozen=True, slots=True)
class Item:
    """One item of the output. `number`: its place among the pieces, or among the calls, of the message."""

    type: str
    id: str
    number: int
    image: int = 0  # its place in a piece of several


def planned(completion: Completion, name: str, *, late: bool) -> list[Item]:
    """The items that have begun; `name` makes their ids. Text and refusal share the message.

    `late`: with those that can only be told at the end, when it is clear that nothing else goes before them.
    """
    items: list[Item] = []
    for kind, number in completion.begun(0):
        match kind:
            case "reasoning":
                items.append(Item("reasoning", f"rs_{name}_{number}", number))
            case "content" | "refusal" if all(item.type != "message" for item in items):
                items.append(Item("message", f"msg_{name}", number))
            case "images":
                images = range(len(completion.pieces(0)[number][1]))
                items += [Item("image_generation_call", f"ig_{name}_{number}_{at}", number, at) for at in images]
            case "call":
                called = completion.message(0)["tool_calls"][number]
                kind = "custom_tool_call" if called.get("type") == "custom" else "function_call"
                items.append(Item(kind, f"fc_{name}_{number}", number))
    message = completion.message(0)
    if late and message.get("function_call"):  # OpenAI's older API
        items.append(Item("function_call", f"fc_{name}", -1))
    if late and all(item.type != "message" for item in items) and _unplaced(message):
        items.append(Item("message", f"msg_{name}", 0))
    return items


def begun_item(item: Item, completion: Completion) -> Fields:
    """An item as it is announced: without what will follow in deltas."""
    match item.type:
        case "reasoning":
            return {"id": item.id, "type": item.type, "summary": [], "status": "in_progress"}
        case "message":
            return _message_item(item.id, "in_progress", [])
        case "image_generation_call":
            return {"id": item.id, "type": item.type, "status": "in_progress", "result": None}
        case _:
            grown = "input" if item.type == "custom_tool_call" else "arguments"
            return _call_item(item, completion, "in_progress") | {grown: ""}


def whole_item(item: Item, completion: Completion, status: str, annotations: Iterable[Fields]) -> Fields:
    """An item with all of it. `annotations`: those of the text, as a chat completion has them."""
    pieces = completion.pieces(0)
    match item.type:
        case "reasoning":
            summary = [{"type": "summary_text", "text": pieces[item.number][1]}]
            return {"id": item.id, "type": item.type, "summary": summary, "status": status}
        case "message":
            parts = [_part(kind, completion, annotations) for kind in part_kinds(completion)]
            return _message_item(item.id, status, parts) | _unplaced(completion.message(0))
        case "image_generation_call":
            return {
                "id": item.id,
                "type": item.type,
                "status": status,
                "result": _image(pieces[item.number][1][item.image]),
            }
        case _:
            return _call_item(item, completion, status)


def part_kinds(completion: Completion) -> list[str]:
    """`content` and `refusal`, those that there are, in the order in which they came."""
    return list(dict.fromkeys(kind for kind, _ in completion.begun(0) if kind in PARTS))


def flat(annotations: Iterable[Fields]) -> Iterator[Fields]:
    """Annotations of a chat completion as this API writes them, without the inner object."""
    for one in annotations:
        inner = one.get("url_citation")
        yield {"type": "url_citation", **inner} if isinstance(inner, dict) else one


def _message_item(name: str, status: str, content: list[Fields]) -> Fields:
    return {"id": name, "type": "message", "role": "assistant", "status": status, "content": content}


def _part(kind: str, completion: Completion, annotations: Iterable[Fields]) -> Fields:
    text = completion.message(0).get(kind) or ""
    if kind == "refusal":
        return {"type": "refusal", "refusal": text}
    logprobs = (completion.choice(0).get("logprobs") or {}).get("content") or []
    return {"type": "output_text", "text": text, "annotations": [*flat(annotations)], "logprobs": logprobs}


def _call_item(item: Item, completion: Completion, status: str) -> Fields:
    message = completion.message(0)
    call = {"function": message["function_call"]} if item.number < 0 else message["tool_calls"][item.number]
    custom = item.type == "custom_tool_call"
    called = call.get("custom" if custom else "function") or {}
    grown = {"input": called.get("input") or ""} if custom else {"arguments": called.get("arguments") or ""}
    extra = {"extra_content": call["extra_content"]} if call.get("extra_content") else {}
    return {
        "id": item.id,
        "type": item.type,
        "call_id": call.get("id") or item.id,
        "name": called.get("name") or "",
        **grown,
        "status": status,
        **extra,
    }


def _unplaced(message: Fields) -> Fields:
    return {key: value for key, value in message.items() if key not in PLACED and value not in (None, "", [], {})}


def _image(image: Fields) -> str:
    """Its base64, or its address where it has not been sent."""
    url = image_url(image)
    return inline[1] if (inline := data_url(url)) else url
