"""Budget: which evidence the model is shown when there is more than its prompt may hold."""

from collections.abc import Mapping, Sequence
from math import ceil

from .evidence import Evidence


def estimate_tokens(text: str) -> int:
    """About how many tokens a text takes, from its UTF-8 length, without a tokenizer.

    4 ASCII characters a token; 1.8 characters of scripts with two bytes (Cyrillic, Arabic); 1.2 of those with three
    (Han, Devanagari, Thai). That is the larger side of what vocabularies of 100,000 to 250,000 tokens need.
    """
    if text.isascii():
        return ceil(len(text) / 4)
    size = len(text.encode("utf-8", "replace"))
    plain = len(text.encode("ascii", "ignore"))
    return ceil(plain / 4 + (size - plain) * 0.28)


def fit(
    evidence: Sequence[Evidence], costs: Mapping[int, int], room: int, ages: Mapping[int, int] | None = None
) -> tuple[tuple[Evidence, ...], tuple[Evidence, ...]]:
    """What fits into `room` tokens and what is dropped, both in number order.

    First goes what would not fit alone, then what is oldest, then what has no score, from the end, then from the lowest
    score up. `ages`: in turns, of the evidence that came with earlier ones.
    """
    ages = ages or {}
    kept = [item for item in evidence if costs[item.number] <= room]
    total = sum(costs[item.number] for item in kept)
    for item in sorted(kept, key=lambda item: (-ages.get(item.number, 0), *_worth(item))) if total > room else ():
        if total <= room:
            break
        total -= costs[item.number]
        kept.remove(item)
    numbers = {item.number for item in kept}
    return tuple(kept), tuple(item for item in evidence if item.number not in numbers)


def _worth(evidence: Evidence) -> tuple[bool, float, int]:
    return (evidence.score is not None, evidence.score or 0.0, -evidence.number)
