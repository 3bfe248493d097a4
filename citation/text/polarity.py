"""Negation and opposites: where a text says the contrary of another that uses the same words."""

import re
from functools import lru_cache

from .normalize import fold, table, words
from .stemming import stem

_NEGATIONS = frozenset(
    words(
        """not no never neither nor none nobody nothing nowhere cannot without hardly scarcely barely n't isn't aren't
    wasn't weren't don't doesn't didn't won't wouldn't can't couldn't shouldn't hasn't haven't hadn't mustn't
    isn’t aren’t wasn’t weren’t don’t doesn’t didn’t won’t wouldn’t can’t couldn’t shouldn’t hasn’t haven’t hadn’t
    mustn’t lack lacks lacked lacking nicht kein keine keinen keinem keiner keines nie niemals niemand nichts ohne
    kaum weder no nunca jamas ningun ninguna ninguno nadie nada sin tampoco ne n pas jamais aucun aucune rien
    personne sans ni non mai nessun nessuna nessuno senza niente nulla nao nunca nenhum nenhuma ninguem sem niet
    geen nooit niemand niets zonder не нет никогда ничего никто без нельзя inte aldrig ingen inget ikke aldri ei
    nie bez nigdy degil yok asla नहीं ना न मत لا لم لن ليس ليست ما بدون غير"""
    )
)
_FRENCH_OR_ELISION = re.compile(r"^n['’]", re.IGNORECASE)
# Function words that have an opposite; the others only look like a word of the table in another language.
POLAR = frozenset(
    words(
        """before prior after more less fewer most least above below over under with without all none always
        never inside outside first last up down vor bevor nach nachdem mehr weniger uber unter mit ohne
        alle keine immer nie niemals antes despues mas menos con sin siempre nunca jamas todos ninguno
        avant apres plus moins avec sans toujours jamais tous aucun"""
    )
)
# Words that carry a sign of negation without negating: "not only", "no sólo", "non seulement".
_NOT_NEGATING_BEFORE = frozenset(words("only solo solamente seulement nur just merely least doubt"))
# 没有/不/未/无/非 except inside words that affirm.
_HAN_NEGATION = re.compile(
    r"(?:没有|沒有|并非|並非|从未|從未|不曾|未能|未曾|不再|不能|不会|不會|不是|不可能|无法|無法|没|沒|不|未|非|无|無|ない|なかった|ません|않|없|못)"
)
_HAN_AFFIRMING = re.compile(
    r"不仅|不僅|不但|不只|不光|不同|不过|不過|不断|不斷|不少|不久|不论|不論|不管|不错|不得不|不满|不滿|未来|未來|无论|無論|无线|無線|无数|無數|非常|非洲|除非|是非|不动产|不锈钢|无疑|無疑|毫无疑问|不安|不已|莫不|无不|南非|北非|不足|不到|不丹|非法|不法"
)


def is_negation(folded: str) -> bool:
    """Whether the word negates: `not`, `kein`, `jamais`, `doesn't`."""
    return folded in _NEGATIONS or bool(_FRENCH_OR_ELISION.match(folded))


def not_negating_before(folded: str) -> bool:
    """Whether a negation before this word negates nothing: "not only"."""
    return folded in _NOT_NEGATING_BEFORE


def han_negations(run: str) -> list[tuple[int, int]]:
    """Offsets of negations in a run of Chinese, Japanese or Korean."""
    if not _HAN_NEGATION.search(run):
        return []
    affirming = [m.span() for m in _HAN_AFFIRMING.finditer(run)]
    return [
        m.span() for m in _HAN_NEGATION.finditer(run) if not any(start <= m.start() < end for start, end in affirming)
    ]


@lru_cache(maxsize=1)
def _families() -> tuple[dict[str, list[tuple[int, int]]], dict[str, list[tuple[int, int]]]]:
    """Latin stems, and CJK words, to the (family, member) pairs they belong to."""
    latin: dict[str, list[tuple[int, int]]] = {}
    han: dict[str, list[tuple[int, int]]] = {}
    for family, line in enumerate(table("antonyms.txt")):
        for member, spelled in enumerate(line.split("|")):
            for word in spelled.split():
                found, key = (latin, stem(fold(word))) if word < "\u2e80" else (han, word)
                if (family, member) not in found.setdefault(key, []):
                    found[key].append((family, member))
    return latin, han


def members(term: str) -> list[tuple[int, int]]:
    """The (family, member) pairs of a stem."""
    return _families()[0].get(term, [])


@lru_cache(maxsize=1)
def _han_word() -> re.Pattern[str]:
    return re.compile("|".join(sorted(_families()[1], key=len, reverse=True)))


def han_members(run: str) -> list[tuple[int, int, int, int]]:
    """(start, end, family, member) of the CJK words in a run."""
    return [
        (m.start(), m.end(), family, member)
        for m in _han_word().finditer(run)
        for family, member in _families()[1][m[0]]
    ]
