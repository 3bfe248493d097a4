"""The result of a recogniser: passages, question and marker syntax of a host."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple


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


class Refusal(StrEnum):
    """Why passages in a host's prompt are not used: their text could be attributed to another source."""

    REPEATED_LABELS = "repeated_labels"  # two passages have a label that the host gives to one
    UNEXPECTED_LABELS = "unexpected_labels"  # the labels are not those that the host would give
    UNEXPECTED_FORMAT = "unexpected_format"  # something in the host's wrapper is not written as the host writes it
    TOO_LARGE = "too_large"  # the passages exceed the limits of the configuration


@dataclass(frozen=True, slots=True)
class PromptEvidence:
    """The passages of one host, the user's own question, and the host's marker syntax."""

    host: str
    passages: tuple[HostPassage, ...]  # those that can be cited
    question: str
    syntax: MarkerSyntax = MarkerSyntax.NONE
    refusal: Refusal | None = None  # why some or all passages of the prompt are not in `passages`
    refused_labels: tuple[str, ...] = ()  # markers with these labels are markers, although they cite nothing


class Candidate(NamedTuple):
    """The evidence of one recogniser, and where the host's wrapper begins: place, message and offset."""

    position: tuple[int, int, int]
    evidence: PromptEvidence
