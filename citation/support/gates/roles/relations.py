"""Compare agents and patients, objects and complements, and the sides of comparisons, and find swapped ones."""

from collections.abc import Iterator, Mapping

from ....text.clauses import ContentToken, Statement
from ....text.clauses.vocabulary import vocabulary
from ..alignment import Alignment, Match
from ..disagreement import Disagreement, Reason
from .arguments import heads, is_passive, subject
from .german_order import subject_beside_pronoun
from .sides import Sides, crossed_sides, is_compared, is_repeated, is_symmetric, sides_of

_LONGEST_HAN_VERB = 2  # characters
_COMPLEMENTS = frozenset({"to", "with", "for", "from", "by", "over", "into"})  # prepositions of a second object


def swapped_roles(alignment: Alignment) -> Iterator[Disagreement]:
    """Yield the relations of the claim whose sides are swapped in the passage."""
    if alignment.claim.language == "zh" and swapped_pivots(alignment):
        return  # any word may be a verb, and the sides of "sold", "bought" are exchanged on purpose
    for pivot, match in alignment.pairs():
        if pivot.quantity is not None or not (pivot.verbal or is_compared(alignment.claim, pivot)) or pivot.name:
            continue
        if not (match.token.verbal or is_compared(alignment.passage, match.token)):
            continue
        if alignment.claim.language == "zh" and max(len(pivot.stem), len(match.token.stem)) > _LONGEST_HAN_VERB:
            continue
        if not (match.exact or match.sign < 0) or is_repeated(alignment, pivot, match):
            continue
        if is_symmetric(pivot, alignment.claim.language):
            continue
        mine, theirs = sides_of(alignment.claim, pivot), sides_of(alignment.passage, match.token)
        if mine is None or theirs is None:
            continue
        crossed, straight = crossed_sides(mine, theirs, alignment.match_of)
        if _opposite_grades(alignment):  # "A is less dense than B", "B has a higher density than A"
            crossed, straight = straight, crossed
        turned = match.exact and pivot.verbal and _object_as_subject(alignment, pivot, match)
        if ((crossed and not straight) or turned) and match.sign > 0:
            yield _disagreement(alignment, pivot)


def _object_as_subject(alignment: Alignment, pivot: ContentToken, match: Match) -> bool:
    """Return whether the subject of the claim is behind the predicate of the passage, and so is the claim's object.

    "Ida inherited the farm from her aunt", "the aunt of Ida inherited the farm".
    """
    claim, passage = alignment.claim, alignment.passage
    if claim.language == "de":
        return subject_beside_pronoun(alignment, pivot, match)
    if claim.language != "en" or is_passive(claim, pivot) or is_passive(passage, match.token):
        return False
    mine, theirs = heads(subject(claim, pivot)), heads(subject(passage, match.token))
    objects = [t for t in claim.tokens if t.word > pivot.word and t.piece == pivot.piece and not t.before]
    if not mine or not theirs or not objects:
        return False
    last = match.token
    behind = [t for t in passage.tokens if t.word > last.word and t.piece == last.piece]
    match_of = alignment.match_of
    inverted = all(t in match_of and match_of[t].token in behind for t in (mine[-1], objects[0]))
    return inverted and not any(match_of[t].token in theirs for t in mine if t in match_of)


def swapped_pivots(alignment: Alignment) -> set[ContentToken]:
    """Return the tokens of the claim that match their opposite with swapped sides: "A sold to B", "B bought from A"."""
    found, match_of = set(), alignment.match_of
    personal = vocabulary(alignment.claim.language).role("personal")
    for pivot, match in alignment.pairs():
        if match.sign < 0:
            mine, theirs = sides_of(alignment.claim, pivot), sides_of(alignment.passage, match.token)
            if not mine or not theirs:
                continue
            passive = is_passive(alignment.claim, pivot) or is_passive(alignment.passage, match.token)
            following = alignment.claim.words[pivot.word + 1 : pivot.word + 2]
            named = personal.isdisjoint(following)
            received = not passive and _received(mine, theirs, match_of, named=named)
            if received or crossed_sides(mine, theirs, match_of)[0]:
                found.add(pivot)
    return found


def _received(mine: Sides, theirs: Sides, match_of: Mapping[ContentToken, Match], *, named: bool) -> bool:
    """Return whether the subject of the claim is only what the passage has as the other side, named nowhere else.

    "He lent his sister the car", "his sister borrowed the car": the passage has a pronoun for the other person.
    `named`: the claim has none: "her sister lent him a car", "he borrowed a car from his sister".
    """
    subject = sorted(mine.first, key=lambda token: token.word)
    first = {match_of[t].token for t in heads(subject) if t in match_of} if subject else set()
    return bool(first) and not (theirs.first and named) and first <= theirs.second


def _opposite_grades(alignment: Alignment) -> bool:
    """Return whether only one of two comparisons says that its subject is or has less."""
    sides = (alignment.claim, alignment.passage)
    if not all(any(side.of("than")) for side in sides):
        return False
    return sides[0].has_word("lesser") != sides[1].has_word("lesser")


def swapped_objects(alignment: Alignment) -> Iterator[Disagreement]:
    """Yield a disagreement if object and complement of a verb are swapped: "prefers tea to coffee"."""
    match_of = alignment.match_of
    for pivot, match in alignment.pairs():
        if not (pivot.verbal and match.token.verbal and match.exact):
            continue
        mine, theirs = _complements(alignment.claim, pivot), _complements(alignment.passage, match.token)
        if mine is None or theirs is None or mine[0] != theirs[0]:
            continue
        first, second = ({match_of[t].token for t in side if t in match_of} for side in mine[1:])
        if (first - second) & theirs[2] - theirs[1] and (second - first) & theirs[1] - theirs[2]:
            yield _disagreement(alignment, pivot)
            return


def _complements(statement: Statement, pivot: ContentToken) -> tuple[str, set[ContentToken], set[ContentToken]] | None:
    """Return the preposition behind the object of a verb, and the tokens between the two and behind it."""
    right = [t for t in statement.tokens if t.word > pivot.word and t.clause == pivot.clause and t.piece == pivot.piece]
    for at, word in enumerate(statement.words[pivot.word + 1 :], pivot.word + 1):
        if word in _COMPLEMENTS:
            first, second = ({t for t in right if (t.word < at) is before} for before in (True, False))
            return (word, first, second) if first and second else None
    return None


def _disagreement(alignment: Alignment, pivot: ContentToken) -> Disagreement:
    word = alignment.claim.text_of(pivot)
    return Disagreement(Reason.ROLE, f"the passage has the two sides of “{word}” the other way round", rule="role")
