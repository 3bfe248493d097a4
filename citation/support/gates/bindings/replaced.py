"""Words that a claim has in the place of others, or in addition to what the passage says.

Unknown words can be paraphrases, so that these disagreements refuse a citation only if the rest of the claim agrees.
"""

from collections.abc import Iterator, Sequence
from operator import attrgetter

from ....text.clauses import ContentToken, Statement
from ....text.clauses.statement import DENIALS, Span
from ....text.clauses.vocabulary import vocabulary
from ..alignment import Alignment, PassageAlignment
from ..disagreement import Disagreement, Reason

_ONLY_REACH = 3  # words between "only" and the word that it restricts
_LONG = 20  # tokens of a passage that restricts one thing
_HALF = 0.5  # share of the claim that the passage has, if it restricts what the claim extends
_DEFINITE = frozenset({"the", "this", "that", "these", "those", "such"})  # before a word for one of another sentence


def outside_restriction(aligned: PassageAlignment) -> Iterator[Disagreement]:
    """Yield a disagreement if the claim extends to others what the passage restricts: "only on weekdays".

    The claim has none of the words behind "only", or it has others in addition to them.
    """
    claim, best = aligned.claim, aligned.best
    passage = best.passage
    if claim.kinds() & (DENIALS | {"except", "without", "unless"}) or best.coverage < _HALF:
        return
    if len(passage.tokens) > _LONG:
        return
    own = [op.after for op in claim.of("only")]
    unknown = [t for t in _unknown(aligned) if not t.verbal]
    if own:
        unknown = [t for t in unknown if any(0 <= t.word - after < _ONLY_REACH for after in own)]
    if not unknown:
        return
    for op in passage.of("only"):
        near = [t for t in passage.tokens if 0 <= t.word - op.after < _ONLY_REACH][:2]
        behind = [t for t in passage.tokens if 0 < op.word - t.word < _ONLY_REACH]
        modified = not near and len(behind) > 1 and not behind[0].verbal and behind[1].word == behind[0].word + 1
        near = near or behind[-1:]
        if not near or op.clause not in best.mains or _unique(passage, op.word):
            continue
        joined = any(t.piece for t in unknown) or "all" in claim.kinds()
        narrower = modified and behind[-2] not in best.matched  # "to sales staff only", "new employees"
        if joined or narrower or not any(t in best.matched for t in near):
            restricted: list[Span] = [op, *near]
            said = passage.text_of(*sorted(restricted, key=attrgetter("start")))
            word = claim.text_of(unknown[0])
            yield Disagreement(Reason.QUANTIFIER, f"the passage says “{said}”, not “{word}”", rule="outside")
            return


def _unique(passage: Statement, at: int) -> bool:
    """Return whether "only" says that something is unique: "the only actor"."""
    return at > 0 and passage.words[at - 1] in vocabulary(passage.language).role("article")


def added_words(aligned: PassageAlignment) -> Iterator[Disagreement]:
    """Yield a disagreement if only one part of the claim is missing in the passage: "… and is waterproof"."""
    claim = aligned.claim
    missing = _unknown(aligned)
    for piece in range(1, claim.pieces):
        own = [t for t in claim.tokens if t.piece == piece]
        if own and all(t in missing for t in own) and _coordinated(claim, own[0]):
            others = [match for token, match in aligned.best.tokens if token.piece != piece]
            if all(others):
                said = claim.text_of(*own)
                yield Disagreement(Reason.BINDING, f"the passage does not mention “{said}”", rule="added")
            return


def _coordinated(claim: Statement, token: ContentToken) -> bool:
    """Return whether a conjunction is between the piece of a token and the one before."""
    before = [t for t in claim.tokens if t.piece < token.piece]
    between = claim.words[before[-1].word + 1 : token.word] if before else []
    return not vocabulary(claim.language).role("conjunction").isdisjoint(between)


def word_from_elsewhere(aligned: PassageAlignment) -> Iterator[Disagreement]:
    """Yield a disagreement if one noun of the claim is that of another sentence, in the place of another noun.

    "Employees get a laptop on their first day. Phones follow later." and "Employees get a phone on their first day."
    """
    claim, best = aligned.claim, aligned.best
    missing = [t for t, match in best.tokens if match is None]
    if len(missing) != 1 or missing[0].verbal or missing[0].quantity is not None or missing[0].operator:
        return
    token = missing[0]
    at = claim.tokens.index(token)
    if not any(one.matches[at] is not None for one in aligned.sentences if one is not best):
        return
    mine = [None if match is None else match.token for match in (None, *best.matches, None)]
    theirs = [None, *best.passage.tokens, None]
    for there, other in enumerate(best.passage.tokens):
        if other in best.matched or other.quantity is not None or other.operator or other.verbal:
            continue
        around = mine[at] == theirs[there], mine[at + 2] == theirs[there + 2]
        refers = not _DEFINITE.isdisjoint(best.passage.words[max(0, other.word - 2) : other.word])
        if all(around) and not refers and (token.before, token.name) == (other.before, other.name):
            said = best.passage.text_of(other)
            detail = f"the passage says “{said}”, not “{claim.text_of(token)}”"
            yield Disagreement(Reason.BINDING, detail, rule="elsewhere")
            return


def modifier_from_elsewhere(aligned: PassageAlignment) -> Iterator[Disagreement]:
    """Yield a disagreement if a word of the claim describes a noun that it only describes in another sentence.

    "The Pro plan includes calls. The Basic plan includes e-mail." does not say that the Basic plan includes calls.
    """
    claim, best = aligned.claim, aligned.best
    if claim.language != "en":
        return
    for at, token in enumerate(claim.tokens):
        if best.matches[at] is not None or token.verbal or token.quantity is not None or token.operator:
            continue
        for step in (1, -1):
            noun = _adjacent(claim.tokens, token, step)
            match = best.match_of.get(noun) if noun is not None else None
            rival = _adjacent(best.passage.tokens, match.token, -step) if match is not None else None
            if noun is None or rival is None or rival in best.matched or not _describes(rival):
                continue
            if any(_described(one, at, noun, step) for one in aligned.sentences if one is not best):
                said = best.passage.text_of(rival)
                detail = f"the passage says “{said}”, not “{claim.text_of(token)}”"
                yield Disagreement(Reason.BINDING, detail, rule="elsewhere")
                return


def _adjacent(tokens: Sequence[ContentToken], token: ContentToken, step: int) -> ContentToken | None:
    """Return the content word behind a word, or before it if `step` is -1, unless a predicate or a comma is between."""
    at = tokens.index(token) + step
    other = tokens[at] if 0 <= at < len(tokens) else None
    if other is None or other.piece != token.piece or other.clausal or token.clausal:
        return None
    near = abs(other.word - token.word) == 1 or (step > 0 and bool(other.before)) or (step < 0 and bool(token.before))
    return other if near else None


def _describes(token: ContentToken) -> bool:
    return not token.verbal and token.quantity is None and not token.operator


def _described(alignment: Alignment, at: int, noun: ContentToken, step: int) -> bool:
    """Return whether a sentence has the word of the claim next to the same noun."""
    match = alignment.matches[at]
    if match is None or match.sign < 0:
        return False
    other = _adjacent(alignment.passage.tokens, match.token, step)
    return other is not None and other.stem == noun.stem


def _unknown(aligned: PassageAlignment) -> list[ContentToken]:
    """Return the words of the claim that no sentence of the passage has."""
    return [
        token
        for at, token in enumerate(aligned.claim.tokens)
        if token.quantity is None
        and not token.operator
        and not aligned.is_known(token.stem)
        and not aligned.mentions(at)
    ]
