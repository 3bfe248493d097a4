"""Requests of the OpenAI API and of Anthropic's `/v1/messages`, translated in both directions.

`anthropic` in a message holds content blocks that Anthropic receives unchanged, such as thinking with its signature;
`anthropic.request` in the parameters holds fields that it receives unchanged. Parameters without a counterpart (`n`,
`seed`, `logprobs`, penalties) are left out.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...events import ChatRequest, Message
from ..json_text import as_list, as_object, dumps, without_none
from ..openai_messages import (
    content_parts,
    image_url,
    max_tokens,
    parse_data_url,
    parse_tool_call,
    stop_sequences,
    text_of,
    unsupported,
)

Fields = dict[str, Any]

DEFAULT_MAX_TOKENS = 4_096  # `max_tokens` is required; every model of the API accepts this many
THINKING_TOKENS = {"minimal": 1_024, "low": 1_024, "medium": 4_096, "high": 16_384, "xhigh": 32_768}  # 1,024: least
SAME_FIELDS = ("top_p", "top_k", "service_tier")
TOOL_CHOICES: Mapping[str, Fields] = {"auto": {"type": "auto"}, "required": {"type": "any"}, "none": {"type": "none"}}


# OpenAI -> Anthropic


def messages_body(request: ChatRequest) -> Fields:
    """Return the body of a streamed `/v1/messages` request. Raise Rejected for content that Anthropic does not take."""
    params = request.params
    system = [text_of(message.get("content")) for message in request.messages if _is_system(message)]
    body: Fields = {
        "model": request.model,
        "max_tokens": max_tokens(params) or DEFAULT_MAX_TOKENS,
        "messages": _merged(_turns(request.messages)),
        "stream": True,
    }
    if text := "\n\n".join(filter(None, system)):
        body["system"] = text
    if params.get("temperature") is not None:
        body["temperature"] = min(1.0, params["temperature"])  # OpenAI's range ends at 2
    if stops := stop_sequences(params):
        body["stop_sequences"] = stops
    if user := params.get("user"):
        body["metadata"] = {"user_id": user}
    body |= {name: params[name] for name in SAME_FIELDS if params.get(name) is not None}
    body |= _tools(params) | _thinking(params, body)
    return {**body, **as_object(as_object(params.get("anthropic")).get("request"))}


def _is_system(message: Message) -> bool:
    return message.get("role") in ("system", "developer")


def _turns(messages: Sequence[Message]) -> Iterator[tuple[str, list[Fields]]]:
    """Yield (role, content blocks). The result of a tool is a block of the user's message."""
    for position, message in enumerate(messages):
        if _is_system(message):
            continue
        role = message.get("role")
        if role in ("tool", "function"):
            result = {"type": "tool_result", "tool_use_id": message.get("tool_call_id") or message.get("name") or ""}
            yield "user", [result | {"content": text_of(message.get("content"))}]
        elif blocks := [*_blocks(message, f"messages[{position}]")]:
            yield "assistant" if role == "assistant" else "user", blocks


def _blocks(message: Message, path: str) -> Iterator[Fields]:
    own = as_object(message.get("anthropic")).get("content")
    if isinstance(own, list):
        yield from own
        return
    for position, part in enumerate(content_parts(message.get("content") or message.get("refusal"))):
        yield _block(part, f"{path}.content[{position}]")
    for call in as_list(message.get("tool_calls")):
        parsed = parse_tool_call(as_object(call))
        yield {"type": "tool_use", "id": parsed.id or parsed.name, "name": parsed.name, "input": parsed.arguments}


def _block(part: Mapping[str, Any], path: str) -> Fields:
    match part.get("type"):
        case "text" | "refusal":
            return {"type": "text", "text": part.get("text") or part.get("refusal") or ""}
        case "image_url":
            url = image_url(part)
            if inline := parse_data_url(url):
                return {"type": "image", "source": {"type": "base64", "media_type": inline[0], "data": inline[1]}}
            return {"type": "image", "source": {"type": "url", "url": url}}
        case kind:
            raise unsupported(f"Anthropic does not take content of type {kind!r}.", f"{path}.type")


def _merged(turns: Iterator[tuple[str, list[Fields]]]) -> list[Message]:
    """Join neighbouring turns of one role: several results of tools have to be in one message."""
    messages: list[Message] = []
    for role, blocks in turns:
        if messages and messages[-1]["role"] == role:
            messages[-1]["content"] += blocks
        else:
            messages.append({"role": role, "content": list(blocks)})
    return messages


def _tools(params: Mapping[str, Any]) -> Fields:
    tools = [_tool(as_object(tool), f"tools[{at}]") for at, tool in enumerate(as_list(params.get("tools")))]
    if not tools:
        return {}
    choice = params.get("tool_choice")
    name = as_object(as_object(choice).get("function")).get("name")
    chosen = {"type": "tool", "name": name} if name else dict(TOOL_CHOICES.get(str(choice or "auto"), {"type": "auto"}))
    if params.get("parallel_tool_calls") is False and chosen["type"] != "none":
        chosen["disable_parallel_tool_use"] = True
    return {"tools": tools, **({"tool_choice": chosen} if chosen != {"type": "auto"} else {})}


