"""From Gemini's contents to the hub's messages: for a Gemini provider without a loss, for others as far as they go."""

from collections.abc import Iterator
from typing import Any

from citestream.citation.evidence import FieldError
from citestream.providers.events import Message

from ...http.encoding import dumps
from ..extensions import Body
from ..tool_calls import CallIds

# Of a part, what only says more about it: other providers do without.
ABOUT = frozenset({"thought", "thoughtSignature", "videoMetadata", "mediaResolution", "partMetadata"})
AUDIO = {"audio/wav": "wav", "audio/x-wav": "wav", "audio/mpeg": "mp3", "audio/mp3": "mp3"}
ONLY_GEMINI = "can be told to Gemini only"


def own_messages(body: Body) -> list[Message]:
    """For a Gemini provider: texts as parts that evidence can be put into, everything else as it is."""
    system = [{"role": "system", "content": _own_parts(parts)}] if (parts := _system(body)) else []
    return [*system, *(message for content in body["contents"] for message in _own(content))]


def chat_messages(body: Body) -> list[Message]:
    """For any other provider. Raises FieldError for what only Gemini can be told."""
    calls = CallIds()
    said = [_text(part, f"systemInstruction.parts[{at}]") for at, part in enumerate(_system(body))]
    messages: list[Message] = [{"role": "system", "content": "\n".join(said)}] if said else []
    for position, content in enumerate(body["contents"]):
        messages += _of_content(content, f"contents[{position}].parts", calls)
    return messages


def _system(body: Body) -> list[Body]:
    parts: list[Body] = (body.get("systemInstruction") or {}).get("parts") or []
    return parts


def _own(content: Body) -> Iterator[Message]:
    """Runs of parts, and a message for each result of a function."""
    role = _role(content)
    run: list[Body] = []
    for part in content["parts"]:
        if part.get("functionResponse"):
            if run:
                yield {"role": role, "content": _own_parts(run)}
            run = []
            yield _own_result(part)
        else:
            run.append(part)
    if run:
        yield {"role": role, "content": _own_parts(run)}


def _own_parts(parts: list[Body]) -> list[Body]:
    return [_own_part(part) for part in parts]


def _own_part(part: Body) -> Body:
    if part.get("text") is None or part.get("thought"):
        return {"type": "google", "google": part}
    rest = {key: value for key, value in part.items() if key != "text"}
    return {"type": "text", "text": part["text"], **({"google": rest} if rest else {})}


def _own_result(part: Body) -> Message:
    result = part["functionResponse"]
    rest = {key: value for key, value in result.items() if key != "response"}
    return {
        "role": "tool",
        "tool_call_id": result.get("id") or result["name"],
        "name": result["name"],
        "content": dumps(result.get("response") or {}).decode(),
        "google": {**part, "functionResponse": rest},
    }


def _of_content(content: Body, path: str, calls: CallIds) -> list[Message]:
    """One message, behind one for each result of a function."""
    results: list[Message] = []
    called: list[Body] = []
    said: list[Body] = []
    for at, part in enumerate(content["parts"]):
        if result := part.get("functionResponse"):
            results.append(_result(result, f"{path}[{at}]", calls))
        elif call := part.get("functionCall"):
            called.append(_call(call, calls))
        elif not part.get("thought") and part.keys() - ABOUT:
            said.append(_part(part, f"{path}[{at}]"))
    if not said and not called:
        return results
    message: Message = {"role": _role(content), "content": _joined(said, path, content)}
    return [*results, message | ({"tool_calls": called} if called else {})]


def _role(content: Body) -> str:
    return "assistant" if content.get("role") == "model" else "user"


def _joined(said: list[Body], path: str, content: Body) -> str | list[Body]:
    """A string, which every server takes, where it is text only."""
    model = content.get("role") == "model"
    if all(part["type"] == "text" for part in said):
        return ("" if model else "\n").join(part["text"] for part in said)
    if model:
        raise FieldError(path, f"holds media in an answer, which {ONLY_GEMINI}")
    return said


def _result(result: Body, path: str, calls: CallIds) -> Message:
    if result.get("parts"):
        raise FieldError(f"{path}.functionResponse.parts", ONLY_GEMINI)
    content = dumps(result.get("response") or {}).decode()
    return {
        "role": "tool",
        "tool_call_id": calls.answered(result["name"], result.get("id")),
        "name": result["name"],
        "content": content,
    }


def _call(call: Body, calls: CallIds) -> Body:
    arguments = dumps(call.get("args") or {}).decode()
    return {
        "id": calls.called(call["name"], call.get("id")),
        "type": "function",
        "function": {"name": call["name"], "arguments": arguments},
    }


def _text(part: Body, path: str) -> str:
    if not isinstance(part.get("text"), str):
        raise FieldError(path, "must be text")
    return str(part["text"])


def _part(part: Body, path: str) -> Body:
    if part.get("text") is not None:
        return {"type": "text", "text": part["text"]}
    if inline := part.get("inlineData"):
        return _inline(inline.get("mimeType") or "application/octet-stream", inline["data"])
    if (file := part.get("fileData")) and _is_public_image(file):
        return {"type": "image_url", "image_url": {"url": file["fileUri"]}}
    raise FieldError(f"{path}.{min(part.keys() - ABOUT)}", ONLY_GEMINI)


def _inline(kind: str, data: str) -> Body:
    url = f"data:{kind};base64,{data}"
    if kind in AUDIO:
        return {"type": "input_audio", "input_audio": {"data": data, "format": AUDIO[kind]}}
    if kind.startswith("image/"):
        return {"type": "image_url", "image_url": {"url": url}}
    return {"type": "file", "file": {"file_data": url, "filename": f"file.{kind.rpartition('/')[2]}"}}


def _is_public_image(file: Any) -> bool:
    """Google's own stores (gs://, its Files API) open to nobody else."""
    uri, kind = file["fileUri"], file.get("mimeType") or "image/"
    return kind.startswith("image/") and uri.startswith(("http://", "https://")) and "googleapis.com/" not in uri
