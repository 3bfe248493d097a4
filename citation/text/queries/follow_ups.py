"""Recognise questions that refer to the one before them: "How often has it flown?", "And in 2023?", "Why?".

The rules use the words of `data/follow_ups.txt`: English, German, French, Spanish and Chinese. A question in another
language never refers back. The first rule that applies decides.
"""

import re
from functools import cache

from ..normalize import HAN, fold, to_simplified
from ..tokens import tokenize
from ..words.languages import detect_language
from ..words.word_lists import load_words
from .search_terms import query_terms, search_terms

MAX_FOLLOW_UP_CHARACTERS = 300  # characters; a longer question has content of its own
MAX_ELLIPSIS = 4  # words of a question without a verb: "In the north?"
MIN_SUBJECT = 2  # content words before a possessive pronoun, a noun and a verb, that name its owner
MAX_DROPPED = 3  # content words of a Spanish question without a subject

_WORD = re.compile(r"[^\W_]+")
_LISTS = load_words("follow_ups")
_SENTENCE_START = re.compile(r"(?<=[.!?] )\w")
_LATIN = re.compile(r"[A-Za-zÀ-ɏ]")
_HAN = re.compile(f"[{HAN}]")
_NOT_HAN = re.compile(f"[^{HAN}]+")


def refers_back(question: str, previous: str) -> bool:
    """Return whether a question cannot be understood without the previous one."""
    question, previous = question.strip(), previous.strip()
    if not question or not previous or len(question) > MAX_FOLLOW_UP_CHARACTERS:
        return False
    if _HAN.search(question):
        return _refers_back_in_chinese(to_simplified(question))
    if not _LATIN.search(question):
        return False
    votes = [token.votes for text in (question, previous) for token in tokenize(text).tokens if token.votes]
    language = "es" if question[0] in "¿¡" else detect_language(votes)
    return language in _LANGUAGES and _Question(question, language).refers_back(previous)


_LANGUAGES = frozenset(key.partition("_")[0] for key in _LISTS)


