"""The response object of the Responses API: what was asked, what came of it, and its usage."""

from typing import Any

from ...pipeline.collect_chunks import Completion
from ...pipeline.job import Job

Fields = dict[str, Any]

COUNTS = frozenset(
    {"prompt_tokens", "completion_tokens", "total_tokens", "prompt_tokens_details", "completion_tokens_details"}
)

INCOMPLETE = {"length": "max_output_tokens", "content_filter": "content_filter"}
REPEATED = (
    *("instructions", "max_output_tokens", "metadata", "reasoning", "service_tier", "temperature", "text"),
    *("tool_choice", "tools", "top_p", "truncation", "user"),
)
# Of a chat completion, what this API says in its own way; of a choice likewise.
ENVELOPE = frozenset({"id", "object", "created", "model", "choices", "usage"})
CHOICE = frozenset({"index", "message", "logprobs", "finish_reason"})


def incomplete(completion: Completion) -> str | None:
    """Why the answer is incomplete, in this API's words; None where it is complete."""
    return INCOMPLETE.get(str(completion.choice(0).get("finish_reason")))


def response_body(job: Job, name: str, created: int, status: str) -> Fields:
    """The response while nothing has come yet. What the request did not say is null or the API's default."""
    asked = job.body
    body: Fields = {"id": name, "object": "response", "created_at": created, "status": status}
    body |= {"model": job.model, "output": [], "error": None, "incomplete_details": None}
    body |= {"parallel_tool_calls": asked.get("parallel_tool_calls", True), "tool_choice": "auto", "tools": []}
    body |= {key: asked.get(key, body.get(key)) for key in REPEATED}
    body["text"] = body["text"] or {"format": {"type": "text"}}
    body["metadata"] = body["metadata"] or {}
    return body | {"usage": None}


def answered(body: Fields, completion: Completion, items: list[Fields]) -> Fields:
    """The response with what came. What this API does not define stands at its top level."""
    said = completion.body()
    usage = said.get("usage")
    more = {key: value for key, value in completion.choice(0).items() if key not in CHOICE}
    for key, value in said.items():
        if key not in ENVELOPE and value is not None:
            beside = more.get(key)  # what Gemini says of a candidate stands beside what it says of the answer
            more[key] = {**beside, **value} if isinstance(beside, dict) and isinstance(value, dict) else value
    known = {key: value for key, value in body.items() if value is not None}
    found = {**body, **more, **known, "output": items, "usage": _usage(usage) if usage else None}
    return found | {key: said[key] for key in ("model", "service_tier") if said.get(key)}


def _usage(usage: Fields) -> Fields:
    """Details that the provider did not send are not made up, but for the two that this API requires."""
    asked, answered = usage.get("prompt_tokens_details") or {}, usage.get("completion_tokens_details") or {}
    return {
        "input_tokens": usage.get("prompt_tokens", 0),
        "input_tokens_details": {**asked, "cached_tokens": asked.get("cached_tokens") or 0},
        "output_tokens": usage.get("completion_tokens", 0),
        "output_tokens_details": {**answered, "reasoning_tokens": answered.get("reasoning_tokens") or 0},
        "total_tokens": usage.get("total_tokens", 0),
    } | {key: value for key, value in usage.items() if key not in COUNTS}
