"""From a request of Gemini's API to the hub's parameters, and to what only some providers are told."""

from typing import Any

from citestream.citation.evidence import FieldError

from ..extensions import Body
from .contents import ONLY_GEMINI
from .schema import json_schema

CONFIG = {  # Gemini's generationConfig -> OpenAI's parameter
    "temperature": "temperature",
    "topP": "top_p",
    "maxOutputTokens": "max_tokens",
    "stopSequences": "stop",
    "candidateCount": "n",
    "seed": "seed",
    "presencePenalty": "presence_penalty",
    "frequencyPenalty": "frequency_penalty",
    "responseLogprobs": "logprobs",
    "logprobs": "top_logprobs",
}
JSON = "application/json"
MODES = {"AUTO": "auto", "VALIDATED": "auto", "ANY": "required", "NONE": "none"}
# The other way round than providers/gemini: up to how many tokens of thought are how much effort.
BUDGETS = ((1024, "low"), (8192, "medium"))
SAID_IN_MESSAGES = ("contents", "systemInstruction")


def chat_params(body: Body) -> Body:
    """For any other provider. Raises FieldError for what only Gemini can be told."""
    if body.get("cachedContent"):
        raise FieldError("cachedContent", ONLY_GEMINI)
    config = body.get("generationConfig") or {}
    for kind in config.get("responseModalities") or ():
        if kind.upper() != "TEXT":
            raise FieldError("generationConfig.responseModalities", f"holds {kind!r}, which {ONLY_GEMINI}")
    for position, form in enumerate(config.get("responseFormat") or ()):
        if media := sorted(form.keys() - {"text"}):
            raise FieldError(f"generationConfig.responseFormat[{position}].{media[0]}", ONLY_GEMINI)
    params = {theirs: config[ours] for ours, theirs in CONFIG.items() if config.get(ours) is not None}
    if wanted := _response_format(config):
        params["response_format"] = wanted
    if (effort := _effort(config)) and effort != "none":
        params["reasoning_effort"] = effort
    return params | _tools(body)


def own_params(body: Body) -> dict[str, Body]:
    """By the API of the provider: for Gemini everything as it is, for others what OpenAI's API has no word for."""
    config = body.get("generationConfig") or {}
    ollama: Body = {}
    if config.get("topK") is not None:
        ollama["top_k"] = config["topK"]
    if _effort(config) == "none":
        ollama["reasoning_effort"] = "none"
    whole = {key: value for key, value in body.items() if key not in SAID_IN_MESSAGES}
    choices = {"n": config["candidateCount"]} if config.get("candidateCount") else {}
    return {"gemini": {**choices, "google": {"request": whole}}, "ollama": ollama}


def wants_json(body: Body) -> bool:
    """Whether markers in the text would break it."""
    kind, _ = _text_format(body.get("generationConfig") or {})
    return kind not in (None, "", "text/plain")


def _response_format(config: Body) -> Body:
    kind, schema = _text_format(config)
    if kind != JSON:
        return {}
    if not schema:
        return {"type": "json_object"}
    return {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}}


def _text_format(config: Body) -> tuple[str | None, Any]:
    """(media type, JSON schema) of the text, in whichever of its three forms it is given."""
    for form in config.get("responseFormat") or ():
        if text := form.get("text"):
            kind = (text.get("mimeType") or "").lower().replace("application_", "application/")
            return kind.replace("text_", "text/"), text.get("schema", text.get("jsonSchema"))
    schema = config.get("responseJsonSchema")
    if schema is None and (own := config.get("responseSchema")):
        schema = json_schema(own)
    return config.get("responseMimeType"), schema


def _effort(config: Body) -> str | None:
    thinking = config.get("thinkingConfig") or {}
    level, budget = thinking.get("thinkingLevel"), thinking.get("thinkingBudget")
    if level:
        found = level.lower()
        return found if found in ("minimal", "low", "medium", "high", "xhigh") else None
    if budget is None or budget < 0:  # -1: as much as the model thinks right
        return None
    return next((effort for most, effort in BUDGETS if budget <= most), "high") if budget else "none"


def _tools(body: Body) -> Body:
    declared: list[Body] = []
    for position, tool in enumerate(body.get("tools") or ()):
        if others := {key for key, value in tool.items() if key != "functionDeclarations" and value is not None}:
            raise FieldError(f"tools[{position}].{min(others)}", ONLY_GEMINI)
        declared += tool.get("functionDeclarations") or ()
    calling = (body.get("toolConfig") or {}).get("functionCallingConfig") or {}
    allowed = calling.get("allowedFunctionNames")
    if allowed:
        declared = [one for one in declared if one["name"] in allowed]
    if not declared:
        return {}
    params: Body = {"tools": [{"type": "function", "function": _function(one)} for one in declared]}
    if choice := _choice(calling, [one["name"] for one in declared]):
        params["tool_choice"] = choice
    return params


def _choice(calling: Body, names: list[str]) -> str | Body | None:
    choice = MODES.get((calling.get("mode") or "").upper())
    if choice == "required" and calling.get("allowedFunctionNames") and len(names) == 1:
        return {"type": "function", "function": {"name": names[0]}}
    return choice


def _function(declaration: Body) -> Body:
    parameters = declaration.get("parametersJsonSchema")
    if parameters is None:
        parameters = json_schema(declaration.get("parameters") or {}) or {"type": "object", "properties": {}}
    described = {"description": declaration["description"]} if declaration.get("description") else {}
    return {"name": declaration["name"], **described, "parameters": parameters}
