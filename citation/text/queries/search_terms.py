"""Search terms: what indexes and rankings compare, for every script.

In contrast to the terms of an `Analysis`, stop words are included and numbers are not parsed: an index must find what
is written, in the language of any question.
"""

import re
import unicodedata

from ..memo import MAX_LENGTH
from ..normalize import character_pairs, fold, normalize, to_simplified
from ..tokens import Tokens, tokenize
from ..words.languages import detect_language, stopwords
from ..words.stemming import search_stem
from ..words.word_lists import load_words

# Stored indexes contain terms. Increase this number with every change of the terms of any text, so that indexes with
# other terms are rebuilt. A test compares the terms of a sample with the ones of this version.
TERMS_VERSION = 3

_QUESTION_LISTS = load_words("question_words")
_UNSPACED_QUESTION_WORDS = re.compile("|".join(_QUESTION_LISTS.pop("unspaced")))
# Words that are stop words in questions and requests only.
_QUESTION_WORDS = frozenset(fold(word) for words in _QUESTION_LISTS.values() for word in words)
_GROUPED_DIGITS = re.compile(r"\d{1,3}(?:[\s,'’]\d{3})+")


def search_terms(text: str) -> list[str]:
    """Return the terms of a text in order: stems of words, numerals, and pairs of characters of unspaced scripts."""
    return _terms(tokenize(to_simplified(text)), frozenset())


def query_terms(question: str) -> list[str]:
    """Return the terms that a question is about, each once, without stop words and question words."""
    tokens = tokenize(to_simplified(_UNSPACED_QUESTION_WORDS.sub(" ", question)))
    votes = [token.votes for token in tokens.tokens if token.votes]
    language = detect_language(votes) if len(votes) > 1 else None  # "Thirty Years' War" is not German
    ignored = stopwords(language) | stopwords(None) | _QUESTION_WORDS
    return list(dict.fromkeys(_terms(tokens, ignored)))


def _terms(tokens: Tokens, ignored: frozenset[str]) -> list[str]:
    """Return the terms of tokens, without the folded words in `ignored`."""
    terms: list[str] = []
    for i, token in enumerate(tokens.tokens):
        if token.kind != "word":
            terms += _terms_in_place_of_word(token.kind, tokens.surface(i))
        elif token.folded not in ignored:
            terms.append(search_stem(token.folded)[:MAX_LENGTH])
    # Compatibility forms of a few characters contain spaces, which separate terms in an index.
    return [term for part in terms if (term := part if part.isascii() else "".join(part.split()))]


def _terms_in_place_of_word(kind: str, surface: str) -> list[str]:
    """Return the terms of a token that is no word."""
    if kind == "run":
        return character_pairs("".join(normalize("NFKC", surface).casefold().split()))
    surface = _fold_digits(surface)
    if kind == "date":  # a search for the year finds the date
        return re.findall(r"\d+", surface)
    return [re.sub(r"\D", "", surface) if _GROUPED_DIGITS.fullmatch(surface) else surface[:MAX_LENGTH]]


def _fold_digits(surface: str) -> str:
    """Return the text with ASCII digits for the digits of other scripts and for full-width digits."""
    if surface.isascii():
        return surface.lower()
    return "".join(str(unicodedata.digit(c)) if c.isdigit() else c for c in fold(surface))
