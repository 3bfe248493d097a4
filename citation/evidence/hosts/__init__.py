"""Evidence that a RAG host has already put into the prompt.

A host is an application that retrieves passages itself, writes them into a message in its own format, and resolves the
markers of the answer in its own interface. A recogniser reads one family of formats. Recognition needs the host's own
wrapper and at least one more independent signal, because pasted text, code and examples must never be mistaken for
evidence. `recognise` returns None if it is in doubt whether there is a host. If there is one, passages whose text could
be attributed to another source are left out (`ambiguity`).

The formats were read from the source code of the hosts; `docs/evidence.md` lists the hosts.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .elements import recognise_elements
from .fences import KNOWN as KNOWN_FENCES
from .fences import Fence, recognise_fences
from .json_passages import recognise_json
from .labelled_blocks import recognise_blocks
from .labelled_results import recognise_labelled_results
from .named_lines import recognise_named_lines
from .prompt_evidence import Candidate, HostPassage, MarkerSyntax, PromptEvidence, Refusal
from .turn import Turn, read_turn, without_attached_files

__all__ = [
    "KNOWN_FENCES",
    "Fence",
    "HostPassage",
    "MarkerSyntax",
    "PromptEvidence",
    "Refusal",
    "Turn",
    "read_turn",
    "recognise",
    "without_attached_files",
]

# In the order of their priority if two recognise the same message: only tool results can complete its elements.
RECOGNISERS: tuple[Callable[[Turn], list[Candidate]], ...] = (
    recognise_labelled_results,
    recognise_elements,
    recognise_blocks,
    recognise_json,
    recognise_named_lines,
)


def recognise(messages: Sequence[Mapping[str, Any]], fences: Sequence[Fence] = ()) -> PromptEvidence | None:
    """Return the evidence that a host put into these messages; None if there is none or if in doubt.

    `messages`: in OpenAI's format; only the system messages, the last user message with user messages directly before
    it, and the tool results after it are read. `fences`: bare fences to recognise too, from the configuration.

    The host is the one whose wrapper begins first: a passage can contain the whole wrapper of another host.
    """
    turn = read_turn(messages)
    candidates = [candidate for recogniser in RECOGNISERS for candidate in recogniser(turn)]
    candidates += recognise_fences(turn, fences)
    if not candidates:
        return None
    first = min(candidates, key=lambda candidate: candidate.position)
    return next((candidate.evidence for candidate in candidates if _has_markers_for(first, candidate)), first.evidence)


def _has_markers_for(first: Candidate, candidate: Candidate) -> bool:
    """Return whether a host that asks for no markers in one message asks for them in another one, as LibreChat does."""
    same_host = first.evidence.host == candidate.evidence.host and first.position[:2] != candidate.position[:2]
    return (
        same_host and first.evidence.syntax is MarkerSyntax.NONE and candidate.evidence.syntax is not MarkerSyntax.NONE
    )
