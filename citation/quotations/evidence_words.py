"""The words of all evidence of a response, to look for quotations in it."""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..evidence import Evidence
from ..text.steps import Steps
from .letters import Units, blocks

Ints = NDArray[np.int64]

_WORDS_OF_STEP: Final = 5_000  # words that are indexed in one step: 1 ms
_MAX_TRIES: Final = 20  # occurrences of which none begins and ends with a word
_MAX_BEGINNINGS: Final = 5_000  # occurrences of a word at which a passage may begin; 300 words are compared in 5 ms
_MAX_POSITIONS: Final = 300  # occurrences of a word that are looked at to find a passage


class Passage(NamedTuple):
    """A passage of a piece of evidence: its index, and its first word and the word after its last."""

    item: int
    first: int
    end: int


@dataclass(slots=True)
class _Block:
    """A block of a piece of evidence: its spans in the text and among the words, and its begin in the letters."""

    text: int
    text_end: int
    word: int
    word_end: int
    letter: int
    places: list[tuple[int, int]] | None = None  # its words in the text
    letters: Ints | None = None  # the offsets of its words in the letters, and the end of the last


class EvidenceWords:
    """The letters and words of evidence. A word is a position in one list of the words of all evidence."""

    def __init__(self, evidence: Sequence[Evidence]) -> None:
        """Use `read_in_steps`."""
        self.evidence = evidence
        self.units = Units()
        self._words: list[list[str]] = []
        self._letters: list[str] = []
        self._blocks: list[list[_Block]] = []
        self._ids: dict[str, int] = {}
        self._all: Ints = np.zeros(0, np.int64)  # the ids of all words; 0 between two pieces of evidence
        self._starts: list[int] = []  # the position of the first word of each piece
        self._sorted: tuple[Ints, Ints] = (self._all, self._all)  # ids in order, and their positions

    def read_in_steps(self) -> Steps[None]:
        """Read the evidence."""
        for item in self.evidence:
            words: list[str] = []
            letters: list[str] = []
            read: list[_Block] = []
            length = 0
            for start, text in blocks(item.text):
                of_block = self.units.of(text)
                read.append(_Block(start, start + len(text), len(words), len(words) + len(of_block), length))
                words += of_block
                letters.append("".join(of_block))
                length += len(letters[-1])
                yield None
            self._blocks.append(read)
            self._words.append(words)
            self._letters.append("".join(letters))

    def index_in_steps(self) -> Steps[None]:
        """Index the words, for `positions` and `window`."""
        if self._starts:
            return
        pieces: list[Ints] = [np.zeros(1, np.int64)]
        length = 1
        for words in self._words:
            self._starts.append(length)
            for start in range(0, len(words), _WORDS_OF_STEP):
                part = words[start : start + _WORDS_OF_STEP]
                pieces.append(np.array([self._ids.setdefault(word, len(self._ids) + 1) for word in part], np.int64))
                yield None
            pieces.append(np.zeros(1, np.int64))
            length += len(words) + 1
        self._all = np.concatenate(pieces)
        order = yield lambda: np.argsort(self._all, kind="stable")
        self._sorted = (self._all[order], order)

    def ids(self, words: Sequence[str]) -> Ints:
        """Return the ids of words; -1 for words that no evidence has."""
        return np.array([self._ids.get(word, -1) for word in words], np.int64)

    def find(self, letters: str, index: int, after: int = 0) -> Passage | None:
        """Return the first passage of a piece of evidence, from its word `after` on, that has exactly these letters."""
        text = self._letters[index]
        start = text.find(letters, self._letter_of(index, after) if after else 0)
        for _ in range(_MAX_TRIES):
            if start < 0:
                break
            first, end = self._word_at(index, start), self._word_at(index, start + len(letters))
            if first is not None and end is not None:
                return Passage(index, first, end)
            start = text.find(letters, start + 1)
        return None

    def longest_run(self, ids: Ints, previous: Passage | None) -> tuple[int, Passage | None]:
        """Return the length of the longest beginning of `ids` that the evidence has, and where.

        Of several places, the first after `previous` in the same piece of evidence, or the first of all.
        """
        positions = self._positions(int(ids[0]))[:_MAX_BEGINNINGS]
        length = 0
        while len(positions):
            length += 1
            longest = positions
            if length == len(ids):
                break
            positions = positions[self._all[positions + length] == ids[length]]
        if not length:
            return 0, None
        place = int(longest[0])
        if previous:
            start = self._starts[previous.item]
            following = longest[np.searchsorted(longest, start + previous.end) :]
            if len(following) and int(following[0]) < start + len(self._words[previous.item]):
                place = int(following[0])
        index = self._index_at(place)
        first = place - self._starts[index]
        return length, Passage(index, first, first + length)

    def window(self, ids: Ints) -> Passage | None:
        """Return the passage, a half longer than `ids`, that has most of these words in nearly the same places."""
        shifts, weights = [], []
        for offset, word in enumerate(ids.tolist()):
            positions = self._positions(word)[:_MAX_POSITIONS]
            if len(positions):
                shifts.append(positions - offset)
                weights.append(np.full(len(positions), 1 / (1 + len(positions))))
        if not shifts:
            return None
        places, size = np.concatenate(shifts), max(4, len(ids) // 2)
        least = int(places.min())
        counts = np.bincount((places - least) // size, np.concatenate(weights))
        sums = counts + np.append(counts[1:], 0)
        best = int(sums.argmax())
        inside = places[((places - least) // size == best) | ((places - least) // size == best + 1)]
        index = self._index_at(max(1, int(np.median(inside)) + len(ids) // 2))
        start, length = self._starts[index], len(self._words[index])
        first = least + best * size - start - 2
        return Passage(index, min(length, max(0, first)), max(0, min(length, first + 2 * size + len(ids) + 4)))

    def ids_of(self, passage: Passage) -> Ints:
        """Return the ids of the words of a passage."""
        start = self._starts[passage.item]
        return self._all[start + passage.first : start + passage.end]

    def span(self, passage: Passage) -> tuple[int, int]:
        """Return the offsets of a passage in the text of its evidence."""
        return self._place(passage.item, passage.first)[0], self._place(passage.item, passage.end - 1)[1]

    def follows(self, passage: Passage, previous: Passage) -> bool:
        """Return whether a passage continues another one in the next excerpt of the same document.

        Excerpts of a document may overlap: then the end of the first is the beginning of the second.
        """
        previous_item, item = self.evidence[previous.item], self.evidence[passage.item]
        document = previous_item.document_id or previous_item.file_name
        if passage.item == previous.item or not document or document != (item.document_id or item.file_name):
            return False
        if previous.end < len(self._words[previous.item]):
            return False
        repeated = self._words[passage.item][: passage.first]
        return not repeated or self._words[previous.item][-len(repeated) :] == repeated

    def _place(self, index: int, word: int) -> tuple[int, int]:
        """Return the offsets of a word in the text. Only the block of the word is read again."""
        block = _last(self._blocks[index], word, lambda block: block.word)
        if block.places is None:
            text = self.evidence[index].text[block.text : block.text_end]
            block.places = [(block.text + start, block.text + end) for start, end in self.units.places(text)]
        return block.places[word - block.word]

    def _word_at(self, index: int, letter: int) -> int | None:
        """Return the word that begins, or before which one ends, at an offset in the letters; None inside a word."""
        block = _last(self._blocks[index], letter, lambda block: block.letter)
        begins = self._begins(index, block)
        index_in_block = int(np.searchsorted(begins, letter))
        return (
            block.word + index_in_block if index_in_block < len(begins) and begins[index_in_block] == letter else None
        )

    def _letter_of(self, index: int, word: int) -> int:
        """Return the offset of a word in the letters; that of the end after the last."""
        block = _last(self._blocks[index], word, lambda block: block.word)
        return int(self._begins(index, block)[word - block.word])

    def _begins(self, index: int, block: _Block) -> Ints:
        """Return where the words of a block begin in the letters, and where the last ends."""
        if block.letters is None:
            words = self._words[index][block.word : block.word_end]
            lengths = np.fromiter(map(len, words), np.int64, len(words))
            block.letters = block.letter + np.concatenate([np.zeros(1, np.int64), lengths.cumsum()])
        return block.letters

    def _positions(self, word: int) -> Ints:
        """Return the positions of a word in ascending order."""
        ids, positions = self._sorted
        first, end = np.searchsorted(ids, (word, word + 1))
        return positions[first:end]

    def _index_at(self, position: int) -> int:
        return max(0, bisect_left(self._starts, position + 1) - 1)


def _last(blocks_of_item: Sequence[_Block], value: int, key: Callable[[_Block], int]) -> _Block:
    """Return the last block that begins at a value or before."""
    return blocks_of_item[max(0, bisect_left(blocks_of_item, value + 1, key=key) - 1)]
