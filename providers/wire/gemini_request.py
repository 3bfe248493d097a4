"""generate_body: an OpenAI request as Gemini's `streamGenerateContent` takes it.

What Gemini has no word for (`logit_bias`, `user`, `metadata`, `parallel_tool_calls`, ...) is left out: it refuses names
that it does not know.
"""

import re
from collections.abc import Mapping
from typing import Any

from ..events import ChatRequest, Message
from .json_text import loads
from .messages import called, data_url, first, image_url, parts, schema, stops, text_of, tool_names, unsupported

Fields = dict[str, Any]

CONFIG = {
    "temperature": "temperature",
    "top_p": "topP",
    "top_k": "topK",
    "seed": "seed",
    "n": "candidateCount",
    "presence_penalty": "presencePenalty",
    "frequency_penalty": "frequencyPenalty",
    "logprobs": "responseLogprobs",
    "top_logprobs": "logprobs",
}
# Tokens to think with, as Google's own OpenAI-compatible route maps them; later models take a level instead.
BUDGETS = {"none": 0, "minimal": 1024, "low": 1024, "medium": 8192, "high": 24576, "xhigh": 24576}
LEVELS = {"none": "MINIMAL", "minimal": "MINIMAL", "low": "LOW", "medium": "MEDIUM", "high": "HIGH", "xhigh": "HIGH"}
MODES = {"none": "NONE", "auto": "AUTO", "required": "ANY"}
# Google's own settings, which its OpenAI-compatible route reads from `extra_body.google`. Beside them, `request` holds
# fields of Gemini's own request, which go as they are; `google` in a message or a part, what Gemini calls it.
GOOGLE = {"safety_settings": "safetySettings", "cached_content": "cachedContent"}


def generate_body(request: ChatRequest) -> Fields:
    """The body. Raises Rejected for content that Gemini cannot be given."""
    params = request.params
    names = tool_names(request.messages)
    system: list[Fields] = []
    contents: list[Fields] = []
    for at, message in enumerate(request.messages):
        role = message.get("role")
        if role in {"system", "developer"}:
            system += _system(message.get("content"), f"messages[{at}]")
            continue
        theirs = "model" if role == "assistant" else "user"
        found = _parts(message, names, f"messages[{at}]")
        if contents and contents[-1]["role"] == theirs:  # turns have to alternate; results of parallel calls share one
            contents[-1]["parts"] += found
        elif found:
            contents.append({"role": theirs, "parts": found})
    body: Fields = {"contents": contents}
    if system:
        body["systemInstruction"] = {"parts": system}
    if config := _config(request.model, params):
        body["generationConfig"] = config
    google = _mapping(params.get("google"))
    body |= _tools(params) | {theirs: google[ours] for ours, theirs in GOOGLE.items() if ours in google}
    return {**body, **_mapping(google.get("request"))}


def _system(content: object, path: str) -> list[Fields]:
    """One text, unless a part is more than that."""
    if any("google" in part for part in parts(content)):
        return [_part(part, f"{path}.content[{at}]") for at, part in enumerate(parts(content))]
    text = text_of(content)
    return [{"text": text}] if text else []


def _config(model: str, params: Mapping[str, Any]) -> Fields:
    config = {theirs: params[ours] for ours, theirs in CONFIG.items() if params.get(ours) is not None}
    limit = first(params, "max_completion_tokens", "max_tokens")
    if limit is not None:
        config["maxOutputTokens"] = limit
    if ends := stops(params):
        config["stopSequences"] = ends
    json, fitting = schema(params.get("response_format"))
    if json:
        config["responseMimeType"] = "application/json"
    if fitting:
        config["responseJsonSchema"] = fitting  # plain JSON schema; `responseSchema` knows a part of it only
    if thinking := _thinking(model, params):
        config["thinkingConfig"] = thinking
    return config


