"""Compare relations (agent and patient, before and after, comparisons) and find swapped sides."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ....text.clauses import ContentToken, Operator, Statement
from ....text.clauses.vocabulary import vocabulary
from ..alignment import Alignment, Match
from ..disagreement import Disagreement, Reason
from ..relevance import reports
from .chinese_bindings import chinese_arguments

# Words of a temporal or causal relation. 0: the side before the word comes first; 1: the side after it.
_ORDER = {"before": 0, "then": 0, "after": 1, "because": 1, "leads": 0}
_GROUPS = {"before": "time", "then": "time", "after": "time", "because": "cause", "leads": "cause"}
_LONGEST_HAN_VERB = 2  # characters
_REACH = 4  # words between a participle and its auxiliary
_DIRECTED = frozenset({"of", "than"})  # "west of", "larger than": what follows is not the subject
_PERSONAL_A = "a"


@dataclass(frozen=True, slots=True)
class Sides:
    """The tokens on the two sides of a relation. `first`: the side that acts or comes first."""

    first: frozenset[int]  # `id` of each token
    second: frozenset[int]


@reports("role/role")
def swapped_roles(alignment: Alignment) -> Iterator[Disagreement]:
    """Yield the relations of the claim whose sides are swapped in the passage."""
    match_of = {id(token): match for token, match in alignment.pairs()}
    if alignment.claim.language == "zh" and swapped_pivots(alignment):
        return  # any word may be a verb, and the sides of "sold", "bought" are exchanged on purpose
    for pivot, match in alignment.pairs():
        if pivot.quantity is not None or not (pivot.verbal or _comparative(pivot, alignment.claim)) or pivot.name:
            continue
        if not (match.token.verbal or _comparative(match.token, alignment.passage)):
            continue
        if alignment.claim.language == "zh" and max(len(pivot.stem), len(match.token.stem)) > _LONGEST_HAN_VERB:
            continue
        if not (match.exact or match.sign < 0) or _repeated(alignment, pivot, match):
            continue
        if _symmetric(pivot, alignment.claim.language):
            continue
        mine, theirs = _arguments(alignment.claim, pivot), _arguments(alignment.passage, match.token)
        if mine is None or theirs is None:
            continue
        crossed, straight = _crossed(mine, theirs, match_of)
        if _opposite_grades(alignment):  # "A is less dense than B", "B has a higher density than A"
            crossed, straight = straight, crossed
        turned = match.exact and pivot.verbal and _object_as_subject(alignment, pivot, match, match_of)
        if ((crossed and not straight) or turned) and match.sign > 0:
            yield _disagreement(alignment, pivot, match)


@reports("direction/time", "direction/cause")
def swapped_order(alignment: Alignment) -> Iterator[Disagreement]:
    """Yield swapped temporal and causal relations."""
    theirs = list(alignment.passage.of(*_ORDER))
    if not theirs:
        return
    match_of = {id(token): match for token, match in alignment.pairs()}
    for op in alignment.claim.of(*_ORDER):
        for other in theirs:
            if _GROUPS[op.kind] != _GROUPS[other.kind]:
                continue
            mine, said = _around(alignment.claim, op), _around(alignment.passage, other)
            crossed, straight = _crossed(mine, said, match_of)
            if crossed and not straight:
                word = alignment.passage.spelled(other.start, other.end)
                detail = f"the passage has the order of “{word}” the other way round"
                yield Disagreement(Reason.DIRECTION, detail, rule=_GROUPS[op.kind])


def _object_as_subject(alignment: Alignment, pivot: ContentToken, match: Match, match_of: dict[int, Match]) -> bool:
    """Return whether the subject of the claim is behind the predicate of the passage, and so is the claim's object.

    "Ida inherited the farm from her aunt", "the aunt of Ida inherited the farm".
    """
    claim, passage = alignment.claim, alignment.passage
    if claim.language == "de":
        return _subject_beside_pronoun(alignment, pivot, match, match_of)
    if claim.language != "en" or is_passive(claim, pivot) or is_passive(passage, match.token):
        return False
    mine = _subject(claim, pivot, [t for t in claim.tokens if t.clause == pivot.clause])
    theirs = _subject(passage, match.token, [t for t in passage.tokens if t.clause == match.token.clause])
    objects = [t for t in claim.tokens if t.word > pivot.word and t.piece == pivot.piece and not t.before]
    if not mine or not theirs or not objects:
        return False
    last = match.token
    behind = {id(t) for t in passage.tokens if t.word > last.word and t.piece == last.piece}
    heads = [id(match_of[id(t)].token) if id(t) in match_of else 0 for t in (mine[-1], objects[0])]
    return all(head in behind for head in heads) and not any(
        id(match_of[id(t)].token) in {id(u) for u in theirs} for t in mine if id(t) in match_of
    )


def _subject_beside_pronoun(
    alignment: Alignment, pivot: ContentToken, match: Match, match_of: dict[int, Match]
) -> bool:
    """Return whether the object of a German claim is the subject of the passage, whose object is a pronoun.

    "Ihr folgt Bernhard Mair nach", "Ilse Kofler folgt Bernhard Mair nach".
    """
    claim, passage = alignment.claim, alignment.passage
    if _is_german_passive(claim, pivot) or _is_german_passive(passage, match.token):
        return False
    theirs = [t for t in passage.tokens if t.clause == match.token.clause]
    named = {id(t) for t in theirs if _is_bare_name(passage, t)}
    mine = [t for t in claim.tokens if t.clause == pivot.clause]
    first = next((t for t in mine if t.name), None)
    verb = _finite(claim, pivot)
    if not named or first is None or first.word > verb or not _has_oblique_pronoun(passage, theirs):
        return False
    left = [t for t in mine if t.word < verb and t.name and not t.before]
    right = [t for t in mine if t.word > verb and _is_bare_name(claim, t)]
    if not left or not right or any(id(t) in match_of and match_of[id(t)].token in theirs for t in left):
        return False
    return all(id(t) in match_of and id(match_of[id(t)].token) in named for t in right)


def _is_bare_name(statement: Statement, token: ContentToken) -> bool:
    """Return whether a noun has neither an article nor a preposition: a name, or a title before one."""
    words = vocabulary(statement.language)
    before = statement.words[token.word - 1] if token.word else ""
    return token.name and not token.before and before not in words.role("article") and token.folded != "herrn"


def _has_oblique_pronoun(statement: Statement, tokens: list[ContentToken]) -> bool:
    """Return whether the clause of these tokens has a pronoun in the dative or accusative: "ihm", "Ihr folgt …"."""
    pronouns = vocabulary(statement.language).role("oblique_pronoun")
    names = {t.word for t in tokens if t.name}
    span = range(max(0, tokens[0].word - _REACH), tokens[-1].word + 1)
    return any(statement.words[at] in pronouns and at + 1 not in names for at in span)


def _finite(statement: Statement, pivot: ContentToken) -> int:
    """Return the index of the auxiliary of a predicate, or else of the predicate itself."""
    auxiliaries = vocabulary(statement.language).role("auxiliary")
    return next((at for at, word in enumerate(statement.words[: pivot.word]) if word in auxiliaries), pivot.word)


_COMPLEMENTS = frozenset({"to", "with", "for", "from", "by", "over", "into"})


@reports("role/role")
def swapped_objects(alignment: Alignment) -> Iterator[Disagreement]:
    """Yield a disagreement if object and complement of a verb are swapped: "prefers tea to coffee"."""
    match_of = {id(token): id(match.token) for token, match in alignment.pairs()}
    for pivot, match in alignment.pairs():
        if not (pivot.verbal and match.token.verbal and match.exact):
            continue
        mine, theirs = _complements(alignment.claim, pivot), _complements(alignment.passage, match.token)
        if mine is None or theirs is None or mine[0] != theirs[0]:
            continue
        first, second = ({match_of[t] for t in side if t in match_of} for side in mine[1:])
        if (first - second) & theirs[2] - theirs[1] and (second - first) & theirs[1] - theirs[2]:
            yield _disagreement(alignment, pivot, match)
            return


def _complements(statement: Statement, pivot: ContentToken) -> tuple[str, set[int], set[int]] | None:
    """Return the preposition behind the object of a verb, and the tokens between the two and behind it."""
    right = [t for t in statement.tokens if t.word > pivot.word and t.clause == pivot.clause and t.piece == pivot.piece]
    for at, word in enumerate(statement.words[pivot.word + 1 :], pivot.word + 1):
        if word in _COMPLEMENTS:
            first, second = ({id(t) for t in right if (t.word < at) is before} for before in (True, False))
            return (word, first, second) if first and second else None
    return None


@reports("binding/subject")
def other_subject(claim: Statement, alignment: Alignment, alignments: Sequence[Alignment]) -> Iterator[Disagreement]:
    """Yield a disagreement if the passage states this about another subject, and names the claim's elsewhere."""
    for pivot, match in alignment.pairs():
        if not pivot.verbal or not match.exact or pivot.quantity is not None or not match.token.verbal:
            continue
        if is_passive(claim, pivot) or is_passive(alignment.passage, match.token):
            return
        mine = _subject(claim, pivot, [t for t in claim.tokens if t.clause == pivot.clause])
        theirs = _subject(
            alignment.passage, match.token, [t for t in alignment.passage.tokens if t.clause == match.token.clause]
        )
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


