"""A prefix tree of phrases: which of hundreds of phrases the words of a sentence begin with."""

from collections.abc import Sequence
from typing import Generic, TypeVar

T = TypeVar("T")
_ANY_ENDING = "*"
_NO_PREFIX = 1_000  # letters, more than any word has


class PhraseTree(Generic[T]):
    """Phrases with values, below their first words. A word that ends in * stands for all words that begin so."""

    __slots__ = ("_prefixes", "_shortest", "_words", "values")

    def __init__(self) -> None:
        """Create an empty tree."""
        self.values: list[T] = []  # values of the phrases that end here
        self._words: dict[str, PhraseTree[T]] = {}
        self._prefixes: dict[str, PhraseTree[T]] = {}
        self._shortest = _NO_PREFIX  # letters of the shortest prefix

    def add(self, phrase: Sequence[str], value: T) -> None:
        """Add a phrase."""
        if not phrase:
            self.values.append(value)
            return
        first, branches = phrase[0], self._words
        if first.endswith(_ANY_ENDING):
            first, branches = first.rstrip(_ANY_ENDING), self._prefixes
            self._shortest = min(self._shortest, len(first))
        branches.setdefault(first, PhraseTree()).add(phrase[1:], value)

    def after(self, word: str) -> list["PhraseTree[T]"]:
        """Return the trees of what may follow a word; [] if no phrase begins with it."""
        beginnings = [word[:length] for length in range(self._shortest, len(word) + 1)]
        prefixed = [self._prefixes[prefix] for prefix in beginnings if prefix in self._prefixes]
        return [self._words[word], *prefixed] if word in self._words else prefixed

    def beginning(self, words: Sequence[str], start: int) -> list[T]:
        """Return the values of the phrases that the words from `start` on begin with."""
        if start == len(words) or not (branches := self.after(words[start])):
            return self.values
        return self.values + [value for branch in branches for value in branch.beginning(words, start + 1)]

    @property
    def is_end(self) -> bool:
        """Whether no phrase continues here."""
        return not (self._words or self._prefixes)
