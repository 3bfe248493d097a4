"""Stop words, and the language of a text as far as numbers and stop words depend on it."""

from collections.abc import Iterable
from itertools import islice

from ..normalize import fold
from .word_lists import load_words

# The weight of a word for each language, by the index of the language in _LANGUAGES.
Votes = tuple[tuple[int, float], ...]

_LANGUAGE_WORDS = load_words("language_words")
_LANGUAGES = tuple(_LANGUAGE_WORDS)
MAX_VOTES = 80  # the first sentences decide; an excerpt is in one language
_MIN_LEAD = 0.5  # one word that only one language has, in addition to the votes for the second language

# Characters of Chinese, Japanese and Korean that are stop words.
STOP_CHARACTERS = frozenset().union(*load_words("particles").values())


def _count_votes() -> dict[str, Votes]:
    languages_of: dict[str, list[int]] = {}
    for index, words in enumerate(_LANGUAGE_WORDS.values()):
        for word in words:
            languages_of.setdefault(word, []).append(index)
    return {word: tuple((index, 1 / len(shared)) for index in shared) for word, shared in languages_of.items()}


_VOTES = _count_votes()


def language_votes(folded: str) -> Votes:
    """Return the languages that a word is typical of. A word of several languages counts less for each."""
    return _VOTES.get(folded, ())


def detect_language(votes: Iterable[Votes]) -> str | None:
    """Return `en`, `de`, `es`, `fr`, `it`, `pt` or `nl`, or None where the votes do not decide."""
    tally = [0.0] * len(_LANGUAGES)
    for vote in islice(votes, MAX_VOTES):
        for index, weight in vote:
            tally[index] += weight
    second, best = sorted(tally)[-2:]
    return _LANGUAGES[tally.index(best)] if best - second >= _MIN_LEAD else None


def _stopword_tables() -> dict[str | None, frozenset[str]]:
    entries = load_words("stopwords")
    ambiguous = entries.pop("ambiguous")
    tables: dict[str | None, frozenset[str]] = {
        key: frozenset(map(fold, ["", *words])) for key, words in entries.items()
    }
    tables[None] = frozenset().union(*tables.values()) - (frozenset(ambiguous) - tables["en"])
    return tables


_STOPWORDS = _stopword_tables()


def stopwords(language: str | None) -> frozenset[str]:
    """Return the folded stop words of a language, and the empty string.

    For an unknown language: those of all languages, without those that are content words in another.
    """
    return _STOPWORDS.get(language, _STOPWORDS[None])
