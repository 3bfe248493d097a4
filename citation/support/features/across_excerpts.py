"""Features that compare one excerpt with the others: what only it contains, and which one the subject points to.

The typical error of a strong model is the right statement of the wrong product, version, year or person. The words of
one excerpt do not show it; the question, the titles and the other excerpts do. And a sentence may join what several
excerpts say, so that each lacks a part that another one has.

Array shapes: U query terms of one claim, N pieces of evidence.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .rivals import best_of_rivals, lead

Floats = NDArray[np.float32]
Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]

_MIN_SHARE = 1e-6  # avoids division by zero

FEATURES = (
    "cited",  # 1 if the model cites the excerpt for this sentence
    "model_cites",  # 1 if it cites any excerpt for this sentence or for one before it
    "cited_count",  # how many excerpts it cites for this sentence
    "cited_cover",  # share of the claim's weight that the cited excerpts contain together
    "cited_share",  # share of that which this excerpt contains
    "cited_only",  # share of the claim's weight that this excerpt contains, and no other cited one
    "only",  # share of the claim's weight that this excerpt contains, and no other one
    "cover_lead",  # lead in coverage over the best other excerpt; negative for the others
    "rare_lead",  # the same, terms weighted by rarity
    "number_cover",  # share of the claim's numbers that the excerpt contains; 1 if the claim has none
    "number_lead",
    "number_cited",  # share of the claim's numbers that the cited excerpts contain together
    "number_any",  # share of the claim's numbers that any excerpt contains
    "number_only",  # share of the claim's numbers that this excerpt contains, and no other one
    "question",  # share of the question that the excerpt and its title contain
    "question_lead",
    "question_title",  # share of the question that the title contains
    "question_title_lead",
    "context_lead",  # lead in `context`, the share of the previous sentence
    "context_title",  # share of the previous sentence that the title contains
    "context_title_lead",
    "question_contrast",  # by how much a similar title agrees better with the question, see `title_contrast`
    "cited_contrast",  # the same with the titles of the excerpts that the model cited before
    "excerpts",  # how many excerpts there are
)


@dataclass(frozen=True, slots=True)
class Contained:
    """The parts of one claim, of the question and of the sentence before that the excerpts contain."""

    share: Floats  # (U, N), the share of the claim's weight of each term that the excerpt or its title contains
    rare: Floats  # (N,), share of the claim, weighted by rarity
    numbers: Bools  # (number of numbers, N), in any notation
    question: Floats  # (N,)
    question_title: Floats  # (N,)
    context: Floats  # (N,)
    context_title: Floats  # (N,)
    question_contrast: Floats  # (N,)
    cited_contrast: Floats  # (N,)


def compare_excerpts(contained: Contained, groups: Ints, cited: Bools, *, model_cites: bool) -> Floats:
    """Return FEATURES of one claim, (number of features, N).

    `groups`, (N,): see `rival_groups`. `cited`, (N,): whether the model cites the excerpt.
    """
    share, numbers = contained.share, contained.numbers.astype(np.float32)
    cover = share.sum(axis=0)
    together = float(share[:, cited].max(axis=1).sum()) if cited.any() else 0.0
    number_cover = numbers.mean(axis=0) if len(numbers) else np.ones(len(cited))
    columns = (
        cited,
        model_cites,
        len(set(groups[cited].tolist())),
        together,
        np.minimum(cover / max(together, _MIN_SHARE), 1.0) if together else 0.0,
        _alone(share, np.where(cited, share, 0.0), groups),
        _alone(share, share, groups),
        lead(cover, groups),
        lead(contained.rare, groups),
        number_cover,
        lead(number_cover, groups),
        _any(contained.numbers[:, cited]),
        _any(contained.numbers),
        (numbers * (best_of_rivals(numbers, groups) == 0)).mean(axis=0) if len(numbers) else 0.0,
        contained.question,
        lead(contained.question, groups),
        contained.question_title,
        lead(contained.question_title, groups),
        lead(contained.context, groups),
        contained.context_title,
        lead(contained.context_title, groups),
        contained.question_contrast,
        contained.cited_contrast,
        len(set(groups.tolist())),
    )
    features = np.empty((len(FEATURES), len(cited)), dtype=np.float32)
    for row, column in zip(features, columns, strict=True):
        row[:] = column
    return features


def _alone(share: Floats, of_others: Floats, groups: Ints) -> Floats:
    """Return the share of the claim's weight, (N,), that an excerpt contains and no rival does."""
    return np.asarray(np.maximum(share - best_of_rivals(of_others, groups), 0.0).sum(axis=0))


def _any(numbers: Bools) -> float:
    """Return the share of the numbers that any of the excerpts contains; 1 if there are no numbers."""
    return float(numbers.any(axis=1).mean()) if len(numbers) else 1.0
