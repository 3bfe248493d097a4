"""The interface of a client API: it parses requests, and its encoder writes the answers."""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from citestream.citation.options import Options
from citestream.providers.events import Chunk

from ..pipeline.collect_chunks import Completion
from ..pipeline.job import Job

Fields = dict[str, Any]


class Encoder(ABC):
    """Encodes one answer for the clients of one API."""

    name = ""  # the name by which clients refer to the answer; empty: the id of its chunks
    store: Callable[[str, Fields], None] | None = None  # keeps what later requests may refer to

    @property
    @abstractmethod
    def content_type(self) -> str:
        """The content type of the stream."""

    @property
    @abstractmethod
    def keepalive(self) -> bytes:
        """Bytes that clients of this API ignore."""

    @abstractmethod
    def chunks(self, chunks: Sequence[Chunk]) -> bytes:
        """Return the next bytes of the stream."""

    @abstractmethod
    def failure(self, error: Fields, status: int) -> bytes:
        """Return an error inside the stream, after the text that is still held. `status`: the status of the error."""

    @abstractmethod
    def end(self) -> bytes:
        """Return the last bytes of the stream."""

    @abstractmethod
    def body(self, completion: Completion) -> Fields:
        """Return the complete answer."""


class ClientApi(ABC):
    """One client API."""

    @property
    @abstractmethod
    def native(self) -> str:
        """The `Provider.native` of the providers that have the same API."""

    @property
    @abstractmethod
    def path(self) -> str:
        """The path at such a provider, below its base address."""

    @abstractmethod
    def model(self, body: Fields) -> str:
        """Return the requested model. Raise FieldError."""

    async def recall(self, body: Fields, find: Callable[[str], Awaitable[Fields | None]]) -> Fields:
        """Return the request with the earlier answers that it refers to. Raise FieldError if one is not found.

        `find`: returns what was stored for this client under a name.
        """
        return body

    @abstractmethod
    def parse(self, body: Fields, defaults: Options, *, limit: int, max_characters: int) -> Job:
        """Parse a request. Raise FieldError with the path of a wrong field."""

    @abstractmethod
    def encoder(self, job: Job, annotations: Callable[[int], list[Fields]], /) -> Encoder:
        """Return the encoder of an answer. `annotations`: returns those of a choice so far."""
