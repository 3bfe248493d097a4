"""Messages of the OpenAI API and content blocks of the Anthropic API, translated in both directions.

Messages that go to Anthropic may hold blocks in Anthropic's own form. A part `{"type": "anthropic", "anthropic": ...}`
is a block that Anthropic receives unchanged, such as thinking with its signature. `anthropic` in a text part or in a
tool's message holds further fields of its block, such as `cache_control`. `anthropic` in a system message means that it
keeps its place within the conversation.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ...events import Message
from ..json_text import WrongField, as_list, as_object, dumps, loads
from ..openai_messages import (
    content_parts,
    image_part,
    image_url,
    parse_data_url,
    parse_tool_call,
    text_of,
    unsupported,
)

Fields = dict[str, Any]

ONLY_ANTHROPIC = "is supported by Anthropic only"
PDF = "application/pdf"
CACHE_CONTROL = "cache_control"  # clients of OpenAI's API write it in text parts, as for LiteLLM and OpenRouter
REASONING_FORMAT = "anthropic-claude-v1"  # OpenRouter's name of this form of `reasoning_details`
# Blocks of earlier answers that no other provider can use. Their text, if any, is in the answer.
UNUSED_BLOCKS = re.compile(
    r"thinking|redacted_thinking|fallback|compaction|container_upload|.*_tool_use|.*_tool_result"
)
_INVALID_ID = re.compile(r"[^\w-]", re.ASCII)


# OpenAI -> Anthropic


def split_system(messages: Sequence[Message]) -> tuple[str | list[Fields], list[Message]]:
    """Return (system prompt, messages) of OpenAI's messages. Raises Rejected for content that Anthropic does not take.

    Neighbouring messages of one role become one, since all results of parallel calls have to be in one message.
    """
    system: list[Message] = []
    turns: list[Message] = []
    for position, message in enumerate(messages):
        role = message.get("role")
        in_place = role == "system" and "anthropic" in message
        if role in {"system", "developer"} and not in_place:
            system.append(message)
            continue
        role = role if role == "assistant" or in_place else "user"
        blocks = _blocks(message, f"messages[{position}]")
        if turns and turns[-1]["role"] == role:
            turns[-1]["content"] += blocks
        elif blocks:
            turns.append({"role": role, "content": blocks})
    return _system(system), turns


def _system(messages: Sequence[Message]) -> str | list[Fields]:
    """Return one text, or blocks if one of them has fields of its own."""
    parts = [part for message in messages for part in content_parts(message.get("content"))]
    if any("anthropic" in part or CACHE_CONTROL in part for part in parts):
        return [block for part in parts if (block := _block(part, "system"))]
    return "\n\n".join(filter(None, (text_of(message.get("content")) for message in messages)))


def _blocks(message: Message, path: str) -> list[Fields]:
    if message.get("role") in {"tool", "function"}:
        return [_tool_result(message, path)]
    parts = [*content_parts(message.get("content") or message.get("refusal"))]
    blocks = [block for index, part in enumerate(parts) if (block := _block(part, f"{path}.content[{index}]"))]
    if message.get("role") != "assistant" or any(part.get("type") == "anthropic" for part in parts):
        return blocks
    calls = [_tool_use(as_object(call)) for call in as_list(message.get("tool_calls"))]
    return [*thinking_blocks(message), *blocks, *calls]


def thinking_blocks(message: Mapping[str, Any]) -> list[Fields]:
    """Return the signed thinking that a client sent back with an answer, as `reasoning_details` or `thinking_blocks`.

    The first name is OpenRouter's and ours, the second LiteLLM's. Thinking without a signature is left out, because
    Anthropic would refuse it.
    """
    blocks = [block for block in as_list(message.get("thinking_blocks")) if isinstance(block, dict)]
    if blocks:
        return [block for block in blocks if block.get("signature") or block.get("type") == "redacted_thinking"]
    thinking: list[Fields] = []
    for detail in map(as_object, as_list(message.get("reasoning_details"))):
        if not str(detail.get("format", REASONING_FORMAT)).startswith(REASONING_FORMAT):
            continue  # OpenAI's Python client repeats the format for each delta of the stream
        if detail.get("type") == "reasoning.text" and detail.get("signature"):
            text = detail.get("text") or ""
            thinking.append({"type": "thinking", "thinking": text, "signature": detail["signature"]})
        elif detail.get("type") == "reasoning.encrypted" and detail.get("data"):
            thinking.append({"type": "redacted_thinking", "data": detail["data"]})
    return thinking


def _tool_result(message: Message, path: str) -> Fields:
    call = message.get("tool_call_id") or message.get("name") or ""
    content = message.get("content")
    parts: Any = text_of(content)
    if isinstance(content, list):
        blocks = (_block(part, f"{path}.content[{index}]") for index, part in enumerate(content_parts(content)))
        parts = [block for block in blocks if block]
    return {
        "type": "tool_result",
        "tool_use_id": _call_id(call),
        **as_object(message.get("anthropic")),
        "content": parts,
    }


def _tool_use(call: Mapping[str, Any]) -> Fields:
    parsed = parse_tool_call(call)
    call_id = call.get("id") or parsed.name
    named = {"type": "tool_use", "id": _call_id(call_id), "name": parsed.name, "input": parsed.arguments}
    return {**as_object(parsed.extra.get("anthropic")), **named}


def _call_id(value: object) -> str:
    """Return the id of a call with the characters that Anthropic allows."""
    return _INVALID_ID.sub("_", str(value)) or "call"


def _block(part: Mapping[str, Any], path: str) -> Fields | None:
    """Return the block of a part, None for an empty text, which Anthropic refuses."""
    match part.get("type"):
        case "anthropic":
            return {**as_object(part.get("anthropic"))}
        case "text" | "refusal":
            text = part.get("text") or part.get("refusal") or ""
            marked = {CACHE_CONTROL: part[CACHE_CONTROL]} if part.get(CACHE_CONTROL) else {}
            native_fields = as_object(part.get("anthropic"))
            return {**marked, **native_fields, "type": "text", "text": text} if text.strip() else None
        case "image_url":
            return {"type": "image", "source": _source(image_url(part), f"{path}.image_url")}
        case "file":
            return _document(as_object(part.get("file")), f"{path}.file")
        case kind:
            raise unsupported(f"Anthropic does not take content of type {kind!r}.", f"{path}.type")


def _source(url: str, path: str) -> Fields:
    """Return the data of a `data:` URL. Any other address is fetched by Anthropic, never by this server."""
    if inline := parse_data_url(url):
        return {"type": "base64", "media_type": inline[0], "data": inline[1]}
    if not url:
        raise unsupported("This part has no data.", path)
    return {"type": "url", "url": url}


def _document(file: Mapping[str, Any], path: str) -> Fields:
    name = {"title": file["filename"]} if file.get("filename") else {}
    if file.get("file_id") and not file.get("file_data"):
        return {"type": "document", "source": {"type": "file", "file_id": file["file_id"]}, **name}
    source = _source(file.get("file_data") or "", path)
    if source.get("media_type", PDF) != PDF:
        raise unsupported("Anthropic takes files of type application/pdf only.", path)
    return {"type": "document", "source": source, **name}


# Anthropic -> OpenAI


def chat_messages(body: Mapping[str, Any], *, native: bool = False) -> list[Message]:
    """Return the messages of a request. Raises WrongField for content that only Anthropic supports.

    `native`: for an Anthropic provider; blocks without a counterpart are kept as they are, and nothing is refused.
    """
    messages = (
        [{"role": "system", "content": system}] if (system := _system_content(body.get("system"), native)) else []
    )
    for position, message in enumerate(body["messages"]):
        blocks = [*content_parts(message.get("content"))]
        path = f"messages[{position}].content"
        match message.get("role"):
            case "assistant":
                messages.append(_assistant(blocks, native=native))
            case "system":
                in_place: Message = {"anthropic": {}} if native else {}
                messages.append({"role": "system", "content": _system_content(blocks, native), **in_place})
            case _:
                messages += _user(blocks, path, native=native)
    return messages


def _system_content(system: object, native: bool) -> Any:
    if native and isinstance(system, list):
        return [_text_part(block) for block in content_parts(system)]
    return text_of(system)


def _assistant(blocks: Sequence[Mapping[str, Any]], *, native: bool) -> Message:
    calls = [_function_call(block) for block in blocks if block.get("type") == "tool_use"]
    called: Message = {"tool_calls": calls} if calls else {}
    if native:
        return {"role": "assistant", "content": [_native_part(block) for block in blocks], **called}
    text = "".join(block.get("text") or "" for block in blocks if block.get("type") == "text")
    return {"role": "assistant", "content": text or (None if calls else ""), **called}


def _function_call(block: Mapping[str, Any]) -> Fields:
    function = {"name": block.get("name") or "", "arguments": dumps(block.get("input") or {}).decode()}
    return {"id": block.get("id") or "", "type": "function", "function": function}


def _native_part(block: Mapping[str, Any]) -> Fields:
    return _text_part(block) if block.get("type") == "text" else {"type": "anthropic", "anthropic": dict(block)}


def _text_part(block: Mapping[str, Any]) -> Fields:
    """Return a text part. Citations are left out, because the documents they refer to are not sent."""
    native_fields = {key: value for key, value in block.items() if key not in ("type", "text", "citations")}
    return {"type": "text", "text": block.get("text") or "", **({"anthropic": native_fields} if native_fields else {})}


def _user(blocks: Sequence[Mapping[str, Any]], path: str, *, native: bool) -> list[Message]:
    """Return the results of tools as messages of their own, then one message with the rest.

    Images in a result are part of the rest for other providers, since a tool's message has text only.
    """
    results: list[Message] = []
    parts: list[Fields] = []
    for position, block in enumerate(blocks):
        if block.get("type") != "tool_result":
            parts += [_native_part(block)] if native else _chat_parts(block, f"{path}[{position}]")
            continue
        result, images = _tool_message(block, f"{path}[{position}].content", native=native)
        results.append(result)
        parts += images
    if results and not parts:
        return results
    if not native and all(part["type"] == "text" for part in parts):
        return [*results, {"role": "user", "content": "\n".join(part["text"] for part in parts)}]
    return [*results, {"role": "user", "content": parts}]


def _tool_message(block: Mapping[str, Any], path: str, *, native: bool) -> tuple[Message, list[Fields]]:
    """Return the message of a tool's result, and its images."""
    message: Message = {"role": "tool", "tool_call_id": block.get("tool_use_id") or ""}
    contained = [*content_parts(block.get("content"))]
    if native:
        named = ("type", "tool_use_id", "content")
        native_fields = {key: value for key, value in block.items() if key not in named}
        parts = [_native_part(part) for part in contained]
        return {**message, "content": parts, **({"anthropic": native_fields} if native_fields else {})}, []
    parts = [part for index, block_part in enumerate(contained) for part in _chat_parts(block_part, f"{path}[{index}]")]
    text = "\n".join(part["text"] for part in parts if part["type"] == "text")
    return {**message, "content": text}, [part for part in parts if part["type"] != "text"]


