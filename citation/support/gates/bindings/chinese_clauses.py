"""Bindings between the clauses of Chinese sentences, which are separated by commas only and share their topics."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise, takewhile

from ....text.clauses import ContentToken, Statement
from ....text.clauses.vocabulary import vocabulary
from ..alignment import PassageAlignment
from ..disagreement import Disagreement, Reason
from ..word_relations import excludes, han_alike

_LONGEST_CLAIM = 12  # tokens of a claim that states one thing
_MOST_CLAUSES = 24  # clauses of a passage that are compared
_NUMBER_WEIGHT = 2.0  # weight of a number that a clause shares with the claim; a word has the weight 1
_PARTING = ("before", "after", "not", "may_not")  # operators between words that belong to different statements
_COMPARED = {"over": "under", "under": "over"}


@dataclass(frozen=True, slots=True, eq=False)
class _Clause:
    """A clause of the passage: its sentence, its number there, and its tokens."""

    sentence: Statement
    number: int
    tokens: list[ContentToken]

    @property
    def topic(self) -> list[ContentToken]:
        """The words before the first predicate."""
        return _topic(self.tokens)


def _topic(tokens: Sequence[ContentToken]) -> list[ContentToken]:
    """Return the words before the first predicate, number or phrase with a preposition; those phrases may be first."""
    found: list[ContentToken] = []
    for token in tokens:
        if token.verbal or (found and (token.before or token.quantity is not None)):
            break
        if not token.before and token.quantity is None:
            found.append(token)
    return found


def _clauses(passages: Sequence[Statement]) -> list[_Clause]:
    found: list[_Clause] = []
    for passage in passages:
        by_number: dict[int, list[ContentToken]] = {}
        for token in passage.tokens:
            by_number.setdefault(token.clause, []).append(token)
        found += [_Clause(passage, number, tokens) for number, tokens in by_number.items()]
    return found[:_MOST_CLAUSES]


def _are_simple(aligned: PassageAlignment) -> bool:
    """Return whether the claim states one thing, and every sentence is divided into clauses reliably."""
    return len(aligned.claim.tokens) <= _LONGEST_CLAIM and all(one.is_divisible for one in aligned.passages)


def other_topic(aligned: PassageAlignment) -> Iterator[Disagreement]:
    """Yield a disagreement if the clause that states the claim has another topic, and that of the claim is elsewhere.

    "书店营业额的三成来自线上" and "咖啡店的营业额中外卖占三成。书店的营业额中线上占一半".
    """
    claim = aligned.claim
    if not _are_simple(aligned) or claim.tokens[-1].clause or "by" in claim.kinds():
        return
    marked = next((op.word for op in claim.of("object")), len(claim.words))
    topic = [token for token in _topic(claim.tokens) if not token.kind and token.word < marked]
    rest = [token for token in claim.tokens if token not in topic]
    if not topic or "than" in claim.kinds() or not any(token.verbal for token in rest):
        return
    clauses = _clauses(aligned.passages)
    said = [sum(_weight(token) for token in rest if _finds(token, clause)) for clause in clauses]
    best = max(said, default=0)
    if best * 2 < len(rest):
        return
    contexts = [[*_topics(clauses, at), *clauses[at].tokens] for at in range(len(clauses))]
    held = [[token for token in topic if any(_same(token, other) for other in context)] for context in contexts]
    stating = [at for at in range(len(clauses)) if said[at] == best]
    at = max(stating, key=lambda at: len(held[at]))
    missing = [token for token in topic if token not in held[at]]
    if not missing or _refers(clauses[at]):
        return
    elsewhere = [clause for clause in clauses if all(_finds(token, clause) for token in missing)]
    if not elsewhere or any(_states(rest, clause) for clause in elsewhere):
        return
    times = vocabulary("zh").role("time")
    topics = [t for t in _topics(clauses, at) if not t.kind and t.folded not in times]
    rivals = [t for t in topics if not any(_same(token, t) for token in claim.tokens)]
    if rivals:
        detail = f"the passage says this of “{clauses[at].sentence.text_of(rivals[0])}”, not of "
        yield Disagreement(Reason.BINDING, f"{detail}“{claim.text_of(missing[0])}”", rule="subject")


def mixed_clauses(aligned: PassageAlignment) -> Iterator[Disagreement]:
    """Yield a disagreement if neighbouring words of the claim are from two clauses that state other things.

    "多数老人希望送餐，少数人提到陪护" does not say "多数老人希望陪护". The first clause goes on with another word, and
    the second one begins with another.
    """
    claim = aligned.claim
    if not _are_simple(aligned) or "than" in claim.kinds():
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
        if one.kind or two.kind or one.quantity or two.quantity or any(clause in tails for clause in heads):
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
    """Return whether a clause has words that the claim does not have, before or behind the one that is `token`."""
    at = next(n for n, other in enumerate(clause.tokens) if _same(token, other))
    others = clause.tokens[:at] if before else clause.tokens[at + 1 :]
    return any(not any(_same(one, other) for one in claim.tokens) for other in others)


def other_agent_in_clause(aligned: PassageAlignment) -> Iterator[Disagreement]:
    """Yield a disagreement if the passage names another agent behind 由 or 被: "费用由业主承担", "费用由公司支付"."""
    stated = [agent for passage in aligned.passages for agent in _agents(passage)]
    for patient, agent in _agents(aligned.claim):
        rivals = [
            other
            for thing, other in stated
            if any(_same(one, two) for one in patient for two in thing)
            and not any(_same(one, two) for one in agent for two in other)
        ]
        if rivals and len(rivals) == len(stated):
            detail = f"the passage names “{rivals[0][0].folded}” for this, not “{agent[0].folded}”"
            yield Disagreement(Reason.ROLE, detail, rule="agent")
            return


def _agents(statement: Statement) -> Iterator[tuple[list[ContentToken], list[ContentToken]]]:
    """Yield the words before 由 or 被 in its clause, and those for the agent behind it."""
    for op in islice(statement.of("by"), _MOST_CLAUSES):
        clause = [token for token in statement.tokens if token.clause == op.clause]
        agent = list(takewhile(lambda t: not (t.verbal or t.quantity), (t for t in clause if t.word >= op.after)))
        if agent:
            yield [token for token in clause if token.word < op.word], agent


def other_member_in_clause(aligned: PassageAlignment) -> Iterator[Disagreement]:
    """Yield a disagreement if the clause that states the same has another member of a class: 每年, 每季度."""
    clauses = _clauses(aligned.passages)
    kinds = vocabulary("zh").kinds
    for mine in _clauses([aligned.claim]):
        marked = [token for token in mine.tokens if token.kind]
        rest = [token for token in mine.tokens if not token.kind]
        if not marked or not rest:
            continue
        shares = [sum(_finds(token, clause) for token in rest) for clause in clauses]
        best = max(shares, default=0)
        if best * 2 <= len(rest) or shares.count(best) > 1:
            continue
        stating = clauses[shares.index(best)]
        for token in marked:
            found = [clause for clause in clauses if _finds(token, clause)]
            if not found or any(_states(rest, clause) for clause in found):
                continue  # `other_class_member` compares it, or it is said of this member, too
            others = [other for other in stating.tokens if other.kind == token.kind]
            if others and all(excludes(kinds[token.folded], kinds[other.folded]) for other in others):
                detail = f"the passage says “{stating.sentence.text_of(others[0])}” of this, not “{token.folded}”"
                yield Disagreement(Reason.BINDING, detail, rule="member")
                return


def _weight(token: ContentToken) -> float:
    return 1.0 if token.quantity is None else _NUMBER_WEIGHT


def _topics(clauses: Sequence[_Clause], at: int) -> list[ContentToken]:
    """Return the topics that a clause may have: its own, and those of the clauses before it in its sentence."""
    sentence = clauses[at].sentence
    return [token for clause in clauses[: at + 1] if clause.sentence is sentence for token in clause.topic]


def _states(rest: Sequence[ContentToken], clause: _Clause) -> bool:
    """Return whether a clause has a predicate of the claim with the same sign."""
    return any(
        token.verbal and other.verbal and token.sign == other.sign and _same(token, other)
        for token in rest
        for other in clause.tokens
    )


def _finds(token: ContentToken, clause: _Clause) -> bool:
    return any(_same(token, other) for other in clause.tokens)


def _same(token: ContentToken, other: ContentToken) -> bool:
    if token.quantity is not None or other.quantity is not None:
        return token.stem == other.stem
    return token.stem == other.stem or han_alike(token, other, vocabulary("zh"))


def _refers(clause: _Clause) -> bool:
    """Return whether a clause has a pronoun, or a word such as 该, for the topic of another."""
    pronouns = vocabulary("zh").role("pronoun")
    first, last = clause.tokens[0].word, clause.tokens[-1].word
    return any(word in pronouns for word in clause.sentence.words[max(0, first - 2) : last])


def added_comparison(aligned: PassageAlignment) -> Iterator[Disagreement]:
    """Yield a disagreement if the claim compares with a standard as the passage does not: "低于正常范围".

    The passage has the same words in one clause, but neither the comparison nor a number.
    """
    claim, best = aligned.claim, aligned.best
    words = vocabulary("zh")
    for op in claim.of(*_COMPARED):
        behind = [(t, m) for t, m in best.pairs() if t.word >= op.after and t.clause == op.clause]
        if not behind or any(t.quantity is not None and t.clause == op.clause for t in claim.tokens):
            continue
        clause = behind[0][1].token.clause
        tokens = [t for t in best.passage.tokens if t.clause == clause]
        if {"over", "under", "min", "max", "than"} & best.passage.kinds(clause):
            continue
        if any(t.quantity is not None or words.antonyms.sides(t.folded) for t in tokens):
            continue
        said = claim.text_of(op, behind[-1][0])
        yield Disagreement(Reason.QUANTIFIER, f"the passage does not say “{said}”", rule="compared")
        return
