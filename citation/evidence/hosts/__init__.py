"""Evidence that a RAG host has already put into the prompt.

A host is an application that retrieves passages itself, writes them into a message in its own format, and resolves the
markers of the answer in its own interface. A recogniser reads one family of formats. Recognition needs the host's own
wrapper and at least one more independent signal, because pasted text, code and examples must never be mistaken for
evidence. `recognise` returns None if in doubt.

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
from .prompt_evidence import HostPassage, MarkerSyntax, PromptEvidence
from .turn import Turn, read_turn, without_attached_files

__all__ = [
    "KNOWN_FENCES",
    "Fence",
    "HostPassage",
    "MarkerSyntax",
    "PromptEvidence",
    "Turn",
    "read_turn",
    "recognise",
    "without_attached_files",
]

# In the order in which they are tried. Formats do not overlap; the cheapest signatures come first.
RECOGNISERS: tuple[Callable[[Turn], PromptEvidence | None], ...] = (
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
    """
    turn = read_turn(messages)
    for recogniser in RECOGNISERS:
        if found := recogniser(turn):
            return found
    return recognise_fences(turn, fences)
