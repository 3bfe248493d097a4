"""Steps of the Interactions API as contents of `generateContent`, and its options as those of a generation."""

from collections.abc import Iterable, Mapping
from typing import Any

from ..json_text import WrongField, as_list, as_object

Fields = dict[str, Any]

CONTENT_TYPES = ("text", "image", "audio", "video", "document")
# Options under the same name in snake_case.
OPTIONS = {
    "temperature": "temperature",
    "top_p": "topP",
    "seed": "seed",
    "max_output_tokens": "maxOutputTokens",
    "stop_sequences": "stopSequences",
    "presence_penalty": "presencePenalty",
    "frequency_penalty": "frequencyPenalty",
}


def steps_of(given: object) -> list[Fields]:
    """Return the input of a request as steps: a text, a content, contents, or steps. Raises WrongField."""
    if isinstance(given, str):
        return [{"type": "user_input", "content": [{"type": "text", "text": given}]}]
    if isinstance(given, Mapping):
        given = [given]
    items = as_list(given)
    if not items:
        raise WrongField("input", "must be a text, a content, or a non-empty list of contents or steps")
    steps: list[Fields] = []
    for position, item in enumerate(items):
        if not isinstance(item, dict):
            raise WrongField(f"input[{position}]", "must be an object")
        if item.get("type") not in CONTENT_TYPES:
            steps.append(_step(item))
        elif steps and steps[-1].get("type") == "user_input":
            steps[-1] = {**steps[-1], "content": [*as_list(steps[-1]["content"]), item]}
        else:
            steps.append({"type": "user_input", "content": [item]})
    return steps


def _step(item: Fields) -> Fields:
    """Return a step. A turn, which an earlier version of the API has, is the input or the output of a model."""
    if "type" in item or "role" not in item:
        return item
    content = item.get("content")
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
    return {"type": "model_output" if item["role"] == "model" else "user_input", "content": parts}


def generate_content_request(body: Mapping[str, Any], steps: Iterable[Fields]) -> Fields:
    """Return the request as one of `generateContent`. Raises WrongField for what has no counterpart."""
    request: Fields = {"contents": _contents(steps), "generationConfig": _generation_config(body)}
    if instruction := body.get("system_instruction"):
        request["systemInstruction"] = {"parts": [{"text": instruction}]}
    functions = [_function(tool) for tool in as_list(body.get("tools")) if tool.get("type") == "function"]
    if functions:
        request["tools"] = [{"functionDeclarations": functions}]
        request["toolConfig"] = {"functionCallingConfig": _tool_choice(body)}
    return request


def _contents(steps: Iterable[Fields]) -> list[Fields]:
    """Return the contents. Steps of the same side that follow each other are one."""
    contents: list[Fields] = []
    names: dict[str, str] = {}  # names of functions, by the id of their call
    for position, step in enumerate(steps):
        role, parts = _parts(step, f"input[{position}]", names)
        if parts and contents and contents[-1]["role"] == role:
            contents[-1]["parts"] += parts
        elif parts:
            contents.append({"role": role, "parts": parts})
    return contents


def _parts(step: Fields, path: str, names: dict[str, str]) -> tuple[str, list[Fields]]:
    """Return the role and the parts of a step. Thoughts and the steps of Google's own tools have none."""
    match step.get("type"):
        case "user_input" | "model_output" as kind:
            contents = enumerate(as_list(step.get("content")))
            role = "user" if kind == "user_input" else "model"
            return role, [_part(content, f"{path}.content[{position}]") for position, content in contents]
        case "function_call":
            call_id, name = str(step.get("id") or ""), str(step.get("name") or "")
            names[call_id] = name
            return "model", [{"functionCall": {"id": call_id, "name": name, "args": as_object(step.get("arguments"))}}]
        case "function_result":
            call_id = str(step.get("call_id") or "")
            name = str(step.get("name") or names.get(call_id) or call_id)
            return "user", [{"functionResponse": {"id": call_id, "name": name, "response": _result(step)}}]
        case None:
            raise WrongField(f"{path}.type", "is missing")
        case _:
            return "", []


def _part(content: object, path: str) -> Fields:
    fields = as_object(content)
    kind, media_type = fields.get("type"), fields.get("mime_type")
    if media_type is not None and not isinstance(media_type, str):
        raise WrongField(f"{path}.mime_type", "must be a string")
    if kind == "text" and isinstance(fields.get("text"), str):
        return {"text": fields["text"]}
    if kind in CONTENT_TYPES and isinstance(fields.get("data"), str):
        return {"inlineData": {"mimeType": media_type or f"{kind}/*", "data": fields["data"]}}
    if kind in CONTENT_TYPES and isinstance(fields.get("uri"), str):
        return {"fileData": {"fileUri": fields["uri"], **({"mimeType": media_type} if media_type else {})}}
    raise WrongField(path, "must be a text, or media with data or a uri")


def _result(step: Fields) -> Fields:
    """Return the result of a function as an object."""
    result = step.get("result")
    if isinstance(result, dict):
        return result
    if isinstance(result, list):
        result = "\n".join(str(part.get("text") or "") for part in map(as_object, result))
    return {"error" if step.get("is_error") else "result": result}


def _generation_config(body: Mapping[str, Any]) -> Fields:
    given = as_object(body.get("generation_config"))
    config = {theirs: given[ours] for ours, theirs in OPTIONS.items() if given.get(ours) is not None}
    thinking: Fields = {"thinkingLevel": given["thinking_level"]} if given.get("thinking_level") else {}
    if given.get("thinking_summaries") == "auto":
        thinking["includeThoughts"] = True
    modalities = [str(kind) for kind in as_list(body.get("response_modalities"))]
    return {
        **config,
        **({"thinkingConfig": thinking} if thinking else {}),
        **({"responseModalities": modalities} if modalities else {}),
        **_text_format(body),
    }


def _text_format(body: Mapping[str, Any]) -> Fields:
    """Return the format of the answer. A format without a type is a JSON schema. Raise WrongField for media."""
    given = body.get("response_format")
    for form in map(as_object, given if isinstance(given, list) else [given]):
        if form.get("type") in ("audio", "image", "video"):
            raise WrongField("response_format", "asks for media, which only Gemini's own API generates")
        if form.get("type") == "text":
            schema = {"responseJsonSchema": form["schema"]} if isinstance(form.get("schema"), dict) else {}
            kind = form.get("mime_type") or ("application/json" if schema else None)
            return {**({"responseMimeType": kind} if kind else {}), **schema}
        if form:
            return {"responseMimeType": "application/json", "responseJsonSchema": form}
    kind = body.get("response_mime_type")
    return {"responseMimeType": kind} if isinstance(kind, str) else {}


def _function(tool: Fields) -> Fields:
    fields = {key: tool[key] for key in ("name", "description") if tool.get(key)}
    return fields | ({"parametersJsonSchema": tool["parameters"]} if isinstance(tool.get("parameters"), dict) else {})


def _tool_choice(body: Mapping[str, Any]) -> Fields:
    choice = as_object(body.get("generation_config")).get("tool_choice")
    if isinstance(choice, str):
        return {"mode": choice.upper()}
    allowed = as_object(as_object(choice).get("allowed_tools"))
    names = [str(name) for name in as_list(allowed.get("tools"))]
    mode = str(allowed.get("mode") or "auto").upper()
    return {"mode": mode, **({"allowedFunctionNames": names} if names else {})}
