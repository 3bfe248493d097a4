"""Operators that say the same in other words: "nobody has to attend", "attendance is voluntary"."""

from collections.abc import Sequence

from ....text.clauses import ContentToken, Statement
from ....text.clauses.statement import DENIALS
from ....text.clauses.vocabulary import vocabulary
from ....text.numbers.quantities import CLOCK, MONTH
from ..alignment import Alignment
from ..instances import is_outside, ranges
from .quantifiers import LOWER, UPPER, bound_of, excludes_the_rest

_CONDITIONS = frozenset({"unless", "without", "except"})
_REQUIRING = frozenset({"must", "only"})
_DATED = frozenset({"", MONTH})
_CALENDAR = frozenset({MONTH, CLOCK})
_TERMS = frozenset({"until", "before"})
_CONDITIONAL = frozenset({"if", "when", "once", "with", "provided"})  # words before a condition that holds


def same_in_other_operators(alignment: Alignment, clause: int) -> bool:
    """Return whether a denial on one side says the same as a permission or a bound on the other.

    "Nobody has to attend", "attendance is voluntary"; "not above 25 degrees", "at 25 degrees or below".
    """
    mine, theirs = alignment.claim.kinds(clause), alignment.passage.kinds(alignment.mains[clause])
    elsewhere = alignment.passage.kinds()
    if mine & DENIALS and "plan" in elsewhere and elsewhere & {*DENIALS, "without"} and not theirs & DENIALS:
        return True  # "tried to reach the summit, without success"
    if "until" in elsewhere and "until" not in alignment.claim.kinds() and not (mine | theirs) & DENIALS:
        return True  # "open until 2015", "closed in 2015"
    if "no" in theirs - mine and _compares(alignment.passage) and "than" in mine:
        return True  # "no river is longer than the Elm", "the Elm is longer than any river"
    if _required_or_dated(alignment) or allowed_by_exception(alignment) or is_outside(alignment):
        return True
    for one, other in ((mine, theirs), (theirs, mine)):
        if "need_not" in one and "may" in other and not {"need_not", "must"} & other:
            return True
    for token, match in alignment.pairs():
        if token.quantity is None or match.token.quantity is None:
            continue
        if excludes_the_rest(alignment, token, match.token):
            return True
        bounds_of = {bound_of(alignment.claim, token), bound_of(alignment.passage, match.token)}
        raw = {bound_of(alignment.claim, token, flip=False), bound_of(alignment.passage, match.token, flip=False)}
        if bounds_of != raw and (bounds_of <= UPPER or bounds_of <= LOWER):
            return True
    return False


def states_superlative(alignment: Alignment) -> bool:
    """Return whether one side has a superlative where the other denies a comparison, as "no river is longer"."""
    sides = alignment.claim, alignment.passage
    return any(
        "no" in one.kinds() and "no" not in other.kinds() and _compares(one) and _superlative(other)
        for one, other in (sides, sides[::-1])
    )


def _required_or_dated(alignment: Alignment) -> bool:
    """Return whether one side denies something up to a condition or a date from which the other states it.

    "Nobody may drive without a licence", "drivers need a licence"; "not opened until May", "opened in May".
    """
    sides = alignment.claim.kinds(), alignment.passage.kinds()
    for denying, other in (sides, sides[::-1]):
        if not denying & DENIALS or other & (DENIALS | _CONDITIONS):
            continue
        if denying & _CONDITIONS and other & _REQUIRING:
            return True
        if denying & _TERMS and not other & _TERMS:
            return True
    return False


def allowed_by_exception(alignment: Alignment) -> bool:
    """Return whether one side states under a condition what the other denies unless it holds.

    "Do not open the lid unless the machine is unplugged", "when the machine is unplugged, the lid may be opened".
    """
    claim, passage = alignment.claim, alignment.passage
    pairs = [(token, match.token) for token, match in alignment.pairs() if match.sign > 0]
    return _holds(claim, passage, pairs) or _holds(passage, claim, [(other, token) for token, other in pairs])


def _holds(stating: Statement, denying: Statement, pairs: Sequence[tuple[ContentToken, ContentToken]]) -> bool:
    """Return whether `stating` has the words of the exception of `denying`, and those in a condition of its own."""
    if stating.kinds() & {*DENIALS, "unless"} or not denying.kinds() & {*DENIALS, "without"}:
        return False
    excepted = {op.clause for op in denying.of("unless")}
    conditional = [piece for piece, words in enumerate(_words_by_piece(stating)) if not _CONDITIONAL.isdisjoint(words)]
    conditional += [op.piece for op in stating.of("if")]
    return any(token.piece in conditional and other.clause in excepted for token, other in pairs)


def _words_by_piece(statement: Statement) -> list[list[str]]:
    """Return the words of each piece, from its first content word or the words before it on."""
    found: list[list[str]] = [[] for _ in range(statement.pieces)]
    begin = 0
    for token in statement.tokens:
        found[token.piece] += statement.words[begin : token.word + 1]
        begin = token.word + 1
    return found


def ended_after(alignment: Alignment) -> bool:
    """Return whether the claim has a date that the passage gives as a length of time or as the end of a range.

    "Began in May for six weeks", "open between 9 am and 6 pm".
    """
    ends = [end for _, end in ranges(alignment.passage) if end.quantity is not None]
    dates = {end for end in ends if end.quantity and (end.quantity.unit in _CALENDAR or end.quantity.may_be_year)}
    bounded = alignment.claim.has_word("boundary")
    if bounded and any(match.token in dates for _, match in alignment.pairs()):
        return True
    lengths = any(t.unit == "time" for t in alignment.passage.tokens)
    return lengths and any(
        token.quantity is not None and match is None and token.quantity.unit in _DATED
        for token, match in alignment.tokens
    )


def _compares(statement: Statement) -> bool:
    """Return whether a sentence has "than" or "as … as"."""
    return "than" in statement.kinds() or statement.words.count("as") > 1


def _superlative(statement: Statement) -> bool:
    """Return whether a sentence has a superlative."""
    marks = vocabulary(statement.language).role("superlative")
    endings = tuple(mark[1:] for mark in marks if mark.startswith("-"))
    if statement.language == "zh":
        return "最" in statement.text
    return any(word in marks or (endings and word.endswith(endings)) for word in statement.words)
