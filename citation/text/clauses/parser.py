"""Parse sentences of languages with spaces into tokens, operators, pieces and clauses.

One pass over the words is followed by the scopes of the operators. The time is linear in the length of the text.
"""

from bisect import bisect_right
from collections.abc import Sequence

from ..normalize import to_simplified
from ..numbers.quantities import Quantity
from ..tokens import Token, tokenize
from . import chinese
from .statement import EXCEPTIVE, NEGATING, ContentToken, Operator, Statement
from .vocabulary import Vocabulary, WordRoles, vocabulary

# Languages with word lists of their own.
LANGUAGES = frozenset({"en", "de", "fr", "es", "zh"})

_PIECE_BREAKS = frozenset(",;:.!?()[]{}|—–\n•。！？；：，、（）")
_CLAUSE_BREAKS = frozenset(";:.!?|\n•")
_CLOSED_UP = frozenset({"", " ", "-"})
# Operators whose words also count as content: "plans", "denied", "caused".
_CONTENTFUL = frozenset(
    {
        "denies",
        "plan",
        "hedge",
        "fact",
        "said",
        "leads",
        "done",
        "fiction",
        "false",
        "affirms",
        "boundless",
        "open",
        "proposal",
        "decision",
    }
)
_CONDITIONS = frozenset({"if", "even_if", "unless"})
_NEGATED_VERB = ("n't", "n’t")
# Maximum content words in the phrase of `except` or `without`.
_PHRASE = 5
_ONCE = frozenset({"fr", "es"})  # two negations in one clause are one: "no … nadie", "ne … jamais"
_NO_QUANTITY = Quantity((), 1 << 60, 1 << 60)
_PLAIN = WordRoles()


def parse(text: str, language: str, quantities: Sequence[Quantity] = ()) -> Statement:
    """Parse one sentence. `language`: one of `LANGUAGES`. `quantities`: of this text, in order."""
    if language == "zh":
        return chinese.parse(text, quantities)
    return _Parser(text, vocabulary(language), quantities).parse()


