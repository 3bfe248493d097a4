"""Framing: a passage does not support a claim that it asks, imagines, retracts, or mentions only in a heading."""

from collections.abc import Iterator, Sequence

from ....text.clauses import ContentToken, Operator, Statement
from ....text.clauses.vocabulary import vocabulary
from ..alignment import Alignment, Match
from ..disagreement import Disagreement, Reason
from ..relevance import reports

_FRAMES = frozenset({"false", "fiction"})
_NO_FACT = _FRAMES | {"not", "no", "denies", "may_not", "would", "irrealis", "if"}
_CLAIMED = frozenset({"said", "hedge", "plan"})
_LEFT_OUT = frozenset({"unstated", "not", "no", "denies", "open", "asks"})
_DENIALS = frozenset({"not", "no", "denies", "may_not", "false"})
_BOUNDS = frozenset({"min", "max", "over", "under"})
_EXCEPTIONS = frozenset({"except", "without", "unless", "only", "if"})
_NO_EXCLUSION = _EXCEPTIONS | {"plan", "hedge", "must"}
# Maximum content words of a sentence that retracts the one before it: "The board did not approve it."
_SHORT = 6
_SAYING = 3  # words of the shortest sentence such as "that rumour lied"
# A claim with a smaller share of its words in the body is supported by a heading only.
_HEADLINE = 5  # content words of a heading that is a sentence
_BODY = 0.5


@reports("framing/frame")
def stated_as_fiction(alignment: Alignment) -> Iterator[Disagreement]:
    """Yield a disagreement if the claim states as a fact what the passage presents as fiction or as false."""
    if _NO_FACT & alignment.claim.kinds():
        return
    passage = alignment.passage
    for op in passage.of(*_FRAMES):
        denied = not _DENIALS.isdisjoint(passage.kinds(op.clause) - {"false"})  # "this hypothesis was dropped: …"
        alone = not any(t.clause == op.clause and not t.operator for t in passage.tokens)
        label = op.clause < max(alignment.mains) and alone and not denied
        named = any(t.stem in alignment.claim.stems for t in passage.tokens if op.word <= t.word < op.after)
        told = op.kind == "fiction" and op.clause < max(alignment.mains) and _introduced(alignment, op.after)
        if (op.clause in alignment.mains or label or told) and not named:
            said = passage.spelled(op.start, op.end)
            yield Disagreement(Reason.FRAMING, f"the passage does not present it as a fact: “{said}”", rule="frame")
            return


def _introduced(alignment: Alignment, after: int) -> bool:
    """Return whether a subordinator is before the words of the passage that match: "is set in 2150, when …"."""
    first = min((match.token.word for _, match in alignment.pairs()), default=0)
    subordinators = vocabulary(alignment.claim.language).role("subordinator") | {"that", "how"}
    return not subordinators.isdisjoint(alignment.passage.words[after:first])


@reports("framing/question")
def stated_as_question(alignment: Alignment) -> Iterator[Disagreement]:
    """Yield a disagreement if the passage is a question and the claim a statement."""
    claim = alignment.claim
    if alignment.passage.question and not claim.question and not {"if", "would"} & claim.kinds():
        asks = vocabulary(claim.language).role("asking")
        if asks.isdisjoint(claim.words):
            yield Disagreement(Reason.FRAMING, "the passage only asks this", rule="question")


@reports("framing/retracted")
def retracted_by_next_sentence(claim: Statement, passages: Sequence[Statement], best: int) -> Iterator[Disagreement]:
    """Yield a disagreement if the next sentence retracts it: "This is not true.", "The board did not approve it."."""
    if (_DENIALS | {"without"}) & claim.kinds():
        return
    if retraction := retraction_of(claim, passages, best):
        yield Disagreement(Reason.FRAMING, retraction, rule="retracted")


def retraction_of(claim: Statement, passages: Sequence[Statement], best: int) -> str:
    """Return how the sentence behind the `best` one takes it back, "" if it does not."""
    if best + 1 >= len(passages):
        return ""
    following = passages[best + 1]
    said = following.spelled(0, len(following.text))
    reported = bool({*_CLAIMED, "false"} & claim.kinds())
    corrected = _corrects(following) and not claim.stems.keys() & following.stems.keys() - passages[best].stems.keys()
    if corrected and _CLAIMED & passages[best].kinds() and not reported:
        return f"the next sentence corrects it: “{said}”"
    pronouns = vocabulary(claim.language).role("pronoun")
    if (_denies_it(following, pronouns) or _drops_it(following)) and not reported:
        return f"the next sentence takes it back: “{said}”"
    if len(following.tokens) > _SHORT or following.cells or following.question or not _DENIALS & following.kinds():
        return ""
    refers = claim.language == "zh" or _refers_back(following, pronouns)
    new = [t for t in following.tokens if t.stem not in passages[best].stems and not t.operator]
    called_false = "false" in following.kinds()
    if new and not called_false and not _concerns(claim, passages[best], following):
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


