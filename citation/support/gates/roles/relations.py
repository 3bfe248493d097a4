"""Compare agents and patients, and the sides of comparisons, and find swapped ones."""

from collections.abc import Iterator

from ....text.clauses import ContentToken
from ..alignment import Alignment
from ..disagreement import Disagreement, Reason
from .sides import crossed_sides, is_compared, is_repeated, is_symmetric, sides_of

_LONGEST_HAN_VERB_CHARACTERS = 2


def swapped_roles(alignment: Alignment) -> Iterator[Disagreement]:
    """Yield the relations of the claim whose sides are swapped in the passage."""
    if alignment.claim.language == "zh" and converse_predicates(alignment):
        return  # any word may be a verb, and the sides of "sold", "bought" are exchanged on purpose
    for predicate, match in alignment.pairs():
        if (
            predicate.quantity is not None
            or not (predicate.verbal or is_compared(alignment.claim, predicate))
            or predicate.name
        ):
            continue
        if not (match.token.verbal or is_compared(alignment.passage, match.token)):
            continue
        if (
            alignment.claim.language == "zh"
            and max(len(predicate.stem), len(match.token.stem)) > _LONGEST_HAN_VERB_CHARACTERS
        ):
            continue
        if not (match.exact or match.sign < 0) or is_repeated(alignment, predicate, match):
            continue
        if is_symmetric(predicate, alignment.claim.language):
            continue
        claim_sides, passage_sides = sides_of(alignment.claim, predicate), sides_of(alignment.passage, match.token)
        if claim_sides is None or passage_sides is None:
            continue
        crossed, straight = crossed_sides(claim_sides, passage_sides, alignment.match_of)
        if _opposite_grades(alignment):  # "A is less dense than B", "B has a higher density than A"
            crossed, straight = straight, crossed
        if crossed and not straight and match.sign > 0:
            yield _disagreement(alignment, predicate)


def converse_predicates(alignment: Alignment) -> set[ContentToken]:
    """Return the tokens of the claim that match their opposite with swapped sides: "A sold to B", "B bought from A"."""
    converse, match_of = set(), alignment.match_of
    for predicate, match in alignment.pairs():
        if match.sign < 0:
            claim_sides, passage_sides = sides_of(alignment.claim, predicate), sides_of(alignment.passage, match.token)
            if not claim_sides or not passage_sides:
                continue
            if crossed_sides(claim_sides, passage_sides, match_of)[0]:
                converse.add(predicate)
    return converse


def _opposite_grades(alignment: Alignment) -> bool:
    """Return whether only one of two comparisons says that its subject is or has less."""
    sides = (alignment.claim, alignment.passage)
    if not all(any(side.of("than")) for side in sides):
        return False
    return sides[0].has_word("lesser") != sides[1].has_word("lesser")


def _disagreement(alignment: Alignment, predicate: ContentToken) -> Disagreement:
    word = alignment.claim.text_of(predicate)
    return Disagreement(Reason.ROLE, f"the passage has the two sides of “{word}” the other way round", rule="role")
