"""Parse sentences of languages with spaces into tokens, operators, pieces and clauses.

One pass over the words is followed by the scopes of the operators. The time is linear in the length of the text.
"""

from bisect import bisect_left
from collections.abc import Sequence

from ..normalize import to_simplified
from ..numbers.quantities import Quantity
from ..tokens import tokenize
from . import chinese, german, language_forms, phrasal_verbs, relative_clauses
from .operator_search import CONDITIONS, DETERMINERS, PIECE_BREAKS, OperatorSearch
from .pieces import Pieces
from .scopes import set_signs
from .statement import ContentToken, Operator, Statement
from .vocabulary import Vocabulary, WordRoles, vocabulary

# Languages with word lists of their own.
LANGUAGES = frozenset({"en", "de", "fr", "es", "zh"})

_CLAUSE_BREAKS = frozenset(";:.!?|\n•")
_NO_QUANTITY = Quantity((), 1 << 60, 1 << 60)  # after the last word of any text
_SUPPOSED = frozenset({"plan", "should", "hedge", "would", "may", "must"})  # meanings of an auxiliary in a statement
_PLAIN = WordRoles()  # the roles of a word that has none


def parse(text: str, language: str, quantities: Sequence[Quantity] = ()) -> Statement:
    """Parse one sentence. `language`: one of `LANGUAGES`. `quantities`: of this text, in order."""
    if language == "zh":
        return chinese.parse(text, quantities)
    return _Parser(text, vocabulary(language), quantities).parse()


