"""The response object of the Responses API and its output items.

Reasoning, the message and each tool call are items of their own; text and refusal are parts of the message. Fields that
this API does not define stay on the message or on the response, because its clients accept unknown fields.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from citestream.providers.wire.json_text import as_list
from citestream.providers.wire.openai_messages import image_url, parse_data_url
from citestream.providers.wire.responses import INCOMPLETE_REASONS, response_annotations, response_usage
from citestream.providers.wire.responses_tools import ChatTools

from ...pipeline.collect_chunks import Completion
from ...pipeline.merge_deltas import REASONING
from ...pipeline.request.job import Job

Fields = dict[str, Any]

# Fields of a message that have a place in an item, or are translated.
MESSAGE_FIELDS = frozenset(
    {"role", "content", "refusal", "annotations", "references", "tool_calls", "function_call", "images", *REASONING}
)
# Fields of a request that its response repeats, with their values in a response to a request without them. Open
# Responses requires all of them except two that only OpenAI has, and allows null only where it stands here.
REQUEST_FIELDS: Fields = {
    "background": False,
    "frequency_penalty": 0.0,
    "instructions": None,
    "max_output_tokens": None,
    "max_tool_calls": None,
    "metadata": {},
    "parallel_tool_calls": True,
    "presence_penalty": 0.0,
    "previous_response_id": None,
    "prompt_cache_key": None,
    "prompt_cache_retention": None,
    "safety_identifier": None,
    "service_tier": "default",
    "temperature": 1.0,
    "tool_choice": "auto",
    "top_logprobs": 0,
    "top_p": 1.0,
    "truncation": "disabled",
    "user": None,
}
REASONING_FIELDS: Fields = {"effort": None, "summary": None}
TEXT_FORMAT: Fields = {"type": "text"}
# Fields that tools and formats have in a response. A function is strict for a chat model only if the request says so.
TOOL_FIELDS: Mapping[str, Fields] = {"function": {"description": None, "parameters": None, "strict": False}}
FORMAT_FIELDS: Mapping[str, Fields] = {"json_schema": {"description": None, "strict": False}}
CHOICE_OF_TOOL_FIELDS: Mapping[str, Fields] = {"allowed_tools": {"mode": "auto"}}
# Fields of a chat completion, and of its choice, that have a counterpart here.
COMPLETION_FIELDS = frozenset({"id", "object", "created", "model", "choices", "usage"})
CHOICE_FIELDS = frozenset({"index", "message", "logprobs", "finish_reason"})


def incomplete_reason(completion: Completion) -> str | None:
    """Return why the answer is incomplete, None if it is complete."""
    return INCOMPLETE_REASONS.get(str(completion.finish_reason(0)))


def empty_response(job: Job, response_id: str, created: int, status: str, *, stored: bool) -> Fields:
    """Return the response without output. Fields that the request left out have the defaults of the API.

    `created`: Unix time in seconds. `stored`: whether later requests may refer to the response.
    """
    request = job.body
    body: Fields = {"id": response_id, "object": "response", "created_at": created, "completed_at": None}
    body |= {"status": status, "model": job.model, "output": [], "error": None, "incomplete_details": None}
    body |= {key: default if request.get(key) is None else request[key] for key, default in REQUEST_FIELDS.items()}
    body["reasoning"] = {**REASONING_FIELDS, **(request.get("reasoning") or {})}
    text = request.get("text") or {}
    body["text"] = {**text, "format": _with_fields(text.get("format") or TEXT_FORMAT, FORMAT_FIELDS)}
    if isinstance(body["tool_choice"], dict):
        body["tool_choice"] = _with_fields(body["tool_choice"], CHOICE_OF_TOOL_FIELDS)
    body["tools"] = [_with_fields(tool, TOOL_FIELDS) for tool in request.get("tools") or ()]
    return body | {"store": stored, "usage": None}


def _with_fields(value: Fields, defaults: Mapping[str, Fields]) -> Fields:
    """Return a tool, its choice or a format with all fields of its type."""
    fields = defaults.get(str(value.get("type")), {})
    return value | {key: default for key, default in fields.items() if value.get(key) is None}


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
    index: int | None = None  # index of an image in its piece, or of a tool call in its fragments


class OutputItems:
    """The output items of an answer, in order. Text and refusal are parts of the same message."""

    def __init__(self, completion: Completion, key: str) -> None:
        """`completion`: the answer, which may grow. `key`: part of the ids."""
        self.items: list[Item] = []
        self.parts: list[str] = []  # kinds of text in the message (`content`, `refusal`), in order of arrival
        self.message_id = f"msg_{key}"
        self._has_message = False
        self._completion = completion
        self._key = key
        self._read = 0  # number of entries of `begun` that are in `items`

    def update(self, *, final: bool = False) -> list[Item]:
        """Add the items that have begun since the last call, and return them.

        `final`: add items that are known only at the end, when no other item can come before them.
        """
        known = len(self.items)
        begun = self._completion.begun(0)[self._read :]
        self._read += len(begun)
        for kind, number in begun:
            self._add(kind, number)
        if final:
            message = self._completion.message(0)
            if message.get("function_call"):  # OpenAI's older API
                self.items.append(Item("function_call", f"fc_{self._key}", -1))
            if _extra_fields(message):
                self._add_message(0)
        return self.items[known:]

    def _add(self, kind: str, number: int) -> None:
        match kind:
            case "reasoning":
                self.items.append(Item("reasoning", f"rs_{self._key}_{number}", number))
            case "content" | "refusal":
                self._add_message(number)
                if kind not in self.parts:
                    self.parts.append(kind)
            case "images":
                images = range(len(self._completion.piece(0, number)[1]))
                self.items += [
                    Item("image_generation_call", f"ig_{self._key}_{number}_{at}", number, at) for at in images
                ]
            case "call":
                call = self._completion.call(0, number)
                kind = "custom_tool_call" if call.get("type") == "custom" else "function_call"
                self.items.append(Item(kind, f"fc_{self._key}_{number}", number, call.get("index")))

    def _add_message(self, number: int) -> None:
        if not self._has_message:
            self._has_message = True
            self.items.append(Item("message", self.message_id, number))


def begun_item(item: Item, completion: Completion, tools: ChatTools) -> Fields:
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
            return _call_item(item, completion, "in_progress", tools) | {grown: ""}


def whole_item(
    item: Item,
    completion: Completion,
    status: str,
    parts: Iterable[str],
    annotations: Iterable[Fields],
    tools: ChatTools,
) -> Fields:
    """Return a complete item.

    `parts`: of the message. `annotations`: of its text, as in a chat completion. `tools`: of the request.
    """
    match item.type:
        case "reasoning":
            summary = [{"type": "summary_text", "text": completion.piece(0, item.number)[1]}]
            return {"id": item.id, "type": item.type, "summary": summary, "status": status}
        case "message":
            content = [_part(kind, completion, annotations) for kind in parts]
            return _message_item(item.id, status, content) | _extra_fields(completion.message(0))
        case "image_generation_call":
            image = completion.piece(0, item.number)[1][item.index]
            return {"id": item.id, "type": item.type, "status": status, "result": _image_result(image)}
        case _:
            return _call_item(item, completion, status, tools)


def _message_item(item_id: str, status: str, content: list[Fields]) -> Fields:
    return {"id": item_id, "type": "message", "role": "assistant", "status": status, "content": content}


def _part(kind: str, completion: Completion, annotations: Iterable[Fields]) -> Fields:
    text = completion.message(0).get(kind) or ""
    if kind == "refusal":
        return {"type": "refusal", "refusal": text}
    return {
        "type": "output_text",
        "text": text,
        "annotations": [*response_annotations(annotations)],
        "logprobs": response_logprobs(completion.choice(0).get("logprobs")),
    }


def response_logprobs(logprobs: Fields | None) -> list[Fields]:
    """Return the log-probabilities of a choice as this API writes them, with all fields of each token."""
    return [
        {**_token(token), "top_logprobs": [_token(top) for top in as_list(token.get("top_logprobs"))]}
        for token in as_list((logprobs or {}).get("content"))
    ]


def _token(token: Fields) -> Fields:
    return {**token, "bytes": token.get("bytes") or []}


def _call_item(item: Item, completion: Completion, status: str, tools: ChatTools) -> Fields:
    is_older = item.number < 0
    call = {"function": completion.message(0)["function_call"]} if is_older else completion.call(0, item.number)
    custom = item.type == "custom_tool_call"
    function = call.get("custom" if custom else "function") or {}
    grown = {"input": function.get("input") or ""} if custom else {"arguments": function.get("arguments") or ""}
    extra = {"extra_content": call["extra_content"]} if call.get("extra_content") else {}
    return {
        "id": item.id,
        "type": item.type,
        "call_id": call.get("id") or item.id,
        **tools.call_name(function.get("name") or ""),
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
