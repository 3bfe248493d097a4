"""Parameters of the OpenAI API and the rest of a Messages request, translated in both directions.

Parameters without a counterpart in Anthropic's API (`n`, `seed`, `logprobs`, penalties, ...) are left out: Anthropic
refuses names that it does not know. `anthropic` in the parameters holds `request`, fields that Anthropic receives
unchanged.
"""

import re
from collections.abc import Mapping
from typing import Any

from ...events import ChatRequest
from ..json_text import WrongField, as_list, as_object, without_none
from ..openai_messages import (
    first_set,
    json_format,
    max_tokens,
    other_params,
    response_format,
    stop_sequences,
    unsupported,
)
from .content_blocks import ONLY_ANTHROPIC, split_system

Fields = dict[str, Any]

# The limit if the client sets none, which OpenAI's API allows. Each is within the maximum of its models.
DEFAULT_MAX_TOKENS = ((re.compile(r"claude-3-(?:opus|sonnet|haiku)"), 4_096), (re.compile(r"claude-(?!3-5)"), 32_000))
OTHER_MAX_TOKENS = 8_192  # Claude 3.5, and models of other vendors with this API
# Models with a budget of thinking tokens. Later ones decide for themselves and take an effort.
BUDGET_MODELS = re.compile(r"claude-3|claude-(?:opus|sonnet|haiku)-4(?:-[0-5])?(?:-\d{8}|@|$)")
# Models of Anthropic after 4.6 refuse temperature, top_p and top_k.
NO_SAMPLING = re.compile(r"claude-(?!3|[a-z]+-4(?:-[0-6])?(?:-\d{8}|-latest|@|$))")
BUDGETS = {"minimal": 1_024, "low": 1_024, "medium": 8_192, "high": 24_576, "xhigh": 24_576}  # 1,024: the least
EFFORTS = {"minimal": "low", "low": "low", "medium": "medium", "high": "high", "xhigh": "xhigh"}
SAMPLING = ("temperature", "top_p", "top_k")
TOOL_CHOICES = {"auto": "auto", "required": "any", "none": "none"}
FROM_TOOL_CHOICES = {native_choice: choice for choice, native_choice in TOOL_CHOICES.items()}
# Fields of a request that are translated, or that Citestream sets itself. The others reach Anthropic as they are.
TRANSLATED = frozenset({"model", "messages", "system", "stream"})


# OpenAI -> Anthropic


def messages_body(request: ChatRequest) -> Fields:
    """Return the body of a streamed request. Raises Rejected for content that Anthropic does not take."""
    params = request.params
    system, messages = split_system(request.messages)
    body: Fields = {
        "model": request.model,
        "max_tokens": max_tokens(params) or _default_max_tokens(request.model),
        "messages": messages,
        "stream": True,
    }
    if system:
        body["system"] = system
    native_request = as_object(as_object(params.get("anthropic")).get("request"))
    if native_request:  # the client's API is Anthropic's, so its own fields say everything
        return {**body, **native_request}
    if not NO_SAMPLING.search(request.model):
        body |= {name: params[name] for name in SAMPLING if params.get(name) is not None}
    if _is_number(body.get("temperature")) and body["temperature"] > 1:
        body["temperature"] = 1.0  # OpenAI's range ends at 2
    if stops := stop_sequences(params):
        body["stop_sequences"] = stops
    if user := first_set(params, "safety_identifier", "user"):  # OpenAI's current name and its older one
        body["metadata"] = {"user_id": user}
    body |= _tools(params)
    if thinking := _thinking(request, body):
        body.pop("top_k", None)  # refused together with thinking
        body |= thinking
    _, schema = json_format(params.get("response_format"))
    if schema:
        output = {"format": {"type": "json_schema", "schema": schema}}
        body["output_config"] = {**as_object(body.get("output_config")), **output}
    return body


def _default_max_tokens(model: str) -> int:
    return next((limit for models, limit in DEFAULT_MAX_TOKENS if models.search(model)), OTHER_MAX_TOKENS)


def _tools(params: Mapping[str, Any]) -> Fields:
    tools = [_tool(as_object(tool), f"tools[{index}]") for index, tool in enumerate(as_list(params.get("tools")))]
    if not tools:
        return {}
    choice = params.get("tool_choice")
    name = as_object(as_object(choice).get("function")).get("name")
    chosen: Fields = {"type": "tool", "name": name} if name else {"type": TOOL_CHOICES.get(str(choice), "auto")}
    if params.get("parallel_tool_calls") is False and chosen["type"] != "none":
        chosen["disable_parallel_tool_use"] = True
    return {"tools": tools, **({"tool_choice": chosen} if chosen != {"type": "auto"} else {})}


