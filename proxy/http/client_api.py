"""The interface of a client API: it parses requests, and its encoder writes the answers."""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Protocol

from citestream.citation.evidence import EvidenceLimits
from citestream.citation.options import Options
from citestream.citation.references import Citation
from citestream.providers.events import Chunk

from ..pipeline.collect_chunks import Completion
from ..pipeline.provider_citations import ProviderSpan
from ..pipeline.request.job import Job
from .request_body import required_text

Fields = dict[str, Any]


class Citations(Protocol):
    """The citations of an answer so far. An encoder that gets a sentence finds the sentence's own citations here."""

    def annotations(self, choice: int, /) -> list[Fields]:
        """Return one `url_citation` per reference of a choice."""
        ...

    def citations(self, choice: int, /) -> Sequence[Citation]:
        """Return the citations of a choice, in the order of its text."""
        ...

    def provider_spans(self, choice: int, first: int, /) -> Sequence[ProviderSpan]:
        """Return the stretches of text that the provider cites, from the one with the number `first`."""
        ...

    def sentence_start(self, choice: int, /) -> int:
        """Return where the latest sentence begins, of which at least a part has been sent."""
        ...

    def is_sentence_open(self, choice: int, /) -> bool:
        """Return whether a part of the latest sentence, which can be cited, has not been sent."""
        ...


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

    def observe(self, chunks: Sequence[Chunk]) -> None:  # noqa: B027 - optional
        """See the next chunks of a complete answer, with the citations so far. `body` follows."""

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

    def containers(self) -> list[Any]:
        """Return what grows with the answer, if it is long, so that the server can free it in steps."""
        return []


class ClientApi(ABC):
    """One client API."""

    repeats_model = False  # whether its clients expect the name of the requested model in an answer

    @property
    @abstractmethod
    def native(self) -> str:
        """The `Provider.native` of the providers that have the same API."""

    @property
    @abstractmethod
    def path(self) -> str:
        """The path at such a provider, below its base address."""

    def model(self, body: Fields) -> str:
        """Return the requested model. Raise FieldError."""
        return required_text(body, "model")

    async def recall(self, body: Fields, find: Callable[[str], Awaitable[Fields | None]]) -> Fields:
        """Return the request with the earlier answers that it refers to, and read its documents for `parse`.

        `find`: returns what was stored for this client under a name. Raise FieldError if an answer is not found or a
        document cannot be read.
        """
        return body

    def loaded(self, body: Fields) -> Fields | None:
        """Return the answer to a request that only loads a model, which other providers need not; None otherwise."""
        return None

    @abstractmethod
    def parse(self, body: Fields, defaults: Options, limits: EvidenceLimits) -> Job:
        """Parse a request. Raise FieldError with the path of a wrong field."""

    @abstractmethod
    def encoder(self, job: Job, citations: Citations, /) -> Encoder:
        """Return the encoder of an answer. `citations`: those of the answer, which grow with it."""
