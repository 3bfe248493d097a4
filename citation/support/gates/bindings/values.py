"""Values: a number of the claim must belong to what the claim is about, and not to another thing of the passage.

"Invoice 12 is for 640 euros. Invoice 9 was for 1,115 euros." contains every word of "Invoice 12 is for 1,115 euros".
A value is compared with its alternatives, the other numbers of its kind in the passage. It is wrong if all that it
shares with the claim is also next to an alternative, and the alternative shares more.
"""

from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise

from ....text import Quantity
from ....text.clauses import ContentToken, Statement
from ....text.numbers.quantities import MONTH, agrees, same_kind
from ....text.spans import gap
from ..alignment import Alignment, PassageAlignment
from ..disagreement import Disagreement, Reason

_LONGEST = 30  # tokens of a sentence; a longer one states too much to tell what belongs to a number
_FEWEST = 2  # values of a series
_MAX_DATE_GAP_CHARACTERS = 10  # characters between a month and the year of a date


def value_of_another(aligned: PassageAlignment) -> Iterator[Disagreement]:
    """Yield a disagreement if a number of the claim belongs to another thing, which the passage gives with it."""
    claim, alignments = aligned.claim, aligned.sentences
    numbers = [t for t in claim.tokens if is_value(t)]
    for value in _values(numbers):
        stating = [n for n, alignment in enumerate(alignments) if all(_find(alignment.passage, t) for t in value)]
        if claim.language == "zh" and not all(alignments[n].passage.is_divisible for n in stating):
            continue
        if stating and (alternative := _contradicting(value, numbers, stating, alignments)):
            passage, passage_value = alternative
            detail = f"the passage says “{passage.text_of(passage_value)}” of this, not “{claim.text_of(*value)}”"
            yield Disagreement(Reason.BINDING, detail, rule="value")
            return


_Alternative = tuple[Statement, ContentToken]  # a sentence of the passage, and a number in it


def _contradicting(
    value: Sequence[ContentToken],
    numbers: Sequence[ContentToken],
    stating: Sequence[int],
    alignments: Sequence[Alignment],
) -> _Alternative | None:
    """Return the alternative that the passage gives in place of a value, or None.

    `value`: one of `numbers`, those of the claim, or several that are a date. `stating`: the sentences that have it.
    """
    alternative = _alternative_in_sentence(value, stating, alignments)
    if alternative is None and len(value) == 1 and len(stating) == 1:
        alternative = _alternative_in_series(value[0], alignments[stating[0]])
    if alternative is None and len(value) == 1:
        alternative = _alternative_in_pairs(value[0], numbers, alignments)
    return alternative


def _values(numbers: Sequence[ContentToken]) -> Iterator[list[ContentToken]]:
    """Yield the numbers of the claim, those of a date together: day, month and year."""
    dated: set[ContentToken] = set()
    for index, month in enumerate(numbers):
        if month.quantity is None or month.quantity.unit != MONTH:
            continue
        parts = [
            t
            for t in numbers[max(0, index - 2) : index + 3]
            if t is month
            or (t.quantity is not None and not t.quantity.unit and gap(t, month) <= _MAX_DATE_GAP_CHARACTERS)
        ]
        dated.update(parts)
        yield parts
    yield from ([t] for t in numbers if t not in dated)


def is_value(token: ContentToken) -> bool:
    """Return whether a token is a number that measures, counts or dates something."""
    return token.quantity is not None and bool(token.quantity.values) and token.quantity.strict


def _find(passage: Statement, token: ContentToken) -> list[ContentToken]:
    """Return the numbers of a passage that agree with a number of the claim."""
    return passage.numbers_agreeing(token.quantity) if token.quantity is not None else []


def _alternatives(claim: Statement, passage: Statement, token: ContentToken) -> list[ContentToken]:
    """Return the numbers of a passage that are of the same kind as a number of the claim, and not in the claim."""
    quantity = token.quantity
    claim_quantities = [t.quantity for t in claim.tokens if t.quantity is not None]
    return [
        t
        for t in passage.tokens
        if quantity is not None and is_value(t) and t.quantity is not None and same_kind(quantity, t.quantity)
        if not any(agrees(claim_quantity, t.quantity) for claim_quantity in claim_quantities)
    ]


def _other_values(value: Sequence[ContentToken], claim: Statement, passage: Statement) -> list[ContentToken]:
    """Return the alternatives to a number, or those to the parts of a date, which are parts of another date."""
    alternatives = [t for token in value for t in _alternatives(claim, passage, token)]
    if len(value) == 1:
        return alternatives
    months = [t for t in passage.tokens if t.unit == MONTH]
    return [t for t in alternatives if any(gap(t, month) <= _MAX_DATE_GAP_CHARACTERS for month in months)]


def same_content(token: ContentToken, passage_token: ContentToken) -> bool:
    """Return whether two words have the same stem, or two numbers agree."""
    if token.quantity is not None and passage_token.quantity is not None:
        return agrees(token.quantity, passage_token.quantity)
    return token.stem == passage_token.stem


