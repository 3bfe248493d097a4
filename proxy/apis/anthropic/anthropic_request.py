"""AnthropicApi: parses requests of the Messages API."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Annotated, Any

from pydantic import Field

from citestream.citation.evidence import EvidenceLimits, FieldError
from citestream.citation.options import Options
from citestream.providers.events import Message
from citestream.providers.wire.anthropic.content_blocks import chat_messages
from citestream.providers.wire.anthropic.messages_request import chat_params, provider_params, wants_json
from citestream.providers.wire.json_text import WrongField, as_object

from ...http.client_api import Citations, ClientApi
from ...pipeline.request.job import Job
from ...pipeline.request.long_input import read_input
from ..extensions import Body, parse_extensions
from ..field_types import Items, JsonObject, Shape, Text, Whole, check
from .anthropic_encoder import AnthropicEncoder
from .citation_location import Locations
from .document_evidence import documents_to_read, take_documents
from .document_reader import CitedDocument, DocumentReader, Piece

Number = int | float

# Part of the user agent of the AI SDK, which fails on the citation types of search results and blocks (3.0.139).
AI_SDK = "ai-sdk/"


class _Source(Shape):
    type: Text
    media_type: Text | None = None
    data: Text | None = None
    url: Text | None = None
    content: Text | Items["_Block"] | None = None


class _Enabled(Shape):
    enabled: bool | None = None


class _Block(Shape):
    type: Text
    text: Text | None = None
    title: Text | None = None
    context: Text | None = None
    source: Any = None  # an object or, in a search result, a string
    citations: _Enabled | Items[Any] | None = None  # a list in the text of an earlier answer
    content: Any = None
    id: Text | None = None
    name: Text | None = None
    input: Any = None
    tool_use_id: Text | None = None


class _ToolResult(Shape):
    content: Text | Items[_Block] | None = None


class _SearchResult(_ToolResult):
    source: Text | None = None


class _Document(Shape):
    source: _Source | None = None


# More precise shapes of blocks, by their type
BLOCKS: Mapping[str, type[Shape]] = {"tool_result": _ToolResult, "search_result": _SearchResult, "document": _Document}


class _Message(Shape):
    role: Text
    content: Text | Items[_Block]


class _Thinking(Shape):
    type: Text
    budget_tokens: int | None = None


class _Metadata(Shape):
    user_id: Text | None = None


class _Output(Shape):
    effort: Text | None = None
    format: JsonObject | None = None


class MessagesShape(Shape):
    """The fields that are read here or translated. Other fields are not checked."""

    model: Text
    messages: Annotated[Items[_Message], Field(min_length=1)]
    system: Text | Items[_Block] | None = None
    tools: Items[JsonObject] | None = None
    tool_choice: JsonObject | None = None
    thinking: _Thinking | None = None
    output_config: _Output | None = None


class _Request(MessagesShape):
    max_tokens: Annotated[Whole, Field(ge=0)]
    temperature: Number | None = None
    top_p: Number | None = None
    top_k: Whole | None = None
    stop_sequences: Items[Text] | None = None
    stream: bool | None = None
    metadata: _Metadata | None = None


class AnthropicApi(ClientApi):
    """`POST /v1/messages`. An instance parses one request."""

    native = "anthropic"
    path = "/v1/messages"
    repeats_model = True

    def __init__(self, headers: Mapping[str, str], reader: DocumentReader, client: str = "") -> None:
        """`headers`: of the request. `client`: the owner of its documents."""
        self._reader = reader
        self._client = client
        self._pieces: Mapping[int, list[Piece]] = {}  # pieces of each document, by its number
        self._locations = Locations()
        self._as_web_results = AI_SDK in headers.get("user-agent", "")

    async def recall(self, body: Body, _find: Callable[[str], Awaitable[Body | None]]) -> Body:
        """Return the request, and read its documents for `parse`. Raises FieldError."""
        documents = await read_input(partial(_documents, body), body.get("messages"))
        if as_object(body.get("citations")).get("enabled") is not False:
            self._pieces = await self._reader.read(documents, self._client)
        return body

    def parse(self, body: Body, defaults: Options, limits: EvidenceLimits) -> Job:
        """Parse a request. Raises FieldError with the path of a wrong field.

        Content that only Anthropic supports is not an error yet, because the provider may be Anthropic.
        """
        defaults = replace(defaults, marker="none")  # citations are fields of the text blocks
        remaining, extensions = parse_extensions(body, defaults, limits)
        taken = take_documents(remaining, self._pieces) if extensions.options.enabled else None
        evidence, request = extensions.evidence, remaining
        self._locations = Locations(as_web_results=self._as_web_results)
        if taken:
            request = {**remaining, "messages": taken.messages}
            evidence, locations = taken.evidence(evidence, limits)
            self._locations = replace(locations, as_web_results=self._as_web_results)
        messages, params, refused = list[Message](), Body(), None
        try:
            messages, params = chat_messages(request), chat_params(request)
        except WrongField as error:
            refused = FieldError(error.path, error.message)
        first = len(extensions.evidence) + 1
        by_call = taken.by_call if taken else {}
        return Job(
            model=self.model(body),
            messages=messages,
            params=params,
            native_params=provider_params(request),
            native_messages=chat_messages(request, native=True),
            body=remaining,
            evidence=evidence,
            evidence_by_call={call: tuple(first + index for index in indexes) for call, indexes in by_call.items()},
            retrieval=extensions.retrieval,
            options=extensions.options,
            stream=bool(body.get("stream")),
            usage=True,
            json=wants_json(request),
            native_only=refused,
        )

    def encoder(self, job: Job, citations: Citations) -> AnthropicEncoder:
        """Return the encoder of the answer."""
        return AnthropicEncoder(job.model, citations, self._locations)


def _documents(body: Body) -> list[CitedDocument]:
    """Check a request and return the documents to read. Raises FieldError."""
    check_messages(body, _Request)
    return documents_to_read(body)


def check_messages(body: Body, shape: type[MessagesShape]) -> None:
    """Raise FieldError for a field of the wrong type."""
    check(body, shape)
    for position, message in enumerate(body["messages"]):
        if isinstance(message["content"], list):
            _check_contents(message["content"], f"messages[{position}].content")


def _check_contents(blocks: list[Body], path: str) -> None:
    """Check the blocks of known types, and the content of tool results and search results."""
    for position, block in enumerate(blocks):
        shape = BLOCKS.get(block["type"])
        if shape is None:
            continue
        inner = f"{path}[{position}]"
        try:
            check(block, shape)
        except FieldError as error:
            raise FieldError(f"{inner}.{error.path}", error.message) from None
        if issubclass(shape, _ToolResult) and isinstance(block.get("content"), list):
            _check_contents(block["content"], f"{inner}.content")
