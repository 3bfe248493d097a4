"""Read the word lists of a language from `citation/text/data/<language>/` as tables for the parser."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from ..memo import memoize
from ..normalize import fold
from ..words.inflection import inflections
from ..words.languages import stopwords
from ..words.polarity import Side, antonym_sides
from ..words.stemming import stem
from ..words.word_lists import load_lines, load_words
from .phrase_tree import PhraseTree

# A class of mutually exclusive words, such as `weekday`, and the number of a member: all words for Monday are one.
ClassMember = tuple[str, int]

Pattern = tuple[tuple[str, ...], str]  # the words after the first, and the kind of operator

# The first word, whether a gerund follows the last one, and the kind: "turn* … down", "advis* … against -ing".
SplitPattern = tuple[str, bool, str]

_SEPARATOR = "|"
_GAP, _GERUND = "…", "-ing"
_ROLES = ("article", "preposition", "auxiliary", "conjunction", "subordinator", "pronoun", "adverb")
NEGATED_VERB = "n't"  # the end of "doesn't", which `fold` writes with a straight apostrophe
_NO_PLURAL = ("ous", "ss", "us", "is")  # ends of English words with "s" that are no plurals
_MOST = 1 << 15  # words of a language whose properties are cached
_FIRST_SHARED = 10_000  # number of the first group of all languages; no language has as many groups of its own


def operator_phrases(language: str) -> Iterator[tuple[str, str]]:
    """Yield the kind and the phrase of each operator of a language."""
    for line in load_lines(f"{language}/operators"):
        kind, _, phrases = line.partition(":")
        for phrase in phrases.split(_SEPARATOR):
            yield kind, phrase.strip()


class Vocabulary:
    """The word lists of a language with spaces between words."""

    def __init__(self, language: str) -> None:
        """Read the lists."""
        self.language = language
        self._operators: PhraseTree[Pattern] = PhraseTree()
        self.split: dict[str, list[SplitPattern]] = {}  # operators with other words inside, by their last word
        for kind, phrase in operator_phrases(language):
            first, *following = phrase.split()
            if following[:1] == [_GAP]:
                self.split.setdefault(following[1], []).append((first, following[2:] == [_GERUND], kind))
            else:
                self._operators.add([first, *following], (tuple(following), kind))
        self.words = memoize(_MOST)(self._roles_of)
        roles = load_words(f"{language}/function")
        self.roles = {name: frozenset(words) for name, words in roles.items()}
        self.contractions = dict(pair.split("=") for pair in roles.get("contraction", ()))  # "del": "de"
        self.classes = self._class_members()
        self._groups = self._synonym_groups()
        self.synonyms = memoize(_MOST)(self._similar)
        self.antonyms = Antonyms(language)
        self.stopwords = frozenset(
            word for word in stopwords(language) if not self.antonyms.listed(word) and word not in self.classes
        )

    def role(self, name: str) -> frozenset[str]:
        """Return the words of one line of function.txt."""
        return self.roles.get(name, frozenset())

    def _roles_of(self, word: str) -> "WordRoles":
        """Return the possible roles of a folded word."""
        operators = self._operators.after(word)
        classes = self.classes.get(word)
        roles = {name for name in _ROLES if word in self.role(name)}
        negated = word.endswith(NEGATED_VERB)
        return WordRoles(
            kinds=tuple(kind for tree in operators for _, kind in tree.values),
            phrases=tuple(tree for tree in operators if not tree.is_end),
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
            word_class=min(classes)[0] if classes else "",
            split=tuple(self.split.get(word, ())),
            inert=not operators and word not in self.split and not negated,
            breaks=not roles.isdisjoint(("conjunction", "subordinator")),
            in_phrase=negated or not roles.isdisjoint(("preposition", "article", "auxiliary")),
        )

    def _similar(self, word_stem: str) -> frozenset[str]:
        """Return the stems that may stand for another: other forms, synonyms, and the forms of these."""
        forms = inflections(word_stem, self.language) | {word_stem}
        synonyms = {synonym for form in forms for synonym in self._groups.get(form, ())}
        alike = forms.union(synonyms, *(inflections(synonym, self.language) for synonym in synonyms))
        return alike - {word_stem}

    def _class_members(self) -> dict[str, frozenset[ClassMember]]:
        """Return the classes of each folded word, and its member of each."""
        table: dict[str, set[ClassMember]] = {}
        for name, members in load_words(f"{self.language}/classes").items():
            for member, words in enumerate(members):
                for word in words.split("/"):
                    table.setdefault(fold(word), set()).add((name, member))
        return {word: frozenset(members_of_word) for word, members_of_word in table.items()}

    def _synonym_groups(self) -> dict[str, frozenset[str]]:
        """Return the other stems of the groups that a stem is in."""
        table: dict[str, set[str]] = {}
        for line in load_lines(f"{self.language}/synonyms"):
            stems = {stem(fold(word)) for word in line.split()}
            for word_stem in stems:
                table.setdefault(word_stem, set()).update(stems - {word_stem})
        return {word: frozenset(similar) for word, similar in table.items()}


@dataclass(frozen=True, slots=True)
class WordRoles:
    """The possible roles of a word in a sentence."""

    kinds: tuple[str, ...] = ()  # kinds of operators that consist of this word
    phrases: tuple[PhraseTree[Pattern], ...] = ()  # longer operators that begin with it
    article: bool = False
    preposition: bool = False
    auxiliary: bool = False
    conjunction: bool = False
    subordinator: bool = False
    pronoun: bool = False
    content: bool = False  # neither one of these nor a stop word
    verb_form: bool = False  # has the form of a finite verb or a participle
    plural: bool = False
    word_class: str = ""  # the first class of classes.txt that it belongs to
    split: tuple[SplitPattern, ...] = ()  # operators that end with this word, with other words inside
    inert: bool = False  # belongs to no operator: most words
    breaks: bool = False  # a conjunction or a subordinator
    in_phrase: bool = False  # a preposition, an article or an auxiliary


class Antonyms:
    """Groups of antonyms. Words on different sides of a group have opposite meanings."""

    def __init__(self, language: str) -> None:
        """Read antonyms.txt."""
        self._stopwords = stopwords(language)
        self._listed: PhraseTree[Side] = PhraseTree()
        for group, line in enumerate(load_lines(f"{language}/antonyms")):
            for side, words in enumerate(line.split(_SEPARATOR)):
                for word in words.split():
                    self._listed.add([word], (group, side))
        self.sides = memoize(_MOST)(self._sides)

    def listed(self, word: str) -> set[Side]:
        """Return the sides of groups that a folded word of this language is on."""
        return {side for tree in self._listed.after(word) for side in tree.values}

    def _sides(self, word: str) -> frozenset[Side]:
        """Return the sides that a folded word is on, of the groups of this language and of those of all languages.

        A stop word has those of this language only: it is no form of a word with the same stem, as "que" of "queen".
        """
        sides = self.listed(word)
        if word not in self._stopwords:
            sides |= {(_FIRST_SHARED + group, side) for group, side in antonym_sides(stem(word))}
        return frozenset(sides)


@lru_cache(maxsize=8)
def vocabulary(language: str) -> Vocabulary:
    """Return the word lists of a language."""
    return Vocabulary(language)
