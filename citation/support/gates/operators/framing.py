"""Framing: a passage does not support a claim that it asks, imagines, retracts, or mentions only in a heading."""

from collections.abc import Iterator, Sequence

from ....text.clauses import Statement
from ....text.clauses.statement import DENIALS
from ....text.clauses.vocabulary import vocabulary
from ..alignment import Alignment, PassageAlignment
from ..disagreement import Disagreement, Reason

_FRAMES = frozenset({"false", "fiction"})
_NO_FACT = _FRAMES | DENIALS | {"would", "irrealis", "if"}
_DENIALS = DENIALS | {"false"}
_SHORT = 6  # content words of the longest sentence that retracts the one before it: "The board did not approve it."
_SHORTEST_REJECTION = 3  # words of a sentence such as "that rumour lied"
_BODY = 0.5  # a claim with a smaller share of its words in the body is supported by a heading only


def stated_as_fiction(alignment: Alignment) -> Iterator[Disagreement]:
    """Yield a disagreement if the claim states as a fact what the passage presents as fiction or as false."""
    if _NO_FACT & alignment.claim.kinds():
        return
    passage = alignment.passage
    for op in passage.of(*_FRAMES):
        denied = not _DENIALS.isdisjoint(passage.kinds(op.clause) - {"false"})  # "this hypothesis was dropped: …"
        alone = not any(t.clause == op.clause and not t.in_operator for t in passage.tokens)
        label = op.clause < max(alignment.matching_clauses) and alone and not denied
        named = any(t.stem in alignment.claim.stems for t in passage.tokens if op.word <= t.word < op.after)
        if (op.clause in alignment.matching_clauses or label) and not named:
            said = passage.text_of(op)
            yield Disagreement(Reason.FRAMING, f"the passage does not present it as a fact: “{said}”", rule="frame")
            return


def stated_as_question(alignment: Alignment) -> Iterator[Disagreement]:
    """Yield a disagreement if the passage is a question and the claim a statement."""
    claim = alignment.claim
    asked = alignment.passage.question and not claim.question
    if asked and not {"if", "would"} & claim.kinds() and not claim.has_word("asking"):
        yield Disagreement(Reason.FRAMING, "the passage only asks this", rule="question")


def retracted_by_next_sentence(aligned: PassageAlignment) -> Iterator[Disagreement]:
    """Yield a disagreement if the next sentence retracts it: "This is not true.", "The board did not approve it."."""
    if (_DENIALS | {"without"}) & aligned.claim.kinds():
        return
    if retraction := retraction_of(aligned):
        yield Disagreement(Reason.FRAMING, retraction, rule="retracted")


def retraction_of(aligned: PassageAlignment) -> str:
    """Return how the sentence after the best one retracts it, as a detail of a disagreement, "" if it does not."""
    if aligned.following is None:
        return ""
    claim, best, following = aligned.claim, aligned.best.passage, aligned.following.passage
    said = following.text_of()
    reported = bool({"said", "hedge", "plan", "false"} & claim.kinds())
    pronouns = vocabulary(claim.language).role("pronoun")
    if _rejects_statement(following) and not reported:
        return f"the next sentence takes it back: “{said}”"
    if len(following.tokens) > _SHORT or following.cells or following.question or not _DENIALS & following.kinds():
        return ""
    refers = claim.language == "zh" or _refers_back(following, pronouns)
    new = [t for t in following.tokens if t.stem not in best.stems and not t.in_operator]
    called_false = "false" in following.kinds()
    if new and not called_false and not _denies_claim(claim, best, following):
        return ""
    counted = not called_false and any(t.quantity for t in following.tokens)
    return f"the next sentence takes it back: “{said}”" if refers and len(new) <= _SHORT // 2 and not counted else ""


def _refers_back(statement: Statement, pronouns: frozenset[str]) -> bool:
    """Return whether a sentence has a pronoun that stands for something: not the "es" of "es gibt"."""
    words = statement.words
    expletive = vocabulary(statement.language).role("expletive")
    return any(
        word in pronouns and expletive.isdisjoint({f"{word}_{after}", f"{before}_{word}"})
        for before, word, after in zip(["", *words], words, [*words[1:], ""], strict=False)
    )


def _rejects_statement(statement: Statement) -> bool:
    """Return whether a sentence rejects the statement before it: "This hypothesis was dropped", "It is false"."""
    words = vocabulary(statement.language)
    if any(op.kind == "false" and not op.word for op in statement.operators):
        return not {"not", "no"} & statement.kinds(0)
    demonstrative = words.role("demonstrative")
    if len(statement.words) < _SHORTEST_REJECTION or statement.words[0] not in demonstrative:
        return False
    denials = [op for op in statement.of(*_DENIALS) if not op.clause]
    return statement.words[1] in words.role("statement_noun") and len(denials) == 1


def _denies_claim(claim: Statement, best: Statement, following: Statement) -> bool:
    """Return whether a sentence with a denial denies the claim, and not another statement.

    It does if it has a decision, or words of the claim that the sentence before it lacks: "The ferry was presented. It
    has not taken passengers." denies nothing about the presentation.
    """
    if "decision" in following.kinds():
        return True
    alignment = Alignment(claim, following)
    return any(
        match is not None and not token.in_operator and match.token.stem not in best.stems
        for token, match in alignment.tokens
    )


def stated_in_heading_only(aligned: PassageAlignment) -> Iterator[Disagreement]:
    """Yield a disagreement if important words of the claim are found only in a heading."""
    claim, alignments = aligned.claim, aligned.sentences
    headings = [alignment for alignment in alignments if alignment.passage.heading]
    if not headings:
        return
    body = [alignment for alignment in alignments if not alignment.passage.heading]
    everywhere = _found(claim, alignments)
    said = _found(claim, body)
    lost = [n for n in everywhere if n not in said]
    states = [n for n, t in enumerate(claim.tokens) if n in said and not claim.tokens[n].name]
    predicate = any(claim.tokens[n].verbal or claim.tokens[n].after_auxiliary for n in lost)
    if lost and (predicate or len(said) < _BODY * len(claim.tokens) or not states):
        word = claim.text[claim.tokens[lost[0]].start : claim.tokens[lost[0]].end]
        yield Disagreement(Reason.FRAMING, f"only a heading of the passage says “{word}”", rule="heading")


def _found(claim: Statement, alignments: Sequence[Alignment]) -> set[int]:
    """Return the indexes of the claim's tokens that are found in any of these sentences."""
    return {n for n in range(len(claim.tokens)) if any(alignment.matches[n] for alignment in alignments)}