def _denies_it(statement: Statement, pronouns: frozenset[str]) -> bool:
    """Return whether a short sentence denies the one before as a whole: "Its owner denies this"."""
    return (
        "denies" in statement.kinds()
        and len(statement.tokens) <= _SHORT
        and any(op.after == len(statement.words) - 1 for op in statement.of("denies"))
        and statement.words[-1] in pronouns
    )


def _drops_it(statement: Statement) -> bool:
    """Return whether a sentence begins with a denial of what was said: "This hypothesis was dropped"."""
    words = vocabulary(statement.language)
    if any(op.kind == "false" and not op.word for op in statement.operators):
        return not {"not", "no"} & statement.kinds(0)
    demonstrative = words.role("demonstrative")
    if len(statement.words) < _SAYING or statement.words[0] not in demonstrative:
        return False
    denials = [op for op in statement.of(*_DENIALS) if not op.clause]
    return statement.words[1] in words.role("statement_noun") and len(denials) == 1


def _corrects(statement: Statement) -> bool:
    """Return whether a sentence begins with words that correct what somebody said before: "In fact, …"."""
    phrases = [phrase.split("_") for phrase in vocabulary(statement.language).role("corrective")]
    return any(statement.words[: len(phrase)] == phrase for phrase in phrases)


def only_denied(claim: Statement, alignments: Sequence[Alignment], best: Alignment) -> Iterator[Disagreement]:
    """Yield a disagreement if the only sentence with a word of the claim denies it, and the best one lacks the word.

    "The probe flew past Mars. It did not land there." does not say that the probe landed on Mars.
    """
    if claim.kinds() & (_DENIALS | _EXCEPTIONS):
        return
    for at, token in enumerate(claim.tokens):
        if best.matches[at] is not None or token.quantity is not None or token.name or token.operator:
            continue
        found = [(one, match) for one in alignments if (match := one.matches[at]) is not None]
        if found and all(_denied_there(claim, token, one, match, best) for one, match in found):
            one, _ = found[0]
            said = one.passage.spelled(0, len(one.passage.text))
            yield Disagreement(Reason.NEGATION, f"the passage denies this: “{said}”", rule="denied nearby")
            return


def denied_part(claim: Statement, alignments: Sequence[Alignment], best: Alignment) -> Iterator[Disagreement]:
    """Yield a disagreement if the passage has a word of the claim only in a clause that denies it.

    "Notice must be given in writing; a call is not enough" does not say that notice can be given by a call.
    """
    if claim.kinds() & (_DENIALS | _EXCEPTIONS) or claim.language == "zh":
        return
    stated = {match.token.clause for token, match in best.pairs() if token.verbal and _agrees(token, match)}
    verbs = {match.token.clause for token, match in best.pairs() if token.verbal}
    for at, token in enumerate(claim.tokens):
        if token.operator or token.verbal or token.name or token.quantity is not None:
            continue
        match = best.matches[at]
        if match is None or match.token.clause in verbs or not stated or _agrees(token, match):
            continue
        if not _DENIALS & best.passage.kinds(match.token.clause) or match.token.scoped:
            continue
        others = [one.matches[at] for one in alignments if one is not best]
        if all(other is None or not _agrees(token, other) for other in others):
            own = [t for t in best.passage.tokens if t.clause == match.token.clause]
            said = best.passage.spelled(own[0].start, own[-1].end)
            yield Disagreement(Reason.NEGATION, f"the passage denies this: “{said}”", rule="denied nearby")
            return


def _agrees(token: ContentToken, match: Match) -> bool:
    """Return whether both sides deny a word, or none does."""
    return match.sign * match.token.sign * token.sign > 0


def excluded(claim: Statement, alignments: Sequence[Alignment]) -> Iterator[Disagreement]:
    """Yield a disagreement if a clause denies or excludes something that the claim names in full.

    "Bicycles are insured. Electric bicycles are excluded.": another sentence has the rest of the claim.
    """
    if claim.kinds() & (_DENIALS | _EXCEPTIONS):
        return
    for one in alignments:
        if one.passage.question or one.passage.kinds() & _NO_EXCLUSION:
            continue
        for clause in range(one.passage.clauses):
            named = _denied_in_full(one, clause)
            if named and any(_states_of_others(claim, other, one, named) for other in alignments if other is not one):
                own = [t for t in one.passage.tokens if t.clause == clause]
                said = one.passage.spelled(own[0].start, own[-1].end)
                yield Disagreement(Reason.NEGATION, f"the passage excludes this: “{said}”", rule="excluded")
                return


def _denied_in_full(alignment: Alignment, clause: int) -> set[int]:
    """Return the ids of the tokens of the claim that are all the words of a clause, if it denies them."""
    passage = alignment.passage
    own = {id(t) for t in passage.tokens if t.clause == clause and not t.operator and t.sign < 0}
    named = {id(match.token): id(token) for token, match in alignment.pairs() if match.sign > 0}
    stated = [t for t in passage.tokens if t.clause == clause and not t.operator]
    denied = bool(_DENIALS & passage.kinds(clause)) and len(own) == len(stated) and own <= named.keys()
    return {named[token] for token in own} if denied else set()


