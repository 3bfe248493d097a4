"""Ranking: how much each text has to do with a question, by its words. No model, no network."""

from collections.abc import Sequence
from math import log

from ..extractive.question_words import content_words, terms

MAX_QUESTION = 10_000  # characters of a question that are looked for: a client may send megabytes
MAX_TEXT = 10_000  # characters of each text that are compared: a hundred take 0.1 s, and show what they are about


def relevance(question: str, texts: Sequence[str]) -> list[float]:
    """The share of the question that each text holds, 0 to 1: its words, each weighted by how rare it is.

    Stems are compared, and pairs of characters where words are not spaced. All 0 where no text has any of the words.
    Of the question and of each text, only what stands within MAX_QUESTION and MAX_TEXT counts.
    """
    question = question[:MAX_QUESTION]
    held = [terms(text[:MAX_TEXT]) for text in texts]
    weights = {
        word: log(1 + len(held) / (0.5 + sum(word in one for one in held)))
        for word in content_words(question) or terms(question)
    }
    total = sum(weights.values()) or 1.0
    return [sum(weight for word, weight in weights.items() if word in one) / total for one in held]
