"""Rank texts by how many of a question's words they contain. No model, no network."""

from collections.abc import Sequence
from math import log

from citestream.citation.text.queries.search_terms import query_terms, search_terms

MAX_QUESTION_CHARACTERS = 10_000  # characters of a question that are used: a client may send megabytes
MAX_TEXT_CHARACTERS = 10_000  # characters of each text that are compared: a hundred take 0.1 s, and show their topic


def relevance(question: str, texts: Sequence[str]) -> list[float]:
    """Return the share of the question that each text contains, 0 to 1.

    Search terms are compared, each weighted by how rare it is among the texts. All shares are 0 where no text has any
    of the terms. Only the first MAX_QUESTION_CHARACTERS and MAX_TEXT_CHARACTERS count.
    """
    question = question[:MAX_QUESTION_CHARACTERS]
    contained = [frozenset(search_terms(text[:MAX_TEXT_CHARACTERS])) for text in texts]
    weights = {
        term: log(1 + len(contained) / (0.5 + sum(term in text_terms for text_terms in contained)))
        for term in query_terms(question) or search_terms(question)
    }
    total = sum(weights.values()) or 1.0
    return [sum(weight for term, weight in weights.items() if term in text_terms) / total for text_terms in contained]
