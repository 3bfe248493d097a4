"""Parts that the claim adds to what the passage says."""

from collections.abc import Iterator

from ....text.clauses import ContentToken, Statement
from ....text.clauses.vocabulary import vocabulary
from ..alignment import PassageAlignment
from ..disagreement import Disagreement, Reason


def added_words(aligned: PassageAlignment) -> Iterator[Disagreement]:
    """Yield a disagreement if only one part of the claim is missing in the passage: "… and is waterproof"."""
    claim = aligned.claim
    missing = aligned.unknown()
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
