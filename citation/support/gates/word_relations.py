"""Relations of words in a claim and a passage: forms of one word, opposites, members of a class."""

from functools import lru_cache
from weakref import WeakKeyDictionary

from ...text.clauses import ContentToken, Statement
from ...text.clauses.vocabulary import ClassMember, Vocabulary, vocabulary
from ...text.words.polarity import Side

_FAMILY = 5  # letters that two words of one family share at the beginning: relocate, relocation
_SHORTEST_NEGATED = 4  # letters; "in" before fewer is part of another word
_HAN_SHARED_CHARACTERS = 2


def excludes(classes: frozenset[ClassMember], other_classes: frozenset[ClassMember]) -> bool:
    """Return whether two words are different members of one class and share no other class and member."""
    if not classes or not other_classes or classes & other_classes:
        return False
    return not {name for name, _ in classes}.isdisjoint(name for name, _ in other_classes)


def opposed(sides: frozenset[Side], other_sides: frozenset[Side]) -> bool:
    """Return whether two words are on different sides of a group of antonyms, and on the same side of none."""
    if not sides or not other_sides or sides & other_sides:
        return False
    return any(
        group == other_group and side != other_side for group, side in sides for other_group, other_side in other_sides
    )


@lru_cache(maxsize=1 << 14)
def _alike(word: str, other_word: str) -> bool:
    """Return whether two words are equal or share a long prefix, so that they are probably forms of one word."""
    if word == other_word:
        return True
    if len(word) < _FAMILY or len(other_word) < _FAMILY:
        return False
    shared = 0
    for a, b in zip(word, other_word, strict=False):
        if a != b:
            break
        shared += 1
    return shared >= max(_FAMILY, len(word) - 4, len(other_word) - 4) and shared >= min(len(word), len(other_word)) - 3


def han_alike(token: ContentToken, passage_token: ContentToken, words: Vocabulary) -> bool:
    """Return whether two Chinese words share two characters or are synonyms."""
    if passage_token.quantity is not None:
        return False
    folded, other_folded = token.folded, passage_token.folded
    if other_folded in words.synonyms[token.stem]:
        return True
    if set(folded).isdisjoint(other_folded) or opposed(
        words.antonyms.sides(folded), words.antonyms.sides(other_folded)
    ):
        return False
    if folded in other_folded or other_folded in folded:
        return min(len(folded), len(other_folded)) >= _HAN_SHARED_CHARACTERS
    pairs = {folded[i : i + 2] for i in range(len(folded) - 1)}
    shared = sum(other_folded[i : i + 2] in pairs for i in range(len(other_folded) - 1))
    return shared > 0 and shared * 2 >= min(len(folded), len(other_folded)) - 1


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
        return [member for member in self._families.get(folded[:_FAMILY], ()) if _alike(folded, member.folded)]

    def opposites(self, token: ContentToken) -> list[ContentToken]:
        """Return the antonyms of a word, and those that differ from it in a negating prefix only."""
        folded, antonyms = token.folded, vocabulary(self._language).antonyms
        sides = antonyms.sides(folded)
        opposites = [
            antonym
            for group, _ in sides
            for antonym in self._antonyms.get(group, ())
            if opposed(sides, antonyms.sides(antonym.folded))
        ]
        opposites += [
            prefixed
            for prefixed in self._bare.get(folded[:_FAMILY], ())
            if any(_alike(folded, bare) for bare in _without_prefix(prefixed.folded, self._language))
        ]
        for bare in _without_prefix(folded, self._language):
            opposites += [member for member in self._families.get(bare[:_FAMILY], ()) if _alike(bare, member.folded)]
        return opposites


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
    index = _indexes.get(statement)
    if index is None:
        index = _indexes[statement] = WordIndex(statement)
    return index
