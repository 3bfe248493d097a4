"""Parse Chinese sentences. Words are found by the word lists, and the remaining text is split at particles."""

import re
from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache

from ..normalize import to_simplified
from ..numbers.quantities import Quantity
from ..words.word_finder import WordFinder
from .statement import EXCEPTIVE, NEGATING, ContentToken, Operator, Statement
from .vocabulary import lines

_PIECE_BREAK = re.compile(r"[，,；;。！？!?：:、\n（）()|]")
_CLAUSE_BREAK = frozenset("，,；;。！？!?：:\n|")
_FEW_CLAUSES = 3  # maximum clauses of a sentence whose conditions apply to all of it
# "except X": the words between its two characters are excepted.
# Not "除了X，还…": besides X.
_EXCEPT = re.compile("除(?:了|去)?(?P<phrase>[^，。；]{1,12}?)(?:之外|以外|外|(?=，))(?![^。；]*(?:还|也))")
# "before" and "after" behind a noun phrase or a predicate; not "前往", "目前".
_BEFORE_AFTER = re.compile(
    "(?<=[\u4e00-\u9fff])(?:(?P<before>[之以]?前)|(?P<after>[之以]?后))(?![往者身面任后景锋来果续])"
)
_DISTRIBUTIVE = frozenset("都均全")  # "all" where no other quantifier is: "most … all agree"
_QUANTIFIERS = frozenset({"not_all", "most", "some", "half", "few", "many", "no"})
_LATIN = re.compile(r"[A-Za-z0-9][\w.+-]*")


@lru_cache(maxsize=1)
def _tables() -> tuple[re.Pattern[str], dict[str, list[str]], WordFinder, frozenset[str], frozenset[str]]:
    """Return the pattern of operators, their kinds, the other words, plain words, and particles."""
    kinds: dict[str, list[str]] = {}
    for line in lines("zh", "operators"):
        kind, _, phrases = line.partition(":")
        for phrase in phrases.split("|"):
            kinds.setdefault(phrase.strip(), []).append(kind)
    plain = frozenset(word for line in lines("zh", "plain") for word in line.split())
    known = {
        word
        for name in ("antonyms", "synonyms", "classes")
        for line in lines("zh", name)
        for word in re.split(r"[\s|/:]+", line)
        if len(word) > 1 and word >= "\u2e80"
    }
    particles = next(line for line in lines("zh", "function") if line.startswith("particle:"))
    operators = sorted({*kinds, *plain}, key=len, reverse=True)
    return (
        re.compile("|".join(map(re.escape, operators))),
        kinds,
        WordFinder(known - set(kinds)),
        plain,
        frozenset(particles.split(":")[1].split()),
    )


def parse(text: str, quantities: Sequence[Quantity] = ()) -> Statement:
    """Parse one Chinese sentence."""
    plain = to_simplified(text)
    statement = Statement(text, "zh")
    taken = _operators(statement, plain)
    breaks = [found.start() for found in _PIECE_BREAK.finditer(plain)]
    clause_breaks = [at for at in breaks if plain[at] in _CLAUSE_BREAK and not _number_around(plain, at)]
    _tokens(statement, plain, taken, quantities)
    for token in statement.tokens:
        token.piece = bisect_left(breaks, token.start)
        token.clause = bisect_left(clause_breaks, token.start)
    statement.operators = [
        Operator(
            op.kind, op.word, op.after, op.start, op.end,
            bisect_left(breaks, op.start), bisect_left(clause_breaks, op.start),
        )
        for op in statement.operators
    ]  # fmt: skip
    _drop_distributives(statement)
    statement.pieces, statement.clauses = len(breaks) + 1, len(clause_breaks) + 1
    _scopes(statement)
    for number, token in enumerate(statement.tokens):
        statement.stems.setdefault(token.stem, []).append(number)
    statement.question = plain.rstrip().endswith(("?", "？")) or plain.rstrip("。 ").endswith(("吗", "呢"))
    statement.heading = plain.lstrip().startswith("#")
    return statement


