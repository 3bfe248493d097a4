"""Number gate: every number of the claim must be in the passage, with its unit, and refer to the same thing."""

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import NamedTuple

from ...text import Analysis, Quantity, agrees
from ...text.numbers.clock_times import clock_times
from ...text.numbers.derived import derived, notations
from ...text.numbers.derived.differences import changes
from ...text.numbers.quantities import CLOCK, MONTH, RATIO, same_kind
from ...text.words.word_lists import any_word, load_words
from ..features.claim_numbers import MOST_NUMBERS
from .analyzed_sentence import AnalyzedSentence
from .passage_numbers import PassageNumbers

# The first terms of a claim usually name its subject, which the evidence names in another part of the sentence.
_SUBJECT_TERMS, _SUBJECT_TERMS_HAN = 1, 2  # words, or pairs of characters of scripts without spaces
_PHRASES = load_words("number_phrases")
_HALF_OF, _MORE_THAN_HALF, _MAJORITY = (
    re.compile(any_word(_PHRASES[key]), re.IGNORECASE) for key in ("half_of", "more_than_half", "majority")
)
_AT_LEAST, _AT_MOST, _DENYING = (
    re.compile(any_word(_PHRASES[key]) + r"\s$", re.IGNORECASE) for key in ("at_least", "at_most", "denying")
)
_HAN_MORE, _HAN_DAY = frozenset("余多"), frozenset("日号")  # after a number: and more; a day of the month
# The acronym before the number of "COVID-19". Any other capitalized word may be invented with its number: "Phase-3".
_NUMBERED_NAME = re.compile(r"(?:\bCovid|[^\W\d_]*[A-ZÀ-Þ][^\W\d_]*[A-ZÀ-Þ][^\W\d_]*)(?=-$)")
_ELLIPTIC = re.compile(r"(?:^|[.;,]\s?|\band\s)[Tt]he\s$")
_LEAD_IN_CHARACTERS = 16  # characters before a number that are searched for a bound, an article or a name
_NEAR = 1.2  # maximum ratio of a number and its bound; more is hardly ever meant
_LONG = 10  # terms of a claim; longer ones state several things, of which a passage supports the main one
_OF_CLOCK, _LAST_MINUTE = frozenset({"", "time", CLOCK}), 1440  # numbers that may be part of a time of day


class Mismatch(NamedTuple):
    """A number of the claim that the passage contradicts, or does not state."""

    detail: str
    conflict: bool  # whether the passage gives another number for the same thing
    added: bool = False  # whether a long claim states one number more than the passage, which has none of this kind


