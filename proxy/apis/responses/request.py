"""Requests of the Responses API, as the hub understands them: OpenAI's chat messages and parameters."""

from typing import Any

from citation.evidence import FieldError
from citation.options import Options
from providers.events import Message

from ...job import Job
from ..extensions import Body, required_text, take
from .events import Annotations, ResponseEvents

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
    "top_logprobs",
)
ELSEWHERE = ("previous_response_id", "conversation", "background")  # they need a server that remembers; we do not


class ResponsesApi:
    """`POST /v1/responses`."""

    native = "openai"
    path = "/responses"

    def model(self, body: Body) -> str:
        """The model asked for."""
        return required_text(body, "model")

    def parse(self, body: Body, defaults: Options, *, limit: int, max_characters: int) -> Job:
        """A request. Raises FieldError with the path of a wrong field."""
        rest, ours = take(body, defaults, limit=limit, max_characters=max_characters)
        if ours.evidence and ours.options.enabled:
            for key in ELSEWHERE:
                if body.get(key):
                    raise FieldError(key, "cannot be used together with evidence: send the whole conversation")
        if body.get("stream") not in (None, True, False):
            raise FieldError("stream", "must be a boolean")
        form = (body.get("text") or {}).get("format") or {} if isinstance(body.get("text"), dict) else {}
        return Job(
            model=self.model(body),
            messages=[*_instructions(body), *_messages(body.get("input"))],
            params=_params(rest, form),
            body=rest,
            evidence=ours.evidence,
            options=ours.options,
            stream=body.get("stream") is True,
            usage=True,
            json=form.get("type") in ("json_object", "json_schema"),
        )

    def encoder(self, job: Job, annotations: Annotations) -> ResponseEvents:
        """Who writes the answer."""
        return ResponseEvents(job, annotations)


def _params(body: Body, form: Body) -> Body:
    params = {key: body[key] for key in SAME if body.get(key) is not None}
    if body.get("max_output_tokens") is not None:
        params["max_completion_tokens"] = body["max_output_tokens"]
    effort = (body.get("reasoning") or {}).get("effort") if isinstance(body.get("reasoning"), dict) else None
    if effort:
        params["reasoning_effort"] = effort
    if form.get("type") == "json_schema":
        schema = {key: form[key] for key in ("name", "schema", "strict", "description") if key in form}
        params["response_format"] = {"type": "json_schema", "json_schema": schema}
    elif form.get("type") == "json_object":
        params["response_format"] = {"type": "json_object"}
    if tools := [_tool(tool, position) for position, tool in enumerate(body.get("tools") or ())]:
        params["tools"] = tools
    choice = body.get("tool_choice")
    if isinstance(choice, dict):
        params["tool_choice"] = {"type": "function", "function": {"name": choice.get("name", "")}}
    elif choice:
        params["tool_choice"] = choice
    return params


def _tool(tool: Any, position: int) -> Body:
    if not isinstance(tool, dict) or tool.get("type") != "function":
        raise FieldError(f"tools[{position}].type", "only functions can be passed on to a chat model")
    return {"type": "function", "function": {key: value for key, value in tool.items() if key != "type"}}


def _instructions(body: Body) -> list[Message]:
    text = body.get("instructions")
    return [{"role": "system", "content": text}] if isinstance(text, str) and text else []


def _messages(raw: Any) -> list[Message]:
    if isinstance(raw, str) and raw:
        return [{"role": "user", "content": raw}]
    if not isinstance(raw, list) or not raw:
        raise FieldError("input", "must be a text or a non-empty list of items")
    messages: list[Message] = []
    for position, item in enumerate(raw):
        if not isinstance(item, dict):
            raise FieldError(f"input[{position}]", "must be an object")
        message = _message(item, position)
        last = messages[-1] if messages else {}
        if message and "tool_calls" in message and "tool_calls" in last:
            last["tool_calls"] += message["tool_calls"]  # parallel calls are one message of a chat
        elif message:
            messages.append(message)
    return messages


def _message(item: Body, position: int) -> Message | None:
    match item.get("type", "message"):
        case "message":
            role = item.get("role")
            if not isinstance(role, str):
                raise FieldError(f"input[{position}].role", "must be a string")
            return {"role": role, "content": _content(item.get("content"), f"input[{position}].content")}
        case "function_call":
            function = {"name": item.get("name", ""), "arguments": item.get("arguments", "")}
            call = {"id": item.get("call_id", ""), "type": "function", "function": function}
            return {"role": "assistant", "content": None, "tool_calls": [call]}
        case "function_call_output":
            output = item.get("output")
            text = output if isinstance(output, str) else _content(output, f"input[{position}].output")
            return {"role": "tool", "tool_call_id": item.get("call_id", ""), "content": text}
        case _:
            return None  # reasoning items and the like mean nothing to a chat model


def _content(raw: Any, path: str) -> Any:
    if isinstance(raw, str) or raw is None:
        return raw or ""
    if not isinstance(raw, list):
        raise FieldError(path, "must be a string or a list of parts")
    parts = [_part(part, f"{path}[{position}]") for position, part in enumerate(raw)]
    if all(part["type"] == "text" for part in parts):
        return "".join(part["text"] for part in parts)
    return parts


def _part(part: Any, path: str) -> Body:
    kind = part.get("type") if isinstance(part, dict) else None
    if kind in ("input_text", "output_text", "text") and isinstance(part.get("text"), str):
        return {"type": "text", "text": part["text"]}
    if kind == "refusal":
        return {"type": "text", "text": str(part.get("refusal", ""))}
    if kind == "input_image" and isinstance(part.get("image_url"), str):
        return {"type": "image_url", "image_url": {"url": part["image_url"]}}
    raise FieldError(path, "is not a part that a chat model takes: use input_text or input_image with a URL")
