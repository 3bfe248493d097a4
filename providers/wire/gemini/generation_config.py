"""Parameters of the OpenAI API and the rest of a Gemini request, translated in both directions.

Parameters without a counterpart in Gemini (`logit_bias`, `user`, `metadata`, `parallel_tool_calls`, ...) are left out:
Gemini refuses names that it does not know. `google` in the parameters holds Google's own settings, as its
OpenAI-compatible route reads them from `extra_body.google`, and in `request` fields that Gemini receives unchanged.
"""

import re
from collections.abc import Mapping
from typing import Any

from ...events import ChatRequest
from ..json_text import WrongField, as_object
from ..openai_messages import json_format, max_tokens, other_params, response_format, stop_sequences, unsupported
from .chat_messages import ONLY_GEMINI
from .contents import contents_of, sign_calls
from .json_keys import json_schema

Fields = dict[str, Any]

PARAMETERS = {  # OpenAI's name -> the name in generationConfig
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
# In Gemini's direction, these need more than another name.
TO_OPENAI = {native_name: name for name, native_name in PARAMETERS.items() if name != "top_k"} | {
    "maxOutputTokens": "max_tokens",
    "stopSequences": "stop",
}
# Thinking tokens per effort, as Google's own OpenAI-compatible route maps them. Gemini 3 takes a level instead.
BUDGETS = {"none": 0, "minimal": 1024, "low": 1024, "medium": 8192, "high": 24576, "xhigh": 24576}
# These models always think, and refuse a lower budget or level: https://ai.google.dev/gemini-api/docs/thinking
PRO_MODELS = re.compile(r"gemini-(?:[\d.]+-)?pro")
PRO_BUDGET, PRO_LEVEL = 128, "LOW"
LEVELS = {"none": "MINIMAL", "minimal": "MINIMAL", "low": "LOW", "medium": "MEDIUM", "high": "HIGH", "xhigh": "HIGH"}
THINKING_CONFIG = {
    "thinking_budget": "thinkingBudget",
    "thinking_level": "thinkingLevel",
    "include_thoughts": "includeThoughts",
}
TOOL_MODES = {"none": "NONE", "auto": "AUTO", "required": "ANY"}
TOOL_CHOICES = {mode: choice for choice, mode in TOOL_MODES.items()} | {"VALIDATED": "auto"}
# These models refuse an earlier call without a signature. Most clients do not send it back, and others never had one.
SIGNED_MODELS = re.compile(r"gemini-(?:[3-9]|[a-z-]+-latest)")
GOOGLE_SETTINGS = {"safety_settings": "safetySettings", "cached_content": "cachedContent"}
JSON = "application/json"


# OpenAI -> Gemini


def generate_content_body(request: ChatRequest) -> Fields:
    """Return the body of a `generateContent` request. Raises Rejected for content that Gemini does not take."""
    params = request.params
    google = as_object(params.get("google"))
    system, contents = contents_of(request.messages)
    if SIGNED_MODELS.search(request.model):
        sign_calls(contents)
    body: Fields = {"contents": contents}
    if system:
        body["systemInstruction"] = {"parts": system}
    if config := _generation_config(request.model, params):
        body["generationConfig"] = config
    body |= _tools(params) | {
        native_name: google[name] for name, native_name in GOOGLE_SETTINGS.items() if name in google
    }
    return {**body, **as_object(as_object(params.get("gemini")).get("request"))}


def _generation_config(model: str, params: Mapping[str, Any]) -> Fields:
    config = {native_name: params[name] for name, native_name in PARAMETERS.items() if params.get(name) is not None}
    if (limit := max_tokens(params)) is not None:
        config["maxOutputTokens"] = limit
    if stops := stop_sequences(params):
        config["stopSequences"] = stops
    wants_json, schema = json_format(params.get("response_format"))
    if wants_json:
        config["responseMimeType"] = JSON
    if schema:
        config["responseJsonSchema"] = schema  # `responseSchema` knows only a part of JSON schema
    if thinking := _thinking_config(model, params):
        config["thinkingConfig"] = thinking
    return config


def _thinking_config(model: str, params: Mapping[str, Any]) -> Fields:
    native_config = as_object(as_object(params.get("google")).get("thinking_config"))
    if native_config:
        return {THINKING_CONFIG.get(name, name): value for name, value in native_config.items()}
    effort = params.get("reasoning_effort")
    if not isinstance(effort, str) or effort not in BUDGETS:
        return {}
    is_pro, shows = PRO_MODELS.search(model), {"includeThoughts": effort != "none"}
    if re.search(r"gemini-(?:1|2)\b", model):
        return {"thinkingBudget": max(BUDGETS[effort], PRO_BUDGET if is_pro else 0), **shows}
    level = LEVELS[effort]
    return {"thinkingLevel": PRO_LEVEL if is_pro and level == "MINIMAL" else level, **shows}


def _tools(params: Mapping[str, Any]) -> Fields:
    declarations = []
    for tool in params.get("tools") or ():
        function = as_object(as_object(tool).get("function"))
        if not function.get("name"):
            raise unsupported("Gemini takes tools of type function only.", "tools")
        declaration = {key: function[key] for key in ("name", "description") if function.get(key)}
        if function.get("parameters"):
            declaration["parametersJsonSchema"] = function["parameters"]
        declarations.append(declaration)
    if not declarations:
        return {}
    return {"tools": [{"functionDeclarations": declarations}], **_tool_config(params.get("tool_choice"))}


def _tool_config(choice: object) -> Fields:
    if isinstance(choice, str) and choice in TOOL_MODES:
        return {"toolConfig": {"functionCallingConfig": {"mode": TOOL_MODES[choice]}}}
    name = as_object(as_object(choice).get("function")).get("name")
    if not name:
        return {}
    return {"toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": [name]}}}


