"""Parse Chinese sentences, which are divided into words by a list of common words."""

import re
from bisect import bisect_left
from collections.abc import Collection, Sequence
from functools import lru_cache

from ..normalize import to_simplified
from ..numbers.quantities import Quantity
from .chinese_words import Word, lexicon
from .statement import NEGATING, ContentToken, Operator, Statement
from .vocabulary import operator_phrases, vocabulary

_PIECE_BREAK = re.compile(r"[，,；;。！？!?：:、\n（）()|]")
_CLAUSE_BREAK = frozenset("，,；;。！？!?：:\n|")
_FEW_CLAUSES = 3  # maximum clauses of a sentence whose conditions apply to all of it
# "except X": the words between its two characters are excepted.
# Not "除了X，还…": besides X.
_EXCEPT = re.compile("除(?:了|去)?(?P<phrase>[^，。；]{1,12}?)(?:之外|以外|外|(?=，))(?![^。；]*(?:还|也))")
# "before" and "after", which follow a noun phrase or a predicate; not "前往", "目前".
_BEFORE_AFTER = re.compile(
    "(?<=[\u4e00-\u9fff])(?:(?P<before>[之以]?前)|(?P<after>[之以]?后))(?![往者身面任后景锋来果续])"
)
_DISTRIBUTIVE = frozenset("都均全")  # "all" where no other quantifier is: "most … all agree"
_QUANTIFIERS = frozenset({"not_all", "most", "some", "half", "few", "many", "no"})
# Operators that are content, too: 推迟, 申请, 确认.
_CONTENTFUL = frozenset({"denies", "plan", "hedge", "said", "leads", "false", "fiction", "affirms"})
_TIMES = frozenset("年月日天周季")  # end words for a time
_FUNCTION, _NOMINAL = frozenset({"function"}), frozenset({"noun", "adjective", "function"})
NUMBER = frozenset({"number"})
_COUNTER = "只"  # "only", and a measure word after a number
_RUN = re.compile("[\u3400-\u9fff]+|(?P<latin>[A-Za-z0-9][\\w.+-]*)", re.ASCII)


@lru_cache(maxsize=1)
def _kinds() -> dict[str, list[str]]:
    """Return the kinds of each operator."""
    kinds: dict[str, list[str]] = {}
    for kind, phrase in operator_phrases("zh"):
        kinds.setdefault(phrase, []).append(kind)
    return kinds


def parse(text: str, quantities: Sequence[Quantity] = ()) -> Statement:
    """Parse one Chinese sentence."""
    plain = to_simplified(text)
    statement = Statement(text, "zh")
    words = _words(plain, tuple(quantities))
    _operators(statement, plain, words)
    breaks = [match.start() for match in _PIECE_BREAK.finditer(plain)]
    clause_breaks = [
        position for position in breaks if plain[position] in _CLAUSE_BREAK and not _number_around(plain, position)
    ]
    _tokens(statement, plain, words, quantities)
    for token in statement.tokens:
        token.piece = bisect_left(breaks, token.start)
        token.clause = bisect_left(clause_breaks, token.start)
    statement.operators = [
        op._replace(piece=bisect_left(breaks, op.start), clause=bisect_left(clause_breaks, op.start))
        for op in statement.operators
    ]
    _drop_distributives(statement)
    statement.pieces, statement.clauses = len(breaks) + 1, len(clause_breaks) + 1
    _scopes(statement)
    statement.index_stems()
    statement.question = plain.rstrip().endswith(("?", "？")) or plain.rstrip("。 ").endswith(("吗", "呢"))
    statement.heading = plain.lstrip().startswith("#")
    return statement


def content_words(text: str, quantities: Sequence[Quantity] = ()) -> list[str]:
    """Return the words of a Chinese sentence with a meaning of their own, simplified, without numbers."""
    plain = to_simplified(text)
    kinds = _kinds()
    spelled = [(plain[word.start : word.end], word.roles) for word in _words(plain, tuple(quantities))]
    return [
        word
        for word, roles in spelled
        if roles is not NUMBER and _has_meaning(word, roles, kinds.get(word, ()) if "operator" in roles else ())
    ]


def _has_meaning(word: str, roles: frozenset[str], kinds: Collection[str]) -> bool:
    """Return whether a word is content, not only a function word or an operator. `kinds`: as which operators."""
    return roles != _FUNCTION and not (kinds and (len(word) == 1 or _CONTENTFUL.isdisjoint(kinds)))


def _drop_distributives(statement: Statement) -> None:
    """Remove 都, 均 and 全 in a clause with another quantifier: 大多数…都 is "most"."""
    limited = {op.clause for op in statement.operators if op.kind in _QUANTIFIERS}
    statement.operators = [
        op
        for op in statement.operators
        if not (op.kind == "all" and op.clause in limited and statement.text[op.start : op.end] in _DISTRIBUTIVE)
    ]


def _number_around(text: str, position: int) -> bool:
    return (
        text[position] in ",:"
        and text[position - 1 : position].isdigit()
        and text[position + 1 : position + 2].isdigit()
    )


