"""Requests to Cohere's `POST /v2/chat`, translated to the OpenAI API.

Fields without a counterpart (`safety_mode`, `priority`) are left out, and so are the citations and thoughts of earlier
answers, which strict servers refuse.
"""

from collections.abc import Container, Mapping, Sequence
from typing import Any

from ...events import Message
from ..json_text import WrongField, as_list, as_object, dumps
from ..openai_messages import content_parts, other_params, response_format

Fields = dict[str, Any]

PARAMETERS = {  # Cohere's name -> OpenAI's
    "temperature": "temperature",
    "p": "top_p",
    "max_tokens": "max_tokens",
    "stop_sequences": "stop",
    "seed": "seed",
    "frequency_penalty": "frequency_penalty",
    "presence_penalty": "presence_penalty",
}
TOOL_CHOICES = {"REQUIRED": "required", "NONE": "none"}
BUDGETS = {"low": 1024, "medium": 8192}  # thinking tokens of an effort; above, it is "high"
CITATION_MODES = ("FAST", "ACCURATE", "ENABLED", "OFF", "DISABLED")
CITATIONS_OFF = ("OFF", "DISABLED")


def chat_messages(messages: Sequence[Mapping[str, Any]], placed: Container[str] = ()) -> list[Message]:
    """Return OpenAI's messages. Raise WrongField for content of an unknown type.

    `placed`: the tool calls whose documents are evidence, so that they are not in the messages.
    """
    return [_message(message, f"messages[{position}]", placed) for position, message in enumerate(messages)]


def _message(message: Mapping[str, Any], path: str, placed: Container[str]) -> Message:
    role, content = message["role"], message.get("content")
    match role:
        case "assistant":
            return _answer(message, path)
        case "tool":
            call = message.get("tool_call_id") or ""
            result = content if isinstance(content, str) else _tool_text(as_list(content), path, call in placed)
            return {"role": "tool", "tool_call_id": call, "content": result}
        case _ if isinstance(content, list):
            return {
                "role": role,
                "content": [_part(part, f"{path}.content[{index}]") for index, part in enumerate(content)],
            }
        case _:
            return {"role": role, "content": content or ""}


def _part(part: Any, path: str) -> Fields:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    match as_object(part).get("type"):
        case "text":
            return {"type": "text", "text": part.get("text") or ""}
        case "image_url":
            return {"type": "image_url", "image_url": part.get("image_url")}
        case kind:
            raise WrongField(f"{path}.type", f"is {kind!r}; text and image_url are supported")


def _answer(message: Mapping[str, Any], path: str) -> Message:
    """Return an earlier answer. Its text is the plan of its tool calls, then its content without thoughts."""
    texts = [message["tool_plan"]] if message.get("tool_plan") else []
    for position, part in enumerate(content_parts(message.get("content"))):
        if part.get("type") not in ("text", "thinking"):
            raise WrongField(f"{path}.content[{position}].type", "is not text or thinking")
        texts += [part["text"]] if isinstance(part.get("text"), str) else []
    answer: Message = {"role": "assistant", "content": "".join(texts)}
    if calls := message.get("tool_calls"):
        answer["tool_calls"] = calls
    return answer


def _tool_text(content: Sequence[Any], path: str, placed: bool) -> str:
    """Return the texts of a tool's message, then its documents as a JSON list unless they are evidence."""
    texts, documents = list[str](), []
    for position, part in enumerate(content):
        kind = "text" if isinstance(part, str) else as_object(part).get("type")
        if kind == "text":
            texts.append(part if isinstance(part, str) else part.get("text") or "")
        elif kind == "document":
            documents.append(part.get("document"))
        else:
            raise WrongField(f"{path}.content[{position}].type", f"is {kind!r}; text and document are supported")
    return "\n".join([*filter(None, texts), *([dumps(documents).decode()] if documents and not placed else [])])


def tool_documents(content: Any) -> list[tuple[int, Any]]:
    """Return the documents in the content of a tool's message, each with its position."""
    parts = enumerate(as_list(content))
    return [(index, part.get("document")) for index, part in parts if as_object(part).get("type") == "document"]


def chat_params(body: Mapping[str, Any]) -> Fields:
    """Return the parameters for any provider."""
    params = {name: body[native_name] for native_name, name in PARAMETERS.items() if body.get(native_name) is not None}
    if body.get("logprobs"):
        params["logprobs"] = True
    if tools := body.get("tools"):
        params["tools"] = [_tool(tool, strict=body.get("strict_tools") is True) for tool in tools]
        if choice := TOOL_CHOICES.get((body.get("tool_choice") or "").upper()):
            params["tool_choice"] = choice
    if wants_json(body):
        wanted = body["response_format"]
        params["response_format"] = response_format(wanted.get("json_schema") or wanted.get("schema"))
    if (effort := _reasoning_effort(body)) and effort != "none":
        params["reasoning_effort"] = effort
    return params


def provider_params(body: Mapping[str, Any]) -> dict[str, Fields]:
    """Return additional parameters by the provider's API."""
    return other_params(top_k=body.get("k"), thinks=_reasoning_effort(body) != "none")


def wants_json(body: Mapping[str, Any]) -> bool:
    """Return whether the answer has to be JSON."""
    return as_object(body.get("response_format")).get("type") == "json_object"


def wants_citations(body: Mapping[str, Any]) -> bool:
    """Return whether the answer has citations. They are on by default."""
    return citation_mode(body) not in CITATIONS_OFF


def cites_at_once(body: Mapping[str, Any]) -> bool:
    """Return whether the text is sent before its citations are known."""
    return citation_mode(body) == "FAST"


def citation_mode(body: Mapping[str, Any]) -> str:
    """Return the mode of citations, "" for the default. Raise WrongField if it is unknown."""
    mode = (as_object(body.get("citation_options")).get("mode") or "").upper()
    if mode and mode not in CITATION_MODES:
        raise WrongField("citation_options.mode", f"must be one of: {', '.join(CITATION_MODES)}")
    return mode


def _tool(tool: Mapping[str, Any], *, strict: bool) -> Fields:
    function = as_object(tool.get("function"))
    return {"type": "function", "function": {**function, **({"strict": True} if strict else {})}}


def _reasoning_effort(body: Mapping[str, Any]) -> str | None:
    thinking = as_object(body.get("thinking"))
    if thinking.get("type") == "disabled":
        return "none"
    if thinking.get("type") != "enabled":
        return None
    budget = thinking.get("token_budget")
    if budget is None:
        return "medium"
    return next((effort for effort, tokens in BUDGETS.items() if budget <= tokens), "high")
