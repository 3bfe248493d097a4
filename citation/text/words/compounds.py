"""German compounds and separated verbs: `Firmensitz` and "Sitz der Firma", `ablehnen` and "lehnte … ab"."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache

from .inflection import inflections, inseparable_prefixes, separable_prefixes
from .stemming import stem

LANGUAGE = "de"
# Letters of a stem. All parts of a longer one take quadratic time: 0.3 s for 4,000 letters. The longest words have 80.
_SHORTEST_COMPOUND, _LONGEST_COMPOUND = 8, 80
_SHORTEST_PART = 3  # letters
_SHORTEST_WORD = 4  # letters of a stem that is found inside others
# Letters between the two stems of a compound.
_LINKS = ("", "s", "en", "n", "e", "er", "es")
_MAX_TERMS = 10  # Further terms of a claim form no compounds.
_FOLLOWING = 2  # A term may form a compound with each of the two terms that follow it.


def parts(compound: str, vocabulary: Collection[str]) -> list[tuple[str, str]]:
    """Return the pairs of stems in `vocabulary` that a compound's stem consists of, in their forms there.

    An "s" or "en" between the two belongs to the first: "Abonnentenzahl" has the parts "abonnent" and "zahl".
    """
    pairs = []
    for first, endings in _divisions(compound):
        for last in endings:
            if last in vocabulary:
                pairs += [(form, last) for form in (first, *inflections(first, LANGUAGE)) if form in vocabulary]
    return pairs


@lru_cache(maxsize=1 << 13)
def _divisions(compound: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the possible first parts, as stems, each with the forms of the rest."""
    if not _SHORTEST_COMPOUND <= len(compound) <= _LONGEST_COMPOUND or not compound.isalpha():
        return ()
    cuts = range(_SHORTEST_PART, len(compound) - _SHORTEST_PART + 1)
    return tuple((stem(compound[:cut]), (compound[cut:], *inflections(compound[cut:], LANGUAGE))) for cut in cuts)


def joined(terms: Sequence[str], vocabulary: Collection[str]) -> dict[str, set[str]]:
    """Return the compounds in `vocabulary` that two terms near to each other form, by each of the two."""
    compounds: dict[str, set[str]] = {}
    terms = terms[:_MAX_TERMS]
    for index, term in enumerate(terms):
        for following in terms[index + 1 : index + 1 + _FOLLOWING]:
            for first, last in ((term, following), (following, term)):
                for link in _LINKS:
                    if (compound := first + link + last) in vocabulary:
                        compounds.setdefault(first, set()).add(compound)
                        compounds.setdefault(last, set()).add(compound)
    return compounds


def counterparts(terms: Sequence[str], vocabulary: Collection[str]) -> dict[str, set[str]]:
    """Return the stems in `vocabulary` with which each term is compared: compounds, and the last part of a compound."""
    compared = joined(terms, vocabulary)
    for term in terms:
        if last := {last for _, last in parts(term, vocabulary)}:
            compared.setdefault(term, set()).update(last)
    return compared


def containing(term: str, vocabulary: str) -> Iterator[str]:
    """Yield the compounds that begin or end with a stem: `zahlungsziel` and `ratenzahl` for "Zahlung".

    `vocabulary`: stems, with a line break before and after each.
    """
    if len(term) < _SHORTEST_WORD or not term.isalpha():
        return
    position = vocabulary.find(term)
    while position >= 0:
        end = vocabulary.index("\n", position)
        word = vocabulary[vocabulary.rindex("\n", 0, position) + 1 : end]
        if contains(word, term):
            yield word
        position = vocabulary.find(term, end)


def contains(compound: str, term: str) -> bool:
    """Return whether a stem is the first or the last part of a compound."""
    first = compound.startswith(term) and len(compound) >= len(term) + _SHORTEST_WORD and len(term) >= _SHORTEST_WORD
    return first or ends_with(compound, term)


def ends_with(compound: str, term: str) -> bool:
    """Return whether a stem is the last part of a compound. A prefix makes none: "Vorgang" of "Gang"."""
    if len(term) < _SHORTEST_WORD or len(compound) < len(term) + _SHORTEST_PART or not compound.endswith(term):
        return False
    return compound[: -len(term)] not in separable_prefixes(LANGUAGE) | inseparable_prefixes(LANGUAGE)


@lru_cache(maxsize=1 << 13)
def bare_verbs(term: str) -> frozenset[str]:
    """Return the forms of a verb without the prefix that a main clause separates: `lehnt` for `ablehn`."""
    bare_forms: set[str] = set()
    for prefix in separable_prefixes(LANGUAGE):
        bare = term.removeprefix(prefix)
        if bare != term and len(bare) > _SHORTEST_PART:
            bare_forms |= {bare, *inflections(bare, LANGUAGE)}
    return frozenset(bare_forms)


def prefixed_verbs(term: str, words: Iterable[str]) -> frozenset[str]:
    """Return the forms of a verb with each prefix among the `words` of its sentence: `ablehn` for `lehnt`, `ab`."""
    prefixes = separable_prefixes(LANGUAGE).intersection(words)
    forms = (term, *inflections(term, LANGUAGE)) if prefixes else ()
    return frozenset(prefix + form for prefix in prefixes for form in forms)
