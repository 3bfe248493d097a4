"""Framing: a passage does not support a claim that it asks, imagines, retracts, or mentions only in a heading."""

from collections.abc import Iterator, Sequence

from ....text.clauses import Statement
from ....text.clauses.statement import DENIALS
from ..alignment import Alignment, PassageAlignment
from ..disagreement import Disagreement, Reason

_FRAMES = frozenset({"false", "fiction"})
_NO_FACT = _FRAMES | DENIALS | {"would", "irrealis", "if"}
_BODY = 0.5  # a claim with a smaller share of its words in the body is supported by a heading only


def stated_as_fiction(alignment: Alignment) -> Iterator[Disagreement]:
    """Yield a disagreement if the claim states as a fact what the passage presents as fiction or as false."""
    if _NO_FACT & alignment.claim.kinds():
        return
    passage = alignment.passage
    for op in passage.of(*_FRAMES):
        denied = not DENIALS.isdisjoint(passage.kinds(op.clause))  # "this hypothesis was dropped: …"
        alone = not any(t.clause == op.clause and not t.in_operator for t in passage.tokens)
        label = op.clause < max(alignment.matching_clauses) and alone and not denied
        named = any(t.stem in alignment.claim.stems for t in passage.tokens if op.word <= t.word < op.after)
        if (op.clause in alignment.matching_clauses or label) and not named:
            frame = passage.text_of(op)
            yield Disagreement(Reason.FRAMING, f"the passage does not present it as a fact: “{frame}”", rule="frame")
            return


def stated_as_question(alignment: Alignment) -> Iterator[Disagreement]:
    """Yield a disagreement if the passage is a question and the claim a statement."""
    claim = alignment.claim
    asked = alignment.passage.question and not claim.question
    if asked and not {"if", "would"} & claim.kinds() and not claim.has_word("asking"):
        yield Disagreement(Reason.FRAMING, "the passage only asks this", rule="question")


def stated_in_heading_only(aligned: PassageAlignment) -> Iterator[Disagreement]:
    """Yield a disagreement if important words of the claim are found only in a heading."""
    claim, alignments = aligned.claim, aligned.sentences
    headings = [alignment for alignment in alignments if alignment.passage.heading]
    if not headings:
        return
    body = [alignment for alignment in alignments if not alignment.passage.heading]
    everywhere = _found(claim, alignments)
    in_body = _found(claim, body)
    lost = [n for n in everywhere if n not in in_body]
    states = [n for n, t in enumerate(claim.tokens) if n in in_body and not claim.tokens[n].name]
    predicate = any(claim.tokens[n].verbal or claim.tokens[n].after_auxiliary for n in lost)
    if lost and (predicate or len(in_body) < _BODY * len(claim.tokens) or not states):
        word = claim.text[claim.tokens[lost[0]].start : claim.tokens[lost[0]].end]
        yield Disagreement(Reason.FRAMING, f"only a heading of the passage says “{word}”", rule="heading")


def _found(claim: Statement, alignments: Sequence[Alignment]) -> set[int]:
    """Return the indexes of the claim's tokens that are found in any of these sentences."""
    return {n for n in range(len(claim.tokens)) if any(alignment.matches[n] for alignment in alignments)}
