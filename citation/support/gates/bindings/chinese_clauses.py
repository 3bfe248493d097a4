"""Clauses of Chinese sentences, which are separated by commas only: the claim takes words of two of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ....text.clauses import ContentToken, Statement
from ....text.clauses.vocabulary import vocabulary
from ..alignment import PassageAlignment
from ..disagreement import Disagreement, Reason
from ..word_relations import han_alike

_LONGEST_CLAIM = 12  # tokens of a claim that states one thing
_MOST_CLAUSES = 24  # clauses of a passage that are compared
_PARTING = ("before", "after", "not", "may_not")  # operators between words that belong to different statements


@dataclass(frozen=True, slots=True, eq=False)
class _Clause:
    """A clause of the passage: its sentence, and its tokens."""

    sentence: Statement
    tokens: list[ContentToken]


def _clauses(passages: Sequence[Statement]) -> list[_Clause]:
    """Return the clauses of all sentences in order."""
    found: list[_Clause] = []
    for passage in passages:
        by_number: dict[int, list[ContentToken]] = {}
        for token in passage.tokens:
            by_number.setdefault(token.clause, []).append(token)
        found += [_Clause(passage, tokens) for tokens in by_number.values()]
    return found[:_MOST_CLAUSES]


def _are_simple(aligned: PassageAlignment) -> bool:
    """Return whether the claim states one thing, and every sentence is divided into clauses reliably."""
    return len(aligned.claim.tokens) <= _LONGEST_CLAIM and all(one.is_divisible for one in aligned.passages)


def mixed_clauses(aligned: PassageAlignment) -> Iterator[Disagreement]:
    """Yield a disagreement if neighbouring words of the claim are from two clauses that state other things.

    "多数老人希望送餐，少数人提到陪护" does not say "多数老人希望陪护". The first clause goes on with another word, and
    the second one begins with another.
    """
    claim = aligned.claim
    if claim.language != "zh" or not _are_simple(aligned) or "than" in claim.kinds():
        return
    clauses = _clauses(aligned.passages)
    where = [[clause for clause in clauses if _finds(token, clause)] for token in claim.tokens]
    if not all(where):
        return
    parted = {op.word for op in claim.of(*_PARTING)}
    for (one, heads), (two, tails) in pairwise(zip(claim.tokens, where, strict=True)):
        between = range(one.word + 1, two.word)
        if any(word in parted or claim.words[word] == "的" for word in between):
            continue
        if one.word_class or two.word_class or one.quantity or two.quantity or any(clause in tails for clause in heads):
            continue
        apart = heads[0].sentence is tails[0].sentence and all(
            _leaves_out(claim, clause, token, before=token is two)
            for token, stating in ((one, heads), (two, tails))
            for clause in stating
        )
        if apart:
            said = [clause.sentence.text_of(*clause.tokens) for clause in (heads[0], tails[0])]
            detail = f"“{said[0]}” and “{said[1]}” are two statements"
            yield Disagreement(Reason.BINDING, detail, rule="conjuncts")
            return


def _leaves_out(claim: Statement, clause: _Clause, token: ContentToken, *, before: bool) -> bool:
    """Return whether a clause has words that the claim does not have, before or after the one that is `token`."""
    at = next(n for n, other in enumerate(clause.tokens) if _same(token, other))
    others = clause.tokens[:at] if before else clause.tokens[at + 1 :]
    return any(not any(_same(one, other) for one in claim.tokens) for other in others)


def _finds(token: ContentToken, clause: _Clause) -> bool:
    return any(_same(token, other) for other in clause.tokens)


def _same(token: ContentToken, other: ContentToken) -> bool:
    if token.quantity is not None or other.quantity is not None:
        return token.stem == other.stem
    return token.stem == other.stem or han_alike(token, other, vocabulary("zh"))
