"""Find characters in the sentences of evidence, for claims in scripts without spaces.

Words of Chinese that mean the same often share a character, and many words are one character. An index of terms has
only pairs of characters.
"""

from collections.abc import Iterable, Sequence
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

_LAST = 0xFFFF  # code points above it are not searched
_MAX_CELLS = 10_000_000  # characters times sentences: 40 MB. Of longer evidence, no characters are searched


class SentenceCharacters:
    """The characters of S sentences, each with the number of its sentence."""

    def __init__(self, texts: Sequence[str], starts: Ints, first_sentence: Ints) -> None:
        """Index N texts. `starts`, (S,): where sentences begin in them. `first_sentence`, (N,): the first of each."""
        offsets = np.array([0, *accumulate(map(len, texts))])
        begins = starts + np.repeat(offsets[:-1], np.diff(np.append(first_sentence, len(starts))))
        begins[first_sentence] = offsets[:-1]
        codes = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), dtype="<u4")
        self._codes = np.minimum(codes, _LAST).astype(np.uint16)
        self._sentences = np.repeat(np.arange(len(starts)), np.diff(np.append(begins, offsets[-1])))
        self._count = len(starts)

    def presence(self, characters: Sequence[str]) -> Floats:
        """Return which sentences contain each of C different characters, (C, S): 1 or 0."""
        if len(characters) * self._count > _MAX_CELLS:
            return np.zeros((len(characters), self._count), dtype=np.float32)
        numbers = np.full(_LAST + 1, -1, dtype=np.int32)
        numbers[[min(ord(character), _LAST) for character in characters]] = np.arange(len(characters))
        numbers[_LAST] = -1
        numbers_of_text = numbers[self._codes]
        positions = np.flatnonzero(numbers_of_text >= 0)
        presence = np.zeros((len(characters), self._count), dtype=np.float32)
        presence[numbers_of_text[positions], self._sentences[positions]] = 1.0
        return presence

    def shares(self, words: Sequence[str], alternatives: Sequence[Iterable[str]]) -> tuple[Floats, Floats]:
        """Return the share of the characters of each word in each sentence, and whether it has an alternative.

        `alternatives`: for each of U words, single characters that mean the same. Both results are (U, S).
        """
        numbered = {character: number for number, character in enumerate(dict.fromkeys("".join(words)))}
        for characters in alternatives:
            for character in characters:
                numbered.setdefault(character, len(numbered))
        present = self.presence(list(numbered))
        in_word, alike = (np.zeros((len(words), len(numbered)), dtype=np.float32) for _ in range(2))
        for row, (word, characters) in enumerate(zip(words, alternatives, strict=True)):
            in_word[row, [numbered[character] for character in word]] = 1.0
            alike[row, [numbered[character] for character in characters]] = 1.0
        # Sums of ones are exact, so that the other words do not change the result.
        return in_word @ present / in_word.sum(axis=1, keepdims=True), np.minimum(alike @ present, 1.0)
