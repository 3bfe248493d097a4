"""Parse sentences of languages with spaces into tokens, operators, pieces and clauses.

One pass over the words is followed by the scopes of the operators. The time is linear in the length of the text.
"""

from bisect import bisect_left
from collections.abc import Sequence

from ..normalize import to_simplified
from ..numbers.quantities import Quantity
from ..tokens import tokenize
from ..words.stemming import stem
from . import chinese, german, language_forms, phrasal_verbs, relative_clauses
from .operator_search import CONDITIONS, DETERMINERS, PIECE_BREAKS, OperatorSearch
from .scopes import set_signs
from .statement import ContentToken, Operator, Statement
from .vocabulary import Vocabulary, WordRoles, vocabulary

# Languages with word lists of their own.
LANGUAGES = frozenset({"en", "de", "fr", "es", "zh"})

_CLAUSE_BREAKS = frozenset(";:.!?|\n•")
_NO_QUANTITY = Quantity((), 1 << 60, 1 << 60)
_SUPPOSED = frozenset({"plan", "should", "hedge", "would", "may", "must"})  # meanings of an auxiliary in a statement
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
        self.piece = 0
        self.begins = [0]  # the first word of each piece
        self.preposition = ""
        self.auxiliary = False  # an auxiliary is before the next token
        self.verbs: set[int] = set()  # pieces with a predicate
        self.breaks: set[int] = set()  # pieces that always begin a clause
        self.main_clause = 0  # the first word behind a German condition that begins with its verb
        self.begins_with_verb = False
        self.relatives: dict[int, int | None] = {}  # see `relative_clauses.boundaries`
        self.resumed: dict[int, int] = {}  # pieces that continue the clause of another piece
        if words.language == relative_clauses.LANGUAGE:
            self.relatives = relative_clauses.boundaries(self.spaced, self.keys, self.roles)
        if words.language == "de":
            self.main_clause = german.main_clause(self.spaced, self.keys, self.roles)
            self.begins_with_verb = bool(self.main_clause) or german.begins_with_verb(self.keys, self.roles)

    def parse(self) -> Statement:
        """Return the parsed sentence."""
        statement = self.statement
        upcoming = iter(self.quantities)
        quantity = next(upcoming)
        ends, operators = self.spaced.ends, self.operators
        for i, (start, role) in enumerate(zip(self.spaced.starts, self.roles, strict=True)):
            if i and (start - ends[i - 1] > 1 or role.breaks or i in operators.opening or i in self.relatives):
                self._break_before(i, role if i not in operators.inside else _PLAIN)
            while quantity.end <= start:
                quantity = next(upcoming)
            if quantity.start <= start:
                if not statement.tokens or statement.tokens[-1].quantity is not quantity:
                    self._number(i, quantity)
            elif role.content:
                if i not in operators.consumed:
                    self._content(i, role, i in operators.words)
            elif ends[i] - start == 1 and self._is_letter(i):
                self._content(i, _PLAIN, operator=False)
            elif role.in_phrase:
                self._function_word(i, role)
        self._clauses()
        statement.operators += language_forms.future_plans(statement, self.spaced)
        self._join_verbs()
        set_signs(statement)
        for number, token in enumerate(statement.tokens):
            for one in filter(None, (token.stem, token.whole)):
                statement.stems.setdefault(one, []).append(number)
        stripped = statement.text.strip().rstrip("*_\"'”’» ")
        statement.question = stripped.endswith(("?", "？", "؟"))
        statement.heading = stripped.startswith("#")
        return statement

    def _function_word(self, i: int, role: WordRoles) -> None:
        """Note a preposition, or that an auxiliary or a new noun phrase ends the phrase of one."""
        if role.preposition:
            self.preposition = self.contractions.get(self.keys[i], self.keys[i])
        elif role.article and self.preposition and self._phrase_ended(i):
            self.preposition = ""
        if role.auxiliary:
            self.verbs.add(self.piece)
            self.preposition = ""
            self.auxiliary = True

    def _is_letter(self, i: int) -> bool:
        """Return whether a word of one letter names something: the last word of "plan A"."""
        return i > 0 and self.keys[i] != "i" and self.spaced.text[self.starts[i]].isupper()

    def _break_before(self, i: int, role: WordRoles) -> None:
        """Begin a piece if punctuation, a conjunction or a subordinator is before word `i`."""
        gap = self.spaced.text[self.spaced.ends[i - 1] : self.spaced.starts[i]]
        begins = (role.subordinator and not role.preposition) or i in self.operators.opening
        breaks = begins or role.subordinator or role.conjunction  # "since the merger" is a phrase, no clause
        if len(gap) > 1 and gap != ". ":  # a full stop inside a sentence: "12. Mai", "M. Lagarde"
            breaks = breaks or not PIECE_BREAKS.isdisjoint(gap)
            begins = begins or not _CLAUSE_BREAKS.isdisjoint(gap) or (not self.piece and self._is_condition(0))
            begins = begins or i == self.main_clause
        if i in self.relatives:
            breaks = begins = True
            if (pronoun := self.relatives[i]) is not None:
                self.resumed[self.piece + 1] = bisect_left(self.begins, pronoun) - 1
        if breaks:
            self.piece += 1
            self.begins.append(i)
            self.preposition = ""
            if begins:
                self.breaks.add(self.piece)

    def _is_condition(self, i: int) -> bool:
        """Return whether word `i` begins a condition: "Unless the pressure exceeds 4 bar, …"."""
        return self.roles[i].subordinator and not CONDITIONS.isdisjoint(self.roles[i].kinds)

    def _number(self, i: int, quantity: Quantity) -> None:
        token = ContentToken(quantity.term, "", quantity.start, quantity.end, i, self.piece, 0)
        token.quantity, token.before = quantity, self.preposition
        self.statement.tokens.append(token)

    def _content(self, i: int, role: WordRoles, operator: bool) -> None:
        word = self.spaced.tokens[i]
        verbal = (not word.capitalized and i > 0 and self._verbal(i, role)) or (not i and self.begins_with_verb)
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
                name=word.capitalized and (i > 0 or not self.begins_with_verb),
                verbal=verbal,
                before=self.preposition,
                kind=role.kind,
                clausal=self.auxiliary,
                operator=operator,
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
        from_there = last is not None and last.piece == self.piece and last.before == "from"
        infinitive = self.keys[i - 1] == "to" and not from_there  # "from version 5 to version 4"
        if (before.article and not self._is_clitic(i - 1)) or (before.preposition and not infinitive):
            return False
        if not self.keys[i - 1]:
            return self._is_behind_number(i) and self._is_past(i)
        if not DETERMINERS.isdisjoint(before.kinds) or (not infinitive and self._is_object(i)):
            return False
        return (
            role.verb_form
            or infinitive
            or (
                self.begins[-1] != i
                and (before.auxiliary or before.plural or before.pronoun or self.spaced.tokens[i - 1].capitalized)
            )
        )

    def _is_clitic(self, i: int) -> bool:
        """Return whether the word `i`, which may be an article, is the object of the verb behind it: "il les vend"."""
        if not self.roles[i].pronoun:
            return False
        if i and self.keys[i - 1] in self.vocabulary.role("before_clitic"):
            return True
        return self.spaced.surface(i + 1).endswith(tuple(self.vocabulary.role("behind_clitic")))

    def _is_object(self, i: int) -> bool:
        """Return whether a word directly behind a predicate is its object: "teaches physics", "enseña física"."""
        last = self.statement.tokens[-1] if self.statement.tokens else None
        if last is None or not last.verbal or last.word != i - 1 or last.piece != self.piece:
            return False
        if i + 1 < self.count and self.roles[i + 1].article:
            return False  # "wasps kill the caterpillars"
        return self.statement.language != "en" or not self._is_past(i)

    def _is_past(self, i: int) -> bool:
        """Return whether an English word has the form of the past tense or of a participle."""
        return self.keys[i].endswith("ed") or self.keys[i] in self.irregular

    def _is_behind_number(self, i: int) -> bool:
        """Return whether a name with a number is before word `i`, "Line 7 closed", or a phrase that a number ends."""
        named = i > 1 and self.spaced.tokens[i - 2].capitalized
        return self.statement.language == "en" and (named or self.begins[-1] == i)

    def _phrase_ended(self, i: int) -> bool:
        """Return whether the article `i` begins a noun phrase behind that of a preposition: "after work the client"."""
        last = self.statement.tokens[-1] if self.statement.tokens else None
        return last is not None and last.before == self.preposition and not self.roles[i - 1].preposition

    def _clauses(self) -> None:
        """Join pieces to clauses. A clause begins at a piece if both sides have a predicate."""
        statement = self.statement
        clause_of, last, has_verb = [0], 0, False
        for piece in range(self.piece + 1):
            verb = piece in self.verbs and (piece > 0 or self.keys[0] != "to")  # "To save money, they left it out."
            clause = clause_of[-1]
            if piece in self.resumed:
                clause = clause_of[self.resumed[piece] + 1]
            elif piece and (piece in self.breaks or (verb and has_verb)) and not self._is_complement(piece):
                clause, has_verb = last + 1, False
            if clause > last and piece > 1 and self._shares_verb(piece):
                clause_of[-1] = clause
            last, has_verb = max(last, clause), has_verb or verb
            clause_of.append(clause)
        del clause_of[0]
        statement.pieces, statement.clauses = self.piece + 1, last + 1
        for token in statement.tokens:
            token.clause = clause_of[token.piece]
        if self.operators.found or self.main_clause:
            self._place_operators(clause_of)

    def _shares_verb(self, piece: int) -> bool:
        """Return whether the piece before has a part of the subject: "but the hall and a shed burned"."""
        before, _ = self._span(piece - 1)
        joined = self.roles[before].conjunction and self.roles[self.begins[piece]].conjunction
        return joined and piece - 1 not in self.verbs and piece not in self.breaks

    def _place_operators(self, clause_of: Sequence[int]) -> None:
        """Add the operators to the statement. `clause_of`: the clause of each piece."""
        statement, piece_of = self.statement, self._pieces_of_words()
        starts, ends = self.spaced.starts, self.spaced.ends
        if self.main_clause:
            statement.operators.append(Operator("if", 0, 0, starts[0], ends[0], 0, clause_of[0]))
        for kind, first, after in self.operators.found:
            piece = piece_of[first]
            if self.main_clause and not first and kind in _SUPPOSED:
                continue  # "Sollte der Druck sinken, …", "Wird ein Fehler gemeldet, …"
            if kind == "not" and piece and piece not in self.verbs:
                kind = "except"  # ", not Enterprise"
            operator = Operator(kind, first, after, starts[first], ends[after - 1], piece, clause_of[piece])
            statement.operators.append(operator)
            if kind == "since" and not first and self._is_reason(piece):
                statement.operators.append(operator._replace(kind="because"))  # "since the battery was empty, …"

    def _is_complement(self, piece: int) -> bool:
        """Return whether a piece is a statement that its neighbour is about: "man glaubte, dass …", "Dass …, …"."""
        words = self.vocabulary.role("complementizer")
        begins = self.keys[self.begins[piece]]
        if begins in words or (piece == 1 and self.keys[0] in words):
            return True
        return self.vocabulary.language == "de" and german.is_object(self.keys, *self._span(piece))

    def _span(self, piece: int) -> tuple[int, int]:
        """Return the first word of a piece, and the word behind its last."""
        return self.begins[piece], self.begins[piece + 1] if piece < self.piece else self.count

    def _is_reason(self, piece: int) -> bool:
        """Return whether a piece that begins with "since" has a predicate and no date."""
        tokens = [token for token in self.statement.tokens if token.piece == piece]
        return any(t.clausal for t in tokens) and all(t.quantity is None for t in tokens)

    def _join_verbs(self) -> None:
        """Join English verbs and their particles, and German verbs and their prefixes."""
        if self.statement.language == phrasal_verbs.LANGUAGE:
            phrasal_verbs.join_particles(self.statement)
        elif self.statement.language == "de":
            prefixes = self._join_prefixes()
            self.statement.operators = german.without_other_meanings(self.statement, self.spaced, prefixes)

    def _join_prefixes(self) -> set[int]:
        """Note the whole verb where a prefix ends the phrase of its finite form: "lehnte den Antrag ab".

        Return the words that are such prefixes.
        """
        prefixes, statement, found = self.vocabulary.role("separable"), self.statement, set()
        piece_of = self._pieces_of_words()
        for last in {*(first - 1 for first in self.begins if first), self.count - 1}:
            if last < 1 or self.keys[last] not in prefixes:
                continue
            verbs = [t for t in statement.tokens if t.verbal and t.piece == piece_of[last] and t.word < last]
            if verbs:
                self._join(verbs[0], self.keys[last])
                found.add(last)
        return found

    def _join(self, verb: ContentToken, prefix: str) -> None:
        """Note the whole verb of a finite form and its prefix, and the operators that the whole verb is."""
        verb.folded = prefix + verb.folded
        verb.whole = stem(verb.folded)
        kinds = self.vocabulary.words[verb.folded].kinds
        if not kinds:
            return
        operators = [op for op in self.statement.operators if op.word != verb.word]
        place = verb.word, verb.word + 1, verb.start, verb.end, verb.piece, verb.clause
        self.statement.operators = operators + [Operator(kind, *place) for kind in dict.fromkeys(kinds)]
        verb.operator, verb.denying = True, verb.denying or "denies" in kinds

    def _pieces_of_words(self) -> list[int]:
        """Return the piece of each word."""
        found: list[int] = []
        for piece, first in enumerate(self.begins):
            found += [piece - 1] * (first - len(found))
        return found + [len(self.begins) - 1] * (self.count - len(found))
