"""From a request of the Responses API to the hub's chat messages and parameters.

Raises FieldError for what a chat model cannot be told. Reasoning items are left out: no chat API takes another's.
"""

from typing import Any

from citestream.citation.evidence import FieldError
from citestream.providers.events import Message

from ...http.encoding import dumps
from ..extensions import Body

SAME = (  # of the same name and meaning in both APIs
    "temperature",
    "top_p",
    "parallel_tool_calls",
    "metadata",
    "store",
    "user",
    "service_tier",
    "safety_identifier",
    "prompt_cache_key",
    "prompt_cache_options",
    "prompt_cache_retention",
    "moderation",
    "top_logprobs",
)
ELSEWHERE = ("previous_response_id", "conversation", "background", "prompt")  # of servers that keep all of it
FORGOTTEN = "is not kept here, or no longer: send the conversation itself"  # what we do keep has been put in its place
CALLABLE = ("function", "custom")
LOGPROBS = "message.output_text.logprobs"
SEARCH = "file_search"  # how a search that the API itself made is told to a chat model: as a call of this function


def chat_params(body: Body) -> Body:
    """Every parameter that has a counterpart."""
    for key in ELSEWHERE:
        if body.get(key):
            raise FieldError(key, FORGOTTEN)
    params = {key: body[key] for key in SAME if body.get(key) is not None}
    if body.get("max_output_tokens") is not None:
        params["max_completion_tokens"] = body["max_output_tokens"]
    if effort := (body.get("reasoning") or {}).get("effort"):
        params["reasoning_effort"] = effort
    if verbosity := (body.get("text") or {}).get("verbosity"):
        params["verbosity"] = verbosity
    if LOGPROBS in (body.get("include") or ()):
        params["logprobs"] = True
    else:
        params.pop("top_logprobs", None)  # chat refuses it without logprobs
    if wanted := _response_format(text_format(body)):
        params["response_format"] = wanted
    if tools := [_tool(tool, f"tools[{position}]") for position, tool in enumerate(body.get("tools") or ())]:
        params["tools"] = tools
    if choice := body.get("tool_choice"):
        params["tool_choice"] = _choice(choice)
    return params


def chat_messages(body: Body) -> list[Message]:
    """The instructions and every item that a chat has a message for."""
    messages = _instructions(body.get("instructions"))
    raw = body.get("input")
    if not raw:
        raise FieldError("input", "must be a text or a non-empty list of items")
    if isinstance(raw, str):
        return [*messages, {"role": "user", "content": raw}]
    for position, item in enumerate(raw):
        for message in _of_item(item, f"input[{position}]"):
            last = messages[-1] if messages else {}
            # What one turn says and calls is one message.
            if "tool_calls" in message and last.get("role") == "assistant":
                last["tool_calls"] = [*last.get("tool_calls", ()), *message["tool_calls"]]
            else:
                messages.append(message)
    return messages


def text_format(body: Body) -> Body:
    """`text.format`, or nothing."""
    return (body.get("text") or {}).get("format") or {}


def _response_format(form: Body) -> Body | None:
    match form.get("type"):
        case "json_schema":
            schema = {key: form[key] for key in ("name", "schema", "strict", "description") if key in form}
            return {"type": "json_schema", "json_schema": schema}
        case "json_object":
            return {"type": "json_object"}
        case _:
            return None


def _tool(tool: Body, path: str) -> Body:
    kind = tool.get("type")
    if kind not in CALLABLE:
        raise FieldError(f"{path}.type", "only functions and custom tools can be passed on to a chat model")
    return {"type": kind, kind: {key: value for key, value in tool.items() if key != "type"}}


def _choice(choice: str | Body) -> str | Body:
    if isinstance(choice, str):
        return choice
    kind = choice.get("type")
    if kind not in CALLABLE:
        raise FieldError("tool_choice.type", "only functions and custom tools can be passed on to a chat model")
    return {"type": kind, kind: {"name": choice.get("name", "")}}


def _instructions(given: Any) -> list[Message]:
    if isinstance(given, list):
        raise FieldError("instructions", "must be a string where a chat model is asked")
    return [{"role": "system", "content": given}] if given else []


def _of_item(item: Body, path: str) -> list[Message]:
    match item.get("type") or "message":
        case "message":
            role = item.get("role")
            if role is None:
                raise FieldError(f"{path}.role", "is missing")
            return [{"role": role, "content": _content(item.get("content"), f"{path}.content")}]
        case "function_call":
            return [_called(item.get("call_id") or "", item.get("name") or "", item.get("arguments") or "")]
        case "custom_tool_call":
            called = {"name": item.get("name") or "", "input": item.get("input") or ""}
            call = {"id": item.get("call_id") or "", "type": "custom", "custom": called}
            return [{"role": "assistant", "content": None, "tool_calls": [call]}]
        case "function_call_output" | "custom_tool_call_output":
            output = _content(item.get("output"), f"{path}.output")
            return [{"role": "tool", "tool_call_id": item.get("call_id") or "", "content": output}]
        case "file_search_call" if item.get("results"):
            name = str(item.get("id") or SEARCH)
            asked = dumps({"queries": item.get("queries") or []}).decode()
            found = dumps({"results": item["results"]}).decode()
            return [_called(name, SEARCH, asked), {"role": "tool", "tool_call_id": name, "content": found}]
        case "item_reference":
            raise FieldError(path, FORGOTTEN)
        case _:
            return []


def _called(call_id: str, name: str, arguments: str) -> Message:
    call = {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def _content(raw: str | list[Body] | None, path: str) -> Any:
    if not isinstance(raw, list):
        return raw or ""
    parts = [_part(part, f"{path}[{position}]") for position, part in enumerate(raw)]
    if all(part["type"] == "text" for part in parts):
        return "".join(part["text"] for part in parts)
    return parts


def _part(part: Body, path: str) -> Body:
    match part.get("type"):
        case "input_text" | "output_text" | "text" if isinstance(part.get("text"), str):
            return {"type": "text", "text": part["text"]}
        case "refusal":
            return {"type": "text", "text": str(part.get("refusal") or "")}
        case "input_image" if isinstance(part.get("image_url"), str):
            detail = {"detail": part["detail"]} if part.get("detail") else {}
            return {"type": "image_url", "image_url": {"url": part["image_url"], **detail}}
        case "input_file" if part.get("file_data") or part.get("file_id"):
            file = {key: part[key] for key in ("file_data", "file_id", "filename") if part.get(key)}
            return {"type": "file", "file": file}
        case "input_audio":
            return {"type": "input_audio", "input_audio": part.get("input_audio")}
        case _:
            raise FieldError(
                path, "is not a part that a chat model takes: send text, images by URL, or files by data or id"
            )
