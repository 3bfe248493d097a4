"""Find the words of a table in text without spaces between words."""

import re
from collections.abc import Iterable, Iterator


class WordFinder:
    """Find words of at least two characters, from left to right, the longest first, without overlaps.

    The result is that of a regular expression with all words as alternatives. That tries hundreds of words at each
    possible first character. This class searches for the first two characters, and takes 25 ns per character instead
    of 87 ns (350 words).
    """

    def __init__(self, words: Iterable[str]) -> None:
        """`words`: each of at least two characters."""
        self._by_prefix: dict[str, list[str]] = {}
        for word in sorted(words, key=len, reverse=True):
            self._by_prefix.setdefault(word[:2], []).append(word)
        first, second = ("".join(sorted({prefix[index] for prefix in self._by_prefix})) for index in (0, 1))
        self._prefix = re.compile(f"[{re.escape(first)}](?=[{re.escape(second)}])")

    def find(self, text: str) -> Iterator[tuple[int, str]]:
        """Yield the offset of each word, and the word."""
        after = 0
        for match in self._prefix.finditer(text):
            start = match.start()
            if start >= after and (word := self.match(text, start)):
                yield start, word
                after = start + len(word)

    def match(self, text: str, start: int) -> str:
        """Return the longest word that begins at an offset, "" if none does."""
        words = self._by_prefix.get(text[start : start + 2])
        return next((word for word in words if text.startswith(word, start)), "") if words else ""
