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

    def plain_without(self, conjunct: "Conjunct") -> list[ContentToken]:
        """Return the arguments without preposition that another part does not have, too: not the "Ms" of two names."""
        return [t for t in self.plain if t.stem not in conjunct.stems]


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
    computed = any(is_value(t) and not aligned.mentions(index) for index, t in enumerate(claim.tokens))
    if claim.clauses > _MOST_CLAUSES or computed:
        return
    parts = [
        part for alignment in alignments if alignment.passage.is_divisible for part in conjuncts(alignment.passage)
    ]
    if len(parts) < 2:
        return
    places = _places(claim, alignments, parts)
    matched = {token for standing in places.values() for token, _ in standing}
    conjunct_of = {token: number for number, part in enumerate(conjuncts(claim)) for token in part.tokens}
    counts = Counter(part for standing in places.values() for _, part in standing)
    placed = [
        (token, *max(places[token], key=lambda place: counts[place[1]])) for token in claim.tokens if token in places
    ]
    parts_of = {token: {part for _, part in standing} for token, standing in places.items()}
    for (first, first_match, first_part), (second, second_match, second_part) in permutations(placed, 2):
        if not parts_of[first].isdisjoint(parts_of[second]) or conjunct_of[first] != conjunct_of[second]:
            continue
        instead_of_first = _counterpart(first_match, first_part, second_part, matched)
        instead_of_second = _counterpart(second_match, second_part, first_part, matched) if instead_of_first else None
        if not instead_of_first or not instead_of_second:
            continue
        if instead_of_first[1] or instead_of_second[1]:
            text_of_first, text_of_second = first_part.statement.text_of, second_part.statement.text_of
            detail = (
                f"the passage has “{text_of_second(instead_of_first[0])}” for “{text_of_second(second_match)}”, "
                f"and “{text_of_first(first_match)}” for “{text_of_first(instead_of_second[0])}”"
            )
            yield Disagreement(Reason.BINDING, detail, rule="conjuncts")
            return


def _places(
    claim: Statement, alignments: Sequence[Alignment], parts: Sequence[Conjunct]
) -> dict[ContentToken, list[tuple[ContentToken, Conjunct]]]:
    """Return for each token of the claim where it stands: the first match in every conjunct."""
    position = {token: (n, index) for n, part in enumerate(parts) for index, token in enumerate(part.tokens)}
    by_stem: dict[str, list[tuple[int, int]]] = {}
    numbers: list[ContentToken] = []
    for n, part in enumerate(parts):
        for index, token_of_part in enumerate(part.tokens):
            if token_of_part.quantity is None:
                by_stem.setdefault(token_of_part.stem, []).append((n, index))
            else:
                numbers.append(token_of_part)
    matched: dict[ContentToken, list[tuple[int, int]]] = {}
    for alignment in alignments:
        for token, match in alignment.pairs():
            if match.restates(token) and match.token in position:
                matched.setdefault(token, []).append(position[match.token])
    standing: dict[ContentToken, list[tuple[ContentToken, Conjunct]]] = {}
    for token in claim.tokens:
        if token.quantity is None:
            same = by_stem.get(token.stem, [])
        else:
            same = [position[number] for number in numbers if same_content(token, number)]
        first: dict[int, int] = {}
        for n, index in (*same, *matched.get(token, ())):
            first[n] = min(index, first.get(n, index))
        if first:
            standing[token] = [(parts[n].tokens[index], parts[n]) for n, index in sorted(first.items())]
    return standing


def _counterpart(
    token: ContentToken, part: Conjunct, opposite_part: Conjunct, matched: set[ContentToken]
) -> tuple[ContentToken, bool] | None:
    """Return the word of another conjunct in the place of `token`, and whether that is sure.

    `matched`: the tokens of the passage that the claim has. None where this word is one of them, or there is none.
    """
    parallel = next(
        (t for t in opposite_part.tokens if t.stem not in part.stems and _parallel(token, part, t, opposite_part)), None
    )
    if parallel is not None:
        return None if parallel in matched else (parallel, True)
    if len(part.names) == len(opposite_part.names) == 1 and token is part.names[0] and token.word:
        return None if opposite_part.names[0] in matched else (opposite_part.names[0], False)
    return None


def _parallel(token: ContentToken, here: Conjunct, counterpart: ContentToken, there: Conjunct) -> bool:
    """Return whether two words stand in the same place of their conjuncts."""
    if token.quantity is not None or counterpart.quantity is not None:
        return _same_kind_of_number(token, counterpart)
    if token.stem == counterpart.stem or token.in_operator or counterpart.in_operator:
        return False
    if (token.word_class and token.word_class == counterpart.word_class) or "weekday" in {
        token.word_class,
        counterpart.word_class,
    }:
        return token.word_class == counterpart.word_class
    if token.verbal or counterpart.verbal:
        return token is here.verb and counterpart is there.verb
    if token.preposition or counterpart.preposition:
        same = token.preposition == counterpart.preposition or {token.preposition, counterpart.preposition} <= _PARALLEL
        return same and _alike_names(token, counterpart, here)
    plain_here, plain_there = here.plain_without(there), there.plain_without(here)
    if not _alike_names(token, counterpart, here) or token not in plain_here or counterpart not in plain_there:
        return False
    if token is plain_here[0] or counterpart is plain_there[0]:
        return (
            token is plain_here[0]
            and counterpart is plain_there[0]
            and _ahead(token, here)
            and _ahead(counterpart, there)
        )
    return token is plain_here[-1] and counterpart is plain_there[-1]


def _ahead(token: ContentToken, part: Conjunct) -> bool:
    """Return whether a noun stands before the predicate of its conjunct, if that has one."""
    return part.verb is None or token.word < part.verb.word


def _alike_names(token: ContentToken, counterpart: ContentToken, part: Conjunct) -> bool:
    """Return whether both words are capitalized or none is; the first word of a sentence always is."""
    return token.name == counterpart.name or not (token.word and counterpart.word) or part.statement.language == "de"


def _same_kind_of_number(token: ContentToken, counterpart: ContentToken) -> bool:
    """Return whether two numbers can replace each other: the same unit, or the second leaves it out."""
    number, counterpart_number = token.quantity, counterpart.quantity
    if (
        number is None
        or counterpart_number is None
        or number.ordinal != counterpart_number.ordinal
        or not number.values
        or not counterpart_number.values
    ):
        return False
    if number.values == counterpart_number.values and number.factor == counterpart_number.factor:
        return False
    same_unit = number.unit == counterpart_number.unit or not (number.unit and counterpart_number.unit)
    return same_unit and number.may_be_year == counterpart_number.may_be_year
