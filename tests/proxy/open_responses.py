"""The objects of Open Responses (version 2026-04-24), which the answers of the Responses API must satisfy.

Every field of these models is required unless it has a default. Further fields are allowed. Items and events that only
OpenAI's API has are here too, with the fields that OpenAI documents.
"""

import json
import re
from collections.abc import Iterable
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

OWN_ID = re.compile(r"resp_[0-9a-f]{32}")
FINAL = ("response.completed", "response.incomplete", "response.failed")

Status = Literal["in_progress", "completed", "incomplete"]


class Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="allow")


class TopLogProb(Strict):
    token: str
    logprob: float
    bytes: list[int]


class LogProb(TopLogProb):
    top_logprobs: list[TopLogProb]


class UrlCitation(Strict):
    type: Literal["url_citation"]
    url: str
    title: str
    start_index: int
    end_index: int


class InputText(Strict):
    type: Literal["input_text"]
    text: str


class OutputText(Strict):
    type: Literal["output_text"]
    text: str
    annotations: list[UrlCitation]
    logprobs: list[LogProb] = []


class Refusal(Strict):
    type: Literal["refusal"]
    refusal: str


class SummaryText(Strict):
    type: Literal["summary_text"]
    text: str


class ReasoningText(Strict):
    type: Literal["reasoning_text"]
    text: str


class InputImage(Strict):
    type: Literal["input_image"]
    image_url: str | None
    detail: Literal["low", "high", "auto"]


Part = Annotated[
    InputText | OutputText | Refusal | SummaryText | ReasoningText | InputImage, Field(discriminator="type")
]


class Message(Strict):
    type: Literal["message"]
    id: str
    status: Status
    role: Literal["user", "assistant", "system", "developer"]
    content: list[Part]
    phase: Literal["commentary", "final_answer"] = "final_answer"


class FunctionCall(Strict):
    type: Literal["function_call"]
    id: str
    call_id: str
    name: str
    arguments: str
    status: Status


class FunctionCallOutput(Strict):
    type: Literal["function_call_output"]
    id: str
    call_id: str
    output: str | list[Part]
    status: Status


class Reasoning(Strict):
    type: Literal["reasoning"]
    id: str
    summary: list[Part]
    content: list[Part] = []
    encrypted_content: str = ""


class CompactionItem(Strict):
    type: Literal["compaction"]
    id: str
    encrypted_content: str


class CustomToolCall(Strict):
    """Of OpenAI's API."""

    type: Literal["custom_tool_call"]
    id: str
    call_id: str
    name: str
    input: str


class ImageGenerationCall(Strict):
    """Of OpenAI's API."""

    type: Literal["image_generation_call"]
    id: str
    status: Literal["in_progress", "completed", "incomplete", "generating", "failed"]
    result: str | None


Item = Annotated[
    Message | FunctionCall | FunctionCallOutput | Reasoning | CompactionItem | CustomToolCall | ImageGenerationCall,
    Field(discriminator="type"),
]


class FunctionTool(Strict):
    type: Literal["function"]
    name: str
    description: str | None
    parameters: dict[str, Any] | None
    strict: bool | None


class OpenAITool(Strict):
    """A tool that only OpenAI's API has."""

    type: Literal["custom", "namespace", "web_search", "file_search", "code_interpreter", "image_generation"]


Tool = Annotated[FunctionTool | OpenAITool, Field(discriminator="type")]


class ToolChoice(Strict):
    type: Literal["function", "custom"]
    name: str


class AllowedTools(Strict):
    type: Literal["allowed_tools"]
    mode: Literal["none", "auto", "required"]
    tools: list[ToolChoice]


class TextFormat(Strict):
    type: Literal["text", "json_object"]


class SchemaFormat(Strict):
    type: Literal["json_schema"]
    name: str
    description: str | None
    schema_: dict[str, Any] = Field(alias="schema")
    strict: bool


class Text(Strict):
    format: Annotated[TextFormat | SchemaFormat, Field(discriminator="type")]
    verbosity: Literal["low", "medium", "high"] = "medium"


class ReasoningOptions(Strict):
    effort: Literal["none", "minimal", "low", "medium", "high", "xhigh"] | None
    summary: Literal["concise", "detailed", "auto"] | None


class InputDetails(Strict):
    cached_tokens: int


class OutputDetails(Strict):
    reasoning_tokens: int


class Usage(Strict):
    input_tokens: int
    output_tokens: int
    total_tokens: int
    input_tokens_details: InputDetails
    output_tokens_details: OutputDetails


class Incomplete(Strict):
    reason: str


class Failure(Strict):
    code: str
    message: str