# Gemini -> OpenAI. The request's names have been normalized (`json_keys`).


def chat_params(body: Fields) -> Fields:
    """Return the parameters for any other provider. Raises WrongField for what only Gemini supports."""
    if body.get("cachedContent"):
        raise WrongField("cachedContent", ONLY_GEMINI)
    config = body.get("generationConfig") or {}
    for kind in config.get("responseModalities") or ():
        if kind.upper() != "TEXT":
            raise WrongField("generationConfig.responseModalities", f"contains {kind!r}, which {ONLY_GEMINI}")
    for position, form in enumerate(config.get("responseFormat") or ()):
        if media := sorted(form.keys() - {"text"}):
            raise WrongField(f"generationConfig.responseFormat[{position}].{media[0]}", ONLY_GEMINI)
    params = {
        name: config[native_name] for native_name, name in TO_OPENAI.items() if config.get(native_name) is not None
    }
    kind, schema = _text_format(config)
    if kind == JSON:
        params["response_format"] = response_format(schema)
    if (effort := _reasoning_effort(config)) and effort != "none":
        params["reasoning_effort"] = effort
    return params | _chat_tools(body)


def provider_params(body: Fields) -> dict[str, Fields]:
    """Return additional parameters by the provider's API. Gemini receives the request as it is."""
    config = body.get("generationConfig") or {}
    request = {key: value for key, value in body.items() if key not in ("contents", "systemInstruction")}
    choices = {"n": config["candidateCount"]} if config.get("candidateCount") else {}
    shared = other_params(top_k=config.get("topK"), thinks=_reasoning_effort(config) != "none")
    return {**shared, "gemini": {**choices, "gemini": {"request": request}}}


def wants_json(body: Fields) -> bool:
    """Return whether the answer has to be in a format that markers would break."""
    kind, _ = _text_format(body.get("generationConfig") or {})
    return kind not in (None, "", "text/plain")


def _text_format(config: Fields) -> tuple[str | None, Any]:
    """Return (media type, JSON schema) of the answer. Gemini's API has three ways to state them."""
    for form in config.get("responseFormat") or ():
        if text := form.get("text"):
            kind = (text.get("mimeType") or "").lower().replace("application_", "application/")
            return kind.replace("text_", "text/"), text.get("schema", text.get("jsonSchema"))
    schema = config.get("responseJsonSchema")
    if schema is None and (native_schema := config.get("responseSchema")):
        schema = json_schema(native_schema)
    return config.get("responseMimeType"), schema


def _reasoning_effort(config: Fields) -> str | None:
    thinking = config.get("thinkingConfig") or {}
    level, budget = thinking.get("thinkingLevel"), thinking.get("thinkingBudget")
    if level:
        effort = level.lower()
        return effort if effort in BUDGETS and effort != "none" else None
    if budget is None or budget < 0:  # -1: the model decides
        return None
    return next((effort for effort in ("none", "low", "medium") if budget <= BUDGETS[effort]), "high")


def _chat_tools(body: Fields) -> Fields:
    declarations: list[Fields] = []
    for position, tool in enumerate(body.get("tools") or ()):
        if other_tools := {key for key, value in tool.items() if key != "functionDeclarations" and value is not None}:
            raise WrongField(f"tools[{position}].{min(other_tools)}", ONLY_GEMINI)
        declarations += tool.get("functionDeclarations") or ()
    calling = (body.get("toolConfig") or {}).get("functionCallingConfig") or {}
    allowed = calling.get("allowedFunctionNames")
    if allowed:
        declarations = [declaration for declaration in declarations if declaration["name"] in allowed]
    if not declarations:
        return {}
    params: Fields = {
        "tools": [{"type": "function", "function": _function(declaration)} for declaration in declarations]
    }
    choice: str | Fields | None = TOOL_CHOICES.get((calling.get("mode") or "").upper())
    if choice == "required" and allowed and len(declarations) == 1:
        choice = {"type": "function", "function": {"name": declarations[0]["name"]}}
    return params | ({"tool_choice": choice} if choice else {})


def _function(declaration: Fields) -> Fields:
    parameters = declaration.get("parametersJsonSchema")
    if parameters is None:
        parameters = json_schema(declaration.get("parameters") or {}) or {"type": "object", "properties": {}}
    description = {"description": declaration["description"]} if declaration.get("description") else {}
    return {"name": declaration["name"], **description, "parameters": parameters}