def _thinking(model: str, params: Mapping[str, Any]) -> Fields:
    given = _mapping(_mapping(params.get("google")).get("thinking_config"))
    names = {
        "thinking_budget": "thinkingBudget",
        "thinking_level": "thinkingLevel",
        "include_thoughts": "includeThoughts",
    }
    if given:
        return {names.get(name, name): value for name, value in given.items()}
    effort = params.get("reasoning_effort")
    if not isinstance(effort, str) or effort not in BUDGETS:
        return {}
    if re.search(r"gemini-(?:1|2)\b", model):
        return {"thinkingBudget": BUDGETS[effort], "includeThoughts": effort != "none"}
    return {"thinkingLevel": LEVELS[effort], "includeThoughts": effort != "none"}


def _tools(params: Mapping[str, Any]) -> Fields:
    declared = []
    for tool in params.get("tools") or ():
        function = _mapping(_mapping(tool).get("function"))
        if not function.get("name"):
            raise unsupported("Gemini takes tools of type function only.", "tools")
        declaration = {key: function[key] for key in ("name", "description") if function.get(key)}
        if function.get("parameters"):
            declaration["parametersJsonSchema"] = function["parameters"]
        declared.append(declaration)
    if not declared:
        return {}
    return {"tools": [{"functionDeclarations": declared}], **_choice(params.get("tool_choice"))}


def _choice(choice: object) -> Fields:
    if isinstance(choice, str) and choice in MODES:
        return {"toolConfig": {"functionCallingConfig": {"mode": MODES[choice]}}}
    name = _mapping(_mapping(choice).get("function")).get("name")
    if not name:
        return {}
    return {"toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": [name]}}}


def _parts(message: Message, names: Mapping[str, str], path: str) -> list[Fields]:
    content = message.get("content") or message.get("refusal")
    if message.get("role") in {"tool", "function"}:
        own = _mapping(message.get("google"))
        name = message.get("name") or names.get(message.get("tool_call_id", ""), "tool")
        result = {"name": name, **_mapping(own.get("functionResponse")), "response": _result(text_of(content))}
        return [{**own, "functionResponse": result}]
    found = [_part(part, f"{path}.content[{at}]") for at, part in enumerate(parts(content))]
    calls = message.get("tool_calls") or ()
    return found + [_call(call) for call in calls if isinstance(call, Mapping)]


def _result(text: str) -> Fields:
    """An object, as Gemini wants it; `output` is its own word for a result that is none."""
    value, _ = loads(text.encode("utf-8", "surrogatepass"))
    return value if isinstance(value, dict) else {"output": text}


def _call(call: Mapping[str, Any]) -> Fields:
    name, given = called(call)
    part: Fields = {"functionCall": {"name": name, "args": given}}
    signature = _mapping(_mapping(call.get("extra_content")).get("google")).get("thought_signature")
    return part | ({"thoughtSignature": signature} if signature else {})


def _part(part: Mapping[str, Any], path: str) -> Fields:
    match part.get("type"):
        case "text":
            return {"text": part.get("text") or "", **_mapping(part.get("google"))}
        case "google":
            return {**_mapping(part.get("google"))}
        case "refusal":
            return {"text": part.get("refusal") or ""}
        case "image_url":
            return _media(image_url(part), "image/jpeg", f"{path}.image_url")
        case "input_audio":
            audio = _mapping(part.get("input_audio"))
            return {"inlineData": {"mimeType": f"audio/{audio.get('format', 'wav')}", "data": audio.get("data", "")}}
        case "file":
            file = _mapping(part.get("file"))
            return _media(file.get("file_data") or file.get("file_id") or "", "application/pdf", f"{path}.file")
        case kind:
            raise unsupported(f"Gemini takes no content of type {kind!r}.", f"{path}.type")


def _media(url: str, kind: str, path: str) -> Fields:
    """Data in the request; any other address is fetched by Gemini, never by us."""
    if inline := data_url(url):
        return {"inlineData": {"mimeType": inline[0], "data": inline[1]}}
    if not url:
        raise unsupported("This part has no data.", path)
    return {"fileData": {"mimeType": _mime(url) or kind, "fileUri": url}}


def _mime(url: str) -> str | None:
    ending = url.partition("?")[0].rpartition(".")[2].lower()
    kinds = {
        "png": "image/png",
        "webp": "image/webp",
        "gif": "image/gif",
        "heic": "image/heic",
        "pdf": "application/pdf",
    }
    return kinds.get(ending)


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
