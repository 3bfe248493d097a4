"""Requests of the OpenAI API and of Ollama's `/api/chat`, translated in both directions.

Parameters without a counterpart in Ollama (`n`, `tool_choice`, `logit_bias`, `user`, `metadata`, ...) are left out, as
Ollama's own OpenAI-compatible route does. `ollama` in a message, and `ollama.request` in the parameters, hold fields
that Ollama receives unchanged.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ...events import ChatRequest, Message
from ..json_text import as_list, as_object
from ..openai_messages import (
    ToolCallIds,
    content_parts,
    detect_image_type,
    first_set,
    function_call,
    image_part,
    image_url,
    json_format,
    max_tokens,
    other_params,
    parse_data_url,
    parse_tool_call,
    response_format,
    stop_sequences,
    text_of,
    tool_names,
    unsupported,
)

Fields = dict[str, Any]

# Options of the same name in OpenAI's parameters, and in those of other servers with OpenAI's API.
SHARED_OPTIONS = ("temperature", "top_p", "seed", "frequency_penalty", "presence_penalty")
SERVER_OPTIONS = ("top_k", "min_p", "repeat_penalty", "num_ctx")
# Options -> parameters, for other providers.
TO_OPENAI = {name: name for name in SHARED_OPTIONS} | {"stop": "stop", "num_predict": "max_tokens"}
SAME_FIELDS = ("keep_alive", "logprobs", "top_logprobs", "truncate", "shift")  # fields of the same name in both APIs
THINK = {"none": False, "minimal": "low", "low": "low", "medium": "medium", "high": "high", "xhigh": "high"}
NOT_REPEATED = ("model", "messages", "stream", "prompt", "system", "images")  # set for each request to Ollama


# OpenAI -> Ollama


def chat_body(request: ChatRequest) -> Fields:
    """Return the body of an `/api/chat` request. Raises Rejected for content that Ollama does not take."""
    params = request.params
    names = tool_names(request.messages)
    messages = [_message(message, names, f"messages[{index}]") for index, message in enumerate(request.messages)]
    body: Fields = {"model": request.model, "messages": messages, "stream": True}
    if options := _options(params):
        body["options"] = options
    if params.get("tools") and params.get("tool_choice") != "none":
        body["tools"] = _functions(params["tools"])
    if wanted := _format(params):
        body["format"] = wanted
    think = params.get("think", THINK.get(str(params.get("reasoning_effort"))))
    if think is not None:
        body["think"] = think
    body |= {name: params[name] for name in SAME_FIELDS if params.get(name) is not None}
    return {**body, **as_object(as_object(params.get("ollama")).get("request"))}


def _functions(tools: object) -> object:
    for position, tool in enumerate(as_list(tools)):
        if not isinstance(as_object(tool).get("function"), Mapping):
            raise unsupported("Ollama takes tools of type function only.", f"tools[{position}]")
    return tools


def _options(params: Mapping[str, Any]) -> Fields:
    options = {name: params[name] for name in (*SHARED_OPTIONS, *SERVER_OPTIONS) if params.get(name) is not None}
    if (limit := max_tokens(params)) is not None:
        options["num_predict"] = limit
    if stops := stop_sequences(params):
        options["stop"] = stops
    return options | dict(as_object(params.get("options")))  # options that the client named as Ollama does go first


def _format(params: Mapping[str, Any]) -> Any:
    if params.get("format"):
        return params["format"]
    wants_json, schema = json_format(params.get("response_format"))
    return (schema or "json") if wants_json else None


def _message(message: Message, names: Mapping[str, str], path: str) -> Fields:
    role = {"developer": "system", "function": "tool"}.get(message.get("role", ""), message.get("role", "user"))
    content = message.get("content") or message.get("refusal")
    translated: Fields = {"role": role, "content": text_of(content)}
    if "ollama" in message:
        return {**as_object(message["ollama"]), **translated}
    if images := _images(content, path) or message.get("images"):
        translated["images"] = images
    if thinking := first_set(message, "reasoning", "reasoning_content", "thinking"):
        translated["thinking"] = thinking
    if calls := message.get("tool_calls"):
        translated["tool_calls"] = [_call(call) for call in calls if isinstance(call, Mapping)]
    if role == "tool":
        name = message.get("tool_name") or message.get("name") or names.get(message.get("tool_call_id", ""))
        translated |= {"tool_name": name} if name else {}
        translated |= {"tool_call_id": message["tool_call_id"]} if message.get("tool_call_id") else {}
    return translated


def _images(content: object, path: str) -> list[str]:
    images = []
    for position, part in enumerate(content_parts(content)):
        kind = part.get("type")
        if kind == "image_url":
            inline = parse_data_url(image_url(part))
            if inline is None:  # a client could make this server fetch any address
                raise unsupported("Ollama takes images as data: URLs only.", f"{path}.content[{position}].image_url")
            images.append(inline[1])
        elif kind not in {"text", "refusal"}:
            raise unsupported(f"Ollama does not take content of type {kind!r}.", f"{path}.content[{position}].type")
    return images


def _call(call: Mapping[str, Any]) -> Fields:
    parsed = parse_tool_call(call)
    function = {"function": {"name": parsed.name, "arguments": parsed.arguments}}
    return {"id": call["id"], **function} if call.get("id") else function


# Ollama -> OpenAI


def native_messages(messages: Sequence[Fields]) -> list[Message]:
    """Return messages for an Ollama provider: the text, which evidence can be added to; all else stays in `ollama`."""
    return [
        {
            "role": message["role"],
            "content": message.get("content") or "",
            "ollama": {key: value for key, value in message.items() if key not in ("role", "content")},
        }
        for message in messages
    ]


def chat_messages(messages: Sequence[Fields]) -> list[Message]:
    """Return messages for any other provider, without earlier thoughts, which strict servers refuse."""
    ids = ToolCallIds()
    return [_chat_message(message, ids) for message in messages]


def prompt_messages(body: Fields) -> list[Fields]:
    """Return Ollama's messages for a request to `/api/generate`."""
    system = body.get("system")
    user = {"role": "user", "content": body.get("prompt") or ""}
    user |= {"images": body["images"]} if body.get("images") else {}
    return [{"role": "system", "content": system}, user] if system else [user]


