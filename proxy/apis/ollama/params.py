"""From a request of Ollama's API to the hub's parameters, and to what only some providers are told."""

from collections.abc import Mapping
from typing import Any

from ..extensions import Body

OPTIONS = {  # Ollama's option -> OpenAI's parameter
    "temperature": "temperature",
    "top_p": "top_p",
    "seed": "seed",
    "stop": "stop",
    "num_predict": "max_tokens",
    "frequency_penalty": "frequency_penalty",
    "presence_penalty": "presence_penalty",
}
SAME = ("tools", "logprobs", "top_logprobs")
SAID_OTHERWISE = ("model", "messages", "stream", "prompt", "system", "images")


def chat_params(body: Body) -> Body:
    """For any other provider: what OpenAI's API has a word for."""
    options = body.get("options") or {}
    params = {theirs: options[ours] for ours, theirs in OPTIONS.items() if options.get(ours) is not None}
    if params.get("max_tokens", 0) < 0:  # -1: until the model ends; -2: until the context is full
        del params["max_tokens"]
    params |= {key: body[key] for key in SAME if body.get(key)}
    if effort := _effort(body.get("think")):
        params["reasoning_effort"] = effort
    if wanted := _response_format(body.get("format")):
        params["response_format"] = wanted
    return params


def own_params(body: Body) -> Mapping[str, Body]:
    """By the API of the provider: for Ollama everything as it is, for others what OpenAI's API has no word for."""
    gemini: Body = {}
    if (top_k := (body.get("options") or {}).get("top_k")) is not None:
        gemini["top_k"] = top_k
    if body.get("think") is False:
        gemini["reasoning_effort"] = "none"  # models of OpenAI's that do not think refuse to be told
    whole = {key: value for key, value in body.items() if key not in SAID_OTHERWISE}
    return {"ollama": {"ollama": {"request": whole}}, "gemini": gemini}


def _effort(think: bool | str | None) -> str | None:
    return "medium" if think is True else think or None


def _response_format(wanted: Any) -> Body | None:
    if isinstance(wanted, dict):
        return {"type": "json_schema", "json_schema": {"name": "answer", "schema": wanted}}
    return {"type": "json_object"} if wanted else None
