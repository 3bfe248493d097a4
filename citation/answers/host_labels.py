"""The labels that a host gave to the passages in its prompt: what the model's markers mean, and the markers to write.

A label is text, and several passages can share it. The model's markers are therefore read as keys: a label that is a
number is its own key, so that the grammar of numbered markers applies, and any other label is matched as a name.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from ..evidence.hosts import MarkerSyntax, PromptEvidence, Refusal
from ..markers.anchors import anchor_name
from ..markers.grammar import MAX_DIGITS
from ..markers.named import MarkerNames, Numbers, label_shape
from ..support.decision import Decision

FIRST_NAME_KEY = 10**MAX_DIGITS  # above all numbers that a marker can contain


LIKELY = 0.5  # probability from which on a passage that shares its label with a better one is cited as well


@dataclass(frozen=True, slots=True)
class HostLabels:
    """The labels of the evidence that one host put into the prompt."""

    host: str
    syntax: MarkerSyntax
    labels: Mapping[int, str]  # by evidence number; "" for a passage without a label
    names: MarkerNames  # labels in the model's markers, each with its key
    numbers: Mapping[int, Numbers]  # the evidence numbers of each key
    refusal: Refusal | None = None  # why some or all passages of the prompt are not evidence

    @classmethod
    def from_prompt(cls, prompt: PromptEvidence) -> "HostLabels":
        """Return the labels of these passages, whose evidence numbers are 1, 2, … in order.

        A refused label has a key without numbers: its markers cite nothing.
        """
        labels = {number: passage.label for number, passage in enumerate(prompt.passages, 1)}
        names: dict[str, Numbers] = {}
        numbers: dict[int, Numbers] = {}
        for number, label in labels.items():
            if not label:
                continue
            key = _numeric_key(label)
            if key is None:
                (key,) = names.setdefault(_name(label, prompt.syntax), (FIRST_NAME_KEY + len(names),))
            numbers[key] = (*numbers.get(key, ()), number)
        for label in prompt.refused_labels:
            if _numeric_key(label) is None:
                names.setdefault(_name(label, prompt.syntax), (FIRST_NAME_KEY + len(names),))
        numeric = frozenset(key for key in numbers if key < FIRST_NAME_KEY)
        links = prompt.syntax is MarkerSyntax.LINK
        in_brackets = prompt.syntax is MarkerSyntax.BRACKETS
        shapes = frozenset(filter(None, map(label_shape, names))) if in_brackets else frozenset[str]()
        has_labels = bool(numbers or prompt.refused_labels)
        asks_for_markers = prompt.refusal is not None and prompt.syntax is not MarkerSyntax.NONE
        marker_names = MarkerNames(
            numeric, names, links=links, labels=True, shapes=shapes, ignored=not (has_labels or asks_for_markers)
        )
        return cls(prompt.host, prompt.syntax, labels, marker_names, numbers, prompt.refusal)

    @property
    def passages_per_label(self) -> int:
        """The largest number of passages that share a label; 1 if there are no labels."""
        return max(Counter(filter(None, self.labels.values())).values(), default=1)

    @property
    def gap(self) -> str:
        """The separator of two markers of a sentence."""
        return " " if self.syntax is MarkerSyntax.RAGFLOW else ""

    def evidence_numbers(self, keys: Iterable[int]) -> Numbers:
        """Return the numbers of all evidence with the labels that the model cited."""
        return tuple(dict.fromkeys(number for key in keys for number in self.numbers.get(key, ())))

    def marker(self, number: int) -> str:
        """Return the marker of this evidence; nothing if the host asks for none."""
        label = self.labels[number]
        return self.syntax.marker(label) if label else ""

    def by_label(self, decision: Decision, limit: int) -> Decision:
        """Return a decision about labels: at most `limit` of them, and one rejection of each unsupported label.

        A model that cites a label need not mean each of its passages: of several, only likely ones are cited.
        """
        best = {self.labels[support.number]: support for support in reversed(decision.supports)}
        supports = [
            support
            for support in decision.supports
            if support.score >= LIKELY or best[self.labels[support.number]] is support
        ]
        cited_labels = [*dict.fromkeys(self.labels[support.number] for support in supports)][:limit]
        rejected = {self.labels[support.number]: support for support in reversed(decision.rejected)}
        return replace(
            decision,
            supports=tuple(support for support in supports if self.labels[support.number] in cited_labels),
            rejected=tuple(support for label, support in reversed(rejected.items()) if label not in cited_labels),
        )


def _numeric_key(label: str) -> int | None:
    return int(label) if label.isascii() and label.isdigit() and len(label) <= MAX_DIGITS else None


def _name(label: str, syntax: MarkerSyntax) -> str:
    """Return the part of a marker that names the label."""
    match syntax:
        case MarkerSyntax.ANCHOR:
            return anchor_name(label)
        case MarkerSyntax.NONE:
            return label
        case MarkerSyntax.BRACKETS | MarkerSyntax.RAGFLOW | MarkerSyntax.LINK:
            return syntax.marker(label)[1:-1]
