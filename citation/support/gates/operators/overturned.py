"""Statements that the passage only reports or plans and then takes back: "All were safe, he said. This was wrong."."""

from collections.abc import Iterator

from ....text.clauses import Statement
from ....text.clauses.statement import DENIALS
from ..alignment import PassageAlignment
from ..disagreement import Disagreement, Reason

# Operators of a sentence that states something as said, believed, decided or planned.
_TENTATIVE = frozenset({"said", "hedge", "alleges", "plan", "proposal", "decision", "would"})
# A claim with one of these repeats that it was said or decided, or that it was taken back.
_REPORTED = (_TENTATIVE - {"plan"}) | DENIALS | {"overturns", "false", "without"}
_LONG = 15  # tokens; a longer sentence states more than one thing
_MOST = 0.75  # share of the claim's words that stand before what takes it back


def overturned(aligned: PassageAlignment) -> Iterator[Disagreement]:
    """Yield a disagreement if the claim states as a fact what the passage takes back: later, or of a plan anywhere."""
    claim, alignments = aligned.claim, aligned.sentences
    if _REPORTED & claim.kinds():
        return
    found = [False] * len(claim.tokens)
    for at, alignment in enumerate(alignments):
        passage = alignment.passage
        found = [known or match is not None for known, match in zip(found, alignment.matches, strict=True)]
        if sum(found) < _MOST * len(found) or not alignment.shared or not _is_tentative(passage):
            continue
        later = alignments[at + 1 :]
        if any(match and not known for one in later for known, match in zip(found, one.matches, strict=True)):
            return  # the claim states the later version
        earlier = [one.passage for one in alignments[:at] if "plan" in passage.kinds()]
        retractions = [one.passage for one in later if _retracts(one.passage, passage)]
        retractions += [one for one in earlier if "overturns" in one.kinds() and _refers(passage, one)]
        if retractions:
            yield _disagreement(retractions[0])
            return


def _disagreement(passage: Statement) -> Disagreement:
    said = passage.text_of()
    return Disagreement(Reason.FRAMING, f"the passage takes it back: “{said}”", rule="overturned")


def _is_tentative(passage: Statement) -> bool:
    """Return whether a sentence only reports or plans something."""
    if len(passage.tokens) > _LONG or passage.question:
        return False
    return bool(_TENTATIVE & passage.kinds())


def _retracts(later: Statement, passage: Statement) -> bool:
    """Return whether a later sentence takes back what `passage` states."""
    return len(later.tokens) <= _LONG and "overturns" in later.kinds() and _refers(later, passage)


def _refers(later: Statement, passage: Statement) -> bool:
    """Return whether a sentence refers to another by a pronoun, a word of its own, or a word for what was said."""
    if later.has_word("pronoun") or later.has_word("statement_noun"):
        return True
    return any(token.stem in passage.stems for token in later.tokens if token.quantity is None)
