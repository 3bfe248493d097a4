"""The response object of the Responses API and its output items.

Reasoning, the message and each tool call are items of their own; text and refusal are parts of the message. Fields that
this API does not define stay on the message or on the response, because its clients accept unknown fields.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from citestream.providers.wire.openai_messages import image_url, parse_data_url
from citestream.providers.wire.responses import INCOMPLETE_REASONS, response_annotations, response_usage

from ...pipeline.collect_chunks import Completion
from ...pipeline.merge_deltas import REASONING
from ...pipeline.request.job import Job

Fields = dict[str, Any]

PART_TYPES = {"content": "output_text", "refusal": "refusal"}
# Fields of a message that have a place in an item, or are translated.
MESSAGE_FIELDS = frozenset(
    {"role", "content", "refusal", "annotations", "references", "tool_calls", "function_call", "images", *REASONING}
)
REQUEST_FIELDS = (  # repeated in the response
    *("background", "instructions", "max_output_tokens", "max_tool_calls", "metadata", "previous_response_id"),
    *("prompt_cache_key", "prompt_cache_retention", "reasoning", "safety_identifier", "service_tier", "store"),
    *("temperature", "text", "tool_choice", "tools", "top_logprobs", "top_p", "truncation", "user"),
)
# Fields of a chat completion, and of its choice, that have a counterpart here.
COMPLETION_FIELDS = frozenset({"id", "object", "created", "model", "choices", "usage"})
CHOICE_FIELDS = frozenset({"index", "message", "logprobs", "finish_reason"})


def incomplete_reason(completion: Completion) -> str | None:
    """Return why the answer is incomplete, None if it is complete."""
    return INCOMPLETE_REASONS.get(str(completion.choice(0).get("finish_reason")))


def empty_response(job: Job, response_id: str, created: int, status: str) -> Fields:
    """Return the response without output. Fields that the request left out are null or the API's default."""
    request = job.body
    body: Fields = {"id": response_id, "object": "response", "created_at": created, "status": status}
    body |= {"model": job.model, "output": [], "error": None, "incomplete_details": None}
    body |= {"parallel_tool_calls": request.get("parallel_tool_calls", True), "tool_choice": "auto", "tools": []}
    body |= {key: request.get(key, body.get(key)) for key in REQUEST_FIELDS}
    body["text"] = {"format": {"type": "text"}, **(body["text"] or {})}
    body["metadata"] = body["metadata"] or {}
    return body | {"usage": None}


def with_output(response: Fields, completion: Completion, items: list[Fields]) -> Fields:
    """Return the response with output and usage. Fields that this API does not define are at its top level."""
    body = completion.body()
    usage = body.get("usage")
    extra = {key: value for key, value in completion.choice(0).items() if key not in CHOICE_FIELDS}
    for key, value in body.items():
        if key not in COMPLETION_FIELDS and value is not None:
            known = extra.get(key)  # Gemini has fields of a candidate and of the answer under the same name
            extra[key] = {**known, **value} if isinstance(known, dict) and isinstance(value, dict) else value
    defined = {key: value for key, value in response.items() if value is not None}
    whole = {**response, **extra, **defined, "output": items, "usage": response_usage(usage) if usage else None}
    return whole | {key: body[key] for key in ("model", "service_tier") if body.get(key)}


@dataclass(frozen=True, slots=True)
class Item:
    """One output item. `number`: its index in the pieces, or in the tool calls, of the message."""

    type: str
    id: str
    number: int
    image: int = 0  # the index of an image in its piece


def list_items(completion: Completion, key: str, *, final: bool) -> list[Item]:
    """Return the items that have begun. `key`: part of their ids. Text and refusal share the message.

    `final`: include items that are known only at the end, when no other item can come before them.
    """
    items: list[Item] = []
    for kind, number in completion.begun(0):
        match kind:
            case "reasoning":
                items.append(Item("reasoning", f"rs_{key}_{number}", number))
            case "content" | "refusal" if all(item.type != "message" for item in items):
                items.append(Item("message", f"msg_{key}", number))
            case "images":
                images = range(len(completion.pieces(0)[number][1]))
                items += [Item("image_generation_call", f"ig_{key}_{number}_{at}", number, at) for at in images]
            case "call":
                call = completion.message(0)["tool_calls"][number]
                kind = "custom_tool_call" if call.get("type") == "custom" else "function_call"
                items.append(Item(kind, f"fc_{key}_{number}", number))
    message = completion.message(0)
    if final and message.get("function_call"):  # OpenAI's older API
        items.append(Item("function_call", f"fc_{key}", -1))
    if final and all(item.type != "message" for item in items) and _extra_fields(message):
        items.append(Item("message", f"msg_{key}", 0))
    return items


def begun_item(item: Item, completion: Completion) -> Fields:
    """Return an item as its stream announces it, without the content that follows in deltas."""
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
    """Return a complete item. `annotations`: those of the text, as in a chat completion."""
    pieces = completion.pieces(0)
    match item.type:
        case "reasoning":
            summary = [{"type": "summary_text", "text": pieces[item.number][1]}]
            return {"id": item.id, "type": item.type, "summary": summary, "status": status}
        case "message":
            parts = [_part(kind, completion, annotations) for kind in part_kinds(completion)]
            return _message_item(item.id, status, parts) | _extra_fields(completion.message(0))
        case "image_generation_call":
            image = pieces[item.number][1][item.image]
            return {"id": item.id, "type": item.type, "status": status, "result": _image_result(image)}
        case _:
            return _call_item(item, completion, status)


def part_kinds(completion: Completion) -> list[str]:
    """Return which of `content` and `refusal` the message has, in order of arrival."""
    return list(dict.fromkeys(kind for kind, _ in completion.begun(0) if kind in PART_TYPES))


def _message_item(item_id: str, status: str, content: list[Fields]) -> Fields:
    return {"id": item_id, "type": "message", "role": "assistant", "status": status, "content": content}


def _part(kind: str, completion: Completion, annotations: Iterable[Fields]) -> Fields:
    text = completion.message(0).get(kind) or ""
    if kind == "refusal":
        return {"type": "refusal", "refusal": text}
    logprobs = (completion.choice(0).get("logprobs") or {}).get("content") or []
    return {
        "type": "output_text",
        "text": text,
        "annotations": [*response_annotations(annotations)],
        "logprobs": logprobs,
    }


def _call_item(item: Item, completion: Completion, status: str) -> Fields:
    message = completion.message(0)
    call = {"function": message["function_call"]} if item.number < 0 else message["tool_calls"][item.number]
    custom = item.type == "custom_tool_call"
    function = call.get("custom" if custom else "function") or {}
    grown = {"input": function.get("input") or ""} if custom else {"arguments": function.get("arguments") or ""}
    extra = {"extra_content": call["extra_content"]} if call.get("extra_content") else {}
    return {
        "id": item.id,
        "type": item.type,
        "call_id": call.get("id") or item.id,
        "name": function.get("name") or "",
        **grown,
        "status": status,
        **extra,
    }


def _extra_fields(message: Fields) -> Fields:
    return {
        key: value for key, value in message.items() if key not in MESSAGE_FIELDS and value not in (None, "", [], {})
    }


def _image_result(image: Fields) -> str:
    """Return the image in base64, or its address if the provider did not send the data."""
    url = image_url(image)
    return inline[1] if (inline := parse_data_url(url)) else url
