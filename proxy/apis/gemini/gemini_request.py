"""GeminiApi: parses requests of Gemini's API."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel

from citestream.citation.evidence import EvidenceLimits, FieldError
from citestream.citation.options import Options
from citestream.providers.events import Message
from citestream.providers.wire.gemini.chat_messages import chat_messages, native_messages
from citestream.providers.wire.gemini.generation_config import chat_params, provider_params, wants_json
from citestream.providers.wire.gemini.json_keys import normalize_keys
from citestream.providers.wire.json_text import WrongField

from ...http.client_api import ClientApi
from ...pipeline.request.job import Job
from ..extensions import Body, parse_extensions
from ..field_types import Items, JsonObject, Shape, Text, check
from .gemini_encoder import GeminiEncoder

Number = int | float


class GeminiShape(Shape):
    """An object with names in camelCase."""

    model_config = ConfigDict(alias_generator=to_camel)


class _Blob(GeminiShape):
    mime_type: Text | None = None
    data: Text


class _File(GeminiShape):
    mime_type: Text | None = None
    file_uri: Text


class _Call(GeminiShape):
    id: Text | None = None
    name: Text
    args: JsonObject | None = None


class _Result(GeminiShape):
    id: Text | None = None
    name: Text
    response: JsonObject | None = None


class _Part(GeminiShape):
    text: Text | None = None
    thought: bool | None = None
    thought_signature: Text | None = None
    inline_data: _Blob | None = None
    file_data: _File | None = None
    function_call: _Call | None = None
    function_response: _Result | None = None


class Content(GeminiShape):
    """One turn, or the text to embed."""

    role: Text | None = None
    parts: Items[_Part]


class _Thinking(GeminiShape):
    include_thoughts: bool | None = None
    thinking_budget: int | None = None
    thinking_level: Text | None = None


class _TextFormat(GeminiShape):
    mime_type: Text | None = None


class _Format(GeminiShape):
    text: _TextFormat | None = None


class _Config(GeminiShape):
    temperature: Number | None = None
    top_p: Number | None = None
    top_k: Number | None = None
    max_output_tokens: int | None = None
    stop_sequences: Items[Text] | None = None
    candidate_count: Annotated[int, Field(ge=1)] | None = None
    seed: int | None = None
    presence_penalty: Number | None = None
    frequency_penalty: Number | None = None
    response_logprobs: bool | None = None
    logprobs: int | None = None
    response_mime_type: Text | None = None
    response_schema: JsonObject | None = None
    response_json_schema: JsonObject | None = None
    response_format: Items[_Format] | None = None
    response_modalities: Items[Text] | None = None
    thinking_config: _Thinking | None = None


class _Function(GeminiShape):
    name: Text
    description: Text | None = None
    parameters: JsonObject | None = None
    parameters_json_schema: JsonObject | None = None


class _Tool(GeminiShape):
    function_declarations: Items[_Function] | None = None


class _Calling(GeminiShape):
    mode: Text | None = None
    allowed_function_names: Items[Text] | None = None


class _ToolConfig(GeminiShape):
    function_calling_config: _Calling | None = None


class _Request(GeminiShape):
    """The fields that are read here or translated. Other fields are not checked."""

    contents: Annotated[Items[Content], Field(min_length=1)]
    system_instruction: Content | None = None
    generation_config: _Config | None = None
    tools: Items[_Tool] | None = None
    tool_config: _ToolConfig | None = None
    cached_content: Text | None = None


@dataclass(frozen=True, slots=True)
class GeminiApi(ClientApi):
    """`generateContent` or `streamGenerateContent` of one model.

    `sse`: the stream consists of server-sent events; otherwise it is a JSON array.
    """

    name: str
    stream: bool
    sse: bool
    native: str = "gemini"

    @property
    def path(self) -> str:
        """The method's part of the address, which follows the model's."""
        method = ":streamGenerateContent" if self.stream else ":generateContent"
        return f"{method}?alt=sse" if self.stream and self.sse else method

    def model(self, _body: Body) -> str:
        """Return the requested model. In this API it is part of the address."""
        return self.name

    def parse(self, body: Body, defaults: Options, limits: EvidenceLimits) -> Job:
        """Parse a request. Raises FieldError with the path of a wrong field.

        Content that only Gemini supports is not an error yet, because the provider may be Gemini.
        """
        remaining, extensions = parse_extensions(body, defaults, limits)
        request = normalize_keys(remaining)
        check(request, _Request)
        messages, params, refused = list[Message](), Body(), None
        try:
            messages, params = chat_messages(request), chat_params(request)
        except WrongField as error:
            refused = FieldError(error.path, error.message)
        return Job(
            model=self.name,
            messages=messages,
            params=params,
            native_params=provider_params(request),
            native_messages=native_messages(request),
            body=remaining,
            normalized=request,
            evidence=extensions.evidence,
            retrieval=extensions.retrieval,
            options=extensions.options,
            stream=self.stream,
            usage=True,
            json=wants_json(request),
            native_only=refused,
        )

    def encoder(self, _job: Job, _citations: object) -> GeminiEncoder:
        """Return the encoder of the answer."""
        return GeminiEncoder(sse=self.sse)
