"""Dates that others are counted from: each belongs to its own event."""

from collections.abc import Iterator, Sequence

from ....text.clauses import ContentToken, Statement
from ....text.numbers.derived.shifted_dates import Date, moved, stated_dates
from ....text.numbers.derived.shifts import Shift, counted, is_complete
from ..alignment import Alignment, PassageAlignment
from ..disagreement import Disagreement, Reason

_MOST_SHIFTS = 20  # A sentence with more is a table


def stated_for_computed_date(aligned: PassageAlignment) -> Iterator[Disagreement]:
    """Yield a disagreement if the claim gives a stated date to an event that the passage counts from that date.

    "First seen on 3 January. Two days later Lick confirmed the sighting" and "The sighting was confirmed on 3 January";
    "In 2008, the year after she had graduated, she joined" and "She graduated in 2008".
    """
    claim = aligned.claim
    own = list(stated_dates(claim.quantities))
    if len(own) != 1 or claim.language == "zh":
        return
    base: tuple[Date, Alignment] | None = None  # the last date of the sentences before, and its sentence
    for one in aligned.sentences:
        passage, numbers = one.passage, one.passage.quantities
        dates = list(stated_dates(numbers))
        shifts = list(counted(passage.text, numbers, dates[0].start if dates else 0)) if base or dates else []
        for shift in shifts if len(shifts) <= _MOST_SHIFTS else ():
            complete = is_complete(passage.text, shift)
            before = [date for date in dates if date.start < shift.start or not complete]
            counted_from = (before[-1 if complete else 0], one) if before else base
            if counted_from and _contradicts(own[0], counted_from[0], shift.step):
                event = _counted_event(passage, shift, dates if complete else None)
                if _is_about(claim, event, one, counted_from[1]):
                    said = passage.text_of(shift, event[-1])
                    mine = claim.text_of(own[0])
                    yield Disagreement(Reason.BINDING, f"the passage says “{said}”, not “{mine}”", rule="date")
                    return
        base = (dates[-1], one) if dates else base


def _contradicts(own: Date, base: Date, step: tuple[int, int]) -> bool:
    """Return whether `own` is the date `base`, or a part of it, and differs from that date after a shift."""
    days, months = step
    if (days and not base.day) or (months % 12 and not base.month):
        return False
    reached = moved(base, days, months)
    parts = list(zip(own[:3], base[:3], (reached.year, reached.month, reached.day), strict=True))
    return all(not mine or mine == first for mine, first, _ in parts) and any(
        mine not in {0, b} for mine, _, b in parts
    )


def _counted_event(passage: Statement, shift: Shift, dates: Sequence[Date] | None) -> list[ContentToken]:
    """Return the words of the event that a shift dates: those around "a year later", or after "a year after".

    `dates`: those of the sentence for a shift that is complete, None for one that names what it is counted from.
    """
    if dates is None:
        following = [t for t in passage.tokens if t.start >= shift.end]
        return [t for t in following if t.piece == following[0].piece]
    piece = max((t.piece for t in passage.tokens if t.start < shift.end), default=0)
    after = min((date.start for date in dates if date.start > shift.start), default=len(passage.text))
    return [t for t in passage.tokens if t.piece >= piece and t.start < after]


def _is_about(claim: Statement, event: Sequence[ContentToken], one: Alignment, dated: Alignment) -> bool:
    """Return whether `event`, words of `one`, has words of the claim, and the rest of `dated` none of its verbs.

    `dated`: the sentence with the date from which the event is counted.
    """
    words = [at for at, token in enumerate(claim.tokens) if token.quantity is None]
    here = {at for at in words if (match := one.matches[at]) and match.sign > 0 and match.token in event}
    there = {at for at in words if (match := dated.matches[at]) and match.token not in event} - here
    return bool(here) and not any(claim.tokens[at].verbal and not claim.tokens[at].name for at in there)
