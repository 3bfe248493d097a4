"""Measures of citation quality: pure functions of labelled records and predictions.

A record has `id`, `dataset`, and per answer sentence `sent_label`, `gold` (0-based evidence indexes), `gold_alt` (other
complete gold sets), `ignore` (pairs that do not count); and `gold_level`: pairs are scored if it is `chunk`.
A prediction is a list of 0-based evidence indexes per sentence. Only `supported` and `unsupported` sentences count.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from random import Random
from typing import Any

Record = Mapping[str, Any]
Citations = Sequence[Iterable[int]]

# Number of bootstrap resamples of whole records; a fixed seed makes runs reproducible.
RESAMPLES = 500
SEED = 0


@dataclass(slots=True)
class Counts:
    """Counts that are summed over records."""

    true: int = 0  # pairs cited and in gold
    false: int = 0  # pairs cited, not in gold
    missed: int = 0  # pairs in gold, not cited
    cited_supported: int = 0  # sentences
    supported: int = 0
    bad: int = 0  # unsupported sentences with a citation
    unsupported: int = 0
    paired: int = 0  # supported sentences with scored pairs
    hit: int = 0  # supported sentences with at least one right citation
    wrong: int = 0  # supported sentences whose citations are all wrong

    def __iadd__(self, added: "Counts") -> "Counts":
        """Add the counts of `added`."""
        for f in fields(self):
            setattr(self, f.name, getattr(self, f.name) + getattr(added, f.name))
        return self


@dataclass(frozen=True, slots=True)
class Quality:
    """Measures in 0..1; 0 if there was nothing to count."""

    supported: int
    unsupported: int
    precision: float
    recall: float
    f1: float
    balanced: float  # balanced accuracy of "some evidence supports this"
    bad: float
    hit: float
    wrong: float


def count(record: Record, citations: Citations) -> Counts:
    """Return the counts of one record."""
    counts = Counts()
    for i, label in enumerate(record["sent_label"]):
        if label not in {"supported", "unsupported"}:
            continue
        cited = set(citations[i])
        supported = label == "supported"
        if supported:
            counts.supported += 1
            counts.cited_supported += bool(cited)
        else:
            counts.unsupported += 1
            counts.bad += bool(cited)
        if record["gold_level"] == "chunk":
            _count_pairs(record, i, cited, supported, counts)
    return counts


def _count_pairs(record: Record, i: int, cited: set[int], supported: bool, counts: Counts) -> None:
    alternatives = (record["gold_alt"][i] or [record["gold"][i]]) if supported else [[]]
    cited = cited - set(record["ignore"][i])
    any_gold = {n for gold in record["gold_alt"][i] or [] for n in gold}
    candidates = []
    for alternative in alternatives:
        gold = set(alternative)
        seen = cited - (any_gold - gold)
        candidates.append((len(seen & gold), len(seen - gold), len(gold - seen)))
    best = max(candidates, key=lambda c: c[0] - c[1] - c[2])  # the first of equal ones
    counts.true += best[0]
    counts.false += best[1]
    counts.missed += best[2]
    if supported:
        counts.paired += 1
        counts.hit += best[0] > 0
        counts.wrong += bool(cited) and best[0] == 0


def quality(counts: Counts) -> Quality:
    """Return the measures for summed counts."""
    precision = _share(counts.true, counts.true + counts.false)
    recall = _share(counts.true, counts.true + counts.missed)
    bad = _share(counts.bad, counts.unsupported)
    clean = _share(counts.unsupported - counts.bad, counts.unsupported)
    return Quality(
        counts.supported,
        counts.unsupported,
        precision,
        recall,
        _share(2 * precision * recall, precision + recall),
        0.5 * _share(counts.cited_supported, counts.supported) + 0.5 * clean,
        bad,
        _share(counts.hit, counts.paired),
        _share(counts.wrong, counts.paired),
    )


def evaluate(records: Sequence[Record], predictions: Mapping[str, Citations]) -> dict[str, Quality]:
    """Return the quality overall (`ALL`, first) and per data set. Raise KeyError if a prediction is missing."""
    total = Counts()
    parts: dict[str, Counts] = {}
    for record in records:
        counted = count(record, predictions[record["id"]])
        total += counted
        parts.setdefault(record["dataset"], Counts()).__iadd__(counted)
    return {"ALL": quality(total), **{name: quality(parts[name]) for name in sorted(parts)}}


def mean_balanced(found: Mapping[str, Quality]) -> float:
    """Return the mean of the balanced accuracies of all data sets, as LLM-AggreFact ranks models."""
    values = [quality.balanced for name, quality in found.items() if name != "ALL"]
    return sum(values) / len(values) if values else 0.0


@dataclass(frozen=True, slots=True)
class Detection:
    """Detection of whole answers that contain an unsupported sentence, as RAGTruth measures it: shares in 0..1."""

    unsupported: int  # answers with an unsupported sentence
    precision: float
    recall: float
    f1: float


def detection(records: Sequence[Record], flagged: Collection[str]) -> Detection:
    """Return how well answers with an unsupported sentence are found. `flagged`: the ids of those that were found."""
    labelled = {record["id"] for record in records if "unsupported" in record["sent_label"]}
    counted = {record["id"] for record in records if {"supported", "unsupported"}.intersection(record["sent_label"])}
    reported = counted.intersection(flagged)
    right = len(labelled & reported)
    precision, recall = _share(right, len(reported)), _share(right, len(labelled))
    return Detection(len(labelled), precision, recall, _share(2 * precision * recall, precision + recall))


def interval(
    records: Sequence[Record],
    predictions: Mapping[str, Citations],
    measure: Callable[[Quality], float],
    resamples: int = RESAMPLES,
) -> tuple[float, float]:
    """Return the 95 % bootstrap interval of a measure, drawing whole records with replacement."""
    counted = [count(record, predictions[record["id"]]) for record in records]
    draw = Random(SEED)  # noqa: S311 # nosec B311 # not used for secrets
    values = []
    for _ in range(resamples):
        total = Counts()
        for _ in counted:
            total += counted[draw.randrange(len(counted))]
        values.append(measure(quality(total)))
    values.sort()
    return values[int(0.025 * resamples)], values[int(0.975 * resamples)]


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0