class NumberGate:
    """The numbers of one claim, analyzed once for all evidence."""

    def __init__(self, text: str, analysis: Analysis, claim: AnalyzedSentence, *, han: bool) -> None:
        """`claim`: the whole claim as one sentence. `han`: its script has no spaces."""
        self.text = text
        self.claim = claim
        self.quantities = [(quantity, _counted_term(quantity, analysis)) for quantity in analysis.quantities]
        halved = _mentions_half(text)
        self.quantities += [(half, "") for half in _halves(text)] if halved else []
        self._majority = halved and bool(_MORE_THAN_HALF.search(text))
        words = [term for term in claim.terms if term[0] != "#"] if self.quantities else []
        self.subject = set(words[: _SUBJECT_TERMS_HAN if han else _SUBJECT_TERMS])
        self.terms = set(claim.terms).difference(self.subject)
        self._clock: list[Quantity] | None = None  # the times of day of the claim, once they are needed

    def mismatch(self, passage: PassageNumbers, is_instance: Callable[[Quantity], bool]) -> Mismatch | None:
        """Return the first number of the claim that disagrees with the passage, None if none does.

        `is_instance`: whether a bound of the passage covers a number of the claim; see `instances`.
        """
        if len(self.quantities) > MOST_NUMBERS:
            return self._not_written(passage)
        added: Mismatch | None = None
        for quantity, counted in self.quantities:
            mismatch = self._mismatch_of(quantity, counted, passage, is_instance)
            if mismatch and not mismatch.added:
                return mismatch
            added = added or mismatch
        return (self._reversed_change(passage.nearest) if passage.nearest else None) or added

    def _mismatch_of(
        self, quantity: Quantity, counted: str, passage: PassageNumbers, is_instance: Callable[[Quantity], bool]
    ) -> Mismatch | None:
        """Return how one number disagrees. `counted`: the term that it counts, or ""."""
        nearest = passage.nearest
        if (stated := self._states_time_of(quantity, passage)) is not None:
            return None if stated or is_instance(quantity) else self._missing(quantity, passage)
        near = [q for q in nearest.quantities if agrees(quantity, q)] if nearest else []
        if not any(_fully_agrees(q, quantity, counted, passage.analysis) for q in near):  # usually one does
            agreeing = [q for q in passage.with_title if agrees(quantity, q)]
            if self._is_required(quantity, passage) and not _confirmed(quantity, agreeing, passage):
                if self._derivable(quantity, passage) or is_instance(quantity):
                    return None
                return self._missing(quantity, passage)._replace(added=self._uncontested(quantity, passage))
            if nearest and (number_of_passage := _conflicting_count(quantity, counted, agreeing, passage)):
                if quantity.ordinal and self._derivable(quantity, passage):
                    return None  # "Oskar the Second" for "Oskar II, the third son"
                return Mismatch(f"the passage says {number_of_passage}, not {self._written(quantity)}", conflict=True)
        if nearest and (number_of_passage := self._misattributed(quantity, near, nearest)):
            return Mismatch(f"the passage says {number_of_passage}, not {self._written(quantity)}", conflict=True)
        return None

    def _missing(self, quantity: Quantity, passage: PassageNumbers) -> Mismatch:
        """Return the mismatch of a number that the passage does not state."""
        return Mismatch(f"the passage does not say {self._written(quantity)}", conflict=False)

    def _reversed_change(self, nearest: AnalyzedSentence) -> Mismatch | None:
        """Return a mismatch if the passage states a change between two numbers in the other direction."""
        for before, after in changes(self.text, self.claim.quantities):
            for first, second in changes(nearest.text, nearest.quantities):
                is_reversed = agrees(before, second) and agrees(after, first)
                if is_reversed and not (agrees(before, first) and agrees(after, second)):
                    claim_change, passage_change = (
                        self.text[before.start : after.end],
                        nearest.text[first.start : second.end],
                    )
                    return Mismatch(f"the passage says {passage_change}, not {claim_change}", conflict=True)
        return None

    def _is_required(self, quantity: Quantity, passage: PassageNumbers) -> bool:
        """Return whether the passage must have a number.

        The number of an acronym is required only if the passage has the acronym: one that is about SARS-CoV-2 may
        support a claim about COVID-19, but one about SARS-CoV-2 does not support a claim about SARS-CoV-1.
        """
        if not quantity.strict or quantity.unit or quantity.may_be_year:
            return quantity.strict
        begin = max(0, quantity.start - _LEAD_IN_CHARACTERS)
        name = _NUMBERED_NAME.search(self.text, begin, quantity.start)
        return name is None or name[0].lower() in passage.within.lower()

    def _states_time_of(self, quantity: Quantity, passage: PassageNumbers) -> bool | None:
        """Return whether the passage states the time of day that a number belongs to, None if that is not known."""
        if quantity.unit not in _OF_CLOCK or not quantity.values or quantity.values[0] > _LAST_MINUTE:
            return None
        if self._clock is None:
            self._clock = clock_times(self.text, self.claim.quantities) if self.claim.quantities else []
        claim_time = next((time for time in self._clock if time.start <= quantity.start < time.end), None)
        if claim_time is None:
            return None
        if any(agrees(claim_time, time) for time in (*passage.times, *passage.shifted)):
            return True
        bare = any(not q.unit and agrees(quantity, q) for q in passage.outside_times)
        return None if not passage.times or bare else False

    def _not_written(self, passage: PassageNumbers) -> Mismatch | None:
        """Return the mismatch of a long list of numbers: the passage does not have one of them as it is written."""
        terms = {q.term for q in passage.with_title}
        missing = next((q for q, _ in self.quantities if q.strict and q.term not in terms), None)
        return self._missing(missing, passage) if missing else None

    def has_other_unit(self, passage: PassageNumbers) -> bool:
        """Return whether the passage has a number of the claim with another unit: 20 °C for 20 °F."""
        return any(
            claimed.unit and stated.unit and claimed.unit != stated.unit and set(claimed.values) & set(stated.values)
            for claimed, _ in self.quantities[:MOST_NUMBERS]
            for stated in passage.quantities
        )

    def _written(self, quantity: Quantity) -> str:
        """Return a number as the claim writes it."""
        return self.text[quantity.start : quantity.end]

    def _derivable(self, quantity: Quantity, passage: PassageNumbers) -> bool:
        """Return whether the number follows from others of the passage: 20 percent from "one in five"."""
        text, stated = passage.within, passage.stated
        if self._majority and quantity.unit == RATIO and _MAJORITY.search(text):
            return True
        if self._bounds(quantity, stated, text):
            return True
        dated = any(q.unit == MONTH for q, _ in self.quantities)
        timed = quantity.unit == "time"
        derived = passage.derived(denied=bool(self.claim.negations), dated=dated, timed=timed)
        if quantity.ordinal:  # "one" does not state "the first"
            derived = [number for number in derived if number.ordinal]
        if any(agrees(form, number) for form in [quantity, *notations(quantity)] for number in derived):
            return True
        # "errors occur in one in two hundred cases": the two numbers of the claim are one ratio.
        ratios = [q for q in self._ratios if q.start <= quantity.start < q.end]
        return any(agrees(ratio, number) for ratio in ratios for number in derived)

    @cached_property
    def _ratios(self) -> list[Quantity]:
        """The shares that follow from the numbers of the claim."""
        return [q for q in derived(self.text, [q for q, _ in self.quantities]) if q.unit in {RATIO, "%"}]

    def _bounds(self, quantity: Quantity, stated: Sequence[Quantity], text: str) -> bool:
        """Return whether the claim bounds a number that `text` states exactly: "more than 1,900" for 1,950."""
        if not quantity.values or quantity.may_be_year or quantity.ordinal:
            return False
        value = quantity.base_value
        low, high = {">": (value, value * _NEAR), "<": (value / _NEAR, value)}.get(
            _bound_before(self.text, quantity), (0.0, 0.0)
        )
        return high > low and any(
            q.values and q.unit == quantity.unit and low <= q.base_value <= high and not _bound_before(text, q)
            for q in stated
        )

    def _uncontested(self, quantity: Quantity, passage: PassageNumbers) -> bool:
        """Return whether a long claim states one number more than the passage, which has none of this kind."""
        if len(self.claim.terms) <= _LONG:
            return False
        return not any(same_kind(quantity, stated) for stated in passage.quantities)

    def _misattributed(self, quantity: Quantity, near: Sequence[Quantity], nearest: AnalyzedSentence) -> str:
        """Return the number that the passage gives for the claim's subject, if the claim's number refers to another.

        `near`: the numbers of the nearest sentence that agree with the claim's.
        """
        if len(near) in (0, len(nearest.quantities)):
            return ""
        kind = quantity.unit, quantity.may_be_year
        here = [q for q in near if (q.unit, q.may_be_year) == kind]
        if not here:
            return ""
        terms = self.terms - {quantity.term}
        for q in here:
            if nearest.part_has_any(terms, q.start, q.end):
                return ""
            if nearest.part_has_any(self.subject, q.start, q.end) and not nearest.in_first_part(q.start):
                return ""  # "men 14 days, women 11 days"
        alternatives = [q for q in nearest.quantities if (q.unit, q.may_be_year) == kind and q not in here]
        if self.text[quantity.end : quantity.end + 1] not in _HAN_DAY:
            alternatives = [q for q in alternatives if nearest.text[q.end : q.end + 1] not in _HAN_DAY]
        if any(agrees(claim_number, q) for claim_number in self.claim.quantities for q in alternatives):
            return ""  # the claim gives several numbers
        alternatives = [q for q in alternatives if nearest.part_has_any(terms, q.start, q.end)]
        return nearest.text[alternatives[0].start : alternatives[0].end] if alternatives else ""


