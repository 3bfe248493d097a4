"""The one vocabulary between providers and the rest: a ChatRequest goes out, events come back.

The hub is the OpenAI chunk: every provider maps its own stream into decoded `chat.completion.chunk` mappings, so that
nothing it sent is lost, and every client API maps out of them.
"""

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

Chunk = dict[str, Any]
Message = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """A chat completion request as OpenAI defines it, without anything that is ours."""

    model: str  # the provider's own name for it
    messages: list[Message]
    params: Mapping[str, Any] = field(default_factory=dict)  # every other field the client sent, untouched
    excerpts: Mapping[int, str] = field(default_factory=dict)  # number -> text, for a provider that reads them apart
    question: str = ""  # the last user message as the client wrote it, before anything was injected
    key: str | None = field(default=None, repr=False)  # the client's own, where the configuration passes it on


@dataclass(frozen=True, slots=True)
class TextDelta:
    """Answer text of one choice. `chunk` is the chunk it came in: the template of what the client is sent.

    `more`: another event came with it and follows at once, so that there is something to gain by waiting for that.
    """

    choice: int
    text: str
    chunk: Chunk
    more: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class OtherDelta:
    """Anything that is not answer text (role, reasoning, tool calls, refusal, unknown): passed on unchanged.

    `choices` are the choices whose open sentence has to leave first; empty where the chunk concerns none.
    """

    chunk: Chunk
    choices: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Finish:
    """The end of one choice; its chunk carries no text."""

    choice: int
    reason: str
    chunk: Chunk


@dataclass(frozen=True, slots=True)
class Usage:
    """The usage chunk (`choices: []`)."""

    chunk: Chunk


@dataclass(frozen=True, slots=True)
class Idle:
    """Nothing arrived for a tick: time to release what is held too long and to keep the client's connection alive."""


Event = TextDelta | OtherDelta | Finish | Usage | Idle


@dataclass(frozen=True, slots=True)
class Relayed:
    """An upstream answer passed through unchanged: bytes as they come, b"" where none came for a tick.

    `body` has to be closed; it raises ProviderError where the connection breaks.
    """

    status: int
    headers: Mapping[str, str]
    body: AsyncGenerator[bytes, None]
    events: bool = False  # each of its pieces ends where an event does, so that something may stand behind it


class Provider(Protocol):
    """What the proxy asks of a provider."""

    native: str  # the client API whose bytes it speaks itself: "openai", "ollama", "gemini", or "" for none

    def stream(self, request: ChatRequest) -> AsyncGenerator[Event, None]:
        """Stream one answer. Raises ProviderError; a stream that ends without every Finish raises IncompleteAnswer."""
        ...

    async def models(self) -> list[str]:
        """The names of its models. Raises ProviderError."""
        ...

    async def aclose(self) -> None:
        """Let go of connections."""
        ...


@dataclass(frozen=True, slots=True)
class Embedded:
    """Vectors of texts, one each, as the provider sent them."""

    vectors: list[list[float]]
    tokens: int | None = None  # of all texts together; None where it does not say


@runtime_checkable
class Embeds(Protocol):
    """A provider that makes vectors of texts for clients."""

    async def embeddings(
        self, texts: Sequence[str], *, model: str, dimensions: int | None = None, key: str | None = None
    ) -> Embedded:
        """The vectors of these texts. Raises ProviderError."""
        ...


@runtime_checkable
class Relays(Protocol):
    """A provider whose own API clients may speak through us."""

    async def relay(self, body: bytes, path: str, *, model: str, key: str | None, choices: int = 1) -> Relayed:
        """Pass a request and its answer through, bytes unchanged. Raises ProviderError.

        `choices`: answers asked for, each of which has to show its end.
        """
        ...
