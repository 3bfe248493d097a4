"""The arguments of a German predicate, by the case of articles and by word order."""

from ....text.clauses import ContentToken, Statement
from ....text.clauses.vocabulary import vocabulary
from ..alignment import Alignment, Match

# Articles and possessives of a genitive, and the endings of feminine nouns, before which "der" is no nominative.
_GENITIVE = frozenset({"des", "der", "eines", "einer", "seines", "seiner", "ihres", "ihrer"})
_FEMININE = ("in", "ung", "heit", "keit", "schaft", "tat", "ion", "ie", "ik", "a", "e")
_PRONOUN_REACH = 4  # words between a pronoun and the first token of its clause


def german_arguments(
    statement: Statement, pivot: ContentToken, tokens: list[ContentToken]
) -> tuple[list[ContentToken], list[ContentToken]]:
    """Return agent and patient by the case of the articles, by word order, and by "von" in the passive."""
    if is_german_passive(statement, pivot):
        by = [t for t in tokens if t.before == "von"]
        return by, [t for t in tokens if t not in by and t is not pivot]
    recipients = [t for t in tokens if t.before in vocabulary("de").role("recipient")]
    phrases = _noun_phrases(statement, [t for t in tokens if t is not pivot and t.quantity is None and not t.before])
    subject = _subject_of(phrases, statement, finite_verb(statement, pivot))
    others = [t for phrase in phrases if phrase is not subject for t in phrase if t not in subject] + recipients
    if subject and others:
        return subject, others
    left = [t for t in tokens if t.word < pivot.word and not t.before and t.quantity is None]
    right = [t for t in tokens if t.word > pivot.word]
    return (left, right) if left else ([], [])  # "2023 stieg die Rate"


def subject_beside_pronoun(alignment: Alignment, pivot: ContentToken, match: Match) -> bool:
    """Return whether the object of a German claim is the subject of the passage, whose object is a pronoun.

    "Ihr folgt Bernhard Mair nach", "Ilse Kofler folgt Bernhard Mair nach".
    """
    claim, passage, match_of = alignment.claim, alignment.passage, alignment.match_of
    if is_german_passive(claim, pivot) or is_german_passive(passage, match.token):
        return False
    theirs = [t for t in passage.tokens if t.clause == match.token.clause]
    named = {t for t in theirs if _is_bare_name(passage, t)}
    mine = [t for t in claim.tokens if t.clause == pivot.clause]
    first = next((t for t in mine if t.name), None)
    verb = finite_verb(claim, pivot)
    if not named or first is None or first.word > verb or not _has_oblique_pronoun(passage, theirs):
        return False
    left = [t for t in mine if t.word < verb and t.name and not t.before]
    right = [t for t in mine if t.word > verb and _is_bare_name(claim, t)]
    if not left or not right or any(t in match_of and match_of[t].token in theirs for t in left):
        return False
    return all(t in match_of and match_of[t].token in named for t in right)


def _subject_of(phrases: list[list[ContentToken]], statement: Statement, verb: int) -> list[ContentToken]:
    """Return the noun phrase that is the subject of the verb with index `verb`, [] if it is not known."""
    nominative = [phrase for phrase in phrases if _case(statement, phrase[0]) == "nominative"]
    oblique = [phrase for phrase in phrases if _case(statement, phrase[0]) == "oblique"]
    ahead = [phrase for phrase in phrases if phrase[0].word < verb and phrase not in oblique]
    if ahead and (ahead[0] in nominative or not nominative):
        return ahead[0]
    if nominative:
        return nominative[0]
    return [t for phrase in phrases if phrase not in oblique for t in phrase] if oblique else []


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


def _case(statement: Statement, token: ContentToken) -> str:
    """Return "nominative" or "oblique" where the article of a German noun shows it, "" elsewhere."""
    words = vocabulary("de")
    article = statement.words[token.word - 1] if token.word else ""
    if article in words.role("oblique") or token.folded == "herrn":
        return "oblique"
    if article == "der" and token.folded.endswith(_FEMININE) and token.word > 1:
        return "oblique"  # "der Firma"; at the beginning of a sentence "Der Kunde"
    return "nominative" if article in words.role("nominative") else ""


def _is_bare_name(statement: Statement, token: ContentToken) -> bool:
    """Return whether a noun has neither an article nor a preposition: a name, or a title before one."""
    words = vocabulary(statement.language)
    before = statement.words[token.word - 1] if token.word else ""
    return token.name and not token.before and before not in words.role("article") and token.folded != "herrn"


def _has_oblique_pronoun(statement: Statement, tokens: list[ContentToken]) -> bool:
    """Return whether the clause of these tokens has a pronoun in the dative or accusative: "ihm", "Ihr folgt …"."""
    pronouns = vocabulary(statement.language).role("oblique_pronoun")
    names = {t.word for t in tokens if t.name}
    span = range(max(0, tokens[0].word - _PRONOUN_REACH), tokens[-1].word + 1)
    return any(statement.words[at] in pronouns and at + 1 not in names for at in span)


def is_german_passive(statement: Statement, pivot: ContentToken) -> bool:
    """Return whether a clause has a form of "werden" and its predicate may be a participle."""
    return statement.has_word("passive") and pivot.folded.endswith(("t", "en"))


def finite_verb(statement: Statement, pivot: ContentToken) -> int:
    """Return the index of the auxiliary of a predicate, or else of the predicate itself."""
    auxiliaries = vocabulary(statement.language).role("auxiliary")
    return next((at for at, word in enumerate(statement.words[: pivot.word]) if word in auxiliaries), pivot.word)
