"""GeminiApi: requests of Gemini's API, as the hub understands them: OpenAI's messages and parameters."""

from dataclasses import dataclass

from citestream.citation.evidence import FieldError
from citestream.citation.options import Options
from citestream.providers.events import Message

from ...pipeline.job import Job
from ..extensions import Body, take
from ..field_types import check
from .contents import chat_messages, own_messages
from .gemini_types import Request
from .normalize_keys import spelled
from .params import chat_params, own_params, wants_json
from .responses import Responses


@dataclass(frozen=True, slots=True)
class GeminiApi:
    """One of the two methods; `events`: its stream is server-sent events, not a JSON array."""

    name: str
    stream: bool
    events: bool
    native: str = "gemini"

    @property
    def path(self) -> str:
        """Below the base address; `{model}` is filled in by the provider."""
        return (
            (":streamGenerateContent?alt=sse" if self.events else ":streamGenerateContent")
            if self.stream
            else (":generateContent")
        )

    def model(self, _body: Body) -> str:
        """The model asked for, which stands in the path."""
        return self.name

    def parse(self, body: Body, defaults: Options, *, limit: int, max_characters: int) -> Job:
        """A request. Raises FieldError with the path of a wrong field.

        What only Gemini can be told is no error yet: the provider may be Gemini.
        """
        rest, ours = take(body, defaults, limit=limit, max_characters=max_characters)
        read = spelled(rest)
        check(read, Request)
        messages, params, refused = list[Message](), Body(), None
        try:
            messages, params = chat_messages(read), chat_params(read)
        except FieldError as error:
            refused = error
        return Job(
            model=self.name,
            messages=messages,
            params=params,
            own=own_params(read),
            own_messages=own_messages(read),
            body=rest,
            evidence=ours.evidence,
            retrieval=ours.retrieval,
            options=ours.options,
            stream=self.stream,
            usage=True,
            json=wants_json(read),
            refused=refused,
        )

    def encoder(self, _job: Job, _annotations: object) -> Responses:
        """Who writes the answer."""
        return Responses(events=self.events)
