"""Stop words, and the language of a text as far as numbers and stop words depend on it."""

import re
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from itertools import chain, islice

from ..normalize import fold
from .frequencies import is_english
from .word_lists import load_words, parse_values

# The weight of a word for each language, by the index of the language in _LANGUAGES.
Votes = tuple[tuple[int, float], ...]

_LANGUAGE_WORDS = load_words("language_words")
_LANGUAGES = tuple(_LANGUAGE_WORDS)
MAX_VOTES = 80  # the first sentences decide; an excerpt is in one language
_MIN_LEAD = 0.4  # one word that only one language has, in addition to the votes for the second language
_NEARLY_EQUAL = 0.15  # difference of the votes for two languages that do not decide between them
_HINT_WEIGHT = 0.3  # weight of a letter or an ending, relative to that of a word
_WORD = re.compile(r"[^\W\d_]+")
_SHORTEST_HINT, _LEAST_BEFORE_ENDING = 4, 2  # letters

# Characters of Chinese, Japanese and Korean that are stop words.
STOP_CHARACTERS = frozenset().union(*load_words("particles").values())


def _count_votes(words_of: Mapping[str, Iterable[str]], weight: float = 1.0) -> dict[str, Votes]:
    """Return the votes of each word for the languages that have it, which share its weight."""
    languages_of: dict[str, list[int]] = {}
    for language, words in words_of.items():
        for word in words:
            languages_of.setdefault(word, []).append(_LANGUAGES.index(language))
    return {word: tuple((index, weight / len(shared)) for index in shared) for word, shared in languages_of.items()}


def _hints(kind: str) -> dict[str, Votes]:
    hints = load_words("language_hints")
    return _count_votes({key[-2:]: words for key, words in hints.items() if key.startswith(kind)}, _HINT_WEIGHT)


def _numerals() -> dict[str, Iterable[str]]:
    words = load_words("number_words")
    ambiguous = words["ambiguous"]
    return {
        language: [word for word in parse_values(words[language]) if word not in ambiguous] for language in _LANGUAGES
    }


_VOTES = _count_votes({language: {*words, *_numerals()[language]} for language, words in _LANGUAGE_WORDS.items()})
_LETTERS, _ENDINGS = _hints("letters"), _hints("endings")
_LONGEST_ENDING = max(map(len, _ENDINGS))


def language_votes(surface: str, folded: str) -> Votes:
    """Return the languages that a word is typical of. A word of several languages counts less for each.

    A word that is not in the lists is judged by its letters and its ending.
    """
    votes = _VOTES.get(folded)
    if votes is not None or len(surface) < _SHORTEST_HINT:
        return votes or ()
    lower = surface.lower()
    letter_votes = [] if lower.isascii() else [_LETTERS[letter] for letter in lower if letter in _LETTERS][:1]
    for length in range(min(_LONGEST_ENDING, len(lower) - _LEAST_BEFORE_ENDING), 0, -1):
        if lower[-length:] in _ENDINGS:
            letter_votes.append(_ENDINGS[lower[-length:]])
            break
    return tuple(chain.from_iterable(letter_votes))


def detect_language(votes: Iterable[Votes], likely: Collection[str | None] = ()) -> str | None:
    """Return `en`, `de`, `es`, `fr`, `it`, `pt`, `nl` or `id`, or None where the votes do not decide.

    Of languages with nearly equal votes, the one that is `likely` is returned, if only one of them is.
    """
    tally = [0.0] * len(_LANGUAGES)
    for vote in islice(votes, MAX_VOTES):
        for index, weight in vote:
            tally[index] += weight
    second, best = sorted(tally)[-2:]
    if best - second >= _MIN_LEAD:
        return _LANGUAGES[tally.index(best)]
    close = [
        language
        for language, votes_for in zip(_LANGUAGES, tally, strict=True)
        if language in likely and votes_for > max(0.0, best - _NEARLY_EQUAL)
    ]
    return close[0] if len(close) == 1 else None


@lru_cache(maxsize=512)
def guess_language(text: str, likely: Collection[str]) -> str | None:
    """Return the language of a short text as `detect_language` decides, with one vote for each different word.

    A text that nothing shows to be in another language is English if its words are.
    """
    folded = {word: fold(word) for word in _WORD.findall(text)}
    votes = [language_votes(word, plain) for word, plain in folded.items()]
    language = detect_language(votes, likely)
    return "en" if language is None and "en" in likely and is_english(set(folded.values())) else language


def has_letters_of_another(text: str, language: str, languages: Collection[str]) -> bool:
    """Return whether a text has a letter that only another one of the languages uses."""
    if text.isascii():
        return False
    users_of_letters = ({_LANGUAGES[index] for index, _ in _LETTERS.get(letter, ())} for letter in text.lower())
    return any(len(used := users.intersection(languages)) == 1 and language not in used for users in users_of_letters)


def _stopword_tables() -> dict[str | None, frozenset[str]]:
    """Return the stop words by language; None stands for an unknown language."""
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