class _Parser:
    """The state of one pass."""

    def __init__(self, text: str, words: Vocabulary, quantities: Sequence[Quantity]) -> None:
        self.spaced = tokenize(to_simplified(text))
        if words.language == "fr":
            self.spaced = language_forms.split_elisions(self.spaced)
        self.starts, self.ends = self.spaced.starts, self.spaced.ends
        self.count = len(self.spaced.tokens)
        self.keys = language_forms.word_keys(self.spaced, words.language)
        self.roles = list(map(words.words.__getitem__, self.keys))
        self.contractions = words.contractions
        self.vocabulary = words
        self.statement = Statement(text, words.language, words=self.keys)
        self.irregular = words.role("irregular")
        self.quantities = [*quantities, _NO_QUANTITY]
        self.operators = OperatorSearch(self.spaced, self.keys, self.roles, words, quantities)
        self.pieces = Pieces(self.count)
        self.preposition = ""
        self.auxiliary = False  # an auxiliary is before the next token
        self.main_clause = 0  # the first word after a German condition that begins with its verb
        self.begins_with_verb = False
        self.relatives: dict[int, int | None] = {}  # see `relative_clauses.boundaries`
        if words.language == relative_clauses.LANGUAGE:
            self.relatives = relative_clauses.boundaries(self.spaced, self.keys, self.roles)
        if words.language == "de":
            self.main_clause = german.main_clause(self.spaced, self.keys, self.roles)
            self.begins_with_verb = bool(self.main_clause) or german.begins_with_verb(self.keys, self.roles)

    def parse(self) -> Statement:
        """Return the parsed sentence."""
        statement = self.statement
        self._read_words()
        self._clauses()
        statement.operators += language_forms.future_plans(statement, self.spaced)
        if statement.language == phrasal_verbs.LANGUAGE:
            phrasal_verbs.join_particles(statement)
        elif statement.language == "de":
            prefixes = phrasal_verbs.join_prefixes(statement, self.pieces)
            statement.operators = german.without_other_meanings(statement, self.spaced, prefixes)
        set_signs(statement)
        statement.index_stems()
        stripped = statement.text.strip().rstrip("*_\"'”’» ")
        statement.question = stripped.endswith(("?", "？", "؟"))
        statement.heading = stripped.startswith("#")
        return statement

    def _read_words(self) -> None:
        """Add the numbers and the content words, and divide the sentence into pieces."""
        tokens, operators = self.statement.tokens, self.operators
        upcoming = iter(self.quantities)
        quantity = next(upcoming)
        for i, (start, role) in enumerate(zip(self.starts, self.roles, strict=True)):
            if i and (start - self.ends[i - 1] > 1 or role.breaks or i in operators.opening or i in self.relatives):
                self._break_before(i, role if i not in operators.inside else _PLAIN)
            while quantity.end <= start:
                quantity = next(upcoming)
            if quantity.start <= start:
                if not tokens or tokens[-1].quantity is not quantity:
                    self._number(i, quantity)
            elif role.content:
                if i not in operators.consumed:
                    self._content(i, role, i in operators.words)
            elif self.ends[i] - start == 1 and self._is_letter(i):
                self._content(i, _PLAIN, operator=False)
            elif role.in_phrase:
                self._function_word(i, role)

    def _function_word(self, i: int, role: WordRoles) -> None:
        """Note a preposition, or that an auxiliary or a new noun phrase ends the phrase of one."""
        if role.preposition:
            self.preposition = self.contractions.get(self.keys[i], self.keys[i])
        elif role.article and self.preposition and self._phrase_ended(i):
            self.preposition = ""
        if role.auxiliary:
            self.pieces.verbs.add(self.pieces.last)
            self.preposition = ""
            self.auxiliary = True

    def _is_letter(self, i: int) -> bool:
        """Return whether a word of one letter names something: the last word of "plan A"."""
        return i > 0 and self.keys[i] != "i" and self.spaced.text[self.starts[i]].isupper()

    def _break_before(self, i: int, role: WordRoles) -> None:
        """Begin a piece if punctuation, a conjunction or a subordinator is before word `i`."""
        gap = self.spaced.text[self.ends[i - 1] : self.starts[i]]
        begins = (role.subordinator and not role.preposition) or i in self.operators.opening
        breaks = begins or role.subordinator or role.conjunction  # "since the merger" is a phrase, no clause
        if len(gap) > 1 and gap != ". ":  # a full stop inside a sentence: "12. Mai", "M. Lagarde"
            breaks = breaks or not PIECE_BREAKS.isdisjoint(gap)
            begins = begins or not _CLAUSE_BREAKS.isdisjoint(gap) or (not self.pieces.last and self._is_condition(0))
            begins = begins or i == self.main_clause
        if i in self.relatives:
            breaks = begins = True
            if (pronoun := self.relatives[i]) is not None:
                self.pieces.resumed[self.pieces.last + 1] = bisect_left(self.pieces.begins, pronoun) - 1
        if breaks:
            self.pieces.begin(i, clause=begins)
            self.preposition = ""

    def _is_condition(self, i: int) -> bool:
        """Return whether word `i` begins a condition: "Unless the pressure exceeds 4 bar, …"."""
        return self.roles[i].subordinator and not CONDITIONS.isdisjoint(self.roles[i].kinds)

    def _number(self, i: int, quantity: Quantity) -> None:
        """Add the token of a number, which begins with word `i`."""
        token = ContentToken(quantity.term, "", quantity.start, quantity.end, i, self.pieces.last, 0)
        token.quantity, token.preposition = quantity, self.preposition
        self.statement.tokens.append(token)

    def _content(self, i: int, role: WordRoles, operator: bool) -> None:
        """Add the token of a content word. `operator`: it is part of an operator, too."""
        word = self.spaced.tokens[i]
        verbal = (not word.capitalized and i > 0 and self._verbal(i, role)) or (not i and self.begins_with_verb)
        if verbal:
            self.pieces.verbs.add(self.pieces.last)
            self.preposition = ""
        self.statement.tokens.append(
            ContentToken(
                word.term,
                self.keys[i],
                self.starts[i],
                self.ends[i],
                i,
                self.pieces.last,
                0,
                name=word.capitalized and (i > 0 or not self.begins_with_verb),
                verbal=verbal,
                preposition=self.preposition,
                word_class=role.word_class,
                after_auxiliary=self.auxiliary,
                in_operator=operator,
                denying=i in self.operators.denying,
            )
        )
        self.auxiliary = False

    def _verbal(self, i: int, role: WordRoles) -> bool:
        """Return whether a word may be a predicate, by its form and the word before it."""
        before = self.roles[i - 1]
        if i + 1 < self.count and self.roles[i + 1].auxiliary:
            return False  # the subject: "employees may …"
        last = self.statement.tokens[-1] if self.statement.tokens else None
        from_there = last is not None and last.piece == self.pieces.last and last.preposition == "from"
        infinitive = self.keys[i - 1] == "to" and not from_there  # "from version 5 to version 4"
        if (before.article and not self._is_clitic(i - 1)) or (before.preposition and not infinitive):
            return False
        if not self.keys[i - 1]:
            return self._follows_number(i) and self._is_past(i)
        if not DETERMINERS.isdisjoint(before.kinds) or (not infinitive and self._is_object(i)):
            return False
        return (
            role.verb_form
            or infinitive
            or (
                self.pieces.begins[-1] != i
                and (before.auxiliary or before.plural or before.pronoun or self.spaced.tokens[i - 1].capitalized)
            )
        )

    def _is_clitic(self, i: int) -> bool:
        """Return whether the word `i`, which may be an article, is the object of the verb after it: "il les vend"."""
        if not self.roles[i].pronoun:
            return False
        if i and self.keys[i - 1] in self.vocabulary.role("before_clitic"):
            return True
        return self.spaced.surface(i + 1).endswith(tuple(self.vocabulary.role("after_clitic")))

    def _is_object(self, i: int) -> bool:
        """Return whether a word directly after a predicate is its object: "teaches physics", "enseña física"."""
        last = self.statement.tokens[-1] if self.statement.tokens else None
        if last is None or not last.verbal or last.word != i - 1 or last.piece != self.pieces.last:
            return False
        if i + 1 < self.count and self.roles[i + 1].article:
            return False  # "wasps kill the caterpillars"
        return self.statement.language != "en" or not self._is_past(i)

    def _is_past(self, i: int) -> bool:
        """Return whether an English word has the form of the past tense or of a participle."""
        return self.keys[i].endswith("ed") or self.keys[i] in self.irregular

    def _follows_number(self, i: int) -> bool:
        """Return whether a name with a number is before word `i`, "Line 7 closed", or a phrase that a number ends."""
        named = i > 1 and self.spaced.tokens[i - 2].capitalized
        return self.statement.language == "en" and (named or self.pieces.begins[-1] == i)

    def _phrase_ended(self, i: int) -> bool:
        """Return whether the article `i` begins a noun phrase after that of a preposition: "after work the client"."""
        last = self.statement.tokens[-1] if self.statement.tokens else None
        return last is not None and last.preposition == self.preposition and not self.roles[i - 1].preposition

    def _clauses(self) -> None:
        """Join pieces to clauses, and add the operators with their clauses."""
        statement, pieces = self.statement, self.pieces
        if self.keys[:1] == ["to"]:
            pieces.verbs.discard(0)  # "To save money, they left it out."
        clause_of = pieces.clauses(self.roles, self._is_complement)
        statement.pieces, statement.clauses = len(clause_of), max(clause_of) + 1
        for token in statement.tokens:
            token.clause = clause_of[token.piece]
        if self.operators.found or self.main_clause:
            self._place_operators(clause_of)

    def _place_operators(self, clause_of: Sequence[int]) -> None:
        """Add the operators to the statement. `clause_of`: the clause of each piece."""
        statement, piece_of = self.statement, self.pieces.of_words()
        starts, ends = self.starts, self.ends
        if self.main_clause:
            statement.operators.append(Operator("if", 0, 0, starts[0], ends[0], 0, clause_of[0]))
        for kind, first, after in self.operators.found:
            piece = piece_of[first]
            if self.main_clause and not first and kind in _SUPPOSED:
                continue  # "Sollte der Druck sinken, …", "Wird ein Fehler gemeldet, …"
            if kind == "not" and piece and piece not in self.pieces.verbs:
                kind = "except"  # ", not Enterprise"
            operator = Operator(kind, first, after, starts[first], ends[after - 1], piece, clause_of[piece])
            statement.operators.append(operator)
            if kind == "since" and not first and self._is_reason(piece):
                statement.operators.append(operator._replace(kind="because"))  # "since the battery was empty, …"

    def _is_complement(self, piece: int) -> bool:
        """Return whether a piece is a statement that its neighbour is about: "man glaubte, dass …", "Dass …, …"."""
        words = self.vocabulary.role("complementizer")
        begins = self.keys[self.pieces.begins[piece]]
        if begins in words or (piece == 1 and self.keys[0] in words):
            return True
        return self.vocabulary.language == "de" and german.is_object(self.keys, *self.pieces.span(piece))

    def _is_reason(self, piece: int) -> bool:
        """Return whether a piece that begins with "since" has a predicate and no date."""
        tokens = [token for token in self.statement.tokens if token.piece == piece]
        return any(t.after_auxiliary for t in tokens) and all(t.quantity is None for t in tokens)