def _mentions_half(text: str) -> bool:
    """Return whether a pattern for halves may match. This takes 1 µs, the patterns 16 µs per claim."""
    lower = text.lower()
    return any(word in lower for word in _PHRASES["half"])


def _bound_before(text: str, quantity: Quantity) -> str:
    """Return ">" or "<" if a number has a lower or an upper bound before it, or "". In Chinese 余 is after it."""
    if text[quantity.end : quantity.end + 1] in _HAN_MORE:
        return ">"
    begin = max(0, quantity.start - _LEAD_IN_CHARACTERS)
    for pattern, bound, reverse in ((_AT_LEAST, ">", "<"), (_AT_MOST, "<", ">")):
        if bound_phrase := pattern.search(text, begin, quantity.start):
            denied = _DENYING.search(text, max(0, bound_phrase.start() - _LEAD_IN_CHARACTERS), bound_phrase.start())
            return reverse if denied else bound
    return ""


def _halves(text: str) -> list[Quantity]:
    """Return "half of the …" as a ratio: the parser leaves it out, since "half" often counts nothing."""
    half = _HALF_OF.search(text)
    return [Quantity((0.5,), *half.span(), unit=RATIO)] if half else []


def _counted_term(quantity: Quantity, analysis: Analysis) -> str:
    """Return the term that a number of the claim counts, or ""."""
    counted = _next_term(analysis, quantity.end)
    return "" if not counted or counted[0] == "#" or not quantity.values or quantity.may_be_year else counted