@reports("role/role")
def other_agent(alignment: Alignment) -> Iterator[Disagreement]:
    """Yield a disagreement if the passage names another agent of a verb, and the claim's agent as something else.

    "Orders are placed by the clerk and checked by the buyer" and "orders are placed by the buyer".
    """
    if alignment.claim.language != "en":
        return
    match_of = {id(token): match for token, match in alignment.pairs()}
    for pivot, match in alignment.pairs():
        if not (pivot.verbal and match.token.verbal and match.exact) or _symmetric(pivot, "en"):
            continue
        if _repeated(alignment, pivot, match):
            continue
        mine, theirs = _acting(alignment.claim, pivot), _acting(alignment.passage, match.token)
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


def _acting(statement: Statement, pivot: ContentToken) -> list[ContentToken]:
    """Return the words for the agent of a verb, the noun before "who" if it is that; [] if it is not certain."""
    words = vocabulary(statement.language)
    tokens = [t for t in statement.tokens if t.clause == pivot.clause]
    if is_passive(statement, pivot):
        agent = agent_word(statement, pivot)
        acting = [t for t in tokens if agent is not None and t.word >= agent and t.piece == pivot.piece]
        return [t for t in acting if t.before == acting[0].before]
    left = [t for t in tokens if t.word < pivot.word]
    begin = left[-1].word + 1 if left else next((t.word for t in tokens), pivot.word)
    between = statement.words[begin : pivot.word] if left else _words_before(statement, pivot)
    if not words.role("relative").isdisjoint(between):
        antecedent = [t for t in statement.tokens if t.word < pivot.word]
        return antecedent[-1:] if not left else []
    if not (words.role("personal") | words.role("pronoun")).isdisjoint(between):
        return []
    return _subject(statement, pivot, tokens)


