"""Conjuncts: parallel parts of a passage, each of which binds its own words.

"A loaf cost 2.10 euros in Tarn and 2.60 euros in Velm": the conjuncts are found at commas, conjunctions and full stops.
A claim that has one word of the first and one word of the second is refused where each of the two conjuncts has a word
in the place of the other's. The second conjunct may leave out what it shares with the first (gapping).
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import permutations

from ....text.clauses import ContentToken, Statement
from ....text.clauses.vocabulary import vocabulary
from ..alignment import Alignment, PassageAlignment
from ..disagreement import Disagreement, Reason
from .values import is_value, same_content

_MOST_CLAUSES = 2  # clauses of the claim: "it was Anna who …" has two
# Prepositions of parallel words: "on the first floor, … in the basement", "the guarantee on drills, … for accessories"
_PARALLEL = frozenset({"in", "on", "at", "for", "of", "with"})
_BARE = 4  # tokens of a phrase before a comma that belongs to what follows: "In the east, …"


class Conjunct:
    """The tokens of one part of a sentence: its arguments without preposition, its first predicate and its names."""

    def __init__(self, statement: Statement, tokens: list[ContentToken]) -> None:
        """`tokens`: of the part."""
        self.statement = statement
        self.tokens = tokens
        nouns = [t for t in tokens if t.name or statement.language != "de"]  # no adjectives
        self.plain = [t for t in nouns if not t.preposition and not t.verbal and t.quantity is None]
        self.verb = next((t for t in tokens if t.verbal), None)
        self.names = [t for t in tokens if t.name and t.word]
        self.stems = {t.stem for t in tokens}

    def plain_without(self, other: "Conjunct") -> list[ContentToken]:
        """Return the arguments without preposition that another part does not have, too: not the "Ms" of two names."""
        return [t for t in self.plain if t.stem not in other.stems]


def conjuncts(statement: Statement) -> list[Conjunct]:
    """Return the conjuncts of a sentence: its pieces, where a bare phrase before a comma belongs to what follows."""
    pieces: list[list[ContentToken]] = []
    for token in statement.tokens:
        if (pieces and pieces[-1][-1].piece == token.piece) or (pieces and _introduces(pieces[-1], token, statement)):
            pieces[-1].append(token)
        else:
            pieces.append([token])
    return [Conjunct(statement, tokens) for tokens in pieces]


def _introduces(tokens: Sequence[ContentToken], following: ContentToken, statement: Statement) -> bool:
    """Return whether a phrase without predicate belongs to the words after its comma."""
    last = tokens[-1]
    stated = any(t.verbal or t.after_auxiliary for t in tokens)
    if len(tokens) > _BARE or stated or any(t.quantity and not t.preposition for t in tokens):
        return False
    words = vocabulary(statement.language)
    between = statement.words[last.word + 1 : following.word]
    if not words.role("relative").isdisjoint(between):
        return not last.preposition  # "the pianist who accompanied her"
    return (words.role("conjunction") | words.role("subordinator")).isdisjoint(between)


def mixed_conjuncts(aligned: PassageAlignment) -> Iterator[Disagreement]:
    """Yield the first two words of the claim that belong to different conjuncts of the passage."""
    claim, alignments = aligned.claim, aligned.sentences
    computed = any(is_value(t) and not aligned.mentions(at) for at, t in enumerate(claim.tokens))
    if claim.clauses > _MOST_CLAUSES or computed:
        return
    parts = [part for one in alignments if one.passage.is_divisible for part in conjuncts(one.passage)]
    if len(parts) < 2:
        return
    places = _places(claim, alignments, parts)
    matched = {token for found in places.values() for token, _ in found}
    conjunct_of = {token: number for number, part in enumerate(conjuncts(claim)) for token in part.tokens}
    counts = Counter(part for found in places.values() for _, part in found)
    placed = [
        (token, *max(places[token], key=lambda place: counts[place[1]])) for token in claim.tokens if token in places
    ]
    parts_of = {token: {part for _, part in found} for token, found in places.items()}
    for (one, one_match, one_part), (two, two_match, two_part) in permutations(placed, 2):
        if not parts_of[one].isdisjoint(parts_of[two]) or conjunct_of[one] != conjunct_of[two]:
            continue
        instead_of_one = _counterpart(one_match, one_part, two_part, matched)
        instead_of_two = _counterpart(two_match, two_part, one_part, matched) if instead_of_one else None
        if not instead_of_one or not instead_of_two:
            continue
        if instead_of_one[1] or instead_of_two[1]:
            text_of_one, text_of_two = one_part.statement.text_of, two_part.statement.text_of
            detail = (
                f"the passage has “{text_of_two(instead_of_one[0])}” for “{text_of_two(two_match)}”, "
                f"and “{text_of_one(one_match)}” for “{text_of_one(instead_of_two[0])}”"
            )
            yield Disagreement(Reason.BINDING, detail, rule="conjuncts")
            return


def _places(
    claim: Statement, alignments: Sequence[Alignment], parts: Sequence[Conjunct]
) -> dict[ContentToken, list[tuple[ContentToken, Conjunct]]]:
    """Return for each token of the claim where it stands: the first match in every conjunct."""
    position = {other: (n, at) for n, part in enumerate(parts) for at, other in enumerate(part.tokens)}
    by_stem: dict[str, list[tuple[int, int]]] = {}
    numbers: list[ContentToken] = []
    for n, part in enumerate(parts):
        for at, other in enumerate(part.tokens):
            if other.quantity is None:
                by_stem.setdefault(other.stem, []).append((n, at))
            else:
                numbers.append(other)
    matched: dict[ContentToken, list[tuple[int, int]]] = {}
    for alignment in alignments:
        for token, match in alignment.pairs():
            if match.restates(token) and match.token in position:
                matched.setdefault(token, []).append(position[match.token])
    found: dict[ContentToken, list[tuple[ContentToken, Conjunct]]] = {}
    for token in claim.tokens:
        if token.quantity is None:
            same = by_stem.get(token.stem, [])
        else:
            same = [position[other] for other in numbers if same_content(token, other)]
        first: dict[int, int] = {}
        for n, at in (*same, *matched.get(token, ())):
            first[n] = min(at, first.get(n, at))
        if first:
            found[token] = [(parts[n].tokens[at], parts[n]) for n, at in sorted(first.items())]
    return found


def _counterpart(
    token: ContentToken, part: Conjunct, other: Conjunct, matched: set[ContentToken]
) -> tuple[ContentToken, bool] | None:
    """Return the word of another conjunct in the place of `token`, and whether that is sure.

    `matched`: the tokens of the passage that the claim has. None where this word is one of them, or there is none.
    """
    found = next((t for t in other.tokens if t.stem not in part.stems and _parallel(token, part, t, other)), None)
    if found is not None:
        return None if found in matched else (found, True)
    if len(part.names) == len(other.names) == 1 and token is part.names[0] and token.word:
        return None if other.names[0] in matched else (other.names[0], False)
    return None


def _parallel(one: ContentToken, here: Conjunct, other: ContentToken, there: Conjunct) -> bool:
    """Return whether two words stand in the same place of their conjuncts."""
    if one.quantity is not None or other.quantity is not None:
        return _same_kind_of_number(one, other)
    if one.stem == other.stem or one.in_operator or other.in_operator:
        return False
    if (one.word_class and one.word_class == other.word_class) or "weekday" in {one.word_class, other.word_class}:
        return one.word_class == other.word_class
    if one.verbal or other.verbal:
        return one is here.verb and other is there.verb
    if one.preposition or other.preposition:
        same = one.preposition == other.preposition or {one.preposition, other.preposition} <= _PARALLEL
        return same and _alike_names(one, other, here)
    mine, theirs = here.plain_without(there), there.plain_without(here)
    if not _alike_names(one, other, here) or one not in mine or other not in theirs:
        return False
    if one is mine[0] or other is theirs[0]:
        return one is mine[0] and other is theirs[0] and _ahead(one, here) and _ahead(other, there)
    return one is mine[-1] and other is theirs[-1]


def _ahead(token: ContentToken, part: Conjunct) -> bool:
    """Return whether a noun stands before the predicate of its conjunct, if that has one."""
    return part.verb is None or token.word < part.verb.word


def _alike_names(one: ContentToken, other: ContentToken, part: Conjunct) -> bool:
    """Return whether both words are capitalized or none is; the first word of a sentence always is."""
    return one.name == other.name or not (one.word and other.word) or part.statement.language == "de"


def _same_kind_of_number(one: ContentToken, other: ContentToken) -> bool:
    """Return whether two numbers can replace each other: the same unit, or the second leaves it out."""
    mine, theirs = one.quantity, other.quantity
    if mine is None or theirs is None or mine.ordinal != theirs.ordinal or not mine.values or not theirs.values:
        return False
    if mine.values == theirs.values and mine.factor == theirs.factor:
        return False
    same_unit = mine.unit == theirs.unit or not (mine.unit and theirs.unit)
    return same_unit and mine.may_be_year == theirs.may_be_year
