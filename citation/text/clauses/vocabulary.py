"""Read the word lists of a language from `citation/text/data/<language>/` as tables for the parser."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

from ..memo import memoize
from ..normalize import fold
from ..words.inflection import inflections
from ..words.languages import stopwords
from ..words.polarity import antonym_sides
from ..words.stemming import stem

Pattern = tuple[tuple[str, ...], str]  # the words after the first, and the kind of operator

# The first word, whether a gerund follows the last one, and the kind: "turn* … down", "advis* … against -ing".
SplitPattern = tuple[str, bool, str]

_SEPARATOR = "|"
_GAP, _GERUND = "…", "-ing"
_ROLES = ("article", "preposition", "auxiliary", "conjunction", "subordinator", "pronoun", "adverb")
NEGATED_VERB = "n't"  # the end of "doesn't", which `fold` writes with a straight apostrophe
_NO_PLURAL = ("ous", "ss", "us", "is")
_MOST = 1 << 15  # words of a language whose properties are kept
_SHARED = 10_000  # above the number of families of any language


def lines(language: str, name: str) -> list[str]:
    """Return the lines of a list without comments, [] if the language does not have it."""
    path = files("citestream.citation.text").joinpath("data", language, f"{name}.txt")
    if not path.is_file():
        return []
    return [line for line in path.read_text("utf-8").splitlines() if line and not line.startswith("#")]


class Vocabulary:
    """The word lists of a language with spaces between words."""

    def __init__(self, language: str) -> None:
        """Read the lists."""
        self.language = language
        self._exact: dict[str, list[Pattern]] = {}
        self._prefixed: dict[str, list[Pattern]] = {}
        self.split: dict[str, list[SplitPattern]] = {}  # operators with other words inside, by their last word
        for line in lines(language, "operators"):
            kind, _, phrases = line.partition(":")
            for phrase in phrases.split(_SEPARATOR):
                first, *rest = phrase.split()
                if rest[:1] == [_GAP]:
                    self.split.setdefault(rest[1], []).append((first, rest[2:] == [_GERUND], kind))
                    continue
                table = self._prefixed if first.endswith("*") else self._exact
                table.setdefault(first.rstrip("*"), []).append((tuple(rest), kind))
        self._shortest = min(map(len, self._prefixed), default=1)
        self.words = memoize(_MOST)(self._roles_of)
        roles = dict(_keyed(line) for line in lines(language, "function"))
        self.roles = {name: frozenset(words) for name, words in roles.items()}
        self._adverb_endings = tuple(self.role("adverb_ending"))
        self.contractions = dict(pair.split("=") for pair in roles.get("contraction", ()))  # "del": "de"
        self.kinds = self._classes()
        self._groups = self._read_groups("synonyms")
        self.synonyms = memoize(_MOST)(self._similar)
        self.antonyms = Opposites(language)
        self.stopwords = frozenset(
            word for word in stopwords(language) if not self.antonyms.listed(word) and word not in self.kinds
        )

    def role(self, name: str) -> frozenset[str]:
        """Return the words of one line of function.txt."""
        return self.roles.get(name, frozenset())

    def is_adverb(self, word: str) -> bool:
        """Return whether a folded word has the ending of an adverb, which is no noun: "finalmente"."""
        return word.endswith(self._adverb_endings)

    def starting(self, word: str) -> tuple[Pattern, ...]:
        """Return the phrases that begin with a word, longest first."""
        found = list(self._exact.get(word, ()))
        for length in range(self._shortest, len(word) + 1):
            found += self._prefixed.get(word[:length], ())
        return tuple(sorted(found, key=lambda pattern: -len(pattern[0])))

    def _roles_of(self, word: str) -> "WordRoles":
        """Return the possible roles of a folded word."""
        patterns = self.starting(word)
        kinds = self.kinds.get(word)
        roles = {name for name in _ROLES if word in self.role(name)}
        negated = word.endswith(NEGATED_VERB)
        return WordRoles(
            kinds=tuple(kind for rest, kind in patterns if not rest),
            phrases=Phrases.of(pattern for pattern in patterns if pattern[0]),
            article="article" in roles,
            preposition="preposition" in roles,
            auxiliary="auxiliary" in roles or negated,
            conjunction="conjunction" in roles,
            subordinator="subordinator" in roles,
            pronoun="pronoun" in roles,
            content=bool(word) and not roles and not negated and word not in self.stopwords,
            verb_form=(self.language != "en" or word.endswith(("ed", "s")) or word in self.role("irregular"))
            and word not in self.role("attribute"),
            plural=word in self.role("plural") or (word.endswith("s") and not word.endswith(_NO_PLURAL)),
            kind=min(kinds)[0] if kinds else "",
            split=tuple(self.split.get(word, ())),
            inert=not patterns and word not in self.split and not negated,
            breaks=not roles.isdisjoint(("conjunction", "subordinator")),
            in_phrase=negated or not roles.isdisjoint(("preposition", "article", "auxiliary")),
        )

    def _similar(self, word_stem: str) -> frozenset[str]:
        """Return the stems that may stand for another: other forms, synonyms, and the forms of these."""
        forms = inflections(word_stem, self.language) | {word_stem}
        others = {other for form in forms for other in self._groups.get(form, ())}
        alike = forms.union(others, *(inflections(other, self.language) for other in others))
        return alike - {word_stem}

    def _classes(self) -> dict[str, frozenset[tuple[str, int]]]:
        """Return the (class, member) pairs of each folded word."""
        table: dict[str, set[tuple[str, int]]] = {}
        for line in lines(self.language, "classes"):
            kind, members = _keyed(line)
            for member, words in enumerate(members):
                for word in words.split("/"):
                    table.setdefault(fold(word), set()).add((kind, member))
        return {word: frozenset(found) for word, found in table.items()}

    def _read_groups(self, name: str) -> dict[str, frozenset[str]]:
        table: dict[str, set[str]] = {}
        for line in lines(self.language, name):
            stems = {stem(fold(word)) for word in line.split()}
            for one in stems:
                table.setdefault(one, set()).update(stems - {one})
        return {word: frozenset(others) for word, others in table.items()}


@dataclass(frozen=True, slots=True)
class WordRoles:
    """The possible roles of a word in a sentence."""

    kinds: tuple[str, ...] = ()  # kinds of operators that consist of this word
    phrases: "Phrases | None" = None  # longer operators
    article: bool = False
    preposition: bool = False
    auxiliary: bool = False
    conjunction: bool = False
    subordinator: bool = False
    pronoun: bool = False
    content: bool = False  # neither one of these nor a stop word
    verb_form: bool = False  # has the form of a finite verb or a participle
    plural: bool = False
    kind: str = ""  # the first class of classes.txt that it belongs to
    split: tuple[SplitPattern, ...] = ()  # operators that end with this word, with other words inside
    inert: bool = False  # belongs to no operator: most words
    breaks: bool = False  # a conjunction or a subordinator
    in_phrase: bool = False  # a preposition, an article or an auxiliary


class Phrases:
    """A prefix tree of phrases."""

    __slots__ = ("_ends", "_prefixes", "_words")

    def __init__(self) -> None:
        """Create an empty tree."""
        self._ends: list[Pattern] = []  # phrases that are complete
        self._words: dict[str, Phrases] = {}  # those that continue with a word
        self._prefixes: dict[str, Phrases] = {}  # and with a word of which only the beginning is given

    @classmethod
    def of(cls, patterns: Iterable[Pattern]) -> "Phrases | None":
        """Return the tree of these phrases, or None without any."""
        tree = None
        for pattern in patterns:
            tree = tree or cls()
            tree._add(pattern, pattern[0])
        return tree

    def _add(self, pattern: Pattern, words: tuple[str, ...]) -> None:
        """Add a phrase. `words`: those below this node."""
        if not words:
            self._ends.append(pattern)
            return
        branches = self._prefixes if words[0].endswith("*") else self._words
        branches.setdefault(words[0].rstrip("*"), Phrases())._add(pattern, words[1:])

    def beginning(self, keys: Sequence[str], at: int) -> list[Pattern]:
        """Return the phrases that the words from `at` on begin with."""
        if at == len(keys):
            return self._ends
        found, branch = self._ends, self._words.get(keys[at])
        if branch:
            found = found + branch.beginning(keys, at + 1)
        for prefix, branch in self._prefixes.items():
            if keys[at].startswith(prefix):
                found = found + branch.beginning(keys, at + 1)
        return found


class Opposites:
    """Pairs of words with opposite meanings. A family has two sides."""

    def __init__(self, language: str) -> None:
        """Read antonyms.txt."""
        self._stopwords = stopwords(language)
        self._exact: dict[str, set[tuple[int, int]]] = {}
        self._prefixed: dict[str, set[tuple[int, int]]] = {}
        for family, line in enumerate(lines(language, "antonyms")):
            for side, words in enumerate(line.split(_SEPARATOR)):
                for word in words.split():
                    table = self._prefixed if word.endswith("*") else self._exact
                    table.setdefault(word.rstrip("*"), set()).add((family, side))
        self._shortest = min(map(len, self._prefixed), default=1)
        self.sides = memoize(_MOST)(self._sides)

    def listed(self, word: str) -> set[tuple[int, int]]:
        """Return the (family, side) pairs of a folded word of this language."""
        found = set(self._exact.get(word, ()))
        for length in range(self._shortest, len(word) + 1):
            found |= self._prefixed.get(word[:length], set())
        return found

    def _sides(self, word: str) -> frozenset[tuple[int, int]]:
        """Return the (family, side) pairs of a folded word, of this language and of all languages.

        A stop word has those of this language only: it is no form of a word with the same stem, as "que" of "queen".
        """
        found = self.listed(word)
        if word not in self._stopwords:
            found |= {(_SHARED + family, side) for family, side in antonym_sides(stem(word))}
        return frozenset(found)


def _keyed(line: str) -> tuple[str, list[str]]:
    key, _, words = line.partition(":")
    return key, words.split()


@lru_cache(maxsize=8)
def vocabulary(language: str) -> Vocabulary:
    """Return the word lists of a language."""
    return Vocabulary(language)
