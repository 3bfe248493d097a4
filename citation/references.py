"""References: which evidence an answer cites, under which number, where; and the shapes that clients read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from .evidence import Evidence, label
from .markers.render import LINKABLE, given_url, reference_list
from .options import Numbering
from .support.decision import Status, Support


@dataclass(frozen=True, slots=True)
class Span:
    """A cited sentence: `shown[start:end]` of that choice, in code points."""

    choice: int
    start: int
    end: int
    support: float
    status: Status
    marker: tuple[int, int]  # where its first marker of this reference stands; the sentence itself where none is shown

    def as_dict(self) -> dict[str, Any]:
        """As `references[].spans[]` on the wire."""
        return {
            "choice": self.choice,
            "start": self.start,
            "end": self.end,
            "support": self.support,
            "status": self.status.value,
        }


@dataclass(slots=True)
class Reference:
    """One entry of the final array: evidence that was cited, its number, and every sentence it supports."""

    number: int
    evidence: Evidence
    snippet: tuple[int, int] = (0, 0)  # the best supporting passage, offsets into the evidence's text
    support: float = 0.0
    spans: list[Span] = field(default_factory=list)

    def add(self, span: Span, support: Support) -> None:
        """Take in one more cited sentence; the snippet is that of the best supported one."""
        self.spans.append(span)
        if support.score > self.support:
            self.support = support.score
            self.snippet = _trimmed(self.evidence.text, support.start, support.end)

    def as_dict(self, labels: Mapping[str, str]) -> dict[str, Any]:
        """As `references[]` on the wire: every key is there, null where it has no value."""
        evidence, (start, end) = self.evidence, self.snippet
        return {
            "number": self.number,
            "evidence_number": evidence.number,
            "id": evidence.id,
            "document_id": evidence.document_id,
            "file_name": evidence.file_name,
            "title": evidence.title,
            "url": given_url(evidence),
            "chunk_index": evidence.chunk_index,
            "page_number": evidence.page_number,
            "score": evidence.score,
            "chunk_type": evidence.chunk_type,
            "is_generated_artifact": evidence.is_generated_artifact,
            "artifact_kind": evidence.artifact_kind,
            "label": label(evidence, labels),
            "support": self.support,
            "snippet": evidence.text[start:end],
            "snippet_start": start,
            "snippet_end": end,
            "spans": [span.as_dict() for span in self.spans],
        }


class References:
    """The references of one response, shared by its choices, so that a number means the same in each of them."""

    def __init__(
        self, evidence: Sequence[Evidence], numbering: Numbering = "first_use", labels: Mapping[str, str] | None = None
    ) -> None:
        """`evidence`: what the model was shown; nothing else can be cited."""
        self.evidence = {item.number: item for item in evidence}
        self.links = unique_links(evidence)
        self._numbering = numbering
        self._labels = labels or {}
        self._cited: dict[int, Reference] = {}  # by evidence number, in order of first use

    def number(self, evidence_number: int) -> int:
        """The number shown for this evidence; dense by first use, or its own."""
        return self.cite(evidence_number).number

    def cite(self, evidence_number: int) -> Reference:
        """The reference of this evidence, made at its first use."""
        reference = self._cited.get(evidence_number)
        if reference is None:
            number = evidence_number if self._numbering == "evidence" else len(self._cited) + 1
            reference = Reference(number, self.evidence[evidence_number])
            self._cited[evidence_number] = reference
        return reference

    def cited(self, choice: int | None = None) -> list[Reference]:
        """In number order; with `choice`, those that choice uses, with its own spans only."""
        references = sorted(self._cited.values(), key=lambda reference: reference.number)
        if choice is None:
            return references
        return [own for reference in references if (own := _of_choice(reference, choice)) is not None]

    def as_list(self, choice: int | None = None) -> list[dict[str, Any]]:
        """The `references` array."""
        return [reference.as_dict(self._labels) for reference in self.cited(choice)]

    def annotations(self, choice: int) -> list[dict[str, Any]]:
        """One `url_citation` a reference, located at its first marker; what OpenAI's clients read."""
        return [self._annotation(reference) for reference in self.cited(choice)]

    def as_text(self, choice: int) -> str:
        """The references of a choice as a Markdown list, for clients that show only text."""
        return reference_list((reference.number, reference.evidence) for reference in self.cited(choice))

    def listed(self) -> list[Evidence]:
        """Evidence in such an order that `[n]` in the text is the n-th: what Perplexity's clients read."""
        if self._numbering == "evidence":
            return list(self.evidence.values())
        return [reference.evidence for reference in self.cited()]

    def urls(self) -> list[str]:
        """The `citations` array."""
        return [self.links[evidence.number] for evidence in self.listed()]

    def search_results(self) -> list[dict[str, Any]]:
        """The `search_results` array."""
        return [
            {"title": title(evidence), "url": self.links[evidence.number], "date": None, "snippet": evidence.text}
            for evidence in self.listed()
        ]

    def _annotation(self, reference: Reference) -> dict[str, Any]:
        evidence, (start, end) = reference.evidence, reference.spans[0].marker
        return {
            "type": "url_citation",
            "url_citation": {
                "url": self.links[evidence.number],
                "title": title(evidence),
                "start_index": start,
                "end_index": end,
                "content": evidence.text[slice(*reference.snippet)],
            },
        }


def title(evidence: Evidence) -> str:
    """What a page calls it."""
    return evidence.title or evidence.file_name or given_url(evidence) or evidence.id


def unique_links(evidence: Sequence[Evidence]) -> dict[int, str]:
    """A link for each evidence number: never empty, no two alike (clients merge references by their link)."""
    links: dict[int, str] = {}
    taken: set[str] = set()
    for item in evidence:
        link = item.url if item.url and item.url.lower().startswith(LINKABLE) else ""
        if link in taken:
            link = "" if "#" in link else f"{link}#{_quoted(item.id)}"
        if not link or link in taken:
            link = f"urn:citestream:evidence:{_quoted(item.id)}"
        taken.add(link)
        links[item.number] = link
    return links


def _quoted(identifier: str) -> str:
    """As part of an address; most need nothing, and `quote` takes five times as long to find that out."""
    if identifier.isascii() and identifier.isalnum():
        return identifier
    return quote(identifier, safe="", errors="surrogatepass")


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """The passage without the space around it."""
    passage = text[start:end]
    return start + len(passage) - len(passage.lstrip()), start + len(passage.rstrip())


def _of_choice(reference: Reference, choice: int) -> Reference | None:
    spans = [span for span in reference.spans if span.choice == choice]
    if not spans:
        return None
    if len(spans) == len(reference.spans):
        return reference  # as everywhere but where several choices were asked for
    best = max(span.support for span in spans)
    return Reference(reference.number, reference.evidence, reference.snippet, best, spans)
