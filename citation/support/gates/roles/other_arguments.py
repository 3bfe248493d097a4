"""Find what the passage states of others only: "Ida called" and "Omar called. Ida was out."."""

from collections.abc import Callable, Iterator, Sequence

from ....text.clauses import ContentToken, Statement
from ....text.clauses.vocabulary import vocabulary
from ....text.numbers.quantities import agrees
from ....text.words.concepts import synonyms
from ..alignment import Alignment, Match, PassageAlignment
from ..disagreement import Disagreement, Reason
from .arguments import arguments, heads, is_passive, subject
from .sides import is_compared, is_symmetric

LANGUAGES = frozenset({"en"})  # the order of subject, predicate and object is fixed
# The share of the claim's other words that a sentence has, and their number if names differ, or other words.
_LEAST, _FEWEST_OF_NAMES, _FEWEST = 0.5, 1, 2
_LONG = 24  # tokens; longer sentences and page headers are not split reliably
_OF = "of"

_Role = Callable[[Statement, ContentToken], Sequence[ContentToken]]


def other_argument(aligned: PassageAlignment) -> Iterator[Disagreement]:
    """Yield a disagreement if the passage states a predicate of the claim only about others.

    Both sides name who or what it is, and the passage mentions what the claim names in another place.
    """
    claim, alignments = aligned.claim, aligned.sentences
    if claim.language not in LANGUAGES:
        return
    reporting = {word for op in claim.of("said", "hedge") for word in range(op.word, op.after)}  # others do so, too
    for at, predicate in enumerate(claim.tokens):
        if predicate.word in reporting or not _may_differ(claim, predicate):
            continue
        stated = [(one, match) for one in alignments if (match := one.matches[at]) is not None]
        for role in (_agent, _patient):
            mine = role(claim, predicate)
            if not mine or any(t.in_operator for t in mine):
                continue
            mentioned = _mentioned(mine, alignments)
            if not mentioned and not _named(mine):
                continue
            others = [_other(one, predicate, match, mine, role, alignments) for one, match in stated]
            if others and all(others):
                said = stated[0][0].passage.text_of(*others[0])
                by = role is _agent and all(is_passive(one.passage, match.token) for one, match in stated)
                yield Disagreement(
                    Reason.ROLE if mentioned else Reason.UNKNOWN_NAME,
                    f"the passage says this of “{said}”, not of “{claim.text_of(*mine)}”",
                    rule="by" if by else "argument",
                )
                return


def _may_differ(claim: Statement, predicate: ContentToken) -> bool:
    """Return whether a word is a predicate whose agent or patient can be compared with that in the passage."""
    infinitive = claim.words[predicate.word - 1] == "to"
    return (
        predicate.verbal
        and not predicate.name
        and not infinitive
        and not is_symmetric(predicate, claim.language)
        and not is_compared(claim, predicate)
    )


def _agent(statement: Statement, predicate: ContentToken) -> Sequence[ContentToken]:
    """Return the words of the agent of a predicate."""
    return arguments(statement, predicate).agent


def _patient(statement: Statement, predicate: ContentToken) -> Sequence[ContentToken]:
    """Return the words of the subject of a passive predicate."""
    return subject(statement, predicate) if is_passive(statement, predicate) else []


def _other(
    alignment: Alignment,
    predicate: ContentToken,
    match: Match,
    mine: Sequence[ContentToken],
    role: _Role,
    alignments: Sequence[Alignment],
) -> Sequence[ContentToken]:
    """Return the words that a sentence has in a role of a predicate, [] if they may name the same as `mine`.

    The predicate may be repeated in the sentence, or left out: "Ida scored 19 goals and Omar 23".
    """
    claim, passage = alignment.claim, alignment.passage
    if not match.exact or not match.token.verbal or predicate.sign != match.token.sign or len(passage.tokens) > _LONG:
        return []
    found: Sequence[ContentToken] = []
    for at in passage.stems[match.token.stem]:
        theirs = role(passage, passage.tokens[at])
        if not theirs or any(_among(t, theirs) for t in heads(mine)) or any(_among(t, mine) for t in heads(theirs)):
            return []
        if _may_name(passage, theirs, mine) or _shares_predicate(passage, mine, theirs[-1]):
            return []
        following = [
            t for t in passage.tokens if t.word > passage.tokens[at].word and t.piece == passage.tokens[at].piece
        ]
        if any(_among(t, following) for t in heads(mine)):
            return []  # see `swapped_roles`
        found = found or theirs
    named = _named(mine) and _named(found)
    around = [t for t in claim.tokens if t.clause == predicate.clause and t is not predicate]
    if not named and any(_among(t, around) for t in heads(found)):
        return []  # "the firm rents the quarry from the heirs", "the heirs leased the quarry to a firm"
    return found if _same_event(alignment, mine, match, alignments, _FEWEST_OF_NAMES if named else _FEWEST) else []


