"""Relations of words in a claim and a passage: forms of one word, opposites, members of a class."""

from functools import lru_cache
from weakref import WeakKeyDictionary

from ...text.clauses import ContentToken, Statement
from ...text.clauses.vocabulary import ClassMember, Vocabulary, vocabulary
from ...text.words.polarity import Side

_FAMILY = 5  # letters that two words of one family share at the beginning: relocate, relocation
_SHORTEST_NEGATED = 4  # letters; "in" before fewer is part of another word
_HAN_SHARED = 2  # characters


def excludes(classes: frozenset[ClassMember], others: frozenset[ClassMember]) -> bool:
    """Return whether two words are different members of one class and share no other class and member."""
    if not classes or not others or classes & others:
        return False
    return not {name for name, _ in classes}.isdisjoint(name for name, _ in others)


def opposed(sides: frozenset[Side], others: frozenset[Side]) -> bool:
    """Return whether two words are on different sides of a group of antonyms, and on the same side of none."""
    if not sides or not others or sides & others:
        return False
    return any(group == other and side != other_side for group, side in sides for other, other_side in others)


@lru_cache(maxsize=1 << 14)
def _alike(one: str, other: str) -> bool:
    """Return whether two words are equal or share a long prefix, so that they are probably forms of one word."""
    if one == other:
        return True
    if len(one) < _FAMILY or len(other) < _FAMILY:
        return False
    shared = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        shared += 1
    return shared >= max(_FAMILY, len(one) - 4, len(other) - 4) and shared >= min(len(one), len(other)) - 3


def han_alike(token: ContentToken, other: ContentToken, words: Vocabulary) -> bool:
    """Return whether two Chinese words share two characters or are synonyms."""
    if other.quantity is not None:
        return False
    one, two = token.folded, other.folded
    if two in words.synonyms[token.stem]:
        return True
    if set(one).isdisjoint(two) or opposed(words.antonyms.sides(one), words.antonyms.sides(two)):
        return False
    if one in two or two in one:
        return min(len(one), len(two)) >= _HAN_SHARED
    pairs = {one[i : i + 2] for i in range(len(one) - 1)}
    shared = sum(two[i : i + 2] in pairs for i in range(len(two) - 1))
    return shared > 0 and shared * 2 >= min(len(one), len(two)) - 1


class WordIndex:
    """An index of the words of a statement by prefix, by antonyms, and without negating prefixes."""

    def __init__(self, statement: Statement) -> None:
        """Index the content words."""
        self._language = statement.language
        self._families: dict[str, list[ContentToken]] = {}  # by their first letters
        self._antonyms: dict[int, list[ContentToken]] = {}  # by their groups of antonyms
        self._bare: dict[str, list[ContentToken]] = {}  # without a prefix that negates
        for token in statement.tokens:
            if token.quantity is not None:
                continue
            groups, bare = _index_keys(token.folded, statement.language)
            if len(token.folded) >= _FAMILY:
                self._families.setdefault(token.folded[:_FAMILY], []).append(token)
            for group in groups:
                self._antonyms.setdefault(group, []).append(token)
            for prefix in bare:
                self._bare.setdefault(prefix, []).append(token)

    def family(self, token: ContentToken) -> list[ContentToken]:
        """Return the words that are probably forms of one word with `token`."""
        folded = token.folded
        return [other for other in self._families.get(folded[:_FAMILY], ()) if _alike(folded, other.folded)]

    def opposites(self, token: ContentToken) -> list[ContentToken]:
        """Return the antonyms of a word, and those that differ from it in a negating prefix only."""
        folded, antonyms = token.folded, vocabulary(self._language).antonyms
        sides = antonyms.sides(folded)
        found = [
            other
            for group, _ in sides
            for other in self._antonyms.get(group, ())
            if opposed(sides, antonyms.sides(other.folded))
        ]
        found += [
            other
            for other in self._bare.get(folded[:_FAMILY], ())
            if any(_alike(folded, bare) for bare in _without_prefix(other.folded, self._language))
        ]
        for bare in _without_prefix(folded, self._language):
            found += [other for other in self._families.get(bare[:_FAMILY], ()) if _alike(bare, other.folded)]
        return found


@lru_cache(maxsize=1 << 14)
def _index_keys(folded: str, language: str) -> tuple[frozenset[int], tuple[str, ...]]:
    """Return a word's groups of antonyms, and its first letters without each negating prefix that it begins with."""
    groups = frozenset(group for group, _ in vocabulary(language).antonyms.sides(folded))
    return groups, tuple(bare[:_FAMILY] for bare in _without_prefix(folded, language))


@lru_cache(maxsize=1 << 14)
def _without_prefix(folded: str, language: str) -> tuple[str, ...]:
    """Return the word without each negating prefix that it begins with."""
    return tuple(
        folded[len(prefix) :]
        for prefix in sorted(vocabulary(language).role("negating"))
        if folded.startswith(prefix) and len(folded) - len(prefix) >= _SHORTEST_NEGATED
    )


_indexes: "WeakKeyDictionary[Statement, WordIndex]" = WeakKeyDictionary()


def word_index(statement: Statement) -> WordIndex:
    """Return the index of a statement, which is created once."""
    found = _indexes.get(statement)
    if found is None:
        found = _indexes[statement] = WordIndex(statement)
    return found