@lru_cache(maxsize=256)
def _words(text: str, quantities: tuple[Quantity, ...]) -> list[Word]:
    """Return the words of a text in order, not to be changed. Numbers and Latin words are words without roles.

    The score and the gates need those of the same claim.
    """
    words_of_lists, position = lexicon(), 0
    words: list[Word] = []
    for quantity in (*quantities, None):
        end = len(text) if quantity is None else quantity.start
        for run in _RUN.finditer(text, position, max(position, end)):
            words += [Word(*run.span(), NUMBER)] if run.lastgroup else words_of_lists.divide(text, *run.span())
        if quantity is not None and quantity.start >= position:
            words.append(Word(quantity.start, quantity.end, NUMBER))
            position = quantity.end
    return words


def _operators(statement: Statement, text: str, words: Sequence[Word]) -> None:
    """Add the operators among the words, and those that consist of two parts."""
    kinds, operators = _kinds(), statement.operators
    for n, word in enumerate(words):
        counts = n > 0 and text[word.start] == _COUNTER and words[n - 1].roles is NUMBER  # 两千只白鹤
        if "operator" in word.roles and not counts:
            kinds_of_word = ["object"] if _marks_object(text, words, n) else kinds[text[word.start : word.end]]
            operators += [Operator(kind, n, n + 1, *word[:2], 0, 0) for kind in kinds_of_word]
    first = {word.start: n for n, word in enumerate(words)}
    last = {word.end: n for n, word in enumerate(words)}
    for match in _EXCEPT.finditer(text):
        start, end = match.span()
        if start in first:
            ending = range(match.end("phrase"), end)
            operators = [op for op in operators if op.kind != "except" or op.start not in ending]
            operators.append(Operator("except", first[start], first[start] + 1, start, end, 0, 0))
    taken = {op.word for op in operators}
    for match in _BEFORE_AFTER.finditer(text):
        start, end = match.span()
        if start in first and end in last and first[start] not in taken:
            operators.append(Operator(match.lastgroup or "", first[start], last[end] + 1, start, end, 0, 0))
    statement.operators = operators


def _marks_object(text: str, words: Sequence[Word], index: int) -> bool:
    """Return whether a word is 将 before a noun other than a time, where it marks the object like 把: 将产品下架."""
    if (
        text[words[index].start : words[index].end] != "将"
        or index + 1 == len(words)
        or words[index + 1].start != words[index].end
    ):
        return False
    following = words[index + 1]
    return following.roles <= {"noun", "listed"} and text[following.end - 1] not in _TIMES


def _tokens(statement: Statement, text: str, words: Sequence[Word], quantities: Sequence[Quantity]) -> None:
    """Add the numbers and the words with a meaning of their own as tokens."""
    numbers = {q.start: q for q in quantities}
    kinds_of: dict[int, set[str]] = {}
    for op in statement.operators:
        kinds_of.setdefault(op.word, set()).add(op.kind)
    listed, prepositions = vocabulary("zh").classes, vocabulary("zh").role("preposition")
    for n, (start, end, roles, is_name) in enumerate(words):
        spelled = text[start:end]
        quantity = numbers.get(start) if roles is NUMBER else None
        statement.words.append("" if quantity else spelled)
        kinds = kinds_of.get(n, set()) if "operator" in roles else set()
        if not _has_meaning(spelled, roles, kinds):
            continue
        stem = quantity.term if quantity else spelled
        token = ContentToken(stem, "" if quantity else spelled, start, end, n, 0, 0, name=is_name, quantity=quantity)
        token.verbal = "verb" in roles or (roles is not NUMBER and not roles & _NOMINAL and end - start > 1)
        token.preposition = statement.words[n - 1] if n and statement.words[n - 1] in prepositions else ""
        last = statement.tokens[-1] if statement.tokens else None
        if last is not None and last.word == n - 1 and last.preposition and not last.verbal and not token.verbal:
            token.preposition = last.preposition  # 在深圳证券交易所
        token.in_operator, token.denying = bool(kinds), "denies" in kinds
        classes = listed.get(spelled)
        token.word_class = min(classes)[0] if classes else ""
        statement.tokens.append(token)


def _scopes(statement: Statement) -> None:
    """Set the sign of every token. A negated condition applies to the whole sentence: "未经批准，不得进入".

    An exception applies to its phrase: the words before 除外, and those after 而不是.
    """
    negations = {op.word: op for op in statement.operators if op.kind in NEGATING}
    conditions = {op.word for op in statement.of("without") if statement.clauses <= _FEW_CLAUSES}
    exceptions = list(statement.of("except"))
    for token in statement.tokens:
        negations_of_clause = sum(op.clause == token.clause for word, op in negations.items() if word not in conditions)
        token.sign = -1 if (negations_of_clause + len(conditions)) % 2 else 1
        if any(_excepts(statement, op, token) for op in exceptions):
            token.sign, token.excepted = -token.sign, True


def _excepts(statement: Statement, op: Operator, token: ContentToken) -> bool:
    """Return whether an exception applies to a token."""
    if statement.text[op.start] == "除":
        return op.start < token.start < op.end
    if token.clause != op.clause:
        return False
    following = statement.text[op.start : op.end] in vocabulary("zh").role("excluding")
    return token.word > op.word if following else token.word < op.word and token.piece == op.piece
