"""The raw pieces of a text, and what is found among them."""

from dataclasses import dataclass, field
from typing import NamedTuple

from .quantities import Quantity
from .words import Word

_CLOSE = frozenset({"", " ", "\u00a0", "\u202f", "-"})


@dataclass(slots=True)
class Pieces:
    """Side by side: kind, text, word (where it is one), place.

    Kinds: `number`, `date`, `version`, `word`, `run` (of a script without spaces). `candidates`: pieces that may count.
    """

    text: str
    kinds: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    words: list[Word | None] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    candidates: list[int] = field(default_factory=list)

    def __len__(self) -> int:
        """How many."""
        return len(self.kinds)

    def word(self, i: int) -> str:
        """The folded word at `i`; "" where there is none, inside the text or beyond it."""
        known = self.words[i] if 0 <= i < len(self.words) else None
        return known.folded if known else ""

    def close(self, end: int, i: int) -> bool:
        """Whether piece `i` follows offset `end` at once: nothing but a space or a hyphen between."""
        return i < len(self.starts) and (self.starts[i] <= end or self.text[end : self.starts[i]] in _CLOSE)


class Found(NamedTuple):
    """A quantity and the pieces it takes up: `first` to `after`, exclusive; none, inside a run."""

    quantity: Quantity
    first: int
    after: int
