"""Compare names with the descriptions that a passage gives them: "Solgrad, the capital"."""

from collections.abc import Iterator, Sequence

from ....text.clauses import ContentToken, Statement
from ....text.clauses.vocabulary import vocabulary
from ..alignment import Alignment
from ..disagreement import Disagreement, Reason
from ..relevance import reports


@reports("binding/description")
def described_name(claim: Statement, alignments: Sequence[Alignment]) -> Iterator[Disagreement]:
    """Yield a disagreement if the passage gives a description to another name: "Solgrad, the capital"."""
    names = [t for t in claim.tokens if t.name and not t.before]
    rest = [t for t in claim.tokens if t not in names]
    if not names or not rest or claim.clauses > 1 or any(t.verbal or t.quantity or t.operator for t in rest):
        return
    if names[-1].word > rest[0].word:
        return
    articles = vocabulary(claim.language).role("article")
    for alignment in alignments:
        tokens = alignment.passage.tokens
        for at, other in enumerate(tokens[1:], 1):
            before = tokens[at - 1]
            if not before.name or before.piece == other.piece or other.word - before.word != 2:
                continue
            if alignment.passage.words[before.word + 1] not in articles:
                continue
            if alignment.passage.text[before.end : other.start].lstrip()[:1] != "," or _has_auxiliary(
                alignment.passage, other
            ):
                continue
            described = {t.stem for t in tokens[at:] if t.piece == other.piece}
            named = {t.stem for t in tokens[:at] if t.name and t.piece == before.piece and t.before == before.before}
            if all(t.stem in described for t in rest) and named.isdisjoint(t.stem for t in names):
                said = alignment.passage.spelled(before.start, before.end)
                detail = f"the passage says this of “{said}”, not of “{claim.spelled(names[0].start, names[-1].end)}”"
                yield Disagreement(Reason.BINDING, detail, rule="description")
                return


def _has_auxiliary(passage: Statement, token: ContentToken) -> bool:
    """Return whether an auxiliary is in the piece that begins with a word: "…; the tenants are Roth and Berg"."""
    last = max(t.word for t in passage.tokens if t.piece == token.piece)
    auxiliaries = vocabulary(passage.language).role("auxiliary")
    return not auxiliaries.isdisjoint(passage.words[token.word : last + 2])
