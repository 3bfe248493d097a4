"""Items: the output of a response, its body, and its usage, from a collected completion."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ...job import Job

Fields = dict[str, Any]

INCOMPLETE = {"length": "max_output_tokens", "content_filter": "content_filter"}
REPEATED = ("instructions", "temperature", "top_p", "max_output_tokens", "metadata", "tools", "tool_choice", "text")


@dataclass(frozen=True, slots=True)
class Item:
    """The message that is being written."""

    id: str


def incomplete(body: Fields) -> str | None:
    """Why the answer is incomplete, in this API's words; None where it is complete."""
    reason = body["choices"][0]["finish_reason"] if body["choices"] else None
    return INCOMPLETE.get(str(reason))


def message_item(name: str, status: str, content: list[Fields]) -> Fields:
    """A message of the assistant."""
    return {"id": name, "type": "message", "role": "assistant", "status": status, "content": content}


def output_items(body: Fields, message_id: str | None, response_id: str) -> list[Fields]:
    """The message, then what was thought and called; the message's place is fixed once it has been announced."""
    if not body["choices"]:
        return []
    choice = body["choices"][0]
    message = choice["message"]
    name = response_id.removeprefix("resp_")
    items = []
    if message.get("content") or message_id:
        items.append(message_item(message_id or f"msg_{name}", "completed", [_text(message, choice)]))
    elif message.get("refusal"):
        items.append(message_item(f"msg_{name}", "completed", [{"type": "refusal", "refusal": message["refusal"]}]))
    thought = message.get("reasoning") or message.get("reasoning_content") or message.get("thinking")
    if isinstance(thought, str) and thought:
        summary = [{"type": "summary_text", "text": thought}]
        items.append({"id": f"rs_{name}", "type": "reasoning", "summary": summary, "status": "completed"})
    calls = enumerate(message.get("tool_calls") or ())
    return items + [_call(call, f"fc_{name}_{index}") for index, call in calls]


def response_body(
    job: Job, name: str, created: int, status: str, output: list[Fields], usage: Fields | None = None
) -> Fields:
    """The response object. What the request said is repeated; what it did not say is null or the API's default."""
    asked = job.body
    body: Fields = {"id": name, "object": "response", "created_at": created, "status": status}
    body |= {"model": job.model, "output": output, "error": None, "incomplete_details": None}
    body |= {"parallel_tool_calls": asked.get("parallel_tool_calls", True), "tool_choice": "auto", "tools": []}
    body |= {key: asked.get(key, body.get(key)) for key in REPEATED}
    body["text"] = body["text"] or {"format": {"type": "text"}}
    body["metadata"] = body["metadata"] or {}
    return body | {"usage": _usage(usage) if usage else None}


def flat(annotations: Iterable[Fields]) -> list[Fields]:
    """Annotations of a chat completion as this API writes them, without the inner object."""
    return [{"type": "url_citation", **one["url_citation"]} for one in annotations]


def _text(message: Fields, choice: Fields) -> Fields:
    annotations = flat(message.get("annotations") or ())
    logprobs = (choice.get("logprobs") or {}).get("content") or []
    return {
        "type": "output_text",
        "text": message.get("content") or "",
        "annotations": annotations,
        "logprobs": logprobs,
    }


def _call(call: Fields, name: str) -> Fields:
    function = call.get("function") or {}
    return {
        "id": name,
        "type": "function_call",
        "call_id": call.get("id", name),
        "name": function.get("name", ""),
        "arguments": function.get("arguments", ""),
        "status": "completed",
    }


def _usage(usage: Fields) -> Fields:
    cached = (usage.get("prompt_tokens_details") or {}).get("cached_tokens") or 0
    thought = (usage.get("completion_tokens_details") or {}).get("reasoning_tokens") or 0
    return {
        "input_tokens": usage.get("prompt_tokens", 0),
        "input_tokens_details": {"cached_tokens": cached},
        "output_tokens": usage.get("completion_tokens", 0),
        "output_tokens_details": {"reasoning_tokens": thought},
        "total_tokens": usage.get("total_tokens", 0),
    }
