"""Measures of citations in natural answers, over (sentence, excerpt) pairs.

| measure | share |
|---|---|
| precision | right ones among the shown citations; excerpts in `also` count neither way |
| recall | of each supported sentence, the cited part of its best gold set |
| kept | citations of the model that are right and still there |
| removed | citations of the model that are wrong and gone |
| filled | supported sentences without a right citation of the model that have one now |
| bad | unsupported sentences with a citation |
"""

from collections import Counter
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from typing import Any

Counts = Counter[str]


def count(answer: dict[str, Any], citations: Sequence[AbstractSet[int]]) -> Counts:
    """Return the counts of one answer. `citations`: the numbers that are cited for each of its sentences."""
    counts: Counts = Counter()
    for sentence, cited in zip(answer["sentences"], citations, strict=True):
        if sentence["label"] in {"supported", "unsupported"}:
            counts += _of_sentence(sentence, cited)
        else:
            counts[sentence["label"]] += 1
            counts[f"{sentence['label']} cited"] += bool(cited)
    return counts


def _of_sentence(sentence: dict[str, Any], cited: AbstractSet[int]) -> Counts:
    gold = {number for alternative in sentence.get("gold") or [] for number in alternative}
    also = set(sentence.get("also") or [])
    by_model = set(sentence["model_cites"])
    wrong = by_model - gold - also
    counts: Counts = Counter()
    counts["cited"] = len(cited - also)
    counts["right"] = len((cited - also) & gold)
    counts["model right"] = len(by_model & gold)
    counts["kept"] = len(by_model & gold & cited)
    counts["model wrong"] = len(wrong)
    counts["removed"] = len(wrong - cited)
    if sentence["label"] == "supported":
        counts["supported"] = 1
        counts["recalled"] = max(
            (len(set(alternative) & cited) / len(alternative) for alternative in sentence["gold"] if alternative),
            default=0,
        )  # type: ignore[assignment]
        if not by_model & gold:
            counts["unfilled"] = 1
            counts["filled"] = bool(cited & gold)
    else:
        counts["unsupported"] = 1
        counts["bad"] = bool(cited)
    return counts


def ratio(counts: Counts) -> dict[str, float]:
    """Return the measures; 0 where nothing is to be counted."""
    precision, recall = _share(counts, "right", "cited"), _share(counts, "recalled", "supported")
    return {
        "F1": 2 * precision * recall / ((precision + recall) or 1),
        "precision": precision,
        "recall": recall,
        "kept": _share(counts, "kept", "model right"),
        "removed": _share(counts, "removed", "model wrong"),
        "filled": _share(counts, "filled", "unfilled"),
        "bad": _share(counts, "bad", "unsupported"),
    }


def _share(counts: Counts, part: str, whole: str) -> float:
    return counts[part] / counts[whole] if counts[whole] else 0.0
