"""Job: one request of a client, whatever API it came in by."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from citestream.citation.evidence import Evidence, FieldError
from citestream.citation.evidence.prompt import ToolEvidence
from citestream.citation.options import Options
from citestream.providers.events import Message


@dataclass(frozen=True, slots=True)
class Retrieval:
    """Which evidence a request wants to be fetched; nothing said means the configured default."""

    source: str = ""
    query: str = ""  # empty: the last question
    top_k: int = 0  # 0: as configured
    off: bool = False


@dataclass(frozen=True, slots=True)
class Job:
    """What a client asks for. `params` is every field of the request that is not ours, untouched."""

    model: str
    messages: list[Message]
    params: Mapping[str, Any] = field(default_factory=dict)
    # Parameters for the providers of one API only, by its name: what others have no word for.
    own: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    own_messages: list[Message] | None = None  # for a provider that speaks the client's API, if others get less
    body: Mapping[str, Any] = field(default_factory=dict)  # the request in its own API's shape, without what is ours
    evidence: tuple[Evidence, ...] = ()
    results: tuple[ToolEvidence, ...] = ()  # where in the messages evidence stands that tools brought
    retrieval: Retrieval = field(default_factory=Retrieval)
    retrieved: Mapping[str, Any] | None = None  # what a report says of the search, once there was one
    options: Options = field(default_factory=Options)
    stream: bool = False
    usage: bool = False  # whether the client wants the usage chunk of a stream
    refused: FieldError | None = None  # what of it no chat model can be told; its own API's provider may be
    json: bool = False  # the answer has to be JSON: no marker may touch it

    def told(self, native: str, *, same: bool) -> "Job":
        """For a provider of this API; `same`: it is the client's. Raises FieldError for what it cannot be told."""
        if self.refused and not (same and self.own_messages is not None):
            raise self.refused
        params = {**self.params, **self.own.get(native, {})}
        return replace(self, messages=self.told_messages(same=same), params=params)

    def told_messages(self, *, same: bool) -> list[Message]:
        """Those for a provider that speaks the client's API (`same`), or for any other."""
        return self.own_messages if same and self.own_messages is not None else self.messages

    @property
    def cited(self) -> bool:
        """Whether there is anything of ours to do; otherwise the request and its answer pass through unchanged."""
        return self.options.enabled and (bool(self.evidence) or self.retrieved is not None)


def question(messages: list[Message]) -> str:
    """The text of the last user message."""
    for message in reversed(messages):
        if message.get("role") == "user":
            return text_of(message.get("content"))
    return ""


def text_of(content: Any) -> str:
    """The text of a message's content, whether a string or a list of parts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(part["text"] for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str))
