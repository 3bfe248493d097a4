"""InteractionsApi: parses requests of the Interactions API."""

from collections.abc import Awaitable, Callable
from typing import Any

from citestream.citation.evidence import EvidenceLimits, FieldError
from citestream.citation.options import Options
from citestream.providers.wire.gemini.chat_messages import chat_messages
from citestream.providers.wire.gemini.generation_config import chat_params, wants_json
from citestream.providers.wire.gemini.interaction_steps import generate_content_request, steps_of
from citestream.providers.wire.json_text import WrongField

from ...http.client_api import Citations, ClientApi
from ...pipeline.request.job import Job
from ..extensions import Body, parse_extensions
from ..field_types import Items, Shape, Text, check
from .interactions_encoder import InteractionsEncoder
from .stored_interactions import interaction_key, is_own_interaction

Find = Callable[[str], Awaitable[Body | None]]
Number = int | float

FUNCTION = "function"


class _Config(Shape):
    temperature: Number | None = None
    top_p: Number | None = None
    seed: int | None = None
    max_output_tokens: int | None = None
    stop_sequences: Items[Text] | None = None
    thinking_level: Text | None = None
    thinking_summaries: Text | None = None


class _Tool(Shape):
    type: Text
    name: Text | None = None
    description: Text | None = None


class _Request(Shape):
    """The fields that are read here or translated. Other fields are not checked."""

    background: bool | None = None
    generation_config: _Config | None = None
    response_modalities: Items[Text] | None = None
    store: bool | None = None
    stream: bool | None = None
    system_instruction: Text | None = None
    tools: Items[_Tool] | None = None


class InteractionsApi(ClientApi):
    """`POST …/interactions`. An instance parses one request."""

    native = "interactions"  # no provider has this API: Gemini's receives a chat request as all others do
    path = "/interactions"

    def __init__(self) -> None:
        self._steps: list[Any] = []  # conversation that the request continues

    def model(self, body: Body) -> str:
        """Return the requested model. Raises FieldError, also for an agent."""
        if body.get("agent"):
            raise FieldError("agent", "is possible only with Gemini's own API; name a model")
        return super().model(body).removeprefix("models/")

    async def recall(self, body: Body, find: Find) -> Body:
        """Look up the interaction that the request continues. Raises FieldError if it is not stored."""
        if (previous := body.get("previous_interaction_id")) is None:
            return body
        stored = await find(interaction_key(previous)) if is_own_interaction(previous) else None
        if not stored:
            reason = "is not stored here, or no longer; send the conversation itself"
            raise FieldError("previous_interaction_id", reason)
        self._steps = [*stored["input"], *stored["output"]]
        return body

    def parse(self, body: Body, defaults: Options, limits: EvidenceLimits) -> Job:
        """Parse a request. Raises FieldError with the path of a wrong field."""
        check(body, _Request)
        fields, ours = parse_extensions(body, defaults, limits)
        for position, tool in enumerate(body.get("tools") or ()):
            if tool["type"] == FUNCTION and not tool.get("name"):
                raise FieldError(f"tools[{position}].name", "is missing")
        if body.get("background"):
            raise FieldError("background", "is possible only with Gemini's own API; leave it out")
        try:
            given = steps_of(body.get("input"))
            request = generate_content_request(fields, [*self._steps, *given])
            messages, params = chat_messages(request), chat_params(request)
        except WrongField as error:
            raise FieldError(error.path, error.message) from None
        kinds = [tool["type"] for tool in body.get("tools") or ()]
        return Job(
            model=self.model(body),
            messages=messages,
            params=params,
            body={**fields, "input": given},
            evidence=ours.evidence,
            retrieval=ours.retrieval,
            options=ours.options,
            stream=bool(body.get("stream")),
            usage=True,
            json=wants_json(request),
            omitted_tools=tuple(dict.fromkeys(kind for kind in kinds if kind != FUNCTION)),
        )

    def encoder(self, job: Job, citations: Citations) -> InteractionsEncoder:
        """Return the encoder of the answer."""
        return InteractionsEncoder(job, citations, self._steps)