def _states_of_others(claim: Statement, other: Alignment, one: Alignment, named: set[int]) -> bool:
    """Return whether `other` has more of the rest of the claim than `one`, but not all words of what `one` names."""
    rest = [n for n, token in enumerate(claim.tokens) if id(token) not in named]
    lacks = any(other.matches[n] is None for n, token in enumerate(claim.tokens) if id(token) in named)
    mine, theirs = (sum(side.matches[n] is not None for n in rest) for side in (one, other))
    return lacks and theirs > mine


def _denied_there(claim: Statement, token: ContentToken, one: Alignment, match: Match, best: Alignment) -> bool:
    """Return whether a sentence denies what its word says, and is not about another name than the claim."""
    other = match.token
    if not (other.verbal or other.clausal) or match.sign * other.sign * token.sign > 0:
        return False
    if not (token.verbal or token.clausal) and claim.language == "en" and _follows_predicate(claim, token):
        return False  # "no note is required" denies the predicate, not the note
    denials = [op for op in one.passage.of(*_DENIALS) if op.clause == other.clause]
    if not any(_denies(one.passage, op, other) for op in denials):
        return False
    return claim.language in {"de", "zh"} or not any(
        t.name and t.word and t.stem not in claim.stems and t.stem not in best.passage.stems for t in one.passage.tokens
    )


def _follows_predicate(statement: Statement, token: ContentToken) -> bool:
    return any(t.verbal and t.word < token.word and t.clause == token.clause for t in statement.tokens)


def _denies(passage: Statement, denial: Operator, token: ContentToken) -> bool:
    """Return whether a denial concerns a predicate, and not a number, or another predicate behind both.

    "Do not give it more than three times" does not deny that it is given, and "those who paid are not affected" does
    not deny that they paid.
    """
    if token.word >= denial.after:
        return not any(op.kind in _BOUNDS and op.word >= denial.after for op in passage.operators)
    return not any(
        t.word >= denial.after and (t.verbal or t.clausal) for t in passage.tokens if t.clause == token.clause
    )


def _concerns(claim: Statement, best: Statement, following: Statement) -> bool:
    """Return whether a denial concerns the claim: a decision, or words of the claim that the sentence before lacks.

    "The ferry was presented. It has not taken passengers." denies nothing about the presentation.
    """
    if "decision" in following.kinds():
        return True
    alignment = Alignment(claim, following)
    return any(
        match is not None and not token.operator and match.token.stem not in best.stems
        for token, match in zip(claim.tokens, alignment.matches, strict=True)
    )


@reports("framing/heading")
def stated_in_heading_only(claim: Statement, alignments: Sequence[Alignment]) -> Iterator[Disagreement]:
    """Yield a disagreement if important words of the claim are found only in a heading."""
    headings = [alignment for alignment in alignments if alignment.passage.heading]
    if not headings or any(_full_sentence(alignment.passage) for alignment in headings):
        return
    body = [alignment for alignment in alignments if not alignment.passage.heading]
    everywhere = _found(claim, alignments)
    said = _found(claim, body)
    lost = [n for n in everywhere if n not in said]
    states = [n for n, t in enumerate(claim.tokens) if n in said and not claim.tokens[n].name]
    predicate = any(claim.tokens[n].verbal or claim.tokens[n].clausal for n in lost)
    if lost and (predicate or len(said) < _BODY * len(claim.tokens) or not states):
        word = claim.text[claim.tokens[lost[0]].start : claim.tokens[lost[0]].end]
        yield Disagreement(Reason.FRAMING, f"only a heading of the passage says “{word}”", rule="heading")


def _full_sentence(heading: Statement) -> bool:
    """Return whether a heading states something: "Mark England appointed as head of the team"."""
    states = any(t.verbal for t in heading.tokens) or not vocabulary(heading.language).role("auxiliary").isdisjoint(
        heading.words
    )
    return states and len(heading.tokens) >= _HEADLINE and not heading.question


def _found(claim: Statement, alignments: Sequence[Alignment]) -> set[int]:
    """Return the indexes of the claim's tokens that are found in any of these sentences."""
    return {n for n in range(len(claim.tokens)) if any(alignment.matches[n] for alignment in alignments)}


@reports("framing/unstated")
def claims_absence(claim: Statement, passages: Sequence[Statement]) -> Iterator[Disagreement]:
    """Yield a disagreement if the claim states that something is not in the evidence, which it cannot support."""
    if "unstated" not in claim.kinds():
        return
    if not any(_LEFT_OUT & passage.kinds() for passage in passages):
        yield Disagreement(Reason.FRAMING, "the sentence tells what the evidence does not say", rule="unstated")
