"""The quotations of a response, and whether the evidence has their words."""

import re
from collections.abc import Sequence
from itertools import islice
from typing import Any, Final

from ..evidence import Evidence
from ..text.segmentation import Kind
from ..text.steps import Steps, complete
from .comparison import Change, Comparison, compare_in_steps
from .evidence_words import EvidenceWords
from .finder import Cited, Quotation, QuotationFinder
from .letters import Units

MAX_QUOTATIONS: Final = 500  # maximum per response; with 100 excerpts of 1,000 characters, 500 altered ones take 0.5 s
MAX_ELLIPSES: Final = 50  # maximum per quotation; each begins a part
MAX_CHANGES: Final = 20  # maximum per quotation

_ELLIPSIS = re.compile(r"[\[(（]?\s*(?:…|\.\s?\.\s?\.|⋯)+\s*[\])）]?")


class QuotationReport:
    """Finds the quotations of all choices of a response, and compares them with its evidence."""

    def __init__(self, evidence: Sequence[Evidence], question: str = "") -> None:
        """`question`: of the user. Words that are quoted from it are not from the evidence."""
        self._evidence = evidence
        self._question = question
        self._finders: dict[int, QuotationFinder] = {}
        self._pending: list[Quotation] = []
        self._count = 0
        self._words: EvidenceWords | None = None
        self._other_letters: list[str] = []  # the letters of the question and of titles, which are no passages
        self.entries: list[dict[str, Any]] = []

    def feed(
        self, choice: int, start: int, text: str, kind: Kind, markers: Sequence[tuple[int, int]], cited: Cited
    ) -> None:
        """Add the next shown text of a choice. See QuotationFinder."""
        finder = self._finders.get(choice)
        if finder is None:
            finder = self._finders[choice] = QuotationFinder(choice, self._add)
        finder.feed(start, text, kind, markers, cited)

    def finish(self) -> list[dict[str, Any]]:
        """Return the JSON form of all quotations. The text of all choices ends here."""
        complete(self.finish_in_steps())
        return self.entries

    def finish_in_steps(self) -> Steps[None]:
        """Compare the remaining quotations in steps."""
        for finder in self._finders.values():
            finder.flush()
            yield None
        yield from self.compare_in_steps()

    def compare_in_steps(self) -> Steps[None]:
        """Compare the quotations that were found so far."""
        if not self._pending:
            return
        if self._words is None:
            words = EvidenceWords(self._evidence)
            yield from words.read_in_steps()
            self._words = words
            names = {name for item in self._evidence for name in (item.title, item.file_name) if name}
            self._other_letters = ["".join(words.units.of(text)) for text in (self._question, *names)]
        while self._pending:
            entry = yield from _entry_in_steps(self._pending.pop(0), self._words, self._other_letters)
            if entry:
                self.entries.append(entry)

    def _add(self, quotation: Quotation) -> None:
        self._count += 1
        if self._evidence and self._count <= MAX_QUOTATIONS:
            self._pending.append(quotation)


def _entry_in_steps(quotation: Quotation, words: EvidenceWords, ignored: Sequence[str]) -> Steps[dict[str, Any] | None]:
    """Return the JSON form of a quotation; None if it has no letters, or quotes one of the other texts."""
    parts, places = _parts(quotation.text, words.units)
    letters = "".join(word for part in parts for word in part)
    if not letters or any(letters in ignored_letters for ignored_letters in ignored):
        return None
    yield None
    numbers = {item.number: index for index, item in enumerate(words.evidence)}
    attributed = [numbers[number] for number in quotation.attributed if number in numbers]
    comparison = yield from compare_in_steps(parts, words, attributed)
    last = quotation.place(len(quotation.text) - 1) + 1
    return {
        "choice": quotation.choice,
        "start": quotation.place(0),
        "end": last,
        "status": comparison.status.value,
        **_passage_fields(comparison, words),
        "attributed": list(quotation.attributed),
        "changes": [_change_fields(change, quotation, places, words) for change in comparison.changes[:MAX_CHANGES]],
    }


def _parts(text: str, units: Units) -> tuple[list[list[str]], list[tuple[int, int]]]:
    """Return the words between the ellipses of a quotation, and the offsets of all its words."""
    parts: list[list[str]] = []
    places: list[tuple[int, int]] = []
    start = 0
    for separator in [*islice(_ELLIPSIS.finditer(text), MAX_ELLIPSES), None]:
        piece = text[start : separator.start() if separator else len(text)]
        if words := units.of(piece):
            parts.append(words)
            places += [(start + begin, start + end) for begin, end in units.places(piece)]
        start = separator.end() if separator else len(text)
    return parts, places


def _passage_fields(comparison: Comparison, words: EvidenceWords) -> dict[str, Any]:
    """Return the passages of the evidence; the number and the quote if all are in one piece of evidence."""
    passages = []
    for passage in comparison.passages:
        item, (start, end) = words.evidence[passage.item], words.span(passage)
        quote = {"quote": item.text[start:end], "quote_start": start, "quote_end": end}
        passages.append({"evidence_number": item.number, **quote})
    numbers = {passage["evidence_number"] for passage in passages}
    return {"evidence_number": numbers.pop() if len(numbers) == 1 else None, "passages": passages}


def _change_fields(
    change: Change, quotation: Quotation, places: Sequence[tuple[int, int]], words: EvidenceWords
) -> dict[str, Any]:
    """Return the words of the quotation with their place in the shown text, and those of the evidence instead."""
    first, end = change.quoted
    begin = places[first][0] if first < len(places) else len(quotation.text)
    stop = places[end - 1][1] if end > first else begin
    instead = change.passage
    evidence = words.evidence[instead.item].text[slice(*words.span(instead))] if instead.end > instead.first else ""
    start = quotation.place(begin)
    return {"start": start, "end": start + stop - begin, "quoted": quotation.text[begin:stop], "evidence": evidence}
