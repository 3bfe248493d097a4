"""Draft: a piece of an answer with the claim to decide about; and how a decision is recorded."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..grounding import Grounding
from ..markers import WordMarker
from ..references import References, Span, quote_span
from ..support.decision import Conflict, Decision
from ..support.scorers import Claim
from ..text.segmentation import Kind

UNDECIDED = Decision()  # compared by identity: without a decision, nothing is cited, flagged, dropped or counted


@dataclass(frozen=True, slots=True)
class Draft:
    """A piece of the answer without the model's markers, with the claim to decide about."""

    text: str
    kind: Kind = Kind.PROSE
    start: int = 0  # span in the provider's text, in code points
    end: int = 0
    source: str = ""  # the provider's text of the span, with the model's markers
    released: int = 0  # leading characters of `text` that the client already has (release: live; code)
    claim: Claim | None = None  # None: nothing to decide
    cited: tuple[int, ...] = ()  # evidence numbers that the model cited
    unknown: tuple[int, ...] = ()  # cited numbers that no evidence has
    places: tuple[WordMarker, ...] = ()  # where markers are words of the sentence, with evidence numbers
    before_bracket: bool = False  # the following text would turn a marker at the end into a link: `[1](https://…)`
    partial: bool = False  # the sentence continues in a later draft, which has the decision
    tool_call: int | None = None  # index of the tool call whose arguments the span refers to; None: the text

    @property
    def is_in_place(self) -> bool:
        """Whether the claim is in JSON that the client has and that is not changed."""
        return self.claim is not None and not self.text


def record(
    references: References,
    grounding: Grounding,
    choice: int,
    decision: Decision,
    sentence: tuple[int, int],
    markers: Sequence[tuple[int, int]] | None = None,
    tool_call: int | None = None,
    parts: Sequence[Sequence[tuple[int, int]]] | None = None,
) -> None:
    """Record a decision. `sentence` and `markers` are spans of the shown text, one marker per support.

    `markers`: None for a claim in text that stays unchanged, such as JSON; its markers would be at the sentence itself.
    `parts`: for each support, the spans of the shown text that it supports; None: each supports the sentence.
    `tool_call`: the index of the tool call whose arguments contain the sentence.
    """
    start, end = sentence
    evidence = [references.evidence[support.number] for support in decision.supports]
    places = [sentence] * len(evidence) if markers is None else markers
    is_joint = len(evidence) > 1
    covered = [[sentence]] * len(evidence) if parts is None else parts
    for support, item, marker, spans in zip(decision.supports, evidence, places, covered, strict=True):
        quote = quote_span(item.text, support)
        covers = tuple(spans) if is_joint else None
        span = Span(choice, start, end, support.score, support.status, marker, quote, tool_call, covers)
        references.add(item.number, span, in_place=markers is None)
    conflict = conflict_fields(decision.conflict, references) if decision.conflict else None
    grounding.add_decision(choice, start, end, decision, evidence, conflict, tool_call)


def conflict_fields(conflict: Conflict, references: References) -> dict[str, Any]:
    """Return the JSON form of the passage that contradicts a claim."""
    text = references.evidence[conflict.number].text
    start, end = quote_span(text, conflict)
    return {
        "evidence_number": conflict.number,
        "quote": text[start:end],
        "quote_start": start,
        "quote_end": end,
        "detail": conflict.detail,
    }