def _tool(tool: Mapping[str, Any], path: str) -> Fields:
    function = tool.get("function")
    if not isinstance(function, Mapping):
        raise unsupported("Anthropic takes tools of type function only.", path)
    schema = function.get("parameters") or {"type": "object", "properties": {}}
    return without_none(name=function.get("name"), description=function.get("description"), input_schema=schema)


def _thinking(params: Mapping[str, Any], body: Mapping[str, Any]) -> Fields:
    """Return the fields of extended thinking. Its tokens count towards `max_tokens`, and it fixes the temperature."""
    budget = THINKING_TOKENS.get(str(params.get("reasoning_effort")))
    if budget is None:
        return {}
    fields: Fields = {"thinking": {"type": "enabled", "budget_tokens": budget}}
    fields["max_tokens"] = body["max_tokens"] + budget
    return fields | ({"temperature": 1.0} if "temperature" in body else {})


# Anthropic -> OpenAI


def chat_messages(body: Mapping[str, Any]) -> list[Message]:
    """Return OpenAI's messages of a request whose documents were already taken out of the content."""
    system = text_of(body.get("system"))
    messages: list[Message] = [{"role": "system", "content": system}] if system else []
    for message in as_list(body.get("messages")):
        blocks = [dict(part) for part in content_parts(message.get("content"))]
        messages += _assistant(blocks) if message.get("role") == "assistant" else _user(blocks)
    return messages


def native_messages(body: Mapping[str, Any]) -> list[Message]:
    """Return messages for an Anthropic provider: assistant turns keep their blocks, such as thinking, unchanged."""
    messages = chat_messages(body)
    turns = iter([message for message in messages if message["role"] == "assistant"])
    for message in as_list(body.get("messages")):
        blocks = message.get("content")
        if message.get("role") == "assistant" and isinstance(blocks, list) and (turn := next(turns, None)):
            turn["anthropic"] = {"content": [_without_citations(block) for block in blocks]}
    return messages


def chat_params(body: Mapping[str, Any]) -> Fields:
    """Return OpenAI's parameters."""
    thinking = as_object(body.get("thinking"))
    effort = "low" if thinking.get("type") in ("enabled", "adaptive") else None
    return without_none(
        max_tokens=body.get("max_tokens"),
        temperature=body.get("temperature"),
        top_p=body.get("top_p"),
        stop=body.get("stop_sequences") or None,
        user=as_object(body.get("metadata")).get("user_id"),
        reasoning_effort=effort,
        **_functions(body),
    )


def _functions(body: Mapping[str, Any]) -> Fields:
    tools = [
        {
            "type": "function",
            "function": without_none(
                name=tool.get("name"), description=tool.get("description"), parameters=tool.get("input_schema")
            ),
        }
        for tool in as_list(body.get("tools"))
        if tool.get("name") and "input_schema" in tool  # others run at the vendor
    ]
    if not tools:
        return {}
    choice = as_object(body.get("tool_choice"))
    named: Any = {"type": "function", "function": {"name": choice.get("name")}}
    chosen = {"auto": "auto", "any": "required", "none": "none", "tool": named}.get(str(choice.get("type")))
    parallel = False if choice.get("disable_parallel_tool_use") else None
    return without_none(tools=tools, tool_choice=chosen, parallel_tool_calls=parallel)


def _user(blocks: Sequence[Fields]) -> list[Message]:
    """Return the results of tools as messages of their own, then the rest."""
    results = [_tool_message(block) for block in blocks if block.get("type") == "tool_result"]
    parts = [part for block in blocks if (part := _part(block))]
    if all(part["type"] == "text" for part in parts):
        text = "\n".join(part["text"] for part in parts)
        return [*results, *([{"role": "user", "content": text}] if text or not results else [])]
    return [*results, {"role": "user", "content": parts}]


def _tool_message(block: Fields) -> Message:
    content = text_of(block.get("content"))
    return {"role": "tool", "tool_call_id": block.get("tool_use_id") or "", "content": content}


def _part(block: Fields) -> Fields | None:
    source = as_object(block.get("source"))
    match block.get("type"), source.get("type"):
        case "text", _:
            return {"type": "text", "text": block.get("text") or ""}
        case "image", "base64":
            url = f"data:{source.get('media_type')};base64,{source.get('data')}"
            return {"type": "image_url", "image_url": {"url": url}}
        case "image", "url":
            return {"type": "image_url", "image_url": {"url": source.get("url")}}
        case _:
            return None


def _assistant(blocks: Sequence[Fields]) -> list[Message]:
    text = "".join(block.get("text") or "" for block in blocks if block.get("type") == "text")
    calls = [
        {
            "id": block.get("id"),
            "type": "function",
            "function": {"name": block.get("name"), "arguments": dumps(block.get("input") or {}).decode()},
        }
        for block in blocks
        if block.get("type") == "tool_use"
    ]
    return [{"role": "assistant", "content": text or None} | ({"tool_calls": calls} if calls else {})]


def _without_citations(block: Any) -> Any:
    """Our citations refer to documents that the request to the provider does not contain."""
    return {key: value for key, value in block.items() if key != "citations"} if isinstance(block, Mapping) else block
