"""A request of a client, independent of its API, and the evidence for its answer."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from citestream.citation.evidence import Evidence, FieldError
from citestream.citation.evidence.hosts import PromptEvidence
from citestream.citation.options import Options
from citestream.citation.prompt.injection import ToolEvidence
from citestream.providers.events import Message


@dataclass(frozen=True, slots=True)
class Retrieval:
    """The retrieval that a request asks for. Empty fields mean the configured default."""

    source: str = ""
    query: str = ""  # empty: the last question
    top_k: int = 0  # 0: as configured
    off: bool = False


@dataclass(frozen=True, slots=True)
class Job:
    """A parsed request. `params` are all fields of the request that are not ours, unchanged."""

    model: str
    messages: list[Message]
    params: Mapping[str, Any] = field(default_factory=dict)
    native_params: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # by API: for its providers only
    native_messages: list[Message] | None = None  # for a provider of the client's API, if other providers get less
    native_only: FieldError | None = None  # why no provider of another API can answer this request
    omitted_tools: tuple[str, ...] = ()  # tools without a counterpart in chat APIs, by type
    body: Mapping[str, Any] = field(default_factory=dict)  # the request in the format of its API, without our fields
    normalized: Mapping[str, Any] = field(default_factory=dict)  # the source of `messages`, freed with them
    evidence: tuple[Evidence, ...] = ()
    evidence_by_call: Mapping[str, tuple[int, ...]] = field(default_factory=dict)  # numbers in results, by tool call
    retrieval: Retrieval = field(default_factory=Retrieval)
    options: Options = field(default_factory=Options)
    stream: bool = False
    stream_chunks: bool = False  # whether the client reads the chunks of a stream, not events that are made of them
    usage: bool = False  # whether the client asks for the usage chunk of a stream
    json: bool = False  # whether the answer must be JSON, which markers would break

    def for_provider(self, api: str, *, native: bool) -> tuple[list[Message], dict[str, Any]]:
        """Return messages and parameters for a provider of this API. `native`: it is the API of the client.

        The parameter with the name of the API holds what this provider receives unchanged. It is never a field of
        the client's request. Raise FieldError if such a provider cannot answer the request.
        """
        if self.native_only and not (native and self.native_messages is not None):
            raise self.native_only
        params = {key: value for key, value in self.params.items() if key != api}
        return self.messages_for(native=native), {**params, **self.native_params.get(api, {})}

    def messages_for(self, *, native: bool) -> list[Message]:
        """Return the messages for a provider of the client's API (`native`), or of any other API."""
        return self.native_messages if native and self.native_messages is not None else self.messages


@dataclass(frozen=True, slots=True)
class JobEvidence:
    """The evidence for one answer: from a host's prompt, or from the request, tool results and a retriever."""

    evidence: tuple[Evidence, ...] = ()
    tool_results: tuple[ToolEvidence, ...] = ()  # the messages in which tools returned evidence
    prompt: PromptEvidence | None = None  # a host's passages in the messages, which are then `evidence`
    retrieval: Mapping[str, Any] | None = None  # the report on the search; None: there was no search

    @property
    def needs_citations(self) -> bool:
        """Whether the answer is cited. Otherwise request and answer pass through unchanged."""
        refused = self.prompt is not None and self.prompt.refusal is not None
        return bool(self.evidence) or self.retrieval is not None or refused

    @property
    def is_empty(self) -> bool:
        """Whether neither the request nor a search has evidence."""
        return not self.evidence and self.prompt is None
