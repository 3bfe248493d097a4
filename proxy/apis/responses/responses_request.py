"""ResponsesApi: parses requests of the Responses API."""

from dataclasses import replace
from typing import Any

from citestream.citation.evidence import EvidenceLimits, FieldError
from citestream.citation.options import Options
from citestream.providers.events import Message
from citestream.providers.wire.json_text import WrongField
from citestream.providers.wire.responses import chat_messages, chat_params, text_format
from citestream.providers.wire.responses_tools import ChatTools

from ...http.client_api import Citations, ClientApi
from ...pipeline.request.job import Job
from ..earlier_answers import strip_items
from ..extensions import Body, parse_extensions
from ..field_types import Items, JsonObject, Shape, Text, check
from .responses_encoder import ResponsesEncoder
from .stored_responses import Find, insert_stored


class _Part(Shape):
    type: Text | None = None


class _Item(Shape):
    type: Text | None = None
    role: Text | None = None
    content: Text | Items[_Part] | None = None
    call_id: Text | None = None
    name: Text | None = None
    arguments: Text | None = None
    output: Text | Items[_Part] | None = None


class _Format(Shape):
    type: Text | None = None
    name: Text | None = None


class _Text(Shape):
    format: _Format | None = None


class _Reasoning(Shape):
    effort: Text | None = None


class _Request(Shape):
    """The fields that are read here or translated. Other fields are not checked."""

    input: Text | Items[_Item] | None = None
    instructions: Text | Items[JsonObject] | None = None
    max_output_tokens: int | None = None
    include: Items[Text] | None = None
    reasoning: _Reasoning | None = None
    stream: bool | None = None
    text: _Text | None = None
    tools: Items[JsonObject] | None = None
    tool_choice: Text | JsonObject | None = None


def check_request(body: Body) -> None:
    """Check the types of the fields that are read here. Raises FieldError with the path of a wrong one."""
    check(body, _Request)


class ResponsesApi(ClientApi):
    """`POST /v1/responses`. An instance parses one request."""

    native = "openai"
    path = "/responses"

    def __init__(self) -> None:
        self._previous: Any = None  # the id of the response that the request continues
        self._tools = ChatTools()

    def model(self, body: Body) -> str:
        """Return the requested model, empty if a stored prompt names it. Raises FieldError."""
        return "" if body.get("prompt") and body.get("model") is None else super().model(body)

    async def recall(self, body: Body, find: Find) -> Body:
        """Return the request with the items that it refers to. `find` looks up stored items. Raises FieldError."""
        self._previous = body.get("previous_response_id")
        return await insert_stored(body, find)

    def parse(self, body: Body, defaults: Options, limits: EvidenceLimits) -> Job:
        """Parse a request. Raises FieldError with the path of a wrong field.

        Content without a counterpart in a chat is not an error yet, because the provider may have this API.
        """
        check_request(body)
        rest, ours = parse_extensions(body, defaults, limits)
        if isinstance(rest.get("input"), list):
            rest["input"] = strip_items(rest["input"])
        self._tools = ChatTools(rest.get("tools"))
        messages, params, refused = list[Message](), Body(), None
        try:
            messages, params = chat_messages(rest, self._tools), chat_params(rest, self._tools)
        except WrongField as error:
            refused = FieldError(error.path, error.message)
        return Job(
            model=self.model(body),
            messages=messages,
            params=params,
            body=rest,
            evidence=ours.evidence,
            retrieval=ours.retrieval,
            options=ours.options,
            stream=bool(body.get("stream")),
            usage=True,
            json=text_format(rest).get("type") in ("json_object", "json_schema"),
            native_only=refused,
            omitted_tools=self._tools.omitted,
        )

    def encoder(self, job: Job, citations: Citations) -> ResponsesEncoder:
        """Return the encoder of the answer."""
        repeated = {**job.body, "previous_response_id": self._previous}
        return ResponsesEncoder(replace(job, body=repeated), citations.annotations, self._tools)