class _Question:
    """The words of one question in a language with spaces."""

    def __init__(self, text: str, language: str) -> None:
        self._asks = "?" in text
        self._language = language
        matches = list(_WORD.finditer(text))
        courtesy = self._without([fold(match[0]) for match in matches], "courtesy")
        begin = next((index for index, word in enumerate(courtesy) if word), len(matches))
        self._surfaces = [match[0] for match in matches[begin:]]
        self._words = [fold(word) for word in self._surfaces]
        starts = {match.start() for match in _SENTENCE_START.finditer(text)}
        self._begins = [index == 0 or match.start() in starts for index, match in enumerate(matches[begin:])]

    def refers_back(self, previous: str) -> bool:
        """Return whether one of the rules applies."""
        words = self._without(self._words, "courtesy")
        if not any(words):
            return False
        if not self._terms(" ".join(filter(None, words))):
            return True  # no content of its own
        if self._starts_with("opener"):
            return True
        if self._starts_with("conjunction"):
            return self._is_ellipsis(1) or not self._has_name(1, len(words))
        return (
            (self._asks and self._is_ellipsis(0))
            or self._has_reference(self._without(words, "expletive"))
            or self._repeats_noun(previous)
            or (self._language == "es" and self._drops_subject())
        )

    def _terms(self, text: str) -> list[str]:
        """Return the search terms of a text without words that are no content in a follow-up question."""
        contentless = _words(self._language, "contentless") | _words(self._language, "personal")
        ignored = {term for word in contentless for term in search_terms(word)}
        return [term for term in query_terms(text) if term not in ignored]

    def _without(self, words: list[str], kind: str) -> list[str]:
        """Return the words with "" in place of all phrases of a kind, so that positions stay."""
        remaining = list(words)
        for phrase in _phrases(self._language, kind):
            for index in _positions(remaining, phrase):
                remaining[index : index + len(phrase)] = [""] * len(phrase)
        return remaining

    def _starts_with(self, kind: str) -> bool:
        return any(tuple(self._words[: len(phrase)]) == phrase for phrase in _phrases(self._language, kind))

    def _is_ellipsis(self, start: int) -> bool:
        """Return whether the words from `start` on are few and have no verb: "In 2023?", "The Titanic?"."""
        words = self._words[start:]
        return 0 < len(words) <= MAX_ELLIPSIS + 1 and not set(words) & _words(self._language, "verb")

    def _has_reference(self, words: list[str]) -> bool:
        """Return whether a pronoun refers to something that no earlier word of the question names."""
        if any(_positions(words, phrase) for phrase in _phrases(self._language, "demonstrative")):
            return True
        for phrase in _phrases(self._language, "personal"):
            for index in _positions(words, phrase):
                if not (self._is_formal(index) or self._is_named_before(index)):
                    return True
        return False

    def _is_named_before(self, index: int) -> bool:
        """Return whether words before this pronoun may name what it stands for.

        A possessive pronoun mostly belongs to a noun of the same sentence: "How do plants store their energy?"
        """
        if self._has_name(0, index) or self._has_noun_phrase(index):
            return True
        is_possessive = self._words[index] in _words(self._language, "possessive")
        return is_possessive and len(self._terms(" ".join(self._words[:index]))) >= MIN_SUBJECT

    def _is_formal(self, index: int) -> bool:
        """Return whether a word is the German form of address: `Sie`, `Ihr`."""
        return self._language == "de" and not self._begins[index] and self._surfaces[index][0].isupper()

    def _has_name(self, start: int, end: int) -> bool:
        """Return whether words between these positions look like a name.

        German capitalizes all nouns, so that two capitalized words in a row are a name.
        """
        named = [
            not begins and (word[0].isupper() or any(c.isdigit() for c in word))
            for word, begins in zip(self._surfaces, self._begins, strict=True)
        ]
        if self._language != "de":
            return any(named[start:end])
        digits = any(any(c.isdigit() for c in word) for word in self._surfaces[start:end])
        return digits or any(named[index] and named[index + 1] for index in range(start, end - 1))

    def _has_noun_phrase(self, end: int) -> bool:
        """Return whether a determiner with a content word is before this position."""
        determiners = _words(self._language, "determiner")
        return any(
            self._words[index] in determiners and self._words[index + 1] not in _words(self._language, "verb")
            for index in range(end - 1)
        )

    def _repeats_noun(self, previous: str) -> bool:
        """Return whether a noun with a definite article is one of the previous question, and there is no name."""
        if self._has_name(0, len(self._words)):
            return False
        earlier_terms, articles = set(search_terms(previous)), _words(self._language, "article")
        nouns = [self._words[index + 1] for index, word in enumerate(self._words[:-1]) if word in articles]
        return any(set(query_terms(noun)) & earlier_terms for noun in nouns)

    def _drops_subject(self) -> bool:
        """Return whether a Spanish question has a verb and no subject: "¿Cuántas veces ha volado?"."""
        words = self._without(self._words, "expletive")
        if not self._asks or words[0] == "" or self._has_name(0, len(words)):
            return False
        determiners = _words("es", "determiner")
        if words[0] in _words("es", "verb_first"):
            return len(words) < 2 or words[1] not in determiners
        return not set(words) & determiners and len(self._terms(" ".join(words))) <= MAX_DROPPED


def _refers_back_in_chinese(question: str) -> bool:
    """Return whether a Chinese question has a pronoun without a clause before it, or no content of its own."""
    for kind in ("expletive", "courtesy"):
        for phrase in sorted(_LISTS[f"zh_{kind}"], key=len, reverse=True):
            question = question.replace(phrase, " ")
    bare = _NOT_HAN.sub("", question)
    if not bare:
        return False
    if bare.endswith("呢") and len(bare) <= 2 * MAX_ELLIPSIS:
        return True
    if any(word in question for word in _LISTS["zh_demonstrative"]):
        return True
    if any(word in question and not _has_clause_before(question, word) for word in _LISTS["zh_personal"]):
        return True
    for word in sorted(_LISTS["zh_contentless"], key=len, reverse=True):
        bare = bare.replace(word, "")
    return not bare


def _has_clause_before(question: str, word: str) -> bool:
    """Return whether a clause, which may name what the pronoun stands for, is before it."""
    return any(mark in question[: question.index(word)] for mark in "，,；;。？?")


@cache
def _phrases(language: str, kind: str) -> tuple[tuple[str, ...], ...]:
    """Return the phrases of a kind as tuples of words, longest first."""
    phrases = [tuple(phrase.split("_")) for phrase in _LISTS.get(f"{language}_{kind}", ())]
    return tuple(sorted(phrases, key=len, reverse=True))


@cache
def _words(language: str, kind: str) -> frozenset[str]:
    """Return the words of a kind. Phrases are left out."""
    return frozenset(phrase[0] for phrase in _phrases(language, kind) if len(phrase) == 1)


def _positions(words: list[str], phrase: tuple[str, ...]) -> list[int]:
    """Return where a phrase begins."""
    return [
        index for index in range(len(words) - len(phrase) + 1) if tuple(words[index : index + len(phrase)]) == phrase
    ]
