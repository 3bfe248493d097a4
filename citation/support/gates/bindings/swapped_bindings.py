"""Find words that the claim binds to other words than the passage does: the value of another name."""

from collections.abc import Iterator, Sequence

from ....text.clauses import ContentToken, Statement
from ....text.clauses.vocabulary import vocabulary
from ....text.numbers.quantities import same_kind
from ..alignment import COMPARABLE, Alignment, PassageAlignment
from ..disagreement import Disagreement, Reason

_LOOSE = frozenset({"on", "for", "of", "in", "at", "with"})  # "the guarantee on drills … for accessories"
# With a smaller share of words found anywhere in the passage, a word in another place is no evidence of an error.
_MENTIONED = 0.85

_Place = tuple[int, int]  # the number of an alignment, and a piece of its passage


def swapped_bindings(aligned: PassageAlignment) -> Iterator[Disagreement]:
    """Yield a disagreement if two words of the claim are in two places of the passage, each with a rival of the other.

    Only names, numbers and words of a class are compared where the passage lacks much of the claim. Example:
    "Tin is mined in Arden" and "Copper is mined in Arden. Tin is mined in Borrow."
    """
    claim, alignments = aligned.claim, aligned.sentences
    if aligned.mentioned < COMPARABLE or claim.language == "zh":  # `mixed_clauses` compares those of Chinese
        return
    places: dict[ContentToken, dict[_Place, ContentToken]] = {}
    for number, alignment in enumerate(alignments):
        if not alignment.passage.is_divisible:
            continue
        for token, match in alignment.pairs():
            if not match.restates(token):
                continue
            for other in _all_matches(alignment, token, match.token):
                places.setdefault(token, {}).setdefault((number, other.piece), other)
    tokens = [t for t in claim.tokens if t in places]
    mine = {found for t in tokens for found in places[t].values()}
    if aligned.mentioned < _MENTIONED:
        tokens = [t for t in tokens if t.name or t.quantity is not None or t.kind]
    rivals = _Rivals(alignments, mine)
    for w in tokens:
        for v in tokens:
            if w is v or w.piece != v.piece or not places[w].keys().isdisjoint(places[v]):
                continue
            found = _competitors(places[w], places[v], rivals)
            if found:
                theirs, other = found
                passage = alignments[theirs[0]].passage
                yield Disagreement(
                    Reason.BINDING,
                    f"the passage has “{passage.text_of(other)}” beside “{claim.text_of(w)}”, not “{claim.text_of(v)}”",
                    rule="binding",
                )
                return


def _all_matches(alignment: Alignment, token: ContentToken, best: ContentToken) -> list[ContentToken]:
    passage = alignment.passage
    if token.quantity is not None:
        return passage.numbers_agreeing(token.quantity)
    return [passage.tokens[at] for at in passage.stems.get(best.stem, ())] or [best]


class _Rivals:
    """The words of each piece of the passage that the claim lacks, and those that can replace a given word."""

    def __init__(self, alignments: Sequence[Alignment], mine: set[ContentToken]) -> None:
        """`mine`: the tokens that the claim has."""
        self.alignments = alignments
        self._mine = mine
        self._pieces: dict[_Place, list[ContentToken]] = {}
        self._free: dict[_Place, list[ContentToken]] = {}
        self._first: dict[tuple[_Place, ContentToken], ContentToken | None] = {}

    def piece(self, place: _Place) -> list[ContentToken]:
        """Return the words of a piece."""
        if place not in self._pieces:
            number, piece = place
            self._pieces[place] = [t for t in self.alignments[number].passage.tokens if t.piece == piece]
        return self._pieces[place]

    def first(self, place: _Place, token: ContentToken, token_place: _Place) -> ContentToken | None:
        """Return the first word of a piece that the claim lacks and that can replace a word of another piece."""
        key = place, token
        if key not in self._first:
            if place not in self._free:
                self._free[place] = [t for t in self.piece(place) if t not in self._mine]
            here, there = self.alignments[place[0]], self.alignments[token_place[0]]
            alike = (t for t in self._free[place] if _comparable(t, token, here, there))
            self._first[key] = next(alike, None)
        return self._first[key]


