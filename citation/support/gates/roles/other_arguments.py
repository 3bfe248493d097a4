"""Compare who acts where the passage names somebody else: "Ida called" and "Omar called. Ida was out."."""

from collections.abc import Iterator, Mapping, Sequence

from ....text.clauses import ContentToken, Statement
from ....text.clauses.vocabulary import vocabulary
from ....text.numbers.quantities import agrees
from ..alignment import Alignment, Match
from ..disagreement import Disagreement, Reason
from .arguments import arguments, is_passive, subject
from .sides import is_repeated, is_symmetric

LANGUAGES = frozenset({"en"})  # the order of subject, predicate and object is fixed
_AGENT, _PATIENT = "agent", "patient"  # roles
# The share and the number of the claim's other words in a sentence that names somebody else.
_LEAST, _FEWEST = 0.5, 2
_OF_PHRASE = 3  # words from a name to the one behind "of the"
_LONG = 24  # tokens; longer sentences and page headers are not split reliably

_Arguments = Mapping[str, Sequence[ContentToken]]  # by role


def other_subject(claim: Statement, alignment: Alignment, alignments: Sequence[Alignment]) -> Iterator[Disagreement]:
    """Yield a disagreement if the passage states this about another subject, and names the claim's elsewhere."""
    for pivot, match in alignment.pairs():
        if not pivot.verbal or not match.exact or pivot.quantity is not None or not match.token.verbal:
            continue
        if is_passive(claim, pivot) or is_passive(alignment.passage, match.token):
            return
        mine, theirs = subject(claim, pivot), subject(alignment.passage, match.token)
        matched = {id(t) for t, _ in alignment.pairs()}
        if not mine or not theirs or any(id(t) in matched for t in mine):
            return
        elsewhere = any(t.stem in other.passage.stems for t in mine for other in alignments if other is not alignment)
        taken = {id(m.token) for t, m in alignment.pairs() if t.word < pivot.word}
        if elsewhere and not any(id(t) in taken for t in theirs) and theirs[0].name and mine[0].name:
            said = alignment.passage.text[theirs[0].start : theirs[-1].end]
            word = claim.text[mine[0].start : mine[-1].end]
            yield Disagreement(Reason.BINDING, f"the passage says this of “{said}”, not of “{word}”", rule="subject")
        return


def other_agent(alignment: Alignment) -> Iterator[Disagreement]:
    """Yield a disagreement if the passage names another agent of a verb, and the claim's agent as something else.

    "Orders are placed by the clerk and checked by the buyer" and "orders are placed by the buyer".
    """
    if alignment.claim.language != "en":
        return
    match_of = {id(token): match for token, match in alignment.pairs()}
    for pivot, match in alignment.pairs():
        if not (pivot.verbal and match.token.verbal and match.exact) or is_symmetric(pivot, "en"):
            continue
        if is_repeated(alignment, pivot, match):
            continue
        mine, theirs = arguments(alignment.claim, pivot).agent, arguments(alignment.passage, match.token).agent
        own = {id(t) for t in theirs}
        found = [match_of[id(t)].token for t in mine if id(t) in match_of]
        if not theirs or not mine or len(found) < len(mine) or any(id(t) in own for t in found):
            continue
        if any(t.quantity is not None or t.operator for t in (*mine, *theirs)) or _belongs_to_verb(
            alignment.passage, found, theirs
        ):
            continue
        if not any(m.token is t for t in theirs for _, m in alignment.pairs(pivot.clause)):
            said = alignment.passage.spelled(theirs[0].start, theirs[-1].end)
            word = alignment.claim.spelled(mine[0].start, mine[-1].end)
            yield Disagreement(Reason.ROLE, f"the passage says this of “{said}”, not of “{word}”", rule="role")
            return


def _belongs_to_verb(statement: Statement, tokens: Sequence[ContentToken], agents: Sequence[ContentToken]) -> bool:
    """Return whether the words may share the verb of `agents`.

    They are in a piece without a verb of its own, "Ann scored 19 and Bob 23", or name the agent: "the manager, Bob, …".
    """
    pieces = {t.piece for t in tokens if not t.before}
    within = [t for t in statement.tokens if t.piece in pieces]
    if not within or any(t.verbal for t in within):
        return False
    return not all(t.name for t in within) or within[0].word < agents[-1].word


