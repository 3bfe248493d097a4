"""Sentences of languages that set spaces: words to tokens, operators, pieces and clauses.

One pass over the words, then operators are given their scope. Linear in the length of the text.
"""

from bisect import bisect_right
from collections.abc import Sequence

from ..normalize import to_simplified
from ..numbers.quantities import Quantity
from ..tokens import Token, tokenize
from . import chinese
from .statement import EXCEPTIVE, NEGATING, ContentToken, Operator, Statement
from .vocabulary import Vocabulary, vocabulary

# Languages with word lists of their own.
LANGUAGES = frozenset({"en", "de", "fr", "es", "zh"})

_PIECE_BREAKS = frozenset(",;:.!?()[]{}|—–\n•。！？；：，、（）")
_CLAUSE_BREAKS = frozenset(";:.!?|\n•")
_CLOSED_UP = frozenset({"", " ", "-"})
# Operators whose words also count as content: "plans", "denied", "caused".
_CONTENTFUL = frozenset({"denies", "plan", "hedge", "fact", "said", "leads", "done", "fiction", "false"})
_NEGATED_VERB = ("n't", "n’t")
# Content words that the phrase of `except` or `without` may have.
_PHRASE = 5
_ONCE = frozenset({"fr", "es"})  # two negations in one clause are one: "no … nadie", "ne … jamais"
_NO_PLURAL = ("ous", "ss", "us", "is")


def parse(text: str, language: str, quantities: Sequence[Quantity] = ()) -> Statement:
    """Parse one sentence. `language`: one of `LANGUAGES`. `quantities`: of this text, in order."""
    if language == "zh":
        return chinese.parse(text, quantities)
    return _Parser(text, vocabulary(language), quantities).parse()


class _Parser:
    """The state of one pass."""

    def __init__(self, text: str, words: Vocabulary, quantities: Sequence[Quantity]) -> None:
        self.vocabulary = words
        self.pieces = tokenize(to_simplified(text))
        self.count = len(self.pieces.tokens)
        self.keys = [_key(word) for word in self.pieces.tokens]
        self.statement = Statement(text, words.language, words=self.keys)
        self.quantities = quantities
        self.piece = 0
        self.begins = [0]  # the first word of each piece
        self.preposition = ""
        self.auxiliary = False  # an auxiliary stands before the next token
        self.inside: set[int] = set()  # words inside an operator of several words
        self.verbs: set[int] = set()  # pieces with a predicate
        self.breaks: set[int] = set()  # pieces that begin a clause in any case
        self.articles, self.prepositions = words.role("article"), words.role("preposition")
        self.auxiliaries, self.conjunctions = words.role("auxiliary"), words.role("conjunction")
        self.subordinators, self.irregular = words.role("subordinator"), words.role("irregular")
        self.ignored = (
            self.articles
            | self.prepositions
            | self.auxiliaries
            | self.conjunctions
            | words.role("pronoun")
            | words.stopwords
        )

    def parse(self) -> Statement:
        """The statement."""
        statement = self.statement
        consumed, operators = self._operators()
        at = 0
        for i, word in enumerate(self.pieces.tokens):
            start = self.pieces.starts[i]
            if i:
                self._break_before(i)
            while at < len(self.quantities) and self.quantities[at].end <= start:
                at += 1
            quantity = self.quantities[at] if at < len(self.quantities) else None
            if quantity is not None and quantity.start <= start < quantity.end:
                if not statement.tokens or statement.tokens[-1].quantity is not quantity:
                    self._number(i, quantity)
                continue
            self._word(i, word, i in consumed, i in operators)
        self._clauses()
        denying = {word for op in statement.of("denies") for word in range(op.word, op.after)}
        for token in statement.tokens:
            token.denying = token.word in denying
        _scopes(statement)
        for number, token in enumerate(statement.tokens):
            statement.stems.setdefault(token.stem, []).append(number)
        stripped = statement.text.strip().rstrip("*_\"'”’» ")
        statement.question = stripped.endswith(("?", "？", "؟"))
        statement.heading = stripped.startswith("#")
        return statement

    def _operators(self) -> tuple[set[int], set[int]]:
        """Find the operators; return the words that are nothing but operators, and all words of operators."""
        keys, patterns, pieces = self.keys, self.vocabulary.patterns, self.pieces
        consumed: set[int] = set()
        operators: set[int] = set()
        i = 0
        while i < self.count:
            found = patterns[keys[i]] if keys[i] else ()
            length = 0
            for rest, kind in found:
                if length and len(rest) + 1 < length:
                    break
                if _matches(keys, i + 1, rest):
                    length = len(rest) + 1
                    self.inside.update(range(i + 1, i + length))
                    self.statement.operators.append(
                        Operator(kind, i, i + length, pieces.starts[i], pieces.ends[i + length - 1], 0, 0)
                    )
                    operators.update(range(i, i + length))
                    if kind not in _CONTENTFUL:
                        consumed.update(range(i, i + length))
            if not length and keys[i].endswith(_NEGATED_VERB):
                length = 1
                self.statement.operators.append(Operator("not", i, i + 1, pieces.starts[i], pieces.ends[i], 0, 0))
            i += max(1, length)
        return consumed, operators

    def _break_before(self, i: int) -> None:
        """Begin a piece where punctuation, a conjunction or a subordinator stands before word `i`."""
        pieces, key = self.pieces, "" if i in self.inside else self.keys[i]
        end, start = pieces.ends[i - 1], pieces.starts[i]
        begins = key in self.subordinators
        breaks = begins or key in self.conjunctions
        if start - end > 1:
            gap = pieces.text[end:start]
            breaks = breaks or not _PIECE_BREAKS.isdisjoint(gap)
            begins = begins or not _CLAUSE_BREAKS.isdisjoint(gap)
            if gap == ". " and not self.keys[i - 1]:  # "12. Mai"
                breaks = begins = key in self.subordinators
        if breaks:
            self.piece += 1
            self.begins.append(i)
            self.preposition = ""
            if begins:
                self.breaks.add(self.piece)

    def _number(self, i: int, quantity: Quantity) -> None:
        token = ContentToken(quantity.term, "", quantity.start, quantity.end, i, self.piece, 0)
        token.quantity, token.before = quantity, self.preposition
        self.statement.tokens.append(token)

    def _word(self, i: int, word: Token, consumed: bool, operator: bool) -> None:
        key = self.keys[i]
        if key in self.prepositions:
            self.preposition = key
        if key in self.auxiliaries:
            self.verbs.add(self.piece)
            self.preposition = ""
            self.auxiliary = True
        if not key or consumed or key in self.ignored:
            return
        verbal = self._verbal(i, word)
        if verbal:
            self.verbs.add(self.piece)
            self.preposition = ""
        kinds = self.vocabulary.kinds.get(key)
        self.statement.tokens.append(
            ContentToken(
                word.term,
                key,
                self.pieces.starts[i],
                self.pieces.ends[i],
                i,
                self.piece,
                0,
                name=word.capitalized,
                verbal=verbal,
                before=self.preposition,
                kind=next(iter(kinds))[0] if kinds else "",
                clausal=self.auxiliary,
                operator=operator,
            )
        )
        self.auxiliary = False

    def _verbal(self, i: int, word: Token) -> bool:
        """Whether a word may be a predicate, by its form and the word before it."""
        if word.capitalized or not i:
            return False
        before = self.keys[i - 1]
        if before in self.articles or (before in self.prepositions and before != "to") or not before:
            return False
        if self.vocabulary.language != "en":
            return True
        key = self.keys[i]
        if key.endswith(("ed", "s")) or key in self.irregular or before == "to" or before in self.auxiliaries:
            return True
        plural = before.endswith("s") and not before.endswith(_NO_PLURAL)
        return plural or self.pieces.tokens[i - 1].capitalized or before in self.vocabulary.role("pronoun")

    def _clauses(self) -> None:
        """Join pieces to clauses: a new one begins where both sides have a predicate."""
        statement = self.statement
        clause_of, clause, has_verb = [], 0, False
        for piece in range(self.piece + 1):
            verb = piece in self.verbs
            if piece and (piece in self.breaks or (verb and has_verb)):
                clause, has_verb = clause + 1, False
            has_verb = has_verb or verb
            clause_of.append(clause)
        statement.pieces, statement.clauses = self.piece + 1, clause + 1
        for token in statement.tokens:
            token.clause = clause_of[token.piece]
        piece_of = self._pieces_of_words()
        statement.operators = [
            Operator(
                _phrasal(op, piece_of, self.verbs),
                op.word,
                op.after,
                op.start,
                op.end,
                piece_of[op.word],
                clause_of[piece_of[op.word]],
            )
            for op in statement.operators
        ]

    def _pieces_of_words(self) -> list[int]:
        """The piece of each word."""
        found: list[int] = []
        for piece, first in enumerate(self.begins):
            found += [piece - 1] * (first - len(found))
        return found + [len(self.begins) - 1] * (self.count - len(found))


