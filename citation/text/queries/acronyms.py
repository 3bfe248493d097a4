"""Acronyms in questions, which texts may spell out: `CEO` for "chief executive officer"."""

import re
from collections.abc import Mapping

from ..words.languages import stopwords
from .search_terms import search_terms

# Two letters begin some two words of most sentences; a longer word in capitals is emphasised.
_ACRONYM = re.compile(r"\b[A-Z]{3,6}\b")
_WORD = re.compile(r"[^\W\d_]+")


def acronyms(question: str) -> dict[str, str]:
    """Return the acronyms of a question in lower case by their search terms. A text in capitals has none."""
    if question.isupper():
        return {}
    return {term: acronym.lower() for acronym in _ACRONYM.findall(question) for term in search_terms(acronym)[:1]}


def spelled_out(acronyms_by_term: Mapping[str, str], text: str) -> frozenset[str]:
    """Return the terms of the acronyms that consecutive words of a text begin with, with or without stop words.

    `acronyms_by_term`: the result of `acronyms`.
    """
    if not acronyms_by_term:
        return frozenset()
    rows = _initials(text)
    return frozenset(term for term, acronym in acronyms_by_term.items() if any(acronym in row for row in rows))


def initials_of_three(letters: str) -> list[str]:
    """Return the parts of three letters of an acronym or of a row of initials, each once and in order."""
    return list(dict.fromkeys(letters[start : start + 3] for start in range(len(letters) - 2)))


def indexed_initials(text: str) -> list[str]:
    """Return what an index of a text contains, so that it is found by the parts of an acronym that it spells out."""
    return list(dict.fromkeys(part for row in _initials(text) for part in initials_of_three(row)))


def _initials(text: str) -> tuple[str, str]:
    """Return the initials of all words of a text in lower case, and of those that are no stop words."""
    words = [word.lower() for word in _WORD.findall(text)]
    ignored = stopwords("en")
    return "".join(word[0] for word in words), "".join(word[0] for word in words if word not in ignored)