def _tool(tool: Mapping[str, Any], path: str) -> Fields:
    function = tool.get("function")
    if not isinstance(function, Mapping):
        raise unsupported("Anthropic takes tools of type function only.", path)
    schema = function.get("parameters") or {"type": "object", "properties": {}}
    return without_none(name=function.get("name"), description=function.get("description"), input_schema=schema)


def _thinking(request: ChatRequest, body: Mapping[str, Any]) -> Fields:
    """Return the fields of thinking. It fixes the temperature, and its tokens count towards `max_tokens`.

    Left out if Anthropic would refuse it: with a forced tool, or if the thinking before an open tool call is missing.
    """
    effort = str(request.params.get("reasoning_effort"))
    forced = as_object(body.get("tool_choice")).get("type") in {"any", "tool"}
    if effort not in BUDGETS or forced or _lacks_thinking(body["messages"]):
        return {}
    if not BUDGET_MODELS.search(request.model):
        return {"thinking": {"type": "adaptive"}, "output_config": {"effort": EFFORTS[effort]}}
    if not _is_number(body["max_tokens"]):
        return {}  # Anthropic refuses the request
    budget = BUDGETS[effort]
    fields: Fields = {
        "thinking": {"type": "enabled", "budget_tokens": budget},
        "max_tokens": body["max_tokens"] + budget,
    }
    return fields | ({"temperature": 1.0} if "temperature" in body else {})


def _is_number(value: object) -> bool:
    return isinstance(value, int | float)


def _lacks_thinking(messages: list[Fields]) -> bool:
    """Return whether the last answer calls a tool without the thinking that led to the call."""
    answers = [message["content"] for message in messages if message["role"] == "assistant"]
    kinds = [block.get("type") for block in answers[-1]] if answers else []
    return "tool_use" in kinds and kinds[0] not in {"thinking", "redacted_thinking"}


# Anthropic -> OpenAI


def chat_params(body: Mapping[str, Any]) -> Fields:
    """Return the parameters for any other provider. Raises WrongField for what only Anthropic supports."""
    return without_none(
        max_tokens=body.get("max_tokens"),
        temperature=body.get("temperature"),
        top_p=body.get("top_p"),
        stop=body.get("stop_sequences") or None,
        user=as_object(body.get("metadata")).get("user_id"),
        reasoning_effort=_reasoning_effort(body),
        response_format=_response_format(body),
        **_functions(body),
    )


def provider_params(body: Mapping[str, Any]) -> dict[str, Fields]:
    """Return additional parameters by the provider's API. Anthropic receives the request as it is."""
    request = {key: value for key, value in body.items() if key not in TRANSLATED}
    shared = other_params(top_k=body.get("top_k"), thinks=as_object(body.get("thinking")).get("type") != "disabled")
    return {**shared, "anthropic": {"anthropic": {"request": request}}}


def wants_json(body: Mapping[str, Any]) -> bool:
    """Return whether the answer has to be in a format that markers would break."""
    return _output_format(body).get("type") == "json_schema"


def _output_format(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the format of the answer. `output_format` is its older name."""
    return as_object(as_object(body.get("output_config")).get("format") or body.get("output_format"))


def _response_format(body: Mapping[str, Any]) -> Fields | None:
    return response_format(_output_format(body).get("schema")) if wants_json(body) else None


def _reasoning_effort(body: Mapping[str, Any]) -> str | None:
    """Return the effort for the budget of thinking tokens, or that of `output_config`."""
    thinking = as_object(body.get("thinking"))
    match thinking.get("type"):
        case "enabled":
            budget = thinking.get("budget_tokens") or 0
            return next((effort for effort in ("low", "medium") if budget <= BUDGETS[effort]), "high")
        case "adaptive":
            effort = as_object(body.get("output_config")).get("effort") or "medium"
            return "high" if effort in ("xhigh", "max") else str(effort)
        case _:
            return None


def _functions(body: Mapping[str, Any]) -> Fields:
    tools = [_function(as_object(tool), f"tools[{index}]") for index, tool in enumerate(as_list(body.get("tools")))]
    if not tools:
        return {}
    choice = as_object(body.get("tool_choice"))
    chosen: Any = FROM_TOOL_CHOICES.get(str(choice.get("type")))
    if choice.get("type") == "tool":
        chosen = {"type": "function", "function": {"name": choice.get("name")}}
    parallel = False if choice.get("disable_parallel_tool_use") else None
    return without_none(tools=tools, tool_choice=chosen, parallel_tool_calls=parallel)


def _function(tool: Mapping[str, Any], path: str) -> Fields:
    if tool.get("type") not in (None, "custom") or "input_schema" not in tool:  # tools that Anthropic defines or runs
        raise WrongField(path, f"is of type {tool.get('type')!r}, which {ONLY_ANTHROPIC}")
    function = without_none(
        name=tool.get("name"), description=tool.get("description"), parameters=tool.get("input_schema")
    )
    return {"type": "function", "function": function}