def _alternative_in_sentence(
    value: Sequence[ContentToken], stating: Sequence[int], alignments: Sequence[Alignment]
) -> _Alternative | None:
    """Return an alternative in a sentence that has all that the value's sentences share with the claim, and more."""
    if len(stating) == len(alignments) or any(len(alignment.passage.tokens) > _LONGEST for alignment in alignments):
        return None
    claim = alignments[0].claim
    alternatives = {
        n: values
        for n, alignment in enumerate(alignments)
        if n not in stating and (values := _other_values(value, claim, alignment.passage))
    }
    if not alternatives:
        return None
    shared = [
        _shared(Alignment(claim, alignment.passage), value) for alignment in alignments
    ]  # with the synonyms of each sentence
    shared_by_stating = set().union(*(shared[n] for n in stating))
    for n, values in alternatives.items():
        if shared_by_stating < shared[n]:
            return alignments[n].passage, values[0]
    return None


def _shared(alignment: Alignment, value: Collection[ContentToken]) -> set[int]:
    """Return which tokens of the claim a sentence has, apart from the value."""
    return {
        index
        for index, (token, match) in enumerate(alignment.tokens)
        if match is not None and match.sign > 0 and not token.in_operator and token not in value
    }


def _alternative_in_series(token: ContentToken, alignment: Alignment) -> _Alternative | None:
    """Return the alternative whose member of a series has a word of the claim that the value's member lacks.

    A series gives several values of a kind without predicates: "320 euros for adults, 150 euros for children".
    """
    passage, claim = alignment.passage, alignment.claim
    quantity = token.quantity
    if quantity is None or passage.cells:
        return None
    members = _series(passage, quantity)
    stated_in = {t.piece for t in _find(passage, token)}
    if len(stated_in) != 1 or not stated_in <= members.keys():
        return None
    first = members[min(members)].start  # the words before it belong to all members
    alternatives = _alternatives(claim, passage, token)
    for t, match in alignment.pairs():
        same = [passage_token for passage_token in passage.tokens if passage_token.stem == match.token.stem]
        if t.quantity is not None or match.sign < 0 or same[0].start < first:
            continue
        pieces = {passage_token.piece for passage_token in same}
        if pieces <= members.keys() and pieces.isdisjoint(stated_in):
            return next(((passage, alternative) for alternative in alternatives if alternative.piece in pieces), None)
    return None


def _series(passage: Statement, quantity: Quantity) -> dict[int, ContentToken]:
    """Return the pieces of a sentence that have just one value of a kind and no predicate, with that value."""
    values: dict[int, list[ContentToken]] = {}
    for token in passage.tokens:
        if is_value(token) and token.quantity is not None and same_kind(quantity, token.quantity):
            values.setdefault(token.piece, []).append(token)
    verbal = {t.piece for t in passage.tokens if t.verbal or t.after_auxiliary} if passage.language != "zh" else set()
    members = {piece: tokens[0] for piece, tokens in values.items() if len(tokens) == 1 and piece not in verbal}
    gapless = len(members) > 1 and max(members) - min(members) == len(members) - 1
    return members if gapless else {}


def _alternative_in_pairs(
    token: ContentToken, numbers: Sequence[ContentToken], alignments: Sequence[Alignment]
) -> _Alternative | None:
    """Return the alternative that belongs to another number of the claim: 9 % for "6 % in 2012".

    The passage has numbers of two kinds that alternate: "from 9 % in 2012 to 6 % in 2016".
    """
    quantity, claim = token.quantity, alignments[0].claim
    for key in numbers:
        if quantity is None or key.quantity is None or key is token or same_kind(quantity, key.quantity):
            continue
        claim_pairs = _alternating_pairs(claim, quantity, key.quantity)
        if claim_pairs and not any(token in pair and key in pair for pair in claim_pairs):
            continue
        if quantity.unit == MONTH or key.quantity.unit == MONTH:
            continue  # the day of a month
        for alignment in alignments:
            passage = alignment.passage
            values, keys = _find(passage, token), _find(passage, key)
            if len(values) != 1 or len(keys) != 1:
                continue
            pairs = _alternating_pairs(passage, quantity, key.quantity)
            for pair in pairs:
                if keys[0] in pair and values[0] not in pair and any(values[0] in p for p in pairs):
                    return passage, pair[1 - pair.index(keys[0])]
    return None


def _alternating_pairs(passage: Statement, first_kind: Quantity, second_kind: Quantity) -> list[list[ContentToken]]:
    """Return the pairs of numbers of two kinds, such as percentage and year, [] unless the kinds alternate."""
    numbers = [
        (same_kind(first_kind, t.quantity), t)
        for t in passage.tokens
        if t.quantity is not None
        and is_value(t)
        and (same_kind(first_kind, t.quantity) or same_kind(second_kind, t.quantity))
    ]
    if len(numbers) < 2 * _FEWEST or len(numbers) % 2 or any(a[0] == b[0] for a, b in pairwise(numbers)):
        return []
    return [[numbers[n][1], numbers[n + 1][1]] for n in range(0, len(numbers), 2)]
