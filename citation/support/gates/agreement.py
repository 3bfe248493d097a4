"""Agreement of claim and passage: the amount by which it raises the log odds of support.

Where a short claim meets a sentence that states little else, scores of words are too low for paraphrases, and the
comparison of clauses finds most of what is false. A simple pair without a disagreement is therefore more likely.
"""

# One sentence of the passage has at least half of the claim's words, or all of them. Of the near-misses that words
# alone leave between .3 and .37, such pairs are true in 49 and false in 7; with all words, from .2 on, true in 16 and
# false in 1. Natural pairs of this kind are rare: 7 true and 13 false ones in 8,600 records.
AGREEMENT, FULL_AGREEMENT = 0.3, 0.8
_ENOUGH = 0.5  # share of the claim's words


def agreement(coverage: float) -> float:
    """Return how much a simple pair without a disagreement raises the log odds of support.

    `coverage`: share of the claim's words that one sentence of the passage has, with synonyms and opposites.
    """
    if coverage >= 1:
        return FULL_AGREEMENT
    return AGREEMENT if coverage >= _ENOUGH else 0.0