def _words_before(statement: Statement, pivot: ContentToken) -> list[str]:
    """Return the words between the last token before a verb and the verb."""
    before = [t.word for t in statement.tokens if t.word < pivot.word]
    return statement.words[before[-1] + 1 if before else 0 : pivot.word]


@reports("role/role")
def object_as_subject(alignment: Alignment) -> Iterator[Disagreement]:
    """Yield a disagreement if the subject is what the passage compares its subject with: "It is west of Solgrad".

    The subject of the passage is a pronoun, so it is not known which name it stands for.
    """
    claim, passage = alignment.claim, alignment.passage
    match_of = {id(t): m.token for t, m in alignment.pairs()}
    subject = claim.tokens[0]
    there = match_of.get(id(subject))
    pronouns = vocabulary(claim.language).role("personal")
    if there is None or not subject.name or there.before not in _DIRECTED or passage.words[0] not in pronouns:
        return
    others = [t for t in claim.tokens[1:] if t.before == there.before and id(t) not in match_of]
    if others and others[0].name:
        said = f"{there.before} {passage.spelled(there.start, there.end)}"
        yield Disagreement(Reason.ROLE, f"the passage says “{said}”", rule="role")


def swapped_pivots(alignment: Alignment) -> set[int]:
    """Return the ids of tokens that match their opposite with swapped sides: "A sold to B", "B bought from A"."""
    match_of = {id(token): match for token, match in alignment.pairs()}
    found = set()
    for pivot, match in alignment.pairs():
        if match.sign < 0:
            mine, theirs = _arguments(alignment.claim, pivot), _arguments(alignment.passage, match.token)
            if not mine or not theirs:
                continue
            passive = is_passive(alignment.claim, pivot) or is_passive(alignment.passage, match.token)
            if _crossed(mine, theirs, match_of)[0] or (not passive and _received(mine, theirs, match_of)):
                found.add(id(pivot))
    return found


def _received(mine: Sides, theirs: Sides, match_of: dict[int, Match]) -> bool:
    """Return whether the subject of the claim is only what the passage has as the other side, named nowhere else.

    "He lent his sister the car", "his sister borrowed the car": the passage has a pronoun for the other person.
    """
    first = {id(match_of[t].token) for t in mine.first if t in match_of}
    return bool(first) and not theirs.first and first <= theirs.second


