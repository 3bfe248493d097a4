"""Find the operators of a sentence: the words and phrases of operators.txt that negate, restrict or compare."""

from collections.abc import Sequence

from ..numbers.quantities import MONTH, Quantity
from ..tokens import Tokens
from . import language_forms
from .vocabulary import NEGATED_VERB, Vocabulary, WordRoles

# Operators whose words also count as content: "plans", "denied", "caused".
_CONTENTFUL = frozenset({
    "denies", "plan", "hedge", "said", "leads", "done", "fiction", "false", "affirms", "boundless", "plain",
})  # fmt: skip
# Without a number after them, these compare two things: "higher than"
_COMPARING = frozenset({"over", "under", "max", "min"})
_NUMBER_REACH = 2  # words between "more than" and its number
_SPLIT = 5  # words between the parts of an operator
_TOTAL = frozenset({"all", "no"})
_PARTICIPLE = ("ed", "en", "id", "sold")  # ends of "cancelled", "forbidden", "unpaid", "unsold"
_NEGATED = "un"  # begins participles that no verb has: "unused"
_NOUN_PHRASE = 5  # words
DETERMINERS = frozenset({"all", "most", "many", "some", "few", "half", "no"})  # "all members": no predicate follows
_INFINITIVE_REACH = 3  # words between "va" and its infinitive
_DEGREE_REACH = 8  # words between "plus" and its "que"
CONDITIONS = frozenset({"if", "even_if", "unless"})
PIECE_BREAKS = frozenset(",;:.!?()[]{}|—–\n•。！？；：，、（）")


