"""The events that the pipeline sends towards the client. Each client API encodes them in its own way."""

from dataclasses import dataclass

from citestream.providers.errors import ProviderError
from citestream.providers.events import Chunk, Finish, OtherDelta, Usage

from .merge_deltas import LogProbs


@dataclass(frozen=True, slots=True)
class TextOut:
    """Text for the client. `chunk` is the provider's latest chunk of that choice, the template for ours."""

    choice: int
    text: str
    chunk: Chunk
    logprobs: LogProbs | None = None


@dataclass(frozen=True, slots=True)
class Failed:
    """The provider's stream broke after it had begun. Everything that arrived has been sent."""

    error: ProviderError


Passed = OtherDelta | Finish | Usage | Failed  # events that need no decision
Outgoing = TextOut | Passed


def ends_answer(event: Outgoing) -> bool:
    """Return whether no choice continues after this event, so that all references are known."""
    return isinstance(event, Failed) or (isinstance(event, Finish) and event.last)