def _crossed(mine: Sides, theirs: Sides, match_of: dict[int, Match]) -> tuple[bool, bool]:
    """Return whether both sides are swapped in the passage, and whether both are in their own place."""
    first = {id(match_of[t].token) for t in mine.first if t in match_of}
    second = {id(match_of[t].token) for t in mine.second if t in match_of}
    crossed = bool(first & theirs.second) and bool(second & theirs.first)
    straight = bool((first - second) & theirs.first) and bool((second - first) & theirs.second)
    return crossed, straight


def _repeated(alignment: Alignment, pivot: ContentToken, match: Match) -> bool:
    """Return whether a word occurs twice in the claim or the passage: "Diesel buses … electric buses"."""
    return len(alignment.claim.stems[pivot.stem]) > 1 or len(alignment.passage.stems[match.token.stem]) > 1


def _comparative(token: ContentToken, statement: Statement) -> bool:
    return any(op.kind == "than" and 0 < op.word - token.word <= _REACH for op in statement.operators)


def _opposite_grades(alignment: Alignment) -> bool:
    """Return whether only one of two comparisons says that its subject is or has less."""
    sides = (alignment.claim, alignment.passage)
    if not all(any(side.of("than")) for side in sides):
        return False
    lesser = vocabulary(alignment.claim.language).role("lesser")
    return lesser.isdisjoint(sides[0].words) != lesser.isdisjoint(sides[1].words)


def _symmetric(token: ContentToken, language: str) -> bool:
    return token.folded in vocabulary(language).role("symmetric")


def _arguments(statement: Statement, pivot: ContentToken) -> Sides | None:
    """Return the agent and the patient of a predicate, or None if they cannot be determined."""
    tokens = [t for t in statement.tokens if t.clause == pivot.clause]
    left = _subject(statement, pivot, tokens)
    right = [t for t in tokens if t.word > pivot.word and t.piece == pivot.piece]
    if statement.language == "de":
        return _german(statement, pivot, tokens)
    if statement.language == "zh":
        return Sides(*(frozenset(map(id, side)) for side in chinese_arguments(statement, pivot, tokens)))
    if fronted := _fronted_object(statement, pivot, tokens):
        acting = [t for t in right if not t.before]
        return Sides(frozenset(map(id, acting)), frozenset(map(id, fronted))) if acting else None
    agent = agent_word(statement, pivot)
    if agent is not None:
        acting = [t for t in right if t.word >= agent]
        acting = acting[: 1 + next((n for n, t in enumerate(acting[1:]) if t.before != acting[0].before), len(acting))]
        others = [t for t in left + right if t not in acting]
        return Sides(frozenset(map(id, acting)), frozenset(map(id, others)))
    if is_passive(statement, pivot):
        return Sides(frozenset(), frozenset(map(id, left)))
    return Sides(frozenset(map(id, left)), frozenset(map(id, right)))


def _fronted_object(statement: Statement, pivot: ContentToken, tokens: list[ContentToken]) -> list[ContentToken]:
    """Return the Spanish object before a verb and its clitic: "A la directora la nombró el consejo"."""
    clitics = vocabulary(statement.language).role("object_clitic")
    if not pivot.word or statement.words[pivot.word - 1] not in clitics:
        return []
    return [t for t in tokens if t.word < pivot.word and t.before == _PERSONAL_A]


def _subject(statement: Statement, pivot: ContentToken, tokens: list[ContentToken]) -> list[ContentToken]:
    """Return the tokens before the predicate without a preposition: not those of "As chair, …", "In 2019 …"."""
    adverbs = vocabulary(statement.language).role("before_verb")
    left = [t for t in tokens if t.word < pivot.word and not t.before and t.folded not in adverbs]
    pieces = {t.piece for t in left}
    return [t for t in left if t.piece == max(pieces)] if len(pieces) > 1 else left


def agent_word(statement: Statement, pivot: ContentToken) -> int | None:
    """Return the index of the word after "by" for a passive predicate, or None."""
    if not is_passive(statement, pivot):
        return None
    by = next((op for op in statement.of("by") if op.word > pivot.word and op.clause == pivot.clause), None)
    return by.after if by else None


def is_passive(statement: Statement, pivot: ContentToken) -> bool:
    words = vocabulary(statement.language)
    if not pivot.folded.endswith(tuple(words.role("participle"))) and pivot.folded not in words.role("irregular"):
        return False
    passive = words.role("passive")
    return any(word in passive for word in statement.words[max(0, pivot.word - _REACH) : pivot.word])


