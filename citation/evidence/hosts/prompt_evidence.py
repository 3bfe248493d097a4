"""The result of a recogniser: passages, question and marker syntax of a host."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class MarkerSyntax(StrEnum):
    """How a host's interface expects a citation in the answer."""

    NONE = "none"  # the host asks for no markers
    BRACKETS = "brackets"  # `[label]`: numbers, file names, identifiers
    RAGFLOW = "ragflow"  # `[ID:label]`
    LINK = "link"  # the label itself, which is a link to a tool call: Morphic's `[1](#call_1)`
    ANCHOR = "anchor"  # the label itself, such as LibreChat's U+E202 `turn0file0`

    def marker(self, label: str) -> str:
        """Return the marker of a label; nothing if the host asks for none."""
        match self:
            case MarkerSyntax.BRACKETS:
                return f"[{label}]"
            case MarkerSyntax.RAGFLOW:
                return f"[ID:{label}]"
            case MarkerSyntax.ANCHOR | MarkerSyntax.LINK:
                return label
            case MarkerSyntax.NONE:
                return ""


@dataclass(frozen=True, slots=True)
class HostPassage:
    """One passage of a host. Several passages may share a label, for example the chunks of one file."""

    label: str  # as the host writes it; empty if it writes none
    text: str
    fields: Mapping[str, Any] = field(default_factory=dict)  # other fields of evidence: title, file_name, url, ...


@dataclass(frozen=True, slots=True)
class PromptEvidence:
    """The passages of one host, the user's own question, and the host's marker syntax."""

    host: str
    passages: tuple[HostPassage, ...]
    question: str
    syntax: MarkerSyntax = MarkerSyntax.NONE


def are_consecutive(labels: Sequence[str], first: int = 1) -> bool:
    """Return whether labels are the numbers from `first` on, in order."""
    return [*labels] == [str(number) for number in range(first, first + len(labels))]
