"""The vocabulary between providers and the proxy: a ChatRequest goes to a provider, events come back.

The common format is the OpenAI chunk. Every provider maps its stream to decoded `chat.completion.chunk` objects, so
that no field is lost, and every client API maps from them.
"""

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any

from .errors import NotSupported

Chunk = dict[str, Any]
Message = dict[str, Any]


def _never() -> float:
    return inf


@dataclass(slots=True)
class Wakeup:
    """When a stream yields Idle although nothing arrives. Its consumer sets this before it reads.

    `remaining` returns the seconds until then. It is called each time the stream begins to wait, so that a stream
    without held text costs nothing while its provider is silent.
    """

    remaining: Callable[[], float] = field(default=_never)


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """A chat completion request as OpenAI defines it, without Citestream's own fields."""

    model: str  # the provider's own name for it
    messages: list[Message]
    params: Mapping[str, Any] = field(default_factory=dict)  # every other field of the client's request, unchanged
    excerpts: Mapping[int, str] = field(default_factory=dict)  # number -> text, for providers without a language model
    question: str = ""  # the last user message as the client wrote it, without evidence
    key: str | None = field(default=None, repr=False)  # the client's own key, if the configuration passes it on
    titles: Mapping[int, str] = field(default_factory=dict)  # number -> title of the excerpt, for the same providers
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)  # client headers for servers of the same API
    received_headers: dict[str, str] = field(default_factory=dict)  # filled with headers of its answer, for the client
    searched: bool = False  # whether documents were searched for this request, even if nothing was found
    wakeup: Wakeup = field(default_factory=Wakeup, repr=False, compare=False)  # set by the consumer of the answer


@dataclass(frozen=True, slots=True)
class TextDelta:
    """Answer text of one choice.

    `chunk`: the chunk that contained it, the template for the client's chunks. `more`, of any event: another event
    arrived in the same read and follows at once, so both can be sent in one write. `is_large`: the event may have
    megabytes, so it is encoded outside the event loop.
    """

    choice: int
    text: str
    chunk: Chunk
    more: bool = field(default=False, compare=False)
    is_large: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class OtherDelta:
    """Anything that is not answer text (role, reasoning, tool calls, refusal, unknown fields), passed on unchanged.

    `choices`: the choices between whose texts a reader sees it, so that it keeps its place: a thought or a tool call,
    but no metadata.
    """

    chunk: Chunk
    choices: tuple[int, ...] = ()
    more: bool = field(default=False, compare=False)
    is_large: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Finish:
    """The end of one choice. Its chunk contains no text. `last`: all choices of the answer have ended."""

    choice: int
    reason: str
    chunk: Chunk
    more: bool = field(default=False, compare=False)
    is_large: bool = field(default=False, compare=False)
    last: bool = field(default=True, compare=False)


@dataclass(frozen=True, slots=True)
class Usage:
    """The usage chunk (`choices: []`)."""

    chunk: Chunk
    more: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Idle:
    """Nothing arrived until the wakeup of the request. Text that has been held for too long is released now."""

    more: bool = field(default=False, compare=False)


Event = TextDelta | OtherDelta | Finish | Usage | Idle


@dataclass(frozen=True, slots=True)
class RelayRequest:
    """A request of a provider's own API, which is passed through unchanged."""

    body: bytes  # b"" if the request has none
    path: str  # follows the base address
    model: str = ""  # for providers that have it in the address
    key: str | None = field(default=None, repr=False)  # the client's own, if the configuration passes it on
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)  # client headers for servers of this API
    choices: int = 1  # number of requested answers, each of which has to be complete
    method: str = "POST"
    version: str = ""  # the version of the API in the address; empty: the default of the provider


@dataclass(frozen=True, slots=True)
class Relayed:
    """A provider's answer that is passed through unchanged.

    `body` yields bytes as they arrive. It has to be closed, and raises ProviderError if the connection breaks.
    `events`: each piece of it ends where an event ends, so that other bytes may be inserted between them.
    """

    status: int
    headers: Mapping[str, str]
    body: AsyncGenerator[bytes, None]
    events: bool = False


@dataclass(frozen=True, slots=True)
class Embedded:
    """One embedding for each text, as the provider sent them. `tokens`: of all texts, None if unknown."""

    vectors: list[list[float]]
    tokens: int | None = None


class Provider(ABC):
    """A service that answers chat requests.

    `stream` and `models` have to be implemented. The other methods are optional: by default a provider has no API of
    its own that clients may use, makes no embeddings, is always reachable and holds no connections.
    """

    native = ""  # the client API that it speaks itself: "openai", "ollama", "gemini", "anthropic", or "" for none

    @abstractmethod
    def stream(self, request: ChatRequest) -> AsyncGenerator[Event, None]:
        """Stream one answer. Raises ProviderError; IncompleteAnswer if the stream ends without every Finish."""

    @abstractmethod
    async def models(self) -> list[str]:
        """Return the names of its models. Raises ProviderError."""

    async def describe(self, model: str, *, key: str | None = None) -> dict[str, Any]:
        """Return the description of a model in its own API, {} if there is none. Raises ProviderError."""
        return {}

    async def relay(self, request: RelayRequest) -> Relayed:
        """Pass a request of its own API and the answer through unchanged. Raises ProviderError."""
        raise NotSupported("This provider has no API of its own.")

    async def embeddings(
        self, texts: Sequence[str], *, model: str, dimensions: int | None = None, key: str | None = None
    ) -> Embedded:
        """Return embeddings of texts for a client. Raises ProviderError, NotSupported if it makes none."""
        raise NotSupported("This provider makes no embeddings.")

    async def reach(self) -> None:  # noqa: B027 - optional
        """Check that it can be used now. Raises ProviderError if not. May be cancelled at any time."""

    async def aclose(self) -> None:  # noqa: B027 - optional
        """Close its connections."""