def _german(statement: Statement, pivot: ContentToken, tokens: list[ContentToken]) -> Sides | None:
    """Return agent and patient by the case of the articles, by word order, and by "von" in the passive."""
    if _is_german_passive(statement, pivot):
        by = [t for t in tokens if t.before == "von"]
        return Sides(frozenset(map(id, by)), frozenset(id(t) for t in tokens if t not in by and t is not pivot))
    recipients = [t for t in tokens if t.before in vocabulary("de").role("recipient")]
    verb = _finite(statement, pivot)
    phrases = _noun_phrases(statement, [t for t in tokens if t is not pivot and t.quantity is None and not t.before])
    nominative = [phrase for phrase in phrases if _case(statement, phrase[0]) == "nominative"]
    oblique = [phrase for phrase in phrases if _case(statement, phrase[0]) == "oblique"]
    ahead = [phrase for phrase in phrases if phrase[0].word < verb and phrase not in oblique]
    if ahead and (ahead[0] in nominative or not nominative):
        subject = ahead[0]
    elif nominative:
        subject = nominative[0]
    else:
        subject = [t for phrase in phrases if phrase not in oblique for t in phrase] if oblique else []
    others = [t for phrase in phrases if phrase is not subject for t in phrase if t not in subject]
    if not subject or not others + recipients:
        left = [t for t in tokens if t.word < pivot.word and not t.before and t.quantity is None]
        right = [t for t in tokens if t.word > pivot.word]
        return Sides(frozenset(map(id, left)), frozenset(map(id, right))) if left else None  # "2023 stieg die Rate"
    return Sides(frozenset(map(id, subject)), frozenset(map(id, others + recipients)))


def _noun_phrases(statement: Statement, tokens: list[ContentToken]) -> list[list[ContentToken]]:
    """Divide the tokens of a German clause at articles and verbs. A genitive belongs to the noun before it."""
    articles = vocabulary("de").role("article")
    phrases: list[list[ContentToken]] = []
    for token in tokens:
        before = statement.words[token.word - 1] if token.word else ""
        last = phrases[-1][-1] if phrases else None
        if last is not None and last.word == token.word - 1 and last.piece == token.piece:
            phrases[-1].append(token)  # an adjective or a title, and the noun
        elif last is not None and last.name and before in _GENITIVE and last.word == token.word - 2:
            phrases[-1].append(token)
        elif token.name or before in articles:
            phrases.append([token])
    return phrases


_GENITIVE = frozenset({"des", "der", "eines", "einer", "seines", "seiner", "ihres", "ihrer"})
_FEMININE = ("in", "ung", "heit", "keit", "schaft", "tat", "ion", "ie", "ik", "a", "e")


def _case(statement: Statement, token: ContentToken) -> str:
    """Return "nominative" or "oblique" where the article of a German noun shows it, "" elsewhere."""
    words = vocabulary("de")
    article = statement.words[token.word - 1] if token.word else ""
    if article in words.role("oblique") or token.folded == "herrn":
        return "oblique"
    if article == "der" and token.folded.endswith(_FEMININE) and token.word > 1:
        return "oblique"  # "der Firma"; at the beginning of a sentence "Der Kunde"
    return "nominative" if article in words.role("nominative") else ""


def _is_german_passive(statement: Statement, pivot: ContentToken) -> bool:
    passive = vocabulary("de").role("passive")
    return not passive.isdisjoint(statement.words) and pivot.folded.endswith(("t", "en"))


def _around(statement: Statement, op: Operator) -> Sides:
    """Return the two sides of a temporal or causal word, the earlier one or the cause first."""
    tokens = statement.tokens
    following = [t for t in tokens if t.word >= op.after]
    before = [t for t in tokens if t.word < op.word]
    if all(map(_is_length, before)):  # "Before the doors were locked, …", "Two days before the doors were locked, …"
        first_piece = following[0].piece if following else 0
        before = [t for t in following if t.piece != first_piece]
        following = [t for t in following if t.piece == first_piece]
    sides = (before, following)
    passive = op.kind == "leads" and any(by.word == op.after for by in statement.of("by"))  # "provoquée par"
    first = _ORDER[op.kind] ^ passive
    return Sides(frozenset(map(id, sides[first])), frozenset(map(id, sides[1 - first])))


def _is_length(token: ContentToken) -> bool:
    """Return whether a token is a length of time."""
    return token.kind == "unit" or (token.quantity is not None and token.quantity.unit == "time")


def _disagreement(alignment: Alignment, pivot: ContentToken, match: Match) -> Disagreement:
    word = alignment.claim.text[pivot.start : pivot.end]
    return Disagreement(Reason.ROLE, f"the passage has the two sides of “{word}” the other way round", rule="role")