def _chat_message(message: Fields, ids: ToolCallIds) -> Message:
    text, images = message.get("content") or "", message.get("images") or ()
    pictures = [image_part(detect_image_type(image), image) for image in images]
    content = [*([{"type": "text", "text": text}] if text else []), *pictures] if pictures else text
    translated: Message = {"role": message["role"], "content": content}
    if message.get("tool_calls"):
        translated["tool_calls"] = [_chat_call(call, ids) for call in message["tool_calls"]]
    if message["role"] == "tool":
        name = message.get("tool_name")
        translated["tool_call_id"] = ids.for_result(name, message.get("tool_call_id"))
        translated |= {"name": name} if name else {}
    return translated


def _chat_call(call: Fields, ids: ToolCallIds) -> Fields:
    function = call["function"]
    call_id = ids.for_call(function["name"], call.get("id"))
    return function_call(function["name"], function.get("arguments"), call_id=call_id)


def chat_params(body: Fields) -> Fields:
    """Return the parameters for any other provider: those that OpenAI's API has too."""
    options = body.get("options") or {}
    params = {
        name: options[native_name] for native_name, name in TO_OPENAI.items() if options.get(native_name) is not None
    }
    if params.get("max_tokens", 0) < 0:  # -1: no limit; -2: until the context is full
        del params["max_tokens"]
    params |= {key: body[key] for key in ("tools", "logprobs", "top_logprobs") if body.get(key)}
    if think := body.get("think"):
        params["reasoning_effort"] = "medium" if think is True else think
    if wanted := body.get("format"):
        params["response_format"] = response_format(wanted if isinstance(wanted, dict) else None)
    return params


def provider_params(body: Fields) -> dict[str, Fields]:
    """Return additional parameters by the provider's API. Ollama receives the request as it is."""
    request = {key: value for key, value in body.items() if key not in NOT_REPEATED}
    shared = other_params(top_k=(body.get("options") or {}).get("top_k"), thinks=body.get("think") is not False)
    return {**shared, "ollama": {"ollama": {"request": request}}}
