"""The raw pieces of a text, and what is found among them."""

from dataclasses import dataclass
from typing import NamedTuple

from .numbers.quantities import Quantity
from .words import Word

_CLOSE = frozenset({"", " ", "\u00a0", "\u202f", "-"})


@dataclass(slots=True)
class Tokens:
    """Words, numbers and what else a text consists of, in order; where each stands; and which may count something."""

    text: str
    words: list[Word]
    starts: list[int]
    ends: list[int]
    candidates: list[int]

    def __len__(self) -> int:
        """How many."""
        return len(self.words)

    def kind(self, i: int) -> str:
        """Of the piece at `i`, which there is: `word`, `number`, `date`, `version`, or `run` of an unspaced script."""
        return self.words[i].kind

    def spelled(self, i: int) -> str:
        """The piece at `i`, which there is."""
        return self.text[self.starts[i] : self.ends[i]]

    def word(self, i: int) -> str:
        """The folded word at `i`; "" where there is none, inside the text or beyond it."""
        return self.words[i].folded if 0 <= i < len(self.words) else ""

    def close(self, end: int, i: int) -> bool:
        """Whether piece `i` follows offset `end` at once: nothing but a space or a hyphen between."""
        return i < len(self.starts) and (self.starts[i] <= end or self.text[end : self.starts[i]] in _CLOSE)


class QuantityMatch(NamedTuple):
    """A quantity and the pieces it takes up: `first` to `after`, exclusive; none, inside a run."""

    quantity: Quantity
    first: int
    after: int
