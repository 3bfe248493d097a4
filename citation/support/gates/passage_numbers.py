"""The numbers of a passage, and those that follow from them, in which a claim's numbers are looked for."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from ...text import Analysis, Quantity, analyze_title
from ...text.numbers.clock_times import clock_times
from ...text.numbers.derived import derived
from ...text.numbers.derived.shifted_dates import shifted_times
from .analyzed_sentence import AnalyzedSentence


@dataclass(frozen=True)
class PassageNumbers:
    """The part of the evidence that is searched for the claim's numbers. Derived numbers are computed once."""

    text: str
    analysis: Analysis
    title: str
    quantities: Sequence[Quantity]  # numbers of the window and the sentences around it
    nearest: AnalyzedSentence | None  # the sentence about the same topic as the claim, if there is one
    span: tuple[int, int] = (0, 0)  # span of the window and the sentences around it

    @cached_property
    def with_title(self) -> list[Quantity]:
        """The quantities, including those of the title."""
        return [*self.quantities, *analyze_title(self.title).quantities]

    @cached_property
    def within(self) -> str:
        """The text of `span`."""
        return self.text[slice(*self.span)]

    @cached_property
    def stated(self) -> list[Quantity]:
        """The quantities with offsets into the text of `span`."""
        start, _ = self.span
        return [q._replace(start=q.start - start, end=q.end - start) for q in self.quantities if start <= q.start]

    @cached_property
    def times(self) -> list[Quantity]:
        """The times of day of `span`."""
        return clock_times(self.within, self.stated)

    @cached_property
    def shifted(self) -> list[Quantity]:
        """The times of day that `span` describes by others."""
        return list(shifted_times(self.within, self.times, self.stated))

    @cached_property
    def outside_times(self) -> list[Quantity]:
        """The numbers of `span` that are no part of a time of day."""
        inside = {offset for time in self.times for offset in range(time.start, time.end)}
        return [q for q in self.stated if q.start not in inside]

    @cached_property
    def _derived(self) -> dict[tuple[bool, bool, bool], list[Quantity]]:
        return {}

    def derived(self, *, denied: bool, dated: bool, timed: bool) -> list[Quantity]:
        """Return the numbers of `span` and those that follow from them; see `derivations.derived`."""
        key = denied, dated, timed
        if key not in self._derived:
            following = derived(self.within, self.stated, denied=denied, dated=dated, timed=timed)
            self._derived[key] = [*self.stated, *following]
        return self._derived[key]
