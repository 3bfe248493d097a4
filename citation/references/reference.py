"""One reference: cited evidence, the sentences that it supports, and its entry in the `references` array."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..evidence import Evidence, label
from ..evidence.table_rows import row_number
from ..markers.render import given_url
from ..support.decision import Conflict, Status, Support
from .deep_links import deep_link, quote_selector


@dataclass(frozen=True, slots=True)
class Span:
    """A cited sentence: `shown[start:end]` of that choice, in code points."""

    choice: int
    start: int
    end: int
    support: float
    status: Status
    marker: tuple[int, int]  # span of its marker for this reference; of the sentence if no marker is shown
    quote: tuple[int, int]  # span of the passage in the evidence's text that supports this sentence
    tool_call: int | None = None  # index of the tool call whose arguments contain the sentence; None: the shown text
    covers: tuple[tuple[int, int], ...] | None = None  # parts that it supports, if other evidence supports others

    def as_dict(self, text: str, link: str | None) -> dict[str, Any]:
        """Return the entry of `references[].spans`. `text`: of the evidence. `link`: opens the quote."""
        start, end = self.quote
        return {
            "choice": self.choice,
            "start": self.start,
            "end": self.end,
            "covers": None if self.covers is None else [list(part) for part in self.covers],
            "support": self.support,
            "status": self.status.value,
            "quote": text[start:end],
            "quote_start": start,
            "quote_end": end,
            "link": link,
            **({} if self.tool_call is None else {"tool_call": self.tool_call}),
        }


@dataclass(slots=True)
class Reference:
    """One entry of `references`: cited evidence, its shown number, and the sentences that it supports."""

    number: int
    evidence: Evidence
    spans: list[Span] = field(default_factory=list)
    # The spans as they are sent, made one by one: an answer may have 100,000, and making all at its end takes 0.2 s
    entries: list[dict[str, Any]] = field(default_factory=list)
    best: Span | None = None  # the best supported sentence; of equal ones, the first
    link: str | None = None  # opens the quote of the best supported sentence
    page: str | None = None  # the address of a page that shows the evidence, if its document has no web address
    _links: dict[tuple[int, int], str | None] = field(default_factory=dict)  # by the span of the quote

    def add(self, span: Span) -> None:
        """Add a cited sentence."""
        link = self.quote_link(span)
        self.spans.append(span)
        self.entries.append(span.as_dict(self.evidence.text, link))
        if self.best is None or span.support > self.best.support:
            self.best, self.link = span, link

    def quote_link(self, span: Span) -> str | None:
        """Return a link that opens the quote of a span in its document; None if there is none."""
        if span.quote not in self._links:
            self._links[span.quote] = deep_link(self.evidence, span.quote) or self.page
        return self._links[span.quote]

    @property
    def support(self) -> float:
        """The support of the best supported sentence."""
        return self.best.support if self.best else 0.0

    @property
    def snippet(self) -> tuple[int, int]:
        """The quote of the best supported sentence."""
        return self.best.quote if self.best else (0, 0)

    @property
    def first_shown_span(self) -> Span | None:
        """The first cited sentence of the shown text."""
        return next((span for span in self.spans if span.tool_call is None), None)

    def as_dict(self, labels: Mapping[str, str]) -> dict[str, Any]:
        """Return the entry of `references`, with null for missing values."""
        evidence, (start, end) = self.evidence, self.snippet
        return {
            "number": self.number,
            "evidence_number": evidence.number,
            "id": evidence.id,
            "document_id": evidence.document_id,
            "file_name": evidence.file_name,
            "title": evidence.title,
            "url": given_url(evidence),
            "link": self.link,
            "chunk_index": evidence.chunk_index,
            "page_number": evidence.page_number,
            "row": row_number(evidence, start) if self.best else None,
            "score": evidence.score,
            "chunk_type": evidence.chunk_type,
            "is_generated_artifact": evidence.is_generated_artifact,
            "artifact_kind": evidence.artifact_kind,
            "label": label(evidence, labels),
            "support": self.support,
            "snippet": evidence.text[start:end],
            "snippet_start": start,
            "snippet_end": end,
            "selector": quote_selector(evidence.text, start, end) if self.best else None,
            "spans": self.entries[:],
        }


@dataclass(frozen=True, slots=True)
class Citation:
    """A cited sentence and the evidence that supports it."""

    evidence: Evidence
    span: Span
    link: str  # unique; of a page that shows the evidence, or a URN

    @property
    def quote(self) -> str:
        """The passage of the evidence that supports the sentence."""
        return self.evidence.text[slice(*self.span.quote)]


def quote_span(text: str, passage_span: Support | Conflict) -> tuple[int, int]:
    """Return the span of a passage in the evidence's text, without surrounding space."""
    start, passage = passage_span.start, text[passage_span.start : passage_span.end]
    return start + len(passage) - len(passage.lstrip()), start + len(passage.rstrip())
