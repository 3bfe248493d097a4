"""What the pipeline sends towards the client; each client API encodes it in its own way."""

from dataclasses import dataclass

from citestream.providers.errors import ProviderError
from citestream.providers.events import Chunk, OtherDelta, Usage

from .logprobs import LogProbs


@dataclass(frozen=True, slots=True)
class Shown:
    """Text for the client. `chunk` is the provider's latest chunk of that choice, the template of ours."""

    choice: int
    text: str
    chunk: Chunk
    logprobs: LogProbs | None = None


@dataclass(frozen=True, slots=True)
class Ended:
    """The end of one choice: the provider's finish chunk, to which references and grounding are added."""

    choice: int
    chunk: Chunk


@dataclass(frozen=True, slots=True)
class Waiting:
    """Nothing has gone to the client for a while: its connection wants a sign of life."""


@dataclass(frozen=True, slots=True)
class Failed:
    """The provider's stream broke after it had begun; everything that arrived has been sent."""

    error: ProviderError


Outgoing = Shown | OtherDelta | Ended | Usage | Waiting | Failed
