"""Parse sentences of languages with spaces into tokens, operators, pieces and clauses.

One pass over the words is followed by the scopes of the operators. The time is linear in the length of the text.
"""

from collections.abc import Sequence
from dataclasses import replace

from ..normalize import to_simplified
from ..numbers.quantities import MONTH, Quantity
from ..tokens import tokenize
from ..words.stemming import stem
from . import chinese, language_forms
from .scopes import set_signs
from .statement import ContentToken, Operator, Statement
from .vocabulary import NEGATED_VERB, Vocabulary, WordRoles, vocabulary

# Languages with word lists of their own.
LANGUAGES = frozenset({"en", "de", "fr", "es", "zh"})

_PIECE_BREAKS = frozenset(",;:.!?()[]{}|—–\n•。！？；：，、（）")
_CLAUSE_BREAKS = frozenset(";:.!?|\n•")
_CLOSED_UP = frozenset({"", " ", "-"})
# Operators whose words also count as content: "plans", "denied", "caused".
_CONTENTFUL = frozenset({
    "denies", "plan", "hedge", "fact", "said", "leads", "done", "fiction", "false", "affirms", "boundless", "open",
    "proposal", "decision", "plain",
})  # fmt: skip
_CONDITIONS = frozenset({"if", "even_if", "unless"})
_NO_QUANTITY = Quantity((), 1 << 60, 1 << 60)
_COMPARING = frozenset({"over", "under", "max", "min"})  # without a number behind, "higher than" compares two things
_NUMBER_REACH = 2  # words between "more than" and its number
_SPLIT = 5  # words between the parts of an operator
_TOTAL = frozenset({"all", "no"})
_NOUN_PHRASE = 5  # words
_DETERMINERS = frozenset({"all", "most", "many", "some", "few", "half", "no"})  # "all members": no predicate follows
_PLAIN = WordRoles()
_THAN = frozenset({"than", "als", "que", "de", "as", "a", "reach"})  # "higher than", "plus de", "as much as"


def parse(text: str, language: str, quantities: Sequence[Quantity] = ()) -> Statement:
    """Parse one sentence. `language`: one of `LANGUAGES`. `quantities`: of this text, in order."""
    if language == "zh":
        return chinese.parse(text, quantities)
    return _Parser(text, vocabulary(language), quantities).parse()