def _competitors(
    ws: dict[_Place, ContentToken], vs: dict[_Place, ContentToken], rivals: _Rivals
) -> tuple[_Place, ContentToken] | None:
    """Return the rival of v next to w, if there is also a rival of w next to v; both are not in the claim."""
    alignments = rivals.alignments
    for place, w in ws.items():
        for other_place, v in vs.items():
            rival = rivals.first(place, v, other_place)
            if rival is None or rivals.first(other_place, w, place) is None:
                continue
            same_unit = v.quantity is not None and bool(v.quantity.unit)
            subjects = _subject(v, alignments[other_place[0]].passage) and _subject(rival, alignments[place[0]].passage)
            same_place = bool(v.before and v.before == rival.before) or same_unit or subjects
            if same_place or _parallel(rivals, place, other_place):
                return place, rival
    return None


def _parallel(rivals: _Rivals, one: _Place, other: _Place) -> bool:
    """Return whether two pieces share a word: "Anna lives …, Erik lives …"."""
    here, there = rivals.piece(one), rivals.piece(other)
    stems = {t.stem for t in here}
    elliptic = one[0] == other[0] and not all(any(t.verbal for t in piece) for piece in (here, there))
    return elliptic or any(t.stem in stems for t in there)


def _comparable(one: ContentToken, other: ContentToken, here: Alignment, there: Alignment) -> bool:
    """Return whether two words can replace each other in a sentence."""
    if one.quantity is not None or other.quantity is not None:
        return one.quantity is not None and other.quantity is not None and same_kind(one.quantity, other.quantity)
    if (one.kind and one.kind == other.kind) or "weekday" in {one.kind, other.kind}:
        return one.kind == other.kind
    if one.name != other.name and one.word and other.word and here.passage.language != "de":
        return False
    if one.name and other.name and here.passage.language != "de":
        return _side(one, here.passage) == _side(other, there.passage)
    if one.operator or other.operator or one.verbal != other.verbal:
        return False
    return one.verbal or _slot(one, here.passage, other, there.passage)


def _slot(one: ContentToken, here: Statement, other: ContentToken, there: Statement) -> bool:
    """Return whether two nouns have the same role: after the same preposition, or next to the same word."""
    if one.before or other.before:
        return one.before == other.before or bool(
            one.before and other.before and one.before in _LOOSE and other.before in _LOOSE
        )
    if _subject(one, here) and _subject(other, there):
        return True
    mine, theirs = _neighbours(one, here), _neighbours(other, there)
    return any(a and a == b for a, b in zip(mine, theirs, strict=True))


def _side(token: ContentToken, statement: Statement) -> tuple[str, bool]:
    """Return the preposition before a name, and whether a predicate of its piece is before it."""
    return token.before, any(t.verbal and t.piece == token.piece and t.word < token.word for t in statement.tokens)


def _subject(token: ContentToken, statement: Statement) -> bool:
    """Return whether a noun is directly before the predicate of its piece."""
    at = statement.tokens.index(token)
    following = statement.tokens[at + 1] if at + 1 < len(statement.tokens) else None
    if following is None or vocabulary(statement.language).is_adverb(token.folded):
        return False
    return following.verbal and following.piece == token.piece


def _neighbours(token: ContentToken, statement: Statement) -> tuple[str, str]:
    """Return the stems of the content words before and after a token in its piece."""
    at = statement.tokens.index(token)
    before = statement.tokens[at - 1] if at else None
    behind = statement.tokens[at + 1] if at + 1 < len(statement.tokens) else None
    return (
        before.stem if before is not None and before.piece == token.piece else "",
        behind.stem if behind is not None and behind.piece == token.piece else "",
    )
