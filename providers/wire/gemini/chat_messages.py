"""Messages of the OpenAI API from contents of the Gemini API.

Messages for a Gemini provider may hold parts in Gemini's own form, as contents.py describes.
"""

from collections.abc import Iterator
from typing import Any

from ...events import Message
from ..json_text import WrongField, dumps
from ..openai_messages import ToolCallIds, function_call, image_part

Fields = dict[str, Any]

ONLY_GEMINI = "is supported by Gemini only"
# Fields of a part that only describe it. Other providers do not need them.
PART_ATTRIBUTES = frozenset({"thought", "thoughtSignature", "videoMetadata", "mediaResolution", "partMetadata"})
AUDIO_FORMATS = {"audio/wav": "wav", "audio/x-wav": "wav", "audio/mpeg": "mp3", "audio/mp3": "mp3"}


def native_messages(body: Fields) -> list[Message]:
    """Return messages for a Gemini provider: text parts, which evidence can be added to; all else stays in `google`."""
    parts = _system_instruction(body)
    system = [{"role": "system", "content": [_native_part(part) for part in parts]}] if parts else []
    return [*system, *(message for content in body["contents"] for message in _native_turn(content))]


def chat_messages(body: Fields) -> list[Message]:
    """Return messages for any other provider. Raises WrongField for content that only Gemini supports."""
    ids = ToolCallIds()
    system = []
    for position, part in enumerate(_system_instruction(body)):
        if not isinstance(part.get("text"), str):
            raise WrongField(f"systemInstruction.parts[{position}]", "must be text")
        system.append(part["text"])
    messages: list[Message] = [{"role": "system", "content": "\n".join(system)}] if system else []
    for position, content in enumerate(body["contents"]):
        messages += _turn(content, f"contents[{position}].parts", ids)
    return messages


def _system_instruction(body: Fields) -> list[Fields]:
    parts: list[Fields] = (body.get("systemInstruction") or {}).get("parts") or []
    return parts


def _role(content: Fields) -> str:
    return "assistant" if content.get("role") == "model" else "user"


def _native_turn(content: Fields) -> Iterator[Message]:
    """Yield a message for each function result, and one for the other parts between them."""
    parts: list[Fields] = []
    for part in content["parts"]:
        if not part.get("functionResponse"):
            parts.append(_native_part(part))
            continue
        if parts:
            yield {"role": _role(content), "content": parts}
        parts = []
        yield _native_result(part)
    if parts:
        yield {"role": _role(content), "content": parts}


def _native_part(part: Fields) -> Fields:
    if part.get("text") is None or part.get("thought"):
        return {"type": "google", "google": part}
    extra = {key: value for key, value in part.items() if key != "text"}
    return {"type": "text", "text": part["text"], **({"google": extra} if extra else {})}


def _native_result(part: Fields) -> Message:
    result = part["functionResponse"]
    extra = {key: value for key, value in result.items() if key != "response"}
    call_id = result.get("id") or result["name"]
    return {**_result(result, call_id), "google": {**part, "functionResponse": extra}}


def _turn(content: Fields, path: str, ids: ToolCallIds) -> list[Message]:
    """Return one message for each function result, then one for the other parts."""
    results: list[Message] = []
    calls: list[Fields] = []
    parts: list[Fields] = []
    for position, part in enumerate(content["parts"]):
        here = f"{path}[{position}]"
        if result := part.get("functionResponse"):
            if result.get("parts"):
                raise WrongField(f"{here}.functionResponse.parts", ONLY_GEMINI)
            results.append(_result(result, ids.for_result(result["name"], result.get("id"))))
        elif call := part.get("functionCall"):
            calls.append(
                function_call(call["name"], call.get("args"), call_id=ids.for_call(call["name"], call.get("id")))
            )
        elif not part.get("thought") and part.keys() - PART_ATTRIBUTES:
            parts.append(_chat_part(part, here))
    if not parts and not calls:
        return results
    message: Message = {"role": _role(content), "content": _content(parts, path, content)}
    return [*results, message | ({"tool_calls": calls} if calls else {})]


def _result(result: Fields, call_id: str) -> Message:
    text = dumps(result.get("response") or {}).decode()
    return {"role": "tool", "tool_call_id": call_id, "name": result["name"], "content": text}


def _content(parts: list[Fields], path: str, content: Fields) -> str | list[Fields]:
    """Return a string, which every server takes, if all parts are text."""
    model = content.get("role") == "model"
    if all(part["type"] == "text" for part in parts):
        return ("" if model else "\n").join(part["text"] for part in parts)
    if model:
        raise WrongField(path, f"contains media in an answer, which {ONLY_GEMINI}")
    return parts


def _chat_part(part: Fields, path: str) -> Fields:
    if part.get("text") is not None:
        return {"type": "text", "text": part["text"]}
    if inline := part.get("inlineData"):
        return _inline_part(inline.get("mimeType") or "application/octet-stream", inline["data"])
    if (file := part.get("fileData")) and _is_public_image(file):
        return {"type": "image_url", "image_url": {"url": file["fileUri"]}}
    raise WrongField(f"{path}.{min(part.keys() - PART_ATTRIBUTES)}", ONLY_GEMINI)


def _inline_part(media_type: str, data: str) -> Fields:
    if media_type in AUDIO_FORMATS:
        return {"type": "input_audio", "input_audio": {"data": data, "format": AUDIO_FORMATS[media_type]}}
    if media_type.startswith("image/"):
        return image_part(media_type, data)
    name = f"file.{media_type.rpartition('/')[2]}"
    return {"type": "file", "file": {"file_data": f"data:{media_type};base64,{data}", "filename": name}}


def _is_public_image(file: Fields) -> bool:
    """Return whether others can fetch it. Google's own stores (gs://, its Files API) are private."""
    uri, media_type = file["fileUri"], file.get("mimeType") or "image/"
    return media_type.startswith("image/") and uri.startswith(("http://", "https://")) and "googleapis.com/" not in uri
