"""Terms that stand for a term of a question that no passage contains: other endings, typing errors, synonyms."""

from collections.abc import Collection
from functools import cache
from importlib.resources import files

from citestream.citation.text.queries.search_terms import search_terms
from citestream.citation.text.words.concepts import synonyms

MIN_PREFIX = 5  # letters of a term that may have another ending of any kind
MAX_ENDING = 4  # letters of another ending
_PLURALS = ("s", "es", "e", "n", "en", "er")  # the endings of shorter words
MIN_MISSPELT = 5  # letters of a word with one typing error
MIN_TWICE_MISSPELT = 8  # letters of a word with two
_COMPARED = 40  # letters; longer terms are not compared


def variants(term: str, vocabulary: Collection[str]) -> frozenset[str]:
    """Return the terms of a vocabulary that stand for a term that is not in it. The closest kind is returned."""
    if not term.isalpha() or not term.isascii() or len(term) > _COMPARED:
        return frozenset()
    for is_variant in (_has_other_ending, _is_misspelt):
        if matches := frozenset(
            candidate for candidate in vocabulary if candidate.isalpha() and is_variant(term, candidate)
        ):
            return matches
    same_meaning = synonyms(term).single | _office_words().get(term, frozenset())
    return frozenset(candidate for candidate in vocabulary if candidate in same_meaning)


@cache
def _office_words() -> dict[str, frozenset[str]]:
    """Return the terms of `synonyms.txt` with the same meaning, by term."""
    lines = files(__package__).joinpath("synonyms.txt").read_text("utf-8").splitlines()
    groups = [frozenset(search_terms(line)) for line in lines if not line.startswith("#")]
    return {
        term: frozenset().union(*(group for group in groups if term in group)) for group in groups for term in group
    }


def _has_other_ending(term: str, candidate: str) -> bool:
    shorter, longer = sorted((term, candidate), key=len)
    if len(shorter) < MIN_PREFIX:
        return len(shorter) > 2 and longer.removeprefix(shorter) in _PLURALS
    common = next(
        (index for index, (letter, opposite) in enumerate(zip(shorter, longer, strict=False)) if letter != opposite),
        len(shorter),
    )
    return common >= MIN_PREFIX and len(shorter) - common <= 2 and len(longer) - common <= MAX_ENDING


def _is_misspelt(term: str, candidate: str) -> bool:
    allowed = 2 if len(term) >= MIN_TWICE_MISSPELT else 1 if len(term) >= MIN_MISSPELT else 0
    if term[0] != candidate[0] or abs(len(term) - len(candidate)) > allowed:
        return False
    return 0 < _distance(term, candidate) <= allowed


def _distance(term: str, candidate: str) -> int:
    """Return the number of letters that differ, with two exchanged neighbours as one."""
    before: list[int] = []
    current = list(range(len(candidate) + 1))
    for i, letter in enumerate(term, 1):
        earlier, before, current = before, current, [i]
        for j, opposite in enumerate(candidate, 1):
            cost = min(before[j] + 1, current[j - 1] + 1, before[j - 1] + (letter != opposite))
            if i > 1 and j > 1 and letter == candidate[j - 2] and term[i - 2] == opposite:
                cost = min(cost, earlier[j - 2] + 1)
            current.append(cost)
    return current[-1]