class _Parser:
    """The state of one pass."""

    def __init__(self, text: str, words: Vocabulary, quantities: Sequence[Quantity]) -> None:
        self.spaced = tokenize(to_simplified(text))
        self.count = len(self.spaced.tokens)
        self.keys = [_key(word) for word in self.spaced.tokens]
        self.roles = [words.words[key] for key in self.keys]
        self.statement = Statement(text, words.language, words=self.keys)
        self.quantities = [*quantities, _NO_QUANTITY]
        self.found: list[tuple[str, int, int]] = []  # operators: kind, first word, word after the last
        self.piece = 0
        self.begins = [0]  # the first word of each piece
        self.preposition = ""
        self.auxiliary = False  # an auxiliary is before the next token
        self.opening: set[int] = set()  # first words of conditions of several words: "only if", "in case"
        self.inside: set[int] = set()  # words inside an operator of several words
        self.consumed: set[int] = set()  # words that are operators and no content
        self.denying: set[int] = set()  # words of operators that deny
        self.verbs: set[int] = set()  # pieces with a predicate
        self.breaks: set[int] = set()  # pieces that always begin a clause

    def parse(self) -> Statement:
        """Return the parsed sentence."""
        statement = self.statement
        operators = self._operators()
        upcoming = iter(self.quantities)
        quantity = next(upcoming)
        starts, ends, roles, inside = self.spaced.starts, self.spaced.ends, self.roles, self.inside
        for i, start in enumerate(starts):
            role = roles[i]
            if i and (start - ends[i - 1] > 1 or role.conjunction or role.subordinator or i in self.opening):
                self._break_before(i, role if i not in inside else _PLAIN)
            while quantity.end <= start:
                quantity = next(upcoming)
            if quantity.start <= start:
                if not statement.tokens or statement.tokens[-1].quantity is not quantity:
                    self._number(i, quantity)
            elif role.content:
                if i not in self.consumed:
                    self._content(i, role, i in operators)
            elif role.preposition:
                self.preposition = self.keys[i]
            elif role.article and self.preposition and self._phrase_ended(i):
                self.preposition = ""
            if role.auxiliary:
                self.verbs.add(self.piece)
                self.preposition = ""
                self.auxiliary = True
        self._clauses()
        _scopes(statement)
        for number, token in enumerate(statement.tokens):
            statement.stems.setdefault(token.stem, []).append(number)
        stripped = statement.text.strip().rstrip("*_\"'”’» ")
        statement.question = stripped.endswith(("?", "？", "؟"))
        statement.heading = stripped.startswith("#")
        return statement

    def _operators(self) -> set[int]:
        """Find the longest operator at each position. Return the indexes of their words."""
        keys, roles = self.keys, self.roles
        operators: set[int] = set()
        i = 0
        while i < self.count:
            role, length = roles[i], 1
            kinds: Sequence[str] = role.kinds
            if (role.phrases or role.prefixed) and i + 1 < self.count:
                longer = [
                    (len(rest), kind)
                    for rest, kind in (*role.phrases.get(keys[i + 1], ()), *role.prefixed)
                    if _matches(keys, i + 1, rest)
                ]
                if longer:
                    length = max(longer)[0] + 1
                    kinds = [kind for size, kind in longer if size + 1 == length]
                    self.inside.update(range(i + 1, i + length))
                    if not _CONDITIONS.isdisjoint(kinds) and any(
                        roles[k].subordinator for k in range(i + 1, i + length)
                    ):
                        self.opening.add(i)
            if kinds and length == 1 and "no" in kinds and self._is_answer(i):
                kinds = ()
            if not kinds and keys[i].endswith(_NEGATED_VERB):
                self.found.append(("not", i, i + 1))
            if kinds:
                words = range(i, i + length)
                operators.update(words)
                self.found += [(kind, i, i + length) for kind in kinds]
                if not _CONTENTFUL.issuperset(kinds):
                    self.consumed.update(words)
                if "denies" in kinds:
                    self.denying.update(words)
            i += length
        return operators

    def _is_answer(self, i: int) -> bool:
        """Return whether "no" answers a question: "No, but every plan can be tested."."""
        return self.spaced.text[self.spaced.ends[i] : self.spaced.ends[i] + 1] in {",", ".", ";"}

    def _break_before(self, i: int, role: WordRoles) -> None:
        """Begin a piece if punctuation, a conjunction or a subordinator is before word `i`."""
        gap = self.spaced.text[self.spaced.ends[i - 1] : self.spaced.starts[i]]
        begins = role.subordinator or i in self.opening
        breaks = begins or role.conjunction
        if len(gap) > 1 and not (gap == ". " and not self.keys[i - 1]):  # "12. Mai"
            breaks = breaks or not _PIECE_BREAKS.isdisjoint(gap)
            begins = begins or not _CLAUSE_BREAKS.isdisjoint(gap)
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

    def _content(self, i: int, role: WordRoles, operator: bool) -> None:
        word = self.spaced.tokens[i]
        verbal = not word.capitalized and i > 0 and self._verbal(i, role)
        if verbal:
            self.verbs.add(self.piece)
            self.preposition = ""
        self.statement.tokens.append(
            ContentToken(
                word.term,
                self.keys[i],
                self.spaced.starts[i],
                self.spaced.ends[i],
                i,
                self.piece,
                0,
                name=word.capitalized,
                verbal=verbal,
                before=self.preposition,
                kind=role.kind,
                clausal=self.auxiliary,
                operator=operator,
                denying=i in self.denying,
            )
        )
        self.auxiliary = False

    def _verbal(self, i: int, role: WordRoles) -> bool:
        """Return whether a word may be a predicate, by its form and the word before it."""
        before = self.roles[i - 1]
        if i + 1 < self.count and self.roles[i + 1].auxiliary:
            return False  # the subject: "employees may …"
        infinitive = self.keys[i - 1] == "to"
        if before.article or (before.preposition and not infinitive) or not self.keys[i - 1]:
            return False
        return (
            role.verb_form
            or infinitive
            or before.auxiliary
            or before.plural
            or before.pronoun
            or self.spaced.tokens[i - 1].capitalized
        )

    def _phrase_ended(self, i: int) -> bool:
        """Return whether the article `i` begins a noun phrase behind that of a preposition: "after work the client"."""
        last = self.statement.tokens[-1] if self.statement.tokens else None
        return last is not None and last.before == self.preposition and not self.roles[i - 1].preposition

    def _clauses(self) -> None:
        """Join pieces to clauses. A clause begins at a piece if both sides have a predicate."""
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
        starts, ends = self.spaced.starts, self.spaced.ends
        for kind, first, after in self.found:
            piece = piece_of[first]
            if kind == "not" and piece and piece not in self.verbs:
                kind = "except"  # ", not Enterprise"
            operator = Operator(kind, first, after, starts[first], ends[after - 1], piece, clause_of[piece])
            statement.operators.append(operator)

    def _pieces_of_words(self) -> list[int]:
        """Return the piece of each word."""
        found: list[int] = []
        for piece, first in enumerate(self.begins):
            found += [piece - 1] * (first - len(found))
        return found + [len(self.begins) - 1] * (self.count - len(found))


def _key(word: Token) -> str:
    return word.folded.replace("’", "'") if word.kind == "word" else ""


def _matches(keys: Sequence[str], at: int, rest: Sequence[str]) -> bool:
    """Return whether the words from `at` on are those of a pattern."""
    if at + len(rest) > len(keys):
        return False
    for key, wanted in zip(keys[at:], rest, strict=False):
        if key != wanted and not (wanted.endswith("*") and key.startswith(wanted[:-1])):
            return False
    return True


def _scopes(statement: Statement) -> None:
    """Set the sign of every token."""
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
    """Return the clauses with an odd number of negations."""
    count: dict[int, int] = {}
    counted = -1
    coordinated = vocabulary(statement.language).role("coordinated")
    for op in statement.operators:
        if op.clause in count and statement.words[op.word] in coordinated:
            continue  # "neither … nor" denies once
        if op.kind in NEGATING and op.word != counted:
            counted = op.word  # a phrase of two kinds negates once
            single = statement.language in _ONCE and op.kind in {"not", "no"}
            count[op.clause] = 1 if single and op.clause in count else count.get(op.clause, 0) + 1
    return {clause for clause, negations in count.items() if negations % 2}


def _phrase(statement: Statement, op: Operator) -> list[ContentToken]:
    """Return the tokens of the phrase after an operator, up to the next predicate or the end of its piece.

    If there are none, return those before it: "goalkeepers aside, …".
    """
    first = bisect_right([token.word for token in statement.tokens], op.after - 1)
    found: list[ContentToken] = []
    for token in statement.tokens[first : first + _PHRASE]:
        if token.piece != op.piece or (found and (token.verbal or token.clausal)):
            break
        found.append(token)
    return found or [token for token in statement.tokens[:first] if token.piece == op.piece]
