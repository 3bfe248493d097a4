"""Find the quotations of one choice while its text is shown."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, NamedTuple

from ..text.segmentation import CITABLE, Kind
from .marks import find_quotations, may_quote

MAX_PARAGRAPH_CHARACTERS: Final = 10_000  # characters that are read at once, in at most 10 ms; no quotation is longer


class Cited(NamedTuple):
    """A sentence of the shown text, and the evidence that is cited for it."""

    start: int
    end: int
    by_model: tuple[int, ...]  # evidence numbers of the model's markers
    shown: tuple[int, ...]  # those of the decision


@dataclass(frozen=True, slots=True)
class Quotation:
    """A quotation in the shown text of a choice."""

    choice: int
    text: str  # without our markers
    places: tuple[tuple[int, int], ...]  # offsets in `text` of its parts without markers, and in the shown text
    attributed: tuple[int, ...]  # numbers of the evidence that is cited for it

    def place(self, offset: int) -> int:
        """Return the place in the shown text of an offset in `text`."""
        inside, shown = next(pair for pair in reversed(self.places) if pair[0] <= offset)
        return shown + offset - inside


class QuotationFinder:
    """Collects a paragraph of shown text, and reads its quotations when it ends."""

    def __init__(self, choice: int, add: Callable[[Quotation], None]) -> None:
        """`add` receives each quotation."""
        self._choice = choice
        self._add = add
        self._texts: list[str] = []
        self._length = 0
        self._places: list[tuple[int, int]] = []  # offsets in the collected text, and in the shown text
        self._cited: list[Cited] = []
        self._may_quote = False

    def feed(self, start: int, text: str, kind: Kind, markers: Iterable[tuple[int, int]], cited: Cited) -> None:
        """Add the next shown text, which begins at `start`. `markers`: spans of our markers in it."""
        if kind not in CITABLE:
            self.flush()
            return
        is_blank_line = bool(self._texts) and self._texts[-1].endswith("\n") and "\n" in text and not text.strip()
        done = 0
        for begin, end in markers:
            self._append(start + done, text[done:begin])
            done = max(done, end)
        self._append(start + done, text[done:])
        self._cited.append(cited)
        self._may_quote = self._may_quote or may_quote(text)
        if self._length > MAX_PARAGRAPH_CHARACTERS or text.endswith("\n\n") or is_blank_line:
            self.flush()

    def flush(self) -> None:
        """Read the collected text, because its paragraph ends."""
        if self._may_quote:
            paragraph = "".join(self._texts)
            for start, end, _ in find_quotations(paragraph):
                self._add(self._quotation(paragraph, start, end))
        self._clear()

    def _clear(self) -> None:
        self._texts, self._length = [], 0
        self._places, self._cited = [], []
        self._may_quote = False

    def _append(self, shown: int, text: str) -> None:
        if text:
            self._places.append((self._length, shown))
            self._texts.append(text)
            self._length += len(text)

    def _quotation(self, paragraph: str, start: int, end: int) -> Quotation:
        text = paragraph[start:end]
        start += len(text) - len(text.lstrip())
        text = text.strip()
        before = [place for place in self._places if place[0] <= start][-1:]
        inside = [place for place in self._places if start < place[0] < start + len(text)]
        places = tuple((max(0, offset - start), shown + max(0, start - offset)) for offset, shown in [*before, *inside])
        first = places[0][1]
        last = places[-1][1] + len(text) - places[-1][0]
        sentences = [sentence for sentence in self._cited if sentence.start < last and sentence.end > first]
        by_model = dict.fromkeys(number for sentence in sentences for number in sentence.by_model)
        shown = dict.fromkeys(number for sentence in sentences for number in sentence.shown)
        return Quotation(self._choice, text, places, tuple(by_model or shown))
