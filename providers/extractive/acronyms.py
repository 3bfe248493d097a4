"""Acronyms in questions, which evidence may spell out: `CEO` for "chief executive officer"."""

import re

from citestream.citation.text.queries.search_terms import search_terms
from citestream.citation.text.words.languages import stopwords

# Two letters begin some two words of most sentences; a longer word in capitals is emphasised.
_ACRONYM = re.compile(r"\b[A-Z]{3,6}\b")
_WORD = re.compile(r"[^\W\d_]+")


def acronyms(question: str) -> dict[str, str]:
    """Return the acronyms of a question in lower case by their search terms. A text in capitals has none."""
    if question.isupper():
        return {}
    return {term: found.lower() for found in _ACRONYM.findall(question) for term in search_terms(found)[:1]}


def spelled_out(known: dict[str, str], text: str) -> frozenset[str]:
    """Return the terms of the acronyms that consecutive words of a text begin with, with or without stop words.

    `known`: the result of `acronyms`.
    """
    if not known:
        return frozenset()
    words = [word.lower() for word in _WORD.findall(text)]
    ignored = stopwords("en")
    initials = (_initials(words), _initials([word for word in words if word not in ignored]))
    return frozenset(term for term, acronym in known.items() if any(acronym in row for row in initials))


def _initials(words: list[str]) -> str:
    return "".join(word[0] for word in words)
