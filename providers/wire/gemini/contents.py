"""Contents of the Gemini API from messages of the OpenAI API, and parts of answers.

Messages that go to Gemini may hold parts in Gemini's own form: `google` in a message or a part holds fields that Gemini
receives unchanged.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ...events import Message
from ..json_text import as_object, loads
from ..openai_messages import (
    ToolCall,
    content_parts,
    image_url,
    parse_data_url,
    parse_tool_call,
    text_of,
    tool_names,
    unsupported,
)

Fields = dict[str, Any]

MEDIA_TYPES = {  # by the ending of an address
    "png": "image/png",
    "webp": "image/webp",
    "gif": "image/gif",
    "heic": "image/heic",
    "pdf": "application/pdf",
}
SIGNED_PARTS = frozenset({"text", "inlineData"})  # parts of an answer whose signature follows them
# The signature of a call that another model made, or whose own was lost:
# https://ai.google.dev/gemini-api/docs/thought-signatures
UNKNOWN_SIGNATURE = "skip_thought_signature_validator"


def contents_of(messages: list[Message]) -> tuple[list[Fields], list[Fields]]:
    """Return (system parts, contents) of OpenAI's messages. Raises Rejected for content that Gemini does not take."""
    names = tool_names(messages)
    system: list[Fields] = []
    contents: list[Fields] = []
    for position, message in enumerate(messages):
        path = f"messages[{position}]"
        if message.get("role") in {"system", "developer"}:
            system += _system_parts(message.get("content"), path)
            continue
        role = "model" if message.get("role") == "assistant" else "user"
        parts = _message_parts(message, names, path)
        if contents and contents[-1]["role"] == role:  # roles have to alternate; results of parallel calls share one
            contents[-1]["parts"] += parts
        elif parts:
            contents.append({"role": role, "parts": parts})
    return system, contents


def _system_parts(content: object, path: str) -> list[Fields]:
    """Return one text part, or all parts if one has fields of Gemini's own."""
    if any("google" in part for part in content_parts(content)):
        return _parts(content, path)
    text = text_of(content)
    return [{"text": text}] if text else []


def _message_parts(message: Message, names: Mapping[str, str], path: str) -> list[Fields]:
    content = message.get("content") or message.get("refusal")
    if message.get("role") in {"tool", "function"}:
        extra = as_object(message.get("google"))
        name = message.get("name") or names.get(message.get("tool_call_id", ""), "tool")
        response = _function_result(text_of(content))
        named = {"name": name, **as_object(extra.get("functionResponse")), "response": response}
        media = [part for part in _parts(content, path) if "text" not in part]
        return [{**extra, "functionResponse": named}, *media]
    calls = [_signed_call(call) for call in message.get("tool_calls") or () if isinstance(call, Mapping)]
    return _parts(content, path) + calls


def _parts(content: object, path: str) -> list[Fields]:
    return [_part(part, f"{path}.content[{index}]") for index, part in enumerate(content_parts(content))]


def _function_result(text: str) -> Fields:
    """Return a tool result as an object, which Gemini requires. `output` is its name for a result that is not one."""
    value, _ = loads(text.encode("utf-8", "surrogatepass"))
    return value if isinstance(value, dict) else {"output": text}


def _signed_call(call: Mapping[str, Any]) -> Fields:
    parsed = parse_tool_call(call)
    return {"functionCall": {"name": parsed.name, "args": parsed.arguments}} | signature_of(parsed.extra)


def sign_calls(contents: Iterable[Fields]) -> None:
    """Add UNKNOWN_SIGNATURE to each turn whose calls have no signature. The first of parallel calls has it."""
    for content in contents:
        calls = [part for part in content["parts"] if "functionCall" in part]
        if calls and not any("thoughtSignature" in call for call in calls):
            calls[0]["thoughtSignature"] = UNKNOWN_SIGNATURE


def _part(part: Mapping[str, Any], path: str) -> Fields:
    match part.get("type"):
        case "text":
            return {**as_object(part.get("google")), "text": part.get("text") or ""}
        case "google":
            return {**as_object(part.get("google"))}
        case "refusal":
            return {"text": part.get("refusal") or ""}
        case "image_url":
            return _media(image_url(part), "image/jpeg", f"{path}.image_url")
        case "input_audio":
            audio = as_object(part.get("input_audio"))
            return {"inlineData": {"mimeType": f"audio/{audio.get('format', 'wav')}", "data": audio.get("data", "")}}
        case "file":
            file = as_object(part.get("file"))
            return _media(file.get("file_data") or file.get("file_id") or "", "application/pdf", f"{path}.file")
        case kind:
            raise unsupported(f"Gemini does not take content of type {kind!r}.", f"{path}.type")


def _media(url: str, default_type: str, path: str) -> Fields:
    """Return inline data for a `data:` URL. Any other address is fetched by Gemini, never by this server."""
    if inline := parse_data_url(url):
        return {"inlineData": {"mimeType": inline[0], "data": inline[1]}}
    if not url:
        raise unsupported("This part has no data.", path)
    ending = url.partition("?")[0].rpartition(".")[2].lower()
    return {"fileData": {"mimeType": MEDIA_TYPES.get(ending, default_type), "fileUri": url}}


def call_part(call: ToolCall) -> Fields:
    """Return a `functionCall` part with the call's id and signature, for a client of Gemini's API."""
    named = {"name": call.name, "args": call.arguments}
    return {"functionCall": {"id": call.id, **named} if call.id else named} | signature_of(call.extra)


def signature_of(extra: object) -> Fields:
    """Return the thought signature that a chunk or a message carries in `extra_content`, as a field of a part."""
    signature = as_object(as_object(extra).get("google")).get("thought_signature")
    return {"thoughtSignature": signature} if signature else {}


def answer_parts(pieces: Iterable[tuple[str, Any]]) -> list[tuple[str, Fields]]:
    """Translate an answer: (kind, value) pieces in order, without tool calls, to (kind, part).

    A signature is added to the text or image before it.
    """
    parts: list[tuple[str, Fields]] = []
    texts: dict[int, list[str]] = {}  # texts that continue a part, by its position
    for kind, value in pieces:
        if kind == "extra_content":
            signature = signature_of(value)
            if signature and parts and parts[-1][1].keys() & SIGNED_PARTS:
                parts[-1][1].update(signature)
            elif signature:
                parts.append(("content", {"text": "", **signature}))
        elif kind == "content" and parts and parts[-1][0] == "content":
            texts.setdefault(len(parts) - 1, []).append(value)
        else:
            parts += [(kind, part) for part in _piece_parts(kind, value)]
    for index, more in texts.items():
        parts[index][1]["text"] += "".join(more)
    return parts


def _piece_parts(kind: str, value: Any) -> Iterator[Fields]:
    match kind:
        case "content" | "refusal":  # Gemini's models refuse in plain text
            yield {"text": value}
        case "reasoning":
            yield {"text": value, "thought": True}
        case "images":
            inline = (parse_data_url(image_url(as_object(image))) for image in value)
            yield from ({"inlineData": {"mimeType": image[0], "data": image[1]}} for image in inline if image)
        case "content_parts":  # parts of Mistral have a type; Gemini's own are passed through
            for part in value:
                if isinstance(part, dict) and "type" not in part:
                    yield {name: field for name, field in part.items() if name != "index"}
