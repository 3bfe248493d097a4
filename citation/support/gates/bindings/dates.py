"""Dates that the claim computes: they belong to the event that the passage counts from another, not to that other."""

from collections.abc import Iterator

from ....text.clauses import ContentToken
from ....text.numbers.quantities import MONTH
from ..alignment import Alignment
from ..disagreement import Disagreement, Reason
from ..instances import is_instance
from ..relevance import reports

_FIRST_YEAR, _LAST_YEAR = 1000, 2100


@reports("binding/date")
def date_of_first_event(alignment: Alignment) -> Iterator[Disagreement]:
    """Yield a disagreement if the claim gives a computed date to the event whose own date the passage states.

    "Born in 1871, she published a novel at the age of 24" and "She was born in 1895".
    """
    claim, passage = alignment.claim, alignment.passage
    computed = [
        token for token, match in zip(claim.tokens, alignment.matches, strict=True) if match is None and is_date(token)
    ]
    others = [(t, m) for t, m in zip(claim.tokens, alignment.matches, strict=True) if t.quantity is None]
    if not computed or not others or claim.language == "zh":
        return
    if computed[0].quantity is not None and is_instance(computed[0].quantity, claim, [passage]):
        return  # "in August", and "from April to October"
    for own in passage.tokens:
        if not is_date(own) or not _alike(own, computed[0]):
            continue
        here = [m is not None and m.sign > 0 and m.token.piece == own.piece for _, m in others]
        if all(here) and any(m is not None and (m.token.verbal or m.token.clausal) for _, m in others):
            said = passage.spelled(own.start, own.end)
            mine = claim.spelled(computed[0].start, computed[0].end)
            yield Disagreement(Reason.BINDING, f"the passage says “{said}”, not “{mine}”", rule="date")
            return


def is_date(token: ContentToken) -> bool:
    """Return whether a token is a year or a month."""
    quantity = token.quantity
    if quantity is None or not quantity.values:
        return False
    return quantity.unit == MONTH or (not quantity.unit and _FIRST_YEAR <= quantity.values[0] < _LAST_YEAR)


def _alike(one: ContentToken, other: ContentToken) -> bool:
    """Return whether both are months, or both are years."""
    return one.quantity is not None and other.quantity is not None and one.quantity.unit == other.quantity.unit