def _chat_parts(block: Mapping[str, Any], path: str) -> list[Fields]:
    """Return the parts of a block. A document becomes a text or a file."""
    source = as_object(block.get("source"))
    match block.get("type"), source.get("type"):
        case "text", _:
            return [{"type": "text", "text": block.get("text") or ""}]
        case "image", "base64":
            return [image_part(source.get("media_type") or "image/png", source.get("data") or "")]
        case "image", "url":
            return [{"type": "image_url", "image_url": {"url": source.get("url") or ""}}]
        case "document", "text":
            return [_titled(block, source.get("data"))]
        case "document", "content":
            return [_titled(block, text_of(source.get("content")))]
        case "document", "base64":
            name = block.get("title") or "document.pdf"
            data = f"data:{source.get('media_type') or PDF};base64,{source.get('data') or ''}"
            return [{"type": "file", "file": {"file_data": data, "filename": name}}]
        case "search_result", _:
            return [_titled(block, text_of(block.get("content")), block.get("source"))]
        case kind, _ if UNUSED_BLOCKS.fullmatch(str(kind)):
            return []
        case _:
            raise WrongField(path, ONLY_ANTHROPIC)


def _titled(block: Mapping[str, Any], text: object, source: object = None) -> Fields:
    """Return a text part with the title, source and context of a document above its text."""
    lines = (line for line in (block.get("title"), source, block.get("context"), text) if isinstance(line, str))
    return {"type": "text", "text": "\n".join(filter(None, lines))}


# Answers


def content_of(blocks: Iterable[Mapping[str, Any]]) -> Iterator[Fields]:
    """Yield the blocks of a streamed answer with their input as an object instead of fragments of JSON."""
    for block in blocks:
        written = block.get("partial_json")
        fields = {key: value for key, value in block.items() if key != "partial_json"}
        if written is None:
            yield fields
            continue
        value, _ = loads(written.encode("utf-8", "surrogatepass")) if written else ({}, True)
        yield fields | {"input": value if isinstance(value, dict) else {"arguments": written}}
