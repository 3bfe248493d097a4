"""The log odds of a checker for pairs of a sentence and an excerpt whose label is known, to fit its weights."""

from collections.abc import Sequence

from citestream.citation.support.scorers.checker import FEATURES

from ...pipeline.cite_text import ScoredText
from .natural_answers import Answer, marked_sentences, sentence_of

Pairs = tuple[list[float], list[float], list[bool]]  # first log odds, those of the checker, and the labels


def labelled_pairs(answer: Answer, scored: ScoredText) -> Pairs:
    """Return the pairs of an answer that the checker has read. Excerpts that count neither way are left out."""
    first_odds: list[float] = []
    entailed_odds: list[float] = []
    labels: list[bool] = []
    marked = marked_sentences(answer)
    for draft, scores in zip(scored.drafts, scored.scores, strict=True):
        sentence = answer["sentences"][sentence_of(draft, marked)]
        if scores is None or scores.names[-2:] != FEATURES or sentence["label"] not in {"supported", "unsupported"}:
            continue
        gold = {number for alternative in sentence.get("gold") or [] for number in alternative}
        also = set(sentence.get("also") or [])
        for number, (first, entailed) in enumerate(scores.features[:, -2:].tolist(), 1):
            if entailed and number not in also:
                first_odds.append(first)
                entailed_odds.append(entailed)
                labels.append(number in gold)
    return first_odds, entailed_odds, labels


def joined(pairs: Sequence[Pairs]) -> Pairs:
    """Return the pairs of several answers."""
    first = [value for of_answer in pairs for value in of_answer[0]]
    entailed = [value for of_answer in pairs for value in of_answer[1]]
    return first, entailed, [label for of_answer in pairs for label in of_answer[2]]


def halves(answers: Sequence[Answer]) -> list[int]:
    """Return 0 or 1 for each answer: whole authors if there are several, else every second answer."""
    authors = sorted({str(answer.get("author", "")) for answer in answers})
    if len(authors) == 1:
        return [number % 2 for number in range(len(answers))]
    return [authors.index(str(answer.get("author", ""))) % 2 for answer in answers]