class OperatorSearch:
    """The operators of one sentence, found in one pass. Words are given by their index."""

    def __init__(
        self,
        tokens: Tokens,
        keys: Sequence[str],
        roles: Sequence[WordRoles],
        words: Vocabulary,
        quantities: Sequence[Quantity],
    ) -> None:
        """`keys`: the folded words. `quantities`: the numbers of the sentence."""
        self._tokens, self._keys, self._roles, self._language = tokens, keys, roles, words.language
        self._bound = words.role("bound")  # the last words of "higher than" and "plus de", which need a number
        self._before_infinitive, self._infinitive = words.role("before_infinitive"), tuple(words.role("infinitive"))
        self._degrees = words.role("degree")
        # "had already left when …" has the order of "left before …".
        self._when = words.role("when") if not words.role("already").isdisjoint(keys) else frozenset()
        self._quantities = quantities
        self._months = {quantity.start for quantity in quantities if quantity.unit == MONTH}
        self._count = len(keys)
        self.found: list[tuple[str, int, int]] = []  # kind, first word, word after the last
        self.words: set[int] = set()  # words of operators
        self.consumed: set[int] = set()  # words that are operators and no content
        self.inside: set[int] = set()  # words after the first of an operator of several words
        self.opening: set[int] = set()  # first words of conditions of several words: "only if", "in case"
        self.denying: set[int] = set()  # words of operators that deny
        self._search()

    def _search(self) -> None:
        """Find the longest operator at each position."""
        french = self._french_negations()
        i = 0
        while i < self._count:
            role, length = self._roles[i], 1
            kinds: Sequence[str] = ()
            if i in french:
                kinds = (french[i],)
            elif not role.inert:
                if role.split:
                    self._end_split(i, role)
                kinds, length = self._longest(i, role)
                if not kinds and self._keys[i].endswith(NEGATED_VERB):
                    self.found.append(("not", i, i + 1))
            if kinds:
                self._add(kinds, i, length)
            i += length

    def _add(self, kinds: Sequence[str], first: int, length: int) -> None:
        """Add operators of these kinds, which consist of the same words."""
        kinds = [kind for kind in kinds if not self._has_other_meaning(kind, first, first + length)]
        if not kinds:
            return
        words = range(first, first + length)
        self.found += [(kind, first, first + length) for kind in kinds]
        self.words.update(words)
        if not _CONTENTFUL.issuperset(kinds):
            self.consumed.update(words)
        if "denies" in kinds:
            self.denying.update(words)

    def _has_other_meaning(self, kind: str, first: int, after: int) -> bool:
        """Return whether "va" has no infinitive after it, and so is no plan, or "que" no "plus" before it."""
        if kind == "plan" and self._keys[first] in self._before_infinitive:
            return not any(key.endswith(self._infinitive) for key in self._keys[after : after + _INFINITIVE_REACH])
        if kind == "than" and self._degrees:
            return self._degrees.isdisjoint(self._keys[max(0, first - _DEGREE_REACH) : first])
        return False

    def _longest(self, i: int, role: WordRoles) -> tuple[Sequence[str], int]:
        """Return the kinds of the longest operator that begins at word `i`, and its length."""
        longer = [
            (len(following), kind)
            for tree in role.phrases
            for following, kind in tree.beginning(self._keys, i + 1)
            if following
            and (kind not in _COMPARING or following[-1] not in self._bound or self._number_follows(i + len(following)))
        ]
        if not longer:
            return self._kinds_of_word(i, role.kinds), 1
        length = max(longer)[0] + 1
        kinds = [kind for size, kind in longer if size + 1 == length]
        rest_of_it = range(i + 1, i + length)
        self.inside.update(rest_of_it)
        if not CONDITIONS.isdisjoint(kinds) and any(self._roles[k].subordinator for k in rest_of_it):
            self.opening.add(i)
        return kinds, length

    def _end_split(self, i: int, role: WordRoles) -> None:
        """Add the operator that ends at word `i` and has other words inside: "turned the offer down"."""
        for first, before_gerund, kind in role.split:
            if before_gerund and not (i + 1 < self._count and self._keys[i + 1].endswith("ing")):
                continue
            for k in range(i - 2, max(-1, i - 2 - _SPLIT), -1):
                key = self._keys[k]
                if key == first or (first.endswith("*") and key.startswith(first[:-1])):
                    self.found.append((kind, k, k + 1))
                    if not before_gerund:  # "advised … against signing" denies signing and not advising
                        self.denying.add(k)
                    return
                if self._roles[k].conjunction or self._roles[k].subordinator:
                    break

    def _kinds_of_word(self, i: int, kinds: Sequence[str]) -> Sequence[str]:
        """Return the kinds of a single word: none for "no" as an answer or in a title, and for "may" as a month."""
        if self._keys[i] == "but" and self._is_exception(i):
            self.inside.add(i)
            return ("except",)  # "all lamps but the one above the stove"
        if self._keys[i] in self._when:
            return ("before",)
        is_month = self._tokens.starts[i] in self._months
        other_meaning = is_month or ("no" in kinds and (self._is_answer(i) or self._is_title(i)))
        return () if other_meaning or ("denies" in kinds and self._is_attribute(i)) else kinds

    def _is_attribute(self, i: int) -> bool:
        """Return whether a participle describes the noun after it and denies nothing: "cancelled orders"."""
        key = self._keys[i]
        if self._language != "en" or not key.endswith(_PARTICIPLE) or i + 1 == self._count:
            return False
        following = self._roles[i + 1]
        if not following.content or self._keys[i + 1].endswith("ly") or not self._adjoins(i):
            return False
        if not i or not self._adjoins(i - 1):
            return True
        before = self._roles[i - 1]
        if before.auxiliary:
            return False
        number = not self._keys[i - 1]
        determiner = before.article or before.preposition or number or not DETERMINERS.isdisjoint(before.kinds)
        return determiner or key.startswith(_NEGATED)

    def _adjoins(self, i: int) -> bool:
        """Return whether no punctuation is between word `i` and the next one."""
        return PIECE_BREAKS.isdisjoint(self._tokens.text[self._tokens.ends[i] : self._tokens.starts[i + 1]])

    def _is_answer(self, i: int) -> bool:
        """Return whether "no" answers a question: "No, but every plan can be tested."."""
        return self._tokens.text[self._tokens.ends[i] : self._tokens.ends[i] + 1] in {",", ".", ";"}

    def _is_title(self, i: int) -> bool:
        """Return whether "No" begins a name: "No Country for Old Men"."""
        tokens = self._tokens.tokens
        return self._language == "en" and all(token.capitalized for token in tokens[i : i + 2])

    def _is_exception(self, i: int) -> bool:
        """Return whether "but" follows a noun phrase with "all" or "no", without a comma."""
        last = [first for kind, first, _ in self.found if kind in _TOTAL and i - _NOUN_PHRASE <= first < i - 1]
        if not last or any(self._roles[k].auxiliary for k in range(last[-1], i)):
            return False
        return PIECE_BREAKS.isdisjoint(self._tokens.text[self._tokens.starts[last[-1]] : self._tokens.starts[i]])

    def _number_follows(self, i: int) -> bool:
        """Return whether a number begins within the words after word `i`."""
        last = self._tokens.starts[min(i + _NUMBER_REACH, self._count - 1)]
        return any(self._tokens.ends[i] <= quantity.start <= last for quantity in self._quantities)

    def _french_negations(self) -> dict[int, str]:
        return language_forms.french_negations(self._keys, self._roles) if self._language == "fr" else {}