def _drop_distributives(statement: Statement) -> None:
    """Remove 都, 均 and 全 in a clause with another quantifier: 大多数…都 is "most"."""
    limited = {op.clause for op in statement.operators if op.kind in _QUANTIFIERS}
    statement.operators = [
        op
        for op in statement.operators
        if not (op.kind == "all" and op.clause in limited and statement.text[op.start : op.end] in _DISTRIBUTIVE)
    ]


def _number_around(text: str, at: int) -> bool:
    return text[at] in ",:" and text[at - 1 : at].isdigit() and text[at + 1 : at + 2].isdigit()


def _operators(statement: Statement, text: str) -> list[bool]:
    """Find the operators. Return for each character whether it belongs to one."""
    pattern, kinds, _, plain, _ = _tables()
    taken = [False] * len(text)
    for found in pattern.finditer(text):
        if found[0] in plain:
            continue
        for kind in kinds[found[0]]:
            statement.operators.append(Operator(kind, found.start(), found.end(), found.start(), found.end(), 0, 0))
        taken[found.start() : found.end()] = [True] * len(found[0])
    for pattern in (_EXCEPT, _BEFORE_AFTER):
        for found in pattern.finditer(text):
            _add(statement, found, plain, taken)
    return taken


def _add(statement: Statement, found: re.Match[str], plain: frozenset[str], taken: list[bool]) -> None:
    """Add the operator of a match of `_EXCEPT` or `_BEFORE_AFTER`, unless its characters belong to another word."""
    start, end = found.span()
    spans: tuple[tuple[int, int], ...]
    if "phrase" in found.groupdict():
        kind, spans = "except", ((start, found.start("phrase")), (found.end("phrase"), end))
    else:
        kind, spans = found.lastgroup or "", ((start, end),)
        if any(found.string[at : at + 2] in plain for at in (start - 1, start)):
            return
    if any(any(taken[a:b]) for a, b in spans):
        return
    statement.operators.append(Operator(kind, start, end, start, end, 0, 0))
    for a, b in spans:
        taken[a:b] = [True] * (b - a)


def _tokens(statement: Statement, text: str, taken: Sequence[bool], quantities: Sequence[Quantity]) -> None:
    """Add numbers, words of the lists, Latin words, and the text between particles as tokens."""
    _, _, known, _, particles = _tables()
    at, size = 0, len(text)
    numbers = {q.start: q for q in quantities}
    while at < size:
        if at in numbers:
            q = numbers[at]
            statement.tokens.append(ContentToken(q.term, "", q.start, q.end, at, 0, 0, quantity=q))
            at = max(at + 1, q.end)
            continue
        if taken[at] or text[at] in particles or not text[at].isalnum():
            at += 1
            continue
        latin = _LATIN.match(text, at)
        word = latin[0] if latin else known.match(text, at)
        end = at + max(1, len(word))
        if not word:
            while (
                end < size
                and not taken[end]
                and text[end] not in particles
                and "\u4e00" <= text[end] <= "\u9fff"
                and end not in numbers
                and not known.match(text, end)
            ):
                end += 1
        word = text[at:end]
        statement.tokens.append(ContentToken(word, word, at, end, at, 0, 0, name=False, verbal=True))
        at = end


def _scopes(statement: Statement) -> None:
    """Set the sign of every token. A negated condition applies to the whole sentence: "未经批准，不得进入"."""
    negations = {op.word: op for op in statement.operators if op.kind in NEGATING}
    phrases = [op for op in statement.of("except") if statement.text[op.start] == "除"]
    exceptions = {
        op.word
        for op in statement.operators
        if op.kind in EXCEPTIVE and statement.clauses <= _FEW_CLAUSES and op not in phrases
    }
    for token in statement.tokens:
        own = sum(op.clause == token.clause for word, op in negations.items() if word not in exceptions)
        token.sign = -1 if (own + len(exceptions)) % 2 else 1
        if any(op.start < token.start < op.end for op in phrases):
            token.sign, token.scoped = -token.sign, True