def _fully_agrees(stated: Quantity, quantity: Quantity, counted: str, analysis: Analysis) -> bool:
    """Return whether a number of the passage that agrees has a unit, is an ordinal, and counts the same.

    Each is required only if it is so of the claim's number, `quantity`.
    """
    return bool(
        (stated.unit or not quantity.unit)
        and (stated.ordinal or not quantity.ordinal)
        and (not counted or _counts(stated, counted, analysis))
    )


def _confirmed(quantity: Quantity, agreeing: Sequence[Quantity], passage: PassageNumbers) -> bool:
    """Return whether a number of the passage agrees; one without unit only if no number has the claim's unit."""
    if not agreeing or not quantity.unit or any(number.unit for number in agreeing):
        return bool(agreeing)
    return not any(number.unit == quantity.unit for number in passage.with_title)


def _conflicting_count(quantity: Quantity, counted: str, agreeing: Sequence[Quantity], passage: PassageNumbers) -> str:
    """Return the number that the passage gives for the same counted thing, if it never gives the claim's.

    A number of the title is a year or an edition: it can confirm a number, but it counts nothing.
    """
    text, analysis, numbers = passage.text, passage.analysis, passage.quantities
    if quantity.ordinal and any(
        q.ordinal and _ELLIPTIC.search(text, max(0, q.start - _LEAD_IN_CHARACTERS), q.start) for q in agreeing
    ):
        return ""  # "Her first album …. The second followed …"
    if quantity.ordinal and not quantity.strict and not any(q.ordinal for q in agreeing):
        ordinal = next((q for q in numbers if q.ordinal), None)
        if ordinal:
            return text[ordinal.start : ordinal.end]
    here = [q for q in numbers if agrees(quantity, q)] if counted else []
    if not counted or any(_counts(q, counted, analysis) for q in here):
        return ""
    same = next((q for q in numbers if q.ordinal == quantity.ordinal and _counts(q, counted, analysis)), None)
    if same is None or any(not q.unit and not _next_term(analysis, q.end) for q in here):
        return ""  # nothing counts the same, or an agreeing number counts nothing in particular
    return text[same.start : same.end]


def _counts(quantity: Quantity, counted: str, analysis: Analysis) -> bool:
    """Return whether a number of the evidence counts this term."""
    return bool(quantity.values) and _next_term(analysis, quantity.end) == counted and not quantity.may_be_year


def _next_term(analysis: Analysis, offset: int) -> str:
    index = bisect_left(analysis.starts, offset)
    return analysis.terms[index] if index < len(analysis.starts) and analysis.starts[index] - offset <= 1 else ""
