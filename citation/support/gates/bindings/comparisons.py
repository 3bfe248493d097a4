"""Compare comparisons: "A is higher than B" is the same as "B is lower than A", and not "B is higher than A".

A comparison has two sides, a grade ("higher", "more expensive") and a direction: more, less or equal.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ....text.clauses import ContentToken, Statement
from ....text.clauses.vocabulary import vocabulary
from ..alignment import Alignment
from ..disagreement import Disagreement, Reason
from ..word_relations import opposed

_REACH = 4  # words between the grade and "than"
_MULTIPLE = 2  # words of a multiple before "as": "three times as large"
_NEGATIONS = frozenset({"not", "no", "except"})


@dataclass(frozen=True, slots=True)
class Comparison:
    """A comparison: the stems that only one side has, the grade, and its direction."""

    left: frozenset[str]
    right: frozenset[str]
    grade: ContentToken | None  # None: "more" or "less" alone
    direction: int  # 1 more, -1 less, 0 equal


def comparisons(statement: Statement) -> list[Comparison]:
    """Return the comparisons of a sentence in order."""
    words, role = statement.words, vocabulary(statement.language).role
    if not statement.has_word("than") and not statement.has_word("like"):
        return []
    than, like = role("than"), role("like")
    equal, more, lesser = role("equal"), role("more"), role("lesser")
    compared: list[Comparison] = []
    for index, word in enumerate(words):
        if word not in than and word not in like:
            continue
        before = words[max(0, index - _REACH) : index]
        equals = [n for n, w in enumerate(before, index - len(before)) if w in equal]
        marks = [n for n, w in enumerate(before, index - len(before)) if w in more or w in lesser]
        if word in like and equals:
            begins = equals[-1]
            direction = _multiple(statement, begins)
        elif word in than and marks:
            begins = marks[-1]
            direction = -1 if words[begins] in lesser else 1
        elif word in than and before and _is_comparative(before[-1], statement.language):
            begins, direction = index - 1, 1
        else:
            continue
        compared += _between(statement, begins, index, direction, compared)
    return compared


def _is_comparative(word: str, language: str) -> bool:
    """Return whether a word has the ending of a comparative: "higher"."""
    role = vocabulary(language).role
    return word.endswith(tuple(role("comparative"))) and word not in role("not_graded")


def _multiple(statement: Statement, begins: int) -> int:
    """Return the direction of "as much as": 0, or that of "twice" and "half" before it."""
    for token in statement.tokens:
        if begins - _MULTIPLE <= token.word < begins and token.quantity is not None and token.quantity.values:
            part = token.quantity.values[0] <= 1 or (token.quantity.ordinal and statement.words[begins - 1] != "time")
            return -1 if part else 1  # "a third as large", "twice as large", "three times as large"
    return -1 if begins and statement.words[begins - 1] in vocabulary(statement.language).role("half") else 0


def _between(
    statement: Statement, begins: int, than: int, direction: int, earlier: Sequence[Comparison]
) -> Iterator[Comparison]:
    """Yield the comparison with the grade in the words from `begins` to `than`, if it has two sides."""
    following = [t for t in statement.tokens if t.word > than]
    if not following:
        return
    piece = following[0].piece
    graded = [t for t in statement.tokens if begins <= t.word < than]
    before = [t for t in statement.tokens if t.word < begins and not t.verbal]
    right = {t.stem for t in following if t.piece == piece}
    left = {t.stem for t in before if t.piece == piece}
    if not left:  # "cheaper than copper but more expensive than iron"
        left = set(earlier[-1].left) if earlier else {t.stem for t in before}
    if direction and len(graded) == 1 and graded[0].word == begins:
        direction = 1  # "lower" is a grade itself
    clause = following[0].clause
    if any(op.kind in _NEGATIONS and op.word < than and op.clause == clause for op in statement.operators):
        little = vocabulary(statement.language).role("little")
        few = not little.isdisjoint(statement.words[begins:than])
        direction = -direction or (1 if few else -1)  # "not older than", "no town is as old as", "as few"
    if left - right and right - left:
        # "cost more than", "as much as": the grade belongs to no word.
        bare = len(graded) == 1 and graded[0].folded in vocabulary(statement.language).role("more")
        grade = graded[-1] if graded and not bare else None
        yield Comparison(frozenset(left - right), frozenset(right - left), grade, direction)


def opposite_comparison(alignment: Alignment) -> Iterator[Disagreement]:
    """Yield a disagreement if the passage compares the same two sides the other way round."""
    yield from compare_grades(alignment)[1]


def compare_grades(alignment: Alignment) -> tuple[bool, list[Disagreement]]:
    """Return whether both sides make the same comparison, and the disagreement if they compare the other way round.

    (False, []) if one side makes no comparison or the two cannot be compared.
    """
    if alignment.claim.language == "zh":
        return _compare_chinese(alignment.claim.text, alignment.passage.text)
    claim_comparisons, passage_comparisons = comparisons(alignment.claim), comparisons(alignment.passage)
    stems = {t.stem: m.token.stem for t, m in alignment.pairs()}
    same = False
    for stated in claim_comparisons:
        left = {stems[stem] for stem in stated.left if stem in stems}
        right = {stems[stem] for stem in stated.right if stem in stems}
        for shown in passage_comparisons:
            straight = bool(left & shown.left and right & shown.right)
            crossed = bool(left & shown.right and right & shown.left)
            grade = _same_grade(alignment, stated, shown) if straight != crossed else 0
            if not grade:
                continue
            if stated.direction * grade != (shown.direction if straight else -shown.direction):
                way = "the other way round" if stated.direction and shown.direction else "in another way"
                return False, [Disagreement(Reason.ROLE, f"the passage compares them {way}", rule="comparison")]
            same = True
    return same, []


def _same_grade(alignment: Alignment, claimed: Comparison, shown: Comparison) -> int:
    """Return 1 if both compare by the same property, -1 for opposite ones, 0 if it is not known."""
    if claimed.grade is None or shown.grade is None:
        return 1 if claimed.grade is shown.grade else 0
    claim_grade, passage_grade = claimed.grade, shown.grade
    if claim_grade.stem == passage_grade.stem:
        return 1
    antonyms = vocabulary(alignment.claim.language).antonyms
    if opposed(antonyms.sides(claim_grade.folded), antonyms.sides(passage_grade.folded)):
        return -1
    match = alignment.match_of.get(claim_grade)
    if match is not None and match.token is passage_grade:
        return match.sign
    return 0


_CHINESE = re.compile("([^，。；]{1,12}?)比([^，。；]{2,16})")


# "A高于B" is "A比B高".
_CHINESE_THAN = re.compile("([^，。；]{1,12}?)([高低大小多少早晚优劣重轻快慢强弱长短深浅新旧贵])于([^，。；、]{1,12})")

# "B没有A高" is "A比B高".
_CHINESE_LESS = re.compile(
    "([^，。；]{1,12}?)(?:没有|不如|不及|比不上)([^，。；]{1,12}?)[这那]?么?"
    "([高低大小多少早晚重轻快慢强弱长短深浅新旧贵好])(?=[，。；！]|$)"
)


def _without_property(claim_subject: str, passage_subject: str) -> tuple[str, str]:
    """Return the subjects of two comparisons without the property that both name: "甲的成本", "乙的成本"."""
    subject, _, compared = claim_subject.rpartition("的")
    other_subject, _, other_compared = passage_subject.rpartition("的")
    if subject and other_subject and compared == other_compared:
        return subject, other_subject
    return claim_subject, passage_subject


def _with_than(match: re.Match[str]) -> str:
    """Rewrite "甲的成本高于乙" as "甲的成本比乙高"."""
    return f"{match[1]}比{match[3]}{match[2]}"


def _with_more(match: re.Match[str]) -> str:
    """Rewrite "乙没有甲高" as "甲比乙高"."""
    return f"{match[2]}比{match[1]}{match[3]}"


def _compare_chinese(claim: str, passage: str) -> tuple[bool, list[Disagreement]]:
    """Compare the first comparison of each: A比B高. The second side and the grade are not separated by a space."""
    claimed, shown = (
        _CHINESE.search(_CHINESE_LESS.sub(_with_more, _CHINESE_THAN.sub(_with_than, text))) for text in (claim, passage)
    )
    if not claimed or not shown:
        return False, []
    left, passage_left = _without_property(claimed[1], shown[1])
    straight = left == passage_left
    crossed = shown[2].startswith(left) and claimed[2].startswith(passage_left)
    if straight == crossed:
        return False, []
    if crossed:
        claim_grade, passage_grade = claimed[2][len(passage_left) :], shown[2][len(left) :]
    else:
        claim_grade, passage_grade = _tails(claimed[2], shown[2])
    claim_grade, passage_grade = claim_grade.strip("更还要了"), passage_grade.strip("更还要了")
    antonyms = vocabulary("zh").antonyms
    grade = (
        1
        if claim_grade == passage_grade
        else -1
        if opposed(antonyms.sides(claim_grade), antonyms.sides(passage_grade))
        else 0
    )
    if not grade or not claim_grade:
        return False, []
    if (grade > 0) == straight:
        return True, []
    return False, [Disagreement(Reason.ROLE, "the passage compares them the other way round", rule="comparison")]


def _tails(first: str, second: str) -> tuple[str, str]:
    """Return two strings without what both begin with."""
    shared = next(
        (n for n, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), min(len(first), len(second))
    )
    shared = min(shared, len(first) - 1, len(second) - 1)
    return first[shared:], second[shared:]
