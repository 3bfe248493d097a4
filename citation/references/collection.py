"""The references of one response, and the lists that clients read."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..evidence import Evidence
from ..markers.render import link_url, reference_list
from ..options import AnnotationSpan, Numbering
from .links import PassageLink, display_title, unique_links
from .reference import Citation, Reference, Span


class References:
    """The references of one response. Its choices share them, so that a number has the same meaning in each."""

    def __init__(
        self,
        evidence: Sequence[Evidence],
        numbering: Numbering = "first_use",
        labels: Mapping[str, str] | None = None,
        host_labels: Mapping[int, str] | None = None,
        passage_link: PassageLink | None = None,
        annotation_span: AnnotationSpan = "marker",
    ) -> None:
        """`evidence`: what the model received; nothing else can be cited.

        `annotation_span`: what the offsets of annotations locate.

        `host_labels`: the labels of evidence that a host put into the prompt, by evidence number. `passage_link`:
        returns the address of a page that shows the evidence with this number, for evidence without a URL.
        """
        self.evidence = {item.number: item for item in evidence}
        self.links = unique_links(evidence, passage_link)
        self._passage_link = passage_link
        self._annotation_span = annotation_span
        self._numbering = numbering
        self._labels = labels or {}
        self._host_labels = host_labels
        self._cited: dict[int, Reference] = {}  # by evidence number, in order of first use
        self._choices: set[int] = set()  # those with citations
        self._by_choice: dict[int, dict[int, Reference]] = {}  # by evidence number, with the spans of one choice
        self._divided: dict[int, int] = {}  # number of spans that are in `_by_choice`, by evidence number
        self._citations: dict[int, list[Citation]] = {}  # by choice, in order of the text

    def cite(self, evidence_number: int) -> Reference:
        """Return the reference of this evidence, created at first use. Its number is dense by first use, or its own."""
        reference = self._cited.get(evidence_number)
        if reference is None:
            number = evidence_number if self._numbering == "evidence" else len(self._cited) + 1
            reference = self._reference(number, self.evidence[evidence_number])
            self._cited[evidence_number] = reference
        return reference

    def target(self, evidence: Evidence) -> str:
        """Return the address to which a link in Markdown leads, or "" if there is none."""
        return link_url(evidence) or (self._passage_link(evidence.number) if self._passage_link else "")

    def add(self, evidence_number: int, span: Span, *, in_place: bool = False) -> None:
        """Add a cited sentence to the reference of this evidence. `in_place`: it is in JSON, which has no citations."""
        reference = self.cite(evidence_number)
        reference.add(span)
        self._choices.add(span.choice)
        if not in_place:
            citation = Citation(reference.evidence, span, self.links[evidence_number])
            self._citations.setdefault(span.choice, []).append(citation)

    def citations(self, choice: int) -> Sequence[Citation]:
        """Return the citations of a choice so far, in the order of its text. It grows with the answer."""
        return self._citations.get(choice, ())

    def cited(self, choice: int | None = None) -> list[Reference]:
        """Return the references in number order; with `choice`, those of this choice with its own spans only."""
        references = sorted(self._cited.values(), key=lambda reference: reference.number)
        if choice is None or self._choices == {choice}:
            return [reference for reference in references if choice is None or reference.spans]
        return sorted(self._of_choice(choice), key=lambda reference: reference.number)

    @property
    def spans(self) -> int:
        """The number of spans of all references so far."""
        return sum(len(reference.spans) for reference in self._cited.values())

    def span_lists(self) -> list[Sequence[Any]]:
        """Return the lists that grow with the number of spans, so that a server can free them in steps."""
        return [
            *(lists for reference in self._cited.values() for lists in (reference.spans, reference.entries)),
            *self._citations.values(),
        ]

    @property
    def count(self) -> int:
        """The number of references so far."""
        return len(self._cited)

    def by_first_use(self) -> list[Reference]:
        """Return the references in the order in which they were first cited."""
        return [*self._cited.values()]

    def as_list(self, choice: int | None = None) -> list[dict[str, Any]]:
        """Return the `references` array."""
        return self.entries(self.cited(choice))

    def entries(self, references: Sequence[Reference]) -> list[dict[str, Any]]:
        """Return the entries of some references in the `references` array."""
        if self._host_labels is None:
            return [reference.as_dict(self._labels) for reference in references]
        labels = self._host_labels
        return [
            reference.as_dict(self._labels) | {"host_label": labels[reference.evidence.number] or None}
            for reference in references
        ]

    def annotations(self, choice: int) -> list[dict[str, Any]]:
        """Return one `url_citation` per reference, at its first marker or claim, as OpenAI's clients expect.

        A reference of tool calls only has none, since annotations refer to the text.
        """
        shown = [(reference, span) for reference in self.cited(choice) if (span := reference.first_shown_span)]
        return [self._annotation(reference, span) for reference, span in shown]

    def as_text(self, choice: int) -> str:
        """Return the references of a choice as a Markdown list, for clients that show only text."""
        cited = self.cited(choice)
        return reference_list(
            (reference.number, reference.evidence, self.target(reference.evidence)) for reference in cited
        )

    def ordered_evidence(self) -> list[Evidence]:
        """Return evidence so that `[n]` in the text is the n-th, as Perplexity's clients expect."""
        if self._numbering == "evidence":
            return list(self.evidence.values())
        return [reference.evidence for reference in self.cited()]

    def urls(self) -> list[str]:
        """Return the `citations` array."""
        return [self.links[evidence.number] for evidence in self.ordered_evidence()]

    def search_results(self) -> list[dict[str, Any]]:
        """Return the `search_results` array."""
        return [
            {
                "title": display_title(evidence),
                "url": self.links[evidence.number],
                "date": None,
                "snippet": evidence.text,
            }
            for evidence in self.ordered_evidence()
        ]

    def _of_choice(self, choice: int) -> Iterable[Reference]:
        """Return the references of one of several choices. Each span is read once for all choices."""
        for number, reference in self._cited.items():
            for span in reference.spans[self._divided.get(number, 0) :]:
                references = self._by_choice.setdefault(span.choice, {})
                references.setdefault(number, self._reference(reference.number, reference.evidence)).add(span)
            self._divided[number] = len(reference.spans)
        return self._by_choice.get(choice, {}).values()

    def _reference(self, number: int, evidence: Evidence) -> Reference:
        page = self._passage_link(evidence.number) if self._passage_link else None
        return Reference(number, evidence, page=page)

    def _annotation(self, reference: Reference, first: Span) -> dict[str, Any]:
        evidence, link = reference.evidence, reference.quote_link(first)
        start, end = first.marker if self._annotation_span == "marker" else (first.start, first.end)
        return {
            "type": "url_citation",
            "url_citation": {
                "url": self.links[evidence.number],
                "title": display_title(evidence),
                "start_index": start,
                "end_index": end,
                "content": evidence.text[slice(*first.quote)],
                **({"link": link} if link else {}),
            },
        }
