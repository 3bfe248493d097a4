"""Values of two things that a passage compares: "8,400 euros, 1,200 more than in 2022" is not the value of 2022.

The standard of the comparison, which stands behind it, has a value that the passage leaves to be computed. The claim
must not give it the stated value, and must not give the computed value to the thing whose value is stated.
"""

from collections.abc import Iterator, Sequence

from ....text.clauses import ContentToken, Statement
from ....text.numbers.differences import comparisons
from ....text.numbers.quantities import Quantity, agrees, same_kind
from ..alignment import Alignment, PassageAlignment
from ..disagreement import Disagreement, Reason
from .values import is_value, same_content


def value_of_compared(aligned: PassageAlignment) -> Iterator[Disagreement]:
    """Yield a disagreement if the claim exchanges the values of two things that the passage compares."""
    claim, alignments = aligned.claim, aligned.sentences
    # Ordinals are no values: "a third as large".
    values = [t for t in claim.tokens if is_value(t) and t.quantity and not t.quantity.ordinal]
    if not values or _spans(claim):
        return
    spans = [(one, span) for one in alignments for span in _spans(one.passage)]
    named = any(t.stem in claim.stems for one, (_, end) in spans for t in _standard(one.passage, end))
    for alignment, (start, end) in spans:
        if named:
            other = _stated_of_standard(values, alignment, alignments, end)
        else:
            other = _computed_of_stated(values, alignment, alignments, (start, end))
        if other is not None:
            mine = claim.text_of(values[0])
            detail = f"the passage says “{other}” of another thing than “{mine}”"
            yield Disagreement(Reason.BINDING, detail, rule="compared")
            return


def has_computed_value(aligned: PassageAlignment) -> bool:
    """Return whether the claim has a number that follows from a comparison, and so takes words of several clauses."""
    alignments = aligned.sentences
    unstated = any(
        is_value(token) and not any(alignment.matches[at] for alignment in alignments)
        for at, token in enumerate(aligned.claim.tokens)
    )
    return unstated and any(_spans(one.passage) for one in alignments)


def _spans(statement: Statement) -> list[tuple[int, int]]:
    """Return the spans of the differences and multiples that a sentence states."""
    return list(comparisons(statement.text, [t.quantity for t in statement.tokens if t.quantity is not None]))


def _standard(passage: Statement, end: int) -> list[ContentToken]:
    """Return the tokens behind a comparison, up to the end of its piece."""
    behind = [t for t in passage.tokens if t.start >= end]
    return [t for t in behind if t.piece == behind[0].piece]


def _stated_of_standard(
    values: Sequence[ContentToken], alignment: Alignment, alignments: Sequence[Alignment], end: int
) -> str | None:
    """Return the stated value that the claim gives to the standard."""
    passage = alignment.passage
    standard = _standard(passage, end)
    named = [t for t, match in alignment.pairs() if match.token in standard and not t.operator]
    stated = [
        (value, other)
        for value in values
        for other in passage.tokens
        if value.quantity and other.quantity and other.start < end and agrees(value.quantity, other.quantity)
    ]
    for value, other in stated:
        own = [t for t in named if t is not value and not _elsewhere(t, alignments, standard)]
        if own:
            return passage.text_of(other)
    return None


def _elsewhere(token: ContentToken, alignments: Sequence[Alignment], standard: Sequence[ContentToken]) -> bool:
    """Return whether a word or number of the claim also stands outside the standard."""
    return any(
        other not in standard and same_content(token, other) for one in alignments for other in one.passage.tokens
    )


def _computed_of_stated(
    values: Sequence[ContentToken], alignment: Alignment, alignments: Sequence[Alignment], span: tuple[int, int]
) -> str | None:
    """Return the stated value of the thing that the claim gives a computed value."""
    everywhere = [t.quantity for one in alignments for t in one.passage.tokens if t.quantity is not None]
    for value in values:
        mine = value.quantity
        if mine is None or mine.may_be_year or any(agrees(mine, quantity) for quantity in everywhere):
            continue
        here = _found(alignment)
        for one in alignments:
            stated = _stated(one.passage, mine, span if one is alignment else None)
            if stated and (one is alignment or here < _found(one)):
                return one.passage.text_of(stated[0])
    return None


def _found(alignment: Alignment) -> set[int]:
    """Return which tokens of the claim a sentence has."""
    matches = enumerate(alignment.matches)
    return {at for at, match in matches if match is not None and match.sign > 0}


def _stated(passage: Statement, mine: Quantity, span: tuple[int, int] | None) -> list[ContentToken]:
    """Return the numbers of a kind before `span`, which is a comparison, or anywhere."""
    end = span[0] if span else len(passage.text)
    return [t for t in passage.tokens if t.quantity and is_value(t) and t.end <= end and same_kind(mine, t.quantity)]