def other_argument(claim: Statement, alignments: Sequence[Alignment]) -> Iterator[Disagreement]:
    """Yield a disagreement if the passage states a predicate of the claim only about others.

    Both sides name who or what it is, and the passage mentions the name of the claim in another place.
    """
    if claim.language not in LANGUAGES:
        return
    spoken = {word for op in claim.of("said", "hedge") for word in range(op.word, op.after)}  # others do so, too
    for at, pivot in enumerate(claim.tokens):
        infinitive = claim.words[pivot.word - 1] == "to"
        finite = pivot.verbal and vocabulary(claim.language).words[pivot.folded].verb_form
        if not finite or pivot.name or infinitive or pivot.word in spoken:
            continue
        mine = _arguments(claim, pivot)
        found: tuple[ContentToken, ContentToken, Statement] | None = None
        for alignment in alignments:
            match = alignment.matches[at]
            if match is None:
                continue
            found = _other(claim, alignment, match, mine, alignments)
            if found is None:
                break  # this sentence may be about the same
        if found:
            token, other, passage = found
            said, word = passage.spelled(other.start, other.end), claim.spelled(token.start, token.end)
            yield Disagreement(Reason.ROLE, f"the passage says this of “{said}”, not of “{word}”", rule="argument")
            return


def _other(
    claim: Statement, alignment: Alignment, match: Match, mine: _Arguments, alignments: Sequence[Alignment]
) -> tuple[ContentToken, ContentToken, Statement] | None:
    """Return the first name of the claim in whose role the passage has another one, that one, and the sentence."""
    passage = alignment.passage
    if match.sign < 0 or not match.token.verbal or len(passage.tokens) > _LONG:
        return None
    theirs = _arguments(passage, match.token)
    for role, own in mine.items():
        names, others = _identifiers(claim, own), _identifiers(passage, theirs.get(role, ()))
        missing = [t for t in names if not _among(t, others)]
        rivals = [t for t in others if not _among(t, names)]
        if not missing or not rivals:
            continue
        if any(_among(t, passage.tokens) for t in missing) or not all(_mentioned(t, alignments) for t in missing):
            continue
        if _same_event(claim, alignment, own, match.token, alignments):
            return missing[0], rivals[0], passage
    return None


def _among(token: ContentToken, others: Sequence[ContentToken]) -> bool:
    if token.quantity is not None:
        return any(t.quantity is not None and agrees(token.quantity, t.quantity) for t in others)
    return any(t.stem == token.stem for t in others)


def _mentioned(token: ContentToken, alignments: Sequence[Alignment]) -> bool:
    return any(_among(token, alignment.passage.tokens) for alignment in alignments)


def _same_event(
    claim: Statement,
    alignment: Alignment,
    compared: Sequence[ContentToken],
    pivot: ContentToken,
    alignments: Sequence[Alignment],
) -> bool:
    """Return whether a sentence has the other names and numbers of the claim, and at least half of its other words.

    A pronoun behind its predicate stands for words of the other sentences: "Omar voted against it".
    """
    passage = alignment.passage
    pronouns = vocabulary(passage.language).role("personal")
    following = next((t.word for t in passage.tokens if t.word > pivot.word and t.clause != pivot.clause), None)
    refers = not pronouns.isdisjoint(passage.words[pivot.word + 1 : following])
    found = 0
    others = [at for at, token in enumerate(claim.tokens) if not any(token is one for one in compared)]
    for at in others:
        token = claim.tokens[at]
        if alignment.matches[at] or (refers and any(one.matches[at] for one in alignments)):
            found += 1
        elif token.quantity is not None or _is_name(claim, token):
            return False
    return found >= max(_LEAST * len(others), _FEWEST)


def _arguments(statement: Statement, pivot: ContentToken) -> _Arguments:
    """Return the arguments of a predicate by role. A role whose words are not known is missing."""
    if is_passive(statement, pivot):
        return {_PATIENT: subject(statement, pivot), _AGENT: arguments(statement, pivot).agent}
    return {_AGENT: subject(statement, pivot)}


def _identifiers(statement: Statement, tokens: Sequence[ContentToken]) -> list[ContentToken]:
    """Return the words of the name that a noun phrase ends with, with the number behind it: "the tram Line 7"."""
    found: list[ContentToken] = []
    for token in reversed(tokens):
        numbered = token.quantity is not None and not token.quantity.unit and not found
        of = found and found[-1].before == "of"
        if not numbered and not _is_name(statement, token):
            break
        if found and found[-1].word - token.word > (_OF_PHRASE if of else 1):
            break
        found.append(token)
    return found[::-1] if any(t.name for t in found) else []


def _is_name(statement: Statement, token: ContentToken) -> bool:
    """Return whether a word is a name, not a title or the first word of a sentence that is capitalized as such."""
    if not token.name or token.kind or token.folded in vocabulary(statement.language).role("title"):
        return False
    following = next((t for t in statement.tokens if t.word == token.word + 1), None)
    if token.word or (following is not None and (following.name or following.quantity is not None)):
        return True
    return not token.folded.endswith("s") and _subject_only(statement)


def _subject_only(statement: Statement) -> bool:
    """Return whether the first word of a sentence is a subject without an article: "Jo has offered"."""
    second = statement.words[1] if len(statement.words) > 1 else ""
    verbal = any(t.word == 1 and t.verbal for t in statement.tokens)
    return verbal or second in vocabulary(statement.language).role("auxiliary")