def _among(token: ContentToken, others: Sequence[ContentToken]) -> bool:
    """Return whether one of the words has the meaning of `token`."""
    if token.quantity is not None:
        return any(t.quantity is not None and agrees(token.quantity, t.quantity) for t in others)
    alike = vocabulary("en").synonyms[token.stem] | synonyms(token.stem).single | {token.stem}
    return any(t.stem in alike for t in others)


def _mentioned(tokens: Sequence[ContentToken], alignments: Sequence[Alignment]) -> bool:
    """Return whether the passage has the heads of a noun phrase in any place."""
    return all(any(_among(t, alignment.passage.tokens) for alignment in alignments) for t in heads(tokens))


def _named(tokens: Sequence[ContentToken]) -> bool:
    """Return whether the words are a name, and not only the first word of a sentence."""
    return bool(tokens) and all(t.name and (t.word or len(tokens) > 1) for t in tokens)


def _may_name(passage: Statement, theirs: Sequence[ContentToken], mine: Sequence[ContentToken]) -> bool:
    """Return whether a noun phrase may describe what the claim names.

    "Ore is a film directed by Ida", "the film was directed by Ida": both say it of Ore.
    """
    words = vocabulary(passage.language)
    before = [t for t in passage.tokens if t.word < theirs[0].word]
    between = passage.words[before[-1].word + 1 if before else 0 : theirs[0].word]
    if not words.role("passive").isdisjoint(between):
        return any(_among(t, before) for t in heads(mine))
    named = all(t.name and not words.words[t.folded].plural for t in mine) and not any(t.name for t in theirs)
    return named and not words.role("demonstrative").isdisjoint(between[-1:])


def _shares_predicate(passage: Statement, tokens: Sequence[ContentToken], other: ContentToken) -> bool:
    """Return whether the noun phrase is repeated after `other` with a complement, but no verb: "and Omar 23"."""
    verbs = vocabulary(passage.language).role("before_verb")
    content = {t.word for t in passage.tokens if t.quantity is None}
    alone = {at for at, word in enumerate(passage.words) if at not in content and word not in verbs}  # no verb
    return any(
        t.word > other.word and t.piece != other.piece and not t.preposition and _among(t, heads(tokens))
        for t in passage.tokens
        if t.word + 1 in alone and passage.words[t.word + 1] != _OF
    )


def _same_event(
    alignment: Alignment,
    compared: Sequence[ContentToken],
    match: Match,
    alignments: Sequence[Alignment],
    fewest: int,
) -> bool:
    """Return whether a sentence has the other names and numbers of the claim, and at least half of its other words.

    A pronoun after its predicate stands for words of the other sentences: "Omar voted against it".
    """
    passage, predicate = alignment.passage, match.token
    pronouns = vocabulary(passage.language).role("personal")
    following = next((t.word for t in passage.tokens if t.word > predicate.word and t.clause != predicate.clause), None)
    refers = not pronouns.isdisjoint(passage.words[predicate.word + 1 : following])
    found = 0
    others = [at for at, token in enumerate(alignment.claim.tokens) if token not in compared]
    for at in others:
        token = alignment.claim.tokens[at]
        if alignment.matches[at] or (refers and any(one.matches[at] for one in alignments)):
            found += 1
        elif token.quantity is not None or token.name:
            return False
    return found >= max(_LEAST * len(others), fewest)
