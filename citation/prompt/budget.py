"""Selection of the evidence that fits into the token budget of the prompt."""

from collections.abc import Mapping, Sequence
from math import ceil

from ..evidence import Evidence


def estimate_tokens(text: str) -> int:
    """Estimate the number of tokens of a text from its UTF-8 length.

    A token has 4 ASCII characters, 1.8 characters of two bytes (Cyrillic, Arabic) or 1.2 of three bytes (Han,
    Devanagari, Thai). This is an upper estimate for vocabularies of 100,000 to 250,000 tokens.
    """
    if text.isascii():
        return ceil(len(text) / 4)
    size = len(text.encode("utf-8", "replace"))
    plain = len(text.encode("ascii", "ignore"))
    return ceil(plain / 4 + (size - plain) * 0.28)


def fit_budget(
    evidence: Sequence[Evidence], costs: Mapping[int, int], room: int, ages: Mapping[int, int] | None = None
) -> tuple[tuple[Evidence, ...], tuple[Evidence, ...]]:
    """Return the evidence that fits into `room` tokens and the dropped evidence, both in number order.

    Dropped first is evidence that would not fit alone, then the oldest, then evidence without a score, last number
    first, then by lowest score. `ages`: turns since the evidence was received.
    """
    ages = ages or {}
    fitting = [item for item in evidence if costs[item.number] <= room]
    total = sum(costs[item.number] for item in fitting)
    for item in sorted(fitting, key=lambda item: (-ages.get(item.number, 0), *_priority(item))):
        if total <= room:
            break
        total -= costs[item.number]
        fitting.remove(item)
    numbers = {item.number for item in fitting}
    return tuple(fitting), tuple(item for item in evidence if item.number not in numbers)


def _priority(evidence: Evidence) -> tuple[bool, float, int]:
    return (evidence.score is not None, evidence.score or 0.0, -evidence.number)
