"""The JSON of the Responses API: requests as chat requests, and usage, annotations and endings of its answers.

Providers that speak the Responses API receive requests unchanged, so only this direction is needed. Reasoning items of
a request are left out, because no chat API takes the reasoning of another model.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from ..events import Message
from .compaction import compacted_messages
from .json_text import WrongField, dumps
from .openai_messages import function_call, text_of
from .responses_tools import ChatTools

Fields = dict[str, Any]

SAME_FIELDS = (  # same name and meaning in both APIs
    *("temperature", "top_p", "parallel_tool_calls", "metadata", "store", "user", "service_tier", "safety_identifier"),
    *("prompt_cache_key", "prompt_cache_options", "prompt_cache_retention", "moderation", "top_logprobs"),
    *("presence_penalty", "frequency_penalty"),  # parameters that only Open Responses has
)
# Fields that refer to what only a server with a store has. Conversations that are stored here were inserted before.
NOT_STORED = "is not stored here, or no longer; send the conversation itself"
STORED = {
    "previous_response_id": NOT_STORED,
    "conversation": NOT_STORED,
    "background": "is possible only with a provider that has the Responses API, without evidence; leave it out",
    "prompt": "is stored by a provider with the Responses API, which gets it without evidence only; send its text",
}
LOGPROBS = "message.output_text.logprobs"
SEARCH = "file_search"  # the function name under which a chat model sees a search that the API itself made
# Why an answer is incomplete, by OpenAI's finish reason.
INCOMPLETE_REASONS = {"length": "max_output_tokens", "content_filter": "content_filter"}
# The last event of a stream is of one of these types.
FINAL_EVENTS = ("response.completed", "response.incomplete", "response.failed", "response.cancelled", "error")
USAGE_FIELDS = frozenset(
    {"prompt_tokens", "completion_tokens", "total_tokens", "prompt_tokens_details", "completion_tokens_details"}
)


def chat_params(body: Fields, tools: ChatTools) -> Fields:
    """Return the parameters of a chat request. Raises WrongField for what has no counterpart."""
    for key, reason in STORED.items():
        if body.get(key):
            raise WrongField(key, reason)
    params = {key: body[key] for key in SAME_FIELDS if body.get(key) is not None}
    if body.get("max_output_tokens") is not None:
        params["max_completion_tokens"] = body["max_output_tokens"]
    if effort := (body.get("reasoning") or {}).get("effort"):
        params["reasoning_effort"] = effort
    if verbosity := (body.get("text") or {}).get("verbosity"):
        params["verbosity"] = verbosity
    if LOGPROBS in (body.get("include") or ()):
        params["logprobs"] = True
    else:
        params.pop("top_logprobs", None)  # chat refuses it without logprobs
    if wanted := _response_format(text_format(body)):
        params["response_format"] = wanted
    return params | tools.params(body.get("tool_choice"))


def chat_messages(body: Fields, tools: ChatTools) -> list[Message]:
    """Return the instructions and the input as messages. Raises WrongField for what has no counterpart."""
    instructions = body.get("instructions")
    if isinstance(instructions, list):
        raise WrongField("instructions", "must be a string for a chat model")
    messages: list[Message] = [{"role": "system", "content": instructions}] if instructions else []
    items = body.get("input")
    if not items:
        raise WrongField("input", "must be a string or a non-empty list of items")
    if isinstance(items, str):
        return [*messages, {"role": "user", "content": items}]
    for position, item in enumerate(items):
        for message in _item_messages(item, f"input[{position}]", tools):
            last = messages[-1] if messages else {}
            if "tool_calls" in message and last.get("role") == "assistant":  # text and calls of one turn: one message
                last["tool_calls"] = [*last.get("tool_calls", ()), *message["tool_calls"]]
            else:
                messages.append(message)
    return _with_media_after_results(messages)


def _with_media_after_results(messages: Iterable[Message]) -> list[Message]:
    """Return messages in which those of tools have text only. Their other parts are in a message of the user.

    It follows the results of all parallel calls, which must not be separated.
    """
    moved: list[Message] = []
    media: list[Fields] = []
    for message in [*messages, {}]:
        is_result = message.get("role") == "tool"
        if media and not is_result:
            moved.append({"role": "user", "content": media})
            media = []
        if is_result and isinstance(message["content"], list):
            media += [part for part in message["content"] if part["type"] != "text"]
            message = {**message, "content": text_of(message["content"])}
        moved.append(message)
    return moved[:-1]


def text_format(body: Fields) -> Fields:
    """Return `text.format` of a request, {} if it has none."""
    return (body.get("text") or {}).get("format") or {}


def _response_format(form: Fields) -> Fields | None:
    match form.get("type"):
        case "json_schema":
            schema = {key: form[key] for key in ("name", "schema", "strict", "description") if key in form}
            return {"type": "json_schema", "json_schema": schema}
        case "json_object":
            return {"type": "json_object"}
        case _:
            return None


def _item_messages(item: Fields, path: str, tools: ChatTools) -> list[Message]:
    call_id = item.get("call_id") or ""
    match item.get("type") or "message":
        case "message":
            role = item.get("role")
            if role is None:
                raise WrongField(f"{path}.role", "is missing")
            return [{"role": role, "content": _content(item.get("content"), f"{path}.content")}]
        case "function_call":
            name = tools.chat_name(item.get("namespace"), item.get("name"))
            function = {"name": name, "arguments": item.get("arguments") or ""}
            extra = {"extra_content": item["extra_content"]} if item.get("extra_content") else {}
            return [_call_message({"id": call_id, "type": "function", "function": function, **extra})]
        case "custom_tool_call":
            name = tools.chat_name(item.get("namespace"), item.get("name"))
            custom = {"name": name, "input": item.get("input") or ""}
            return [_call_message({"id": call_id, "type": "custom", "custom": custom})]
        case "function_call_output" | "custom_tool_call_output":
            output = _content(item.get("output"), f"{path}.output")
            return [{"role": "tool", "tool_call_id": call_id, "content": output}]
        case "file_search_call" if item.get("results"):
            search_id = str(item.get("id") or SEARCH)
            call = function_call(SEARCH, {"queries": item.get("queries") or []}, call_id=search_id)
            results = dumps({"results": item["results"]}).decode()
            return [_call_message(call), {"role": "tool", "tool_call_id": search_id, "content": results}]
        case "compaction":
            return compacted_messages(item.get("encrypted_content"), f"{path}.encrypted_content")
        case "item_reference":
            raise WrongField(path, NOT_STORED)
        case _:
            return []


def _call_message(call: Fields) -> Message:
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def _content(content: str | list[Fields] | None, path: str) -> str | list[Fields]:
    if not isinstance(content, list):
        return content or ""
    parts = [_part(part, f"{path}[{position}]") for position, part in enumerate(content)]
    if all(part["type"] == "text" for part in parts):
        return "".join(part["text"] for part in parts)
    return parts


def _part(part: Fields, path: str) -> Fields:
    match part.get("type"):
        case "input_text" | "output_text" | "text" if isinstance(part.get("text"), str):
            return {"type": "text", "text": part["text"]}
        case "refusal":
            return {"type": "text", "text": str(part.get("refusal") or "")}
        case "input_image" if isinstance(part.get("image_url"), str):
            detail = {"detail": part["detail"]} if part.get("detail") else {}
            return {"type": "image_url", "image_url": {"url": part["image_url"], **detail}}
        case "input_file" if part.get("file_data") or part.get("file_id"):
            file = {key: part[key] for key in ("file_data", "file_id", "filename") if part.get(key)}
            return {"type": "file", "file": file}
        case "input_audio":
            return {"type": "input_audio", "input_audio": part.get("input_audio")}
        case _:
            raise WrongField(path, "is not supported by a chat model: send text, images by URL, or files by data or id")


def response_usage(usage: Fields) -> Fields:
    """Return OpenAI's usage under this API's names. The two details that this API requires are 0 if unknown."""
    prompt, completion = usage.get("prompt_tokens_details") or {}, usage.get("completion_tokens_details") or {}
    return {
        "input_tokens": usage.get("prompt_tokens", 0),
        "input_tokens_details": {**prompt, "cached_tokens": prompt.get("cached_tokens") or 0},
        "output_tokens": usage.get("completion_tokens", 0),
        "output_tokens_details": {**completion, "reasoning_tokens": completion.get("reasoning_tokens") or 0},
        "total_tokens": usage.get("total_tokens", 0),
    } | {key: value for key, value in usage.items() if key not in USAGE_FIELDS}


def response_annotations(annotations: Iterable[Fields]) -> Iterator[Fields]:
    """Yield annotations of a chat completion as this API writes them, without the inner object."""
    for annotation in annotations:
        inner = annotation.get("url_citation")
        yield {"type": "url_citation", **inner} if isinstance(inner, dict) else annotation