class Response(Strict):
    id: str
    object: Literal["response"]
    created_at: int
    completed_at: int | None
    status: Literal["queued", "in_progress", "completed", "incomplete", "failed", "cancelled"]
    incomplete_details: Incomplete | None
    model: str
    previous_response_id: str | None
    instructions: str | None
    output: list[Item]
    error: Failure | None
    tools: list[Tool]
    tool_choice: Literal["none", "auto", "required"] | ToolChoice | AllowedTools
    truncation: Literal["auto", "disabled"]
    parallel_tool_calls: bool
    text: Text
    top_p: float
    presence_penalty: float
    frequency_penalty: float
    top_logprobs: int
    temperature: float
    reasoning: ReasoningOptions | None
    usage: Usage | None
    max_output_tokens: int | None
    max_tool_calls: int | None
    store: bool
    background: bool
    service_tier: str
    metadata: dict[str, Any]
    safety_identifier: str | None
    prompt_cache_key: str | None


class Compaction(Strict):
    id: str
    object: Literal["response.compaction"]
    created_at: int
    output: list[Item]
    usage: Usage


class Event(Strict):
    sequence_number: int


class ResponseEvent(Event):
    type: Literal[
        "response.created",
        "response.queued",
        "response.in_progress",
        "response.completed",
        "response.incomplete",
        "response.failed",
    ]
    response: Response


class ItemEvent(Event):
    type: Literal["response.output_item.added", "response.output_item.done"]
    output_index: int
    item: Item


class InItem(Event):
    item_id: str
    output_index: int


class PartEvent(InItem):
    type: Literal["response.content_part.added", "response.content_part.done"]
    content_index: int
    part: Part


class TextDelta(InItem):
    type: Literal["response.output_text.delta"]
    content_index: int
    delta: str
    logprobs: list[LogProb] = []


class TextDone(InItem):
    type: Literal["response.output_text.done"]
    content_index: int
    text: str
    logprobs: list[LogProb] = []


class AnnotationAdded(InItem):
    type: Literal["response.output_text.annotation.added"]
    content_index: int
    annotation_index: int
    annotation: UrlCitation


class RefusalDelta(InItem):
    type: Literal["response.refusal.delta"]
    content_index: int
    delta: str


class RefusalDone(InItem):
    type: Literal["response.refusal.done"]
    content_index: int
    refusal: str


class SummaryPart(InItem):
    type: Literal["response.reasoning_summary_part.added", "response.reasoning_summary_part.done"]
    summary_index: int
    part: Part


class SummaryDelta(InItem):
    type: Literal["response.reasoning_summary_text.delta"]
    summary_index: int
    delta: str


class SummaryDone(InItem):
    type: Literal["response.reasoning_summary_text.done"]
    summary_index: int
    text: str


class CallDelta(InItem):
    type: Literal["response.function_call_arguments.delta", "response.custom_tool_call_input.delta"]
    delta: str


class CallDone(InItem):
    type: Literal["response.function_call_arguments.done"]
    name: str  # required by OpenAI only
    arguments: str


class CustomCallDone(InItem):
    type: Literal["response.custom_tool_call_input.done"]
    input: str


class ErrorPayload(Strict):
    type: str
    code: str | None
    message: str
    param: str | None


class ErrorEvent(Event):
    type: Literal["error"]
    error: ErrorPayload


class ErrorDetails(Strict):
    code: str
    message: str


class WebSocketError(Strict):
    type: Literal["error"]
    status: int
    error: ErrorDetails


STREAM_EVENT: TypeAdapter[Any] = TypeAdapter(
    Annotated[
        ResponseEvent
        | ItemEvent
        | PartEvent
        | TextDelta
        | TextDone
        | AnnotationAdded
        | RefusalDelta
        | RefusalDone
        | SummaryPart
        | SummaryDelta
        | SummaryDone
        | CallDelta
        | CallDone
        | CustomCallDone
        | ErrorEvent,
        Field(discriminator="type"),
    ]
)


def is_own(answer: dict[str, Any]) -> bool:
    """Return whether Citestream has built a response, and not a provider."""
    return bool(OWN_ID.fullmatch(str(answer.get("id")))) and "deleted" not in answer


def check_response(response: dict[str, Any]) -> None:
    """Check a response that Citestream built, and ignore those of providers. Raises pydantic.ValidationError."""
    if is_own(response):
        Response.model_validate(response)
        assert (response["completed_at"] is None) == (response["status"] != "completed")


def check_events(events: Iterable[dict[str, Any]]) -> None:
    """Check the events of a response that Citestream built, and ignore others. Raises pydantic.ValidationError."""
    events = [event for event in events if isinstance(event, dict)]
    if not any(OWN_ID.fullmatch(str((event.get("response") or {}).get("id"))) for event in events):
        return
    for number, event in enumerate(events):
        STREAM_EVENT.validate_python(event)
        assert event["sequence_number"] == number
        if "response" in event:
            check_response(event["response"])


def check_body(body: bytes) -> None:
    """Check the body of an answer of `/v1/responses`, streamed or complete."""
    if body.startswith(b"{"):
        answer = json.loads(body)
        if answer.get("object") == "response":
            check_response(answer)
        elif answer.get("object") == "response.compaction" and is_own(answer):
            Compaction.model_validate(answer)
        return
    lines = [line.removeprefix(b"data:") for line in body.splitlines() if line.startswith(b"data:")]
    check_events(json.loads(line) for line in lines if line.strip() != b"[DONE]")
