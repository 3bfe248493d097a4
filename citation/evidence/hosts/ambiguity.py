"""Which passages of a host's prompt can be cited, although one of them may imitate the host's format.

Hosts do not escape the text of a passage. A passage can therefore contain the end of a passage and the head of another
one. Three facts limit what its author can forge:

- The head of the first passage is the host's own, because nothing that a passage contains comes before it.
- The passage that really has a label is in the prompt too. A forged passage with this label repeats it.
- The labels of the host are in order. A forged passage with a new label is out of order, unless it comes last.

A complete imitation at the end of the last passage, with the next label, cannot be distinguished from one more passage
of the host. The host does not know its label.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from typing import NamedTuple

from .prompt_evidence import HostPassage, Refusal


class Checked(NamedTuple):
    """The passages that can be cited, why others cannot, and the labels of the others."""

    passages: tuple[HostPassage, ...]
    refusal: Refusal | None = None
    refused_labels: tuple[str, ...] = ()


def check_labels(labels: Sequence[str], first: int | None) -> Refusal | None:
    """Return what is wrong with the labels of a host that gives each label once; None if nothing is.

    `first`: the labels are consecutive numbers from here; None: any labels. An empty label is none.
    """
    labels = [label for label in labels if label]
    if len(set(labels)) < len(labels):
        return Refusal.REPEATED_LABELS
    return check_order(labels, first)


def check_order(labels: Sequence[str], first: int | None) -> Refusal | None:
    """Return what is wrong with the order of labels, in which every label counts where it occurs first."""
    distinct = [*dict.fromkeys(labels)]
    if first is not None and distinct != [str(number) for number in range(first, first + len(distinct))]:
        return Refusal.UNEXPECTED_LABELS
    return None


def only_first(passages: Sequence[HostPassage], refusal: Refusal | None, first_label: int | None = None) -> Checked:
    """Return all passages; only the first one if there is a refusal, because every other one may be forged.

    The first passage is left out too if it does not have the first label of the host.
    """
    if refusal is None:
        return Checked(tuple(passage for passage in passages if passage.text))
    begins_well = bool(passages) and (first_label is None or passages[0].label == str(first_label))
    return without(passages, range(int(begins_well), len(passages)), refusal)


def without(passages: Sequence[HostPassage], doubtful: Collection[int], refusal: Refusal) -> Checked:
    """Return the passages without the doubtful ones, of which there may be none. Empty passages are left out."""
    used = tuple(passage for index, passage in enumerate(passages) if passage.text and index not in doubtful)
    if not doubtful:
        return Checked(used)
    labels = {passage.label for passage in used}
    refused = dict.fromkeys(passage.label for passage in passages if passage.label and passage.label not in labels)
    return Checked(used, refusal, tuple(refused))


def repeats(keys: Sequence[str]) -> set[int]:
    """Return the positions of keys that occur several times. An empty key is none.

    The first position is not one of them: the first passage is what the host says it is.
    """
    counts = Counter(keys)
    return {index for index, key in enumerate(keys) if index and key and counts[key] > 1}
