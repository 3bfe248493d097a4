"""Divide Chinese text into words by a list of common words. The division with the fewest words is chosen."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

from ..words.word_lists import load_lines, load_words
from .vocabulary import operator_phrases, vocabulary

# Costs of a word with several characters, of a word with one character, and of a character that begins no word.
_LONG_WORD, _SHORT_WORD, _UNKNOWN = 1.0, 1.1, 1.5
_LONGEST_GIVEN_CHARACTERS = 2  # characters of a given name


class Word(NamedTuple):
    """A word with its offsets. `roles`: the keys of words.txt that list it, and `operator`; empty if it is unknown."""

    start: int
    end: int
    roles: frozenset[str]
    is_name: bool = False


@dataclass(frozen=True, slots=True)
class Lexicon:
    """The words of a language by their first character."""

    roles: Mapping[str, frozenset[str]]
    lengths: Mapping[str, tuple[int, ...]]  # lengths of the words that begin with a character, in ascending order
    surnames: frozenset[str]

    def divide(self, text: str, start: int, end: int) -> Iterator[Word]:
        """Yield the words of `text[start:end]`, which is Chinese. Neighbouring unknown characters are one word."""
        for joins, words in groupby(self._with_names(text, self._words(text, start, end)), key=_joins):
            if joins:
                first, *following = words
                yield first._replace(end=following[-1].end, roles=frozenset()) if following else first
            else:
                yield from words

    def _words(self, text: str, start: int, end: int) -> list[Word]:
        """Return the words of the division that costs least. Of two that cost the same, the last word is longer."""
        size = end - start
        cost = [0.0] + [float("inf")] * size
        length = [1] * (size + 1)
        for offset in range(size):
            here = cost[offset]
            begin = start + offset
            for long in self.lengths.get(text[begin], ()):
                to = offset + long
                if to <= size and text[begin : begin + long] in self.roles:
                    total = here + (_SHORT_WORD if long == 1 else _LONG_WORD)
                    if total < cost[to]:
                        cost[to], length[to] = total, long
            if here + _UNKNOWN < cost[offset + 1]:
                cost[offset + 1], length[offset + 1] = here + _UNKNOWN, 1
        words: list[Word] = []
        offset = size
        while offset:
            first = start + offset - length[offset]
            words.append(Word(first, start + offset, self.roles.get(text[first : start + offset], frozenset())))
            offset -= length[offset]
        return words[::-1]

    def _with_names(self, text: str, words: Sequence[Word]) -> Iterator[Word]:
        """Yield the words, with a surname and the one or two single characters after it as one."""
        index = 0
        while index < len(words):
            word = words[index]
            after = index + 1
            if word.end - word.start == 1 and text[word.start] in self.surnames and "operator" not in word.roles:
                while after < len(words) and after - index <= _LONGEST_GIVEN_CHARACTERS and _may_name(words[after]):
                    after += 1
            alone = word.roles <= {"noun"} and text[word.start : word.end] in self.surnames  # 林导演
            if after > index + 1 or (alone and after < len(words) and words[after].roles & {"noun"}):
                word = Word(word.start, words[after - 1].end, frozenset({"noun"}), is_name=True)
            yield word
            index = after


def _joins(word: Word) -> bool:
    """Return whether a character becomes part of a longer word together with its neighbours of this kind."""
    return word.end - word.start == 1 and word.roles <= {"noun"}


def _may_name(word: Word) -> bool:
    return word.end - word.start == 1 and word.roles <= {"noun", "adjective"}


@lru_cache(maxsize=1)
def lexicon() -> Lexicon:
    """Return the words of the lists for Chinese. Those of operators.txt have the role `operator`, too."""
    roles: dict[str, set[str]] = {}
    for role, words in load_words("zh/words").items():
        for word in words:
            roles.setdefault(word, set()).add(role)
    for name in ("antonyms", "synonyms", "classes"):
        for word in re.split(r"[\s|/:]+", " ".join(load_lines(f"zh/{name}"))):
            if word >= "\u2e80":
                roles.setdefault(word, set()).add("listed")
    for _, phrase in operator_phrases("zh"):
        roles.setdefault(phrase, set()).add("operator")
    lengths: dict[str, set[int]] = {}
    for word in roles:
        lengths.setdefault(word[0], set()).add(len(word))
    return Lexicon(
        {word: frozenset(word_roles) for word, word_roles in roles.items()},
        {first: tuple(sorted(word_lengths)) for first, word_lengths in lengths.items()},
        vocabulary("zh").role("surname"),
    )
