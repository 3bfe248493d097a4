"""The types that fields of Gemini's requests must have for us to read them, once spelled in one way."""

from typing import Annotated, Any

from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel

from .. import field_types as shapes

Number = int | float


class Shape(shapes.Shape):
    """An object with Google's names."""

    model_config = ConfigDict(alias_generator=to_camel)


class _Blob(Shape):
    mime_type: str | None = None
    data: str


class _File(Shape):
    mime_type: str | None = None
    file_uri: str


class _Call(Shape):
    id: str | None = None
    name: str
    args: dict[str, Any] | None = None


class _Result(Shape):
    id: str | None = None
    name: str
    response: dict[str, Any] | None = None


class _Part(Shape):
    text: str | None = None
    thought: bool | None = None
    thought_signature: str | None = None
    inline_data: _Blob | None = None
    file_data: _File | None = None
    function_call: _Call | None = None
    function_response: _Result | None = None


class Content(Shape):
    """One turn, or the text that is embedded."""

    role: str | None = None
    parts: list[_Part]


class _Thinking(Shape):
    include_thoughts: bool | None = None
    thinking_budget: int | None = None
    thinking_level: str | None = None


class _TextFormat(Shape):
    mime_type: str | None = None


class _Format(Shape):
    text: _TextFormat | None = None


class _Config(Shape):
    temperature: Number | None = None
    top_p: Number | None = None
    top_k: Number | None = None
    max_output_tokens: int | None = None
    stop_sequences: list[str] | None = None
    candidate_count: Annotated[int, Field(ge=1)] | None = None
    seed: int | None = None
    presence_penalty: Number | None = None
    frequency_penalty: Number | None = None
    response_logprobs: bool | None = None
    logprobs: int | None = None
    response_mime_type: str | None = None
    response_schema: dict[str, Any] | None = None
    response_json_schema: dict[str, Any] | None = None
    response_format: list[_Format] | None = None
    response_modalities: list[str] | None = None
    thinking_config: _Thinking | None = None


class _Function(Shape):
    name: str
    description: str | None = None
    parameters: dict[str, Any] | None = None
    parameters_json_schema: dict[str, Any] | None = None


class _Tool(Shape):
    function_declarations: list[_Function] | None = None


class _Calling(Shape):
    mode: str | None = None
    allowed_function_names: list[str] | None = None


class _ToolConfig(Shape):
    function_calling_config: _Calling | None = None


class Request(Shape):
    """What is read here or translated for other providers; the rest is checked by whoever reads it."""

    contents: Annotated[list[Content], Field(min_length=1)]
    system_instruction: Content | None = None
    generation_config: _Config | None = None
    tools: list[_Tool] | None = None
    tool_config: _ToolConfig | None = None
    cached_content: str | None = None
