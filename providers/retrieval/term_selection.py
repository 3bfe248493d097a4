"""Select the terms of a question that a full-text index is searched for, so that the number of ranked rows is limited.

Ranking a row costs much more than finding it. A question with common words matches most rows of a large table, and
almost none of these are among its best results. Rare terms are therefore searched for one by one, and common terms only
together.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

# Rows that a question may match. PostgreSQL ranks 2,400 rows in 55 ms. Recall@5 over 3,992 passages is .723 with this
# limit and .720 without (folder); with a limit of 400 it is .715.
MAX_ROWS = 1_000
MIN_FOUND = 10  # with fewer results than this, all terms are searched for


@dataclass(frozen=True, slots=True)
class TermSelection:
    """A row matches if it contains any of the terms `rare`, or all of the terms `together`."""

    rare: tuple[str, ...]
    together: tuple[str, ...] = ()
    is_complete: bool = True  # whether each term of the question is searched for by itself


def select_terms(counts: Mapping[str, float], rows: float) -> TermSelection:
    """Return the terms to search for. `counts`: the number of rows that contain each term; `rows`: of the whole table.

    The rarest terms are searched for one by one, as long as they match at most MAX_ROWS rows. The next ones are
    searched for together, as many of them as are necessary to match at most the remaining number of rows. If all of
    them match more, they are left out, so that they do not displace the rows with rare terms. The numbers assume that
    the terms are independent, so the caller has to limit the rows, too.
    """
    terms = sorted(counts, key=lambda term: (counts[term], term))
    total = 0.0
    rare: list[str] = []
    for term in terms:
        if total + counts[term] > MAX_ROWS:
            break
        total += counts[term]
        rare.append(term)
    common = terms[len(rare) :]
    if not common:
        return TermSelection(tuple(terms))
    for needed in range(1, len(common) + 1):
        if total + _matches(counts, common[:needed], rows) <= MAX_ROWS:
            return TermSelection(tuple(rare), tuple(common[:needed]), is_complete=False)
    return TermSelection(tuple(rare), () if rare else tuple(common), is_complete=False)


def _matches(counts: Mapping[str, float], terms: list[str], rows: float) -> float:
    """Return the expected number of rows that contain all terms."""
    return rows * prod(min(1.0, counts[term] / rows) for term in terms) if rows else 0.0
