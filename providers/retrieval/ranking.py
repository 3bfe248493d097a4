"""Ranking: how much each text has to do with a question, by its words. No model, no network."""

from collections.abc import Sequence
from math import log

from ..extractive.words import content_words, terms


def relevance(question: str, texts: Sequence[str]) -> list[float]:
    """The share of the question that each text holds, 0 to 1: its words, each weighted by how rare it is.

    Stems are compared, and pairs of characters where words are not spaced. All 0 where no text has any of the words.
    """
    held = [terms(text) for text in texts]
    weights = {
        word: log(1 + len(held) / (0.5 + sum(word in one for one in held)))
        for word in content_words(question) or terms(question)
    }
    total = sum(weights.values()) or 1.0
    return [sum(weight for word, weight in weights.items() if word in one) / total for one in held]
