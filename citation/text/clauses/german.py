"""German word order: clauses that begin with their verb, the future tense, and prefixes after their verb."""

from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache

from ..memo import memoize
from ..tokens import Tokens
from ..words.inflection import inseparable_prefixes, separable_prefixes
from ..words.word_lists import load_lines
from .statement import Operator, Statement
from .vocabulary import WordRoles, vocabulary

_FINITE = ("t", "te", "en", "ten")
_SHORTEST = 4  # words of a sentence with a condition
_ORDER_ENDING, _POLITE = "en", "sie"  # "Reinigen Sie …, schalten Sie …" is an order, "Haben Sie …, …" a condition
_INFINITIVE = ("en", "ern", "eln")
_PARTICIPLE = "ge"
_REPORTED_REACH = 4  # words from the beginning of a clause to its subjunctive
_CONTRARY = "sondern"


def main_clause(tokens: Tokens, keys: Sequence[str], roles: Sequence[WordRoles]) -> int:
    """Return the first word of the main clause after a condition that begins with its verb, 0 if there is none.

    "Sinkt der Druck, schließt das Ventil."
    """
    if len(keys) < _SHORTEST or not _is_finite(keys[0], roles[0]) or tokens.text.rstrip().endswith("?"):
        return 0
    if not (begins_with_verb(keys, roles) or tokens.tokens[1].capitalized):
        return 0
    if keys[1] == _POLITE and keys[0].endswith(_ORDER_ENDING) and not roles[0].auxiliary:
        return 0
    for index in range(2, len(keys) - 1):
        if "," not in tokens.text[tokens.ends[index - 1] : tokens.starts[index]]:
            continue
        verb = min(index + (keys[index] in _role("resuming")), len(keys) - 1)
        if not tokens.tokens[verb].capitalized and _is_finite(keys[verb], roles[verb]):
            return index
    return 0


def begins_with_verb(keys: Sequence[str], roles: Sequence[WordRoles]) -> bool:
    """Return whether a sentence begins with a verb, and has an article or a pronoun after it: "Reinigen Sie …"."""
    if len(keys) < 2 or not _is_finite(keys[0], roles[0]):
        return False
    return roles[1].article or roles[1].pronoun or keys[1] in _role("subject")


def _is_finite(key: str, role: WordRoles) -> bool:
    """Return whether a word has the form of a finite verb and is no function word."""
    if role.auxiliary:
        return True
    return role.content and not role.word_class and (key.endswith(_FINITE) or key in _verbs()[1])


def is_object(keys: Sequence[str], first: int, after: int) -> bool:
    """Return whether the words of a piece are the object of the verb before: "bestritt, Geld angenommen zu haben"."""
    if after - first < 2 or keys[first] in _role("adverbial"):
        return False
    return keys[after - 2] == "zu" or not _role("reported").isdisjoint(keys[first + 1 : first + _REPORTED_REACH])


def without_other_meanings(statement: Statement, tokens: Tokens, prefixes: Collection[int]) -> list[Operator]:
    """Return the operators without those whose words mean something else here.

    "wird" states a plan only with an infinitive, and the "ab" of "lehnte den Antrag ab" is part of its verb.
    "nicht am Montag, sondern am Dienstag" denies only Monday. `prefixes`: the words that are such parts.
    """
    contrasted = {
        op.word
        for op in statement.operators
        if op.kind in {"not", "no"} and _CONTRARY in statement.words[op.after :] and op.after == op.word + 1
    }
    operators: list[Operator] = []
    for op in statement.operators:
        is_single = op.after == op.word + 1
        may_be_passive = op.kind == "plan" and statement.words[op.word] in _role("will")
        if is_single and (op.word in prefixes or (may_be_passive and not _is_future(statement, tokens, op))):
            continue
        operators.append(op._replace(kind="except") if op.word in contrasted else op)
    return operators


def _is_future(statement: Statement, tokens: Tokens, op: Operator) -> bool:
    """Return whether an infinitive ends the clause of "wird", or stands before it at the end of a clause."""
    same_clause = [token.word for token in statement.tokens if token.clause == op.clause]
    last = max(same_clause, default=op.word)
    if last < op.word:
        finite = statement.words[op.word] in _role("will") - _role("infinitive_word")
        return finite and _is_infinitive(tokens, statement.words, last)
    following = range(last, min(last + 2, len(statement.words)))
    return any(_is_infinitive(tokens, statement.words, index) for index in following)


def _is_infinitive(tokens: Tokens, words: Sequence[str], index: int) -> bool:
    word = words[index]
    if tokens.tokens[index].capitalized:
        return False
    return word in _role("infinitive_word") or (word.endswith(_INFINITIVE) and not _is_participle(word))


@memoize()
def _is_participle(word: str) -> bool:
    """Return whether a word is the participle of a strong verb, or may be: "vergeben" is both."""
    return any(root in _verbs()[0] for root in _without_prefixes(word))


def _without_prefixes(word: str) -> Iterator[str]:
    """Yield the root of a participle: `nomm` … of "genommen", "angenommen" and "übernommen"."""
    for prefix in ("", *separable_prefixes("de")):
        if word.startswith(prefix + _PARTICIPLE):
            yield word[len(prefix) + len(_PARTICIPLE) :]
    for prefix in inseparable_prefixes("de"):
        if word.startswith(prefix):
            yield word[len(prefix) :]


def _role(name: str) -> frozenset[str]:
    return vocabulary("de").role(name)


@lru_cache(maxsize=1)
def _verbs() -> tuple[frozenset[str], frozenset[str]]:
    """Return the participles without "ge", and the finite forms of strong verbs."""
    verbs = [line.split() for line in load_lines("de/verbs")]
    participles = {form[len(_PARTICIPLE) :] for verb in verbs for form in verb[1:] if form.startswith(_PARTICIPLE)}
    finite = {form for verb in verbs for form in verb[1:] if not form.startswith(_PARTICIPLE)}
    return frozenset(participles), frozenset(finite)