def _key(word: Token) -> str:
    return word.folded.replace("’", "'") if word.kind == "word" else ""


def _matches(keys: Sequence[str], at: int, rest: Sequence[str]) -> bool:
    """Whether the words from `at` on are those of a pattern."""
    if at + len(rest) > len(keys):
        return False
    for key, wanted in zip(keys[at:], rest, strict=False):
        if key != wanted and not (wanted.endswith("*") and key.startswith(wanted[:-1])):
            return False
    return True


def _phrasal(op: Operator, piece_of: Sequence[int], verbs: set[int]) -> str:
    """`except` for a negation that stands in a piece without a predicate: ", not Enterprise"."""
    piece = piece_of[op.word]
    return "except" if op.kind == "not" and piece and piece not in verbs else op.kind


def _scopes(statement: Statement) -> None:
    """Give every token its sign."""
    negative = _negative_clauses(statement)
    for token in statement.tokens:
        if token.clause in negative:
            token.sign = -token.sign
    for op in statement.operators:
        if op.kind in EXCEPTIVE:
            for token in _phrase(statement, op):
                token.sign = -token.sign
                token.scoped = True


def _negative_clauses(statement: Statement) -> set[int]:
    """The clauses with an odd number of negations."""
    count: dict[int, int] = {}
    counted = -1
    for op in statement.operators:
        if op.kind in NEGATING and op.word != counted:
            counted = op.word  # a phrase of two kinds negates once
            single = statement.language in _ONCE and op.kind in {"not", "no"}
            count[op.clause] = 1 if single and op.clause in count else count.get(op.clause, 0) + 1
    return {clause for clause, negations in count.items() if negations % 2}


def _phrase(statement: Statement, op: Operator) -> list[ContentToken]:
    """The tokens of the phrase behind an operator: up to the next predicate or the end of its piece."""
    first = bisect_right([token.word for token in statement.tokens], op.after - 1)
    found: list[ContentToken] = []
    for token in statement.tokens[first : first + _PHRASE]:
        if token.piece != op.piece or (found and (token.verbal or token.clausal)):
            break
        found.append(token)
    return found
