"""chat_body: an OpenAI request as Ollama's `/api/chat` takes it.

What Ollama has no word for (`n`, `tool_choice`, `logit_bias`, `user`, `metadata`, ...) is left out, as its own
OpenAI-compatible route does. `ollama.request` holds fields of Ollama's own request, which go as they are; so do those
in `ollama` of a message.
"""

from collections.abc import Mapping
from typing import Any

from ..events import ChatRequest, Message
from .messages import called, data_url, first, image_url, parts, schema, stops, text_of, tool_names, unsupported

Fields = dict[str, Any]

# OpenAI's name, or that of other servers, -> Ollama's option.
OPTIONS = {
    "temperature": "temperature",
    "top_p": "top_p",
    "top_k": "top_k",
    "min_p": "min_p",
    "seed": "seed",
    "frequency_penalty": "frequency_penalty",
    "presence_penalty": "presence_penalty",
    "repeat_penalty": "repeat_penalty",
    "num_ctx": "num_ctx",
}
SAME = ("keep_alive", "logprobs", "top_logprobs", "truncate", "shift")  # of the same name in both
EFFORTS = {"none": False, "minimal": "low", "low": "low", "medium": "medium", "high": "high", "xhigh": "high"}


def chat_body(request: ChatRequest) -> Fields:
    """The body. Raises Rejected for content that Ollama cannot be given."""
    params = request.params
    names = tool_names(request.messages)
    messages = [_message(message, names, f"messages[{at}]") for at, message in enumerate(request.messages)]
    body: Fields = {"model": request.model, "messages": messages, "stream": True}
    if options := _options(params):
        body["options"] = options
    if params.get("tools") and params.get("tool_choice") != "none":
        body["tools"] = _functions(params["tools"])
    if (wanted := _format(params)) is not None:
        body["format"] = wanted
    think = params.get("think", EFFORTS.get(str(params.get("reasoning_effort"))))
    if think is not None:
        body["think"] = think
    body |= {name: params[name] for name in SAME if params.get(name) is not None}
    return {**body, **_mapping(_mapping(params.get("ollama")).get("request"))}


def _functions(tools: object) -> object:
    """Tools, all of which have to be functions. Raises Rejected."""
    for at, tool in enumerate(tools if isinstance(tools, list) else ()):
        if not isinstance(_mapping(tool).get("function"), Mapping):
            raise unsupported("Ollama takes tools of type function only.", f"tools[{at}]")
    return tools


def _options(params: Mapping[str, Any]) -> Fields:
    options = {theirs: params[ours] for ours, theirs in OPTIONS.items() if params.get(ours) is not None}
    limit = first(params, "max_completion_tokens", "max_tokens")
    if limit is not None:
        options["num_predict"] = limit
    if ends := stops(params):
        options["stop"] = ends
    given = params.get("options")  # Ollama's own, which its users know better than OpenAI's
    return options | (dict(given) if isinstance(given, Mapping) else {})


def _format(params: Mapping[str, Any]) -> str | Fields | None:
    if params.get("format"):
        given: str | Fields = params["format"]
        return given
    wanted, fitting = schema(params.get("response_format"))
    return (fitting or "json") if wanted else None


def _message(message: Message, names: Mapping[str, str], path: str) -> Fields:
    role = {"developer": "system", "function": "tool"}.get(message.get("role", ""), message.get("role", "user"))
    content = message.get("content") or message.get("refusal")
    if "ollama" in message:
        return {"role": role, "content": text_of(content), **_mapping(message["ollama"])}
    found: Fields = {"role": role, "content": text_of(content)}
    if images := _images(content, path):
        found["images"] = images
    elif message.get("images"):
        found["images"] = message["images"]
    if thought := first(message, "reasoning", "reasoning_content", "thinking"):
        found["thinking"] = thought
    if calls := message.get("tool_calls"):
        found["tool_calls"] = [_call(call) for call in calls if isinstance(call, Mapping)]
    if role == "tool":
        name = message.get("tool_name") or message.get("name") or names.get(message.get("tool_call_id", ""))
        found |= {"tool_name": name} if name else {}
        found |= {"tool_call_id": message["tool_call_id"]} if message.get("tool_call_id") else {}
    return found


def _images(content: object, path: str) -> list[str]:
    images = []
    for at, part in enumerate(parts(content)):
        kind = part.get("type")
        if kind == "image_url":
            inline = data_url(image_url(part))
            if inline is None:  # fetching it would let a client send us anywhere
                raise unsupported("Ollama takes images as data: URLs only.", f"{path}.content[{at}].image_url")
            images.append(inline[1])
        elif kind not in {"text", "refusal"}:
            raise unsupported(f"Ollama takes no content of type {kind!r}.", f"{path}.content[{at}].type")
    return images


def _call(call: Mapping[str, Any]) -> Fields:
    name, given = called(call)
    found: Fields = {"function": {"name": name, "arguments": given}}
    return {"id": call["id"], **found} if call.get("id") else found


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