class _Parser:
    """The state of one pass."""

    def __init__(self, text: str, words: Vocabulary, quantities: Sequence[Quantity]) -> None:
        self.spaced = tokenize(to_simplified(text))
        self.starts, self.ends = self.spaced.starts, self.spaced.ends
        self.count = len(self.spaced.tokens)
        self.keys = language_forms.word_keys(self.spaced, words.language)
        self.roles = [words.words[key] for key in self.keys]
        self.contractions = words.contractions
        self.vocabulary = words
        self.statement = Statement(text, words.language, words=self.keys)
        self.irregular = words.role("irregular")
        self.quantities = [*quantities, _NO_QUANTITY]
        self.months = {quantity.start for quantity in quantities if quantity.unit == MONTH}
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
            elif self._is_letter(i):
                self._content(i, _PLAIN, operator=False)
            else:
                self._function_word(i, role)
        self._clauses()
        statement.operators += language_forms.future_plans(statement, self.spaced)
        set_signs(statement)
        for number, token in enumerate(statement.tokens):
            statement.stems.setdefault(token.stem, []).append(number)
        self._join_prefixes()
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

    def _operators(self) -> set[int]:
        """Find the longest operator at each position. Return the indexes of their words."""
        keys, roles = self.keys, self.roles
        operators: set[int] = set()
        french = self._french_negations()
        i = 0
        while i < self.count:
            role, length = roles[i], 1
            if role.inert and i not in french:
                i += 1
                continue
            if i in french:
                self.found.append((french[i], i, i + 1))
                operators.add(i)
                self.consumed.add(i)
                i += 1
                continue
            self._end_split(i, role)
            kinds: Sequence[str] = role.kinds
            if (role.phrases or role.prefixed) and i + 1 < self.count:
                longer = [
                    (len(rest), kind)
                    for rest, kind in (*role.phrases.get(keys[i + 1], ()), *role.prefixed)
                    if _matches(keys, i + 1, rest)
                    and (kind not in _COMPARING or rest[-1] not in _THAN or self._number_follows(i + len(rest)))
                ]
                if longer:
                    length = max(longer)[0] + 1
                    kinds = [kind for size, kind in longer if size + 1 == length]
                    self.inside.update(range(i + 1, i + length))
                    if not _CONDITIONS.isdisjoint(kinds) and any(
                        roles[k].subordinator for k in range(i + 1, i + length)
                    ):
                        self.opening.add(i)
            if length == 1:
                kinds = self._kinds_of_word(i, kinds)
            if not kinds and keys[i].endswith(NEGATED_VERB):
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

    def _end_split(self, i: int, role: WordRoles) -> None:
        """Add the operator that ends at word `i` and has other words inside: "turned the offer down"."""
        for first, before_gerund, kind in role.split:
            if before_gerund and not (i + 1 < self.count and self.keys[i + 1].endswith("ing")):
                continue
            for k in range(i - 2, max(-1, i - 2 - _SPLIT), -1):
                if _matches(self.keys, k, (first,)):
                    self.found.append((kind, k, k + 1))
                    if not before_gerund:  # "advised … against signing" denies signing and not advising
                        self.denying.add(k)
                    return
                if self.roles[k].conjunction or self.roles[k].subordinator:
                    break

    def _kinds_of_word(self, i: int, kinds: Sequence[str]) -> Sequence[str]:
        """Return the kinds of a single word: none for "no" as an answer or in a title, and for "may" as a month."""
        if self.keys[i] == "but" and self._is_exception(i):
            self.inside.add(i)
            return ("except",)  # "all lamps but the one above the stove"
        other_meaning = ("no" in kinds and (self._is_answer(i) or self._is_title(i))) or self.starts[i] in self.months
        return () if other_meaning else kinds

    def _is_exception(self, i: int) -> bool:
        """Return whether "but" follows a noun phrase with "all" or "no", without a comma."""
        last = [first for kind, first, _ in self.found if kind in _TOTAL and i - _NOUN_PHRASE <= first < i - 1]
        if not last or any(self.roles[k].auxiliary for k in range(last[-1], i)):
            return False
        return _PIECE_BREAKS.isdisjoint(self.spaced.text[self.starts[last[-1]] : self.starts[i]])

    def _is_title(self, i: int) -> bool:
        """Return whether "No" begins a name: "No Country for Old Men"."""
        tokens = self.spaced.tokens
        return self.statement.language == "en" and all(token.capitalized for token in tokens[i : i + 2])

    def _number_follows(self, i: int) -> bool:
        """Return whether a number begins within the words behind word `i`."""
        last = self.starts[min(i + _NUMBER_REACH, self.count - 1)]
        return any(self.ends[i] <= quantity.start <= last for quantity in self.quantities)

    def _is_letter(self, i: int) -> bool:
        """Return whether a capital letter names something: the last word of "plan A"."""
        if not i or self.ends[i] - self.starts[i] != 1 or self.keys[i] == "i":
            return False
        return self.spaced.text[self.starts[i]].isupper()

    def _french_negations(self) -> dict[int, str]:
        if self.statement.language != "fr":
            return {}
        found, elided = language_forms.french_negations(self.spaced, self.keys, self.roles)
        self.found += [("only", k, k + 1) for k in elided]
        return found

    def _is_answer(self, i: int) -> bool:
        """Return whether "no" answers a question: "No, but every plan can be tested."."""
        return self.spaced.text[self.spaced.ends[i] : self.spaced.ends[i] + 1] in {",", ".", ";"}

    def _break_before(self, i: int, role: WordRoles) -> None:
        """Begin a piece if punctuation, a conjunction or a subordinator is before word `i`."""
        gap = self.spaced.text[self.spaced.ends[i - 1] : self.spaced.starts[i]]
        begins = (role.subordinator and not role.preposition) or i in self.opening
        breaks = begins or role.subordinator or role.conjunction  # "since the merger" is a phrase, no clause
        if len(gap) > 1 and not (gap == ". " and not self.keys[i - 1]):  # "12. Mai"
            breaks = breaks or not _PIECE_BREAKS.isdisjoint(gap)
            begins = begins or not _CLAUSE_BREAKS.isdisjoint(gap) or (not self.piece and self._is_condition(0))
        if breaks:
            self.piece += 1
            self.begins.append(i)
            self.preposition = ""
            if begins:
                self.breaks.add(self.piece)

    def _is_condition(self, i: int) -> bool:
        """Return whether word `i` begins a condition: "Unless the pressure exceeds 4 bar, …"."""
        return self.roles[i].subordinator and not _CONDITIONS.isdisjoint(self.roles[i].kinds)

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
        last = self.statement.tokens[-1] if self.statement.tokens else None
        from_there = last is not None and last.piece == self.piece and last.before == "from"
        infinitive = self.keys[i - 1] == "to" and not from_there  # "from version 5 to version 4"
        if before.article or (before.preposition and not infinitive) or not self.keys[i - 1]:
            return False
        if not _DETERMINERS.isdisjoint(before.kinds) or (not infinitive and self._is_object(i)):
            return False
        return (
            role.verb_form
            or infinitive
            or before.auxiliary
            or before.plural
            or before.pronoun
            or self.spaced.tokens[i - 1].capitalized
        )

    def _is_object(self, i: int) -> bool:
        """Return whether a word directly behind a predicate is its object: "teaches physics", "enseña física"."""
        last = self.statement.tokens[-1] if self.statement.tokens else None
        if last is None or not last.verbal or last.word != i - 1 or last.piece != self.piece:
            return False
        if i + 1 < self.count and self.roles[i + 1].article:
            return False  # "wasps kill the caterpillars"
        return self.statement.language != "en" or not (self.keys[i].endswith("ed") or self.keys[i] in self.irregular)

    def _phrase_ended(self, i: int) -> bool:
        """Return whether the article `i` begins a noun phrase behind that of a preposition: "after work the client"."""
        last = self.statement.tokens[-1] if self.statement.tokens else None
        return last is not None and last.before == self.preposition and not self.roles[i - 1].preposition

    def _clauses(self) -> None:
        """Join pieces to clauses. A clause begins at a piece if both sides have a predicate."""
        statement = self.statement
        clause_of, clause, has_verb = [], 0, False
        for piece in range(self.piece + 1):
            verb = piece in self.verbs and (piece > 0 or self.keys[0] != "to")  # "To save money, they left it out."
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
            if kind == "since" and not first and self._is_reason(piece):
                statement.operators.append(replace(operator, kind="because"))  # "since the battery was empty, …"

    def _is_reason(self, piece: int) -> bool:
        """Return whether a piece that begins with "since" has a predicate and no date."""
        tokens = [token for token in self.statement.tokens if token.piece == piece]
        return any(t.clausal for t in tokens) and all(t.quantity is None for t in tokens)

    def _join_prefixes(self) -> None:
        """Note the whole verb where a prefix ends the phrase of its finite form: "lehnte den Antrag ab"."""
        prefixes, statement = self.vocabulary.role("separable"), self.statement
        if not prefixes:
            return
        piece_of = self._pieces_of_words()
        for last in {*(first - 1 for first in self.begins if first), self.count - 1}:
            if last < 1 or self.keys[last] not in prefixes:
                continue
            verbs = [
                (at, token)
                for at, token in enumerate(statement.tokens)
                if token.verbal and token.piece == piece_of[last] and token.word < last
            ]
            if verbs:
                at, verb = verbs[0]
                verb.whole = stem(self.keys[last] + verb.folded)
                statement.stems.setdefault(verb.whole, []).append(at)

    def _pieces_of_words(self) -> list[int]:
        """Return the piece of each word."""
        found: list[int] = []
        for piece, first in enumerate(self.begins):
            found += [piece - 1] * (first - len(found))
        return found + [len(self.begins) - 1] * (self.count - len(found))


def _matches(keys: Sequence[str], at: int, rest: Sequence[str]) -> bool:
    """Return whether the words from `at` on are those of a pattern."""
    if at + len(rest) > len(keys):
        return False
    for key, wanted in zip(keys[at:], rest, strict=False):
        if key != wanted and not (wanted.endswith("*") and key.startswith(wanted[:-1])):
            return False
    return True
