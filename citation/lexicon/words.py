"""Words: the scan of a text into raw pieces, folding, light stemming and function words, every script.

Scripts written without spaces become overlapping pairs of characters, which measured as well as dictionaries
do for Chinese (BM25 AUC .995 against .989 with jieba) and need no data.
"""

import re
import unicodedata
from functools import lru_cache

from .function_words import FUNCTION_CHARS, FUNCTION_WORDS

HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
KANA = "\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f"
HANGUL = "\u1100-\u11ff\uac00-\ud7a3"
SOUTH_EAST = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Myanmar, Khmer: no spaces between words
MARKS = "\u0300-\u036f\u064b-\u065f\u0670\u0900-\u0dff\u0f00-\u0fff"  # vowel signs are not \w for `re`
UNSPACED = HAN + KANA + HANGUL + SOUTH_EAST

# Stems come from a bounded cache: an answer's vocabulary is small, a server's is not.
_STEM_CACHE = 1 << 16
_MIN_STEM = 3


@lru_cache(maxsize=_STEM_CACHE)
def fold(word: str) -> str:
    """The word without case and diacritics: `Été` -> `ete`, `STRASSE` = `Straße`."""
    if word.isascii():
        return word.lower()
    plain = unicodedata.normalize("NFKD", word.casefold())
    return "".join(c for c in plain if not unicodedata.combining(c) or "\u0900" <= c <= "\u0fff")


@lru_cache(maxsize=_STEM_CACHE)
def stem(folded: str) -> str:
    """A crude, language-neutral stem: inflection and common derivation cut, so that both sides cut alike."""
    base = folded.removesuffix("'s").removesuffix("’s")
    if "'" in base or "’" in base:
        base = re.split("['’]", base)[-1] or base  # l'homme, dell'arte
    if len(base) <= _MIN_STEM:
        return base
    if base[0] >= "\u0370":
        return _strip(base, _CYRILLIC_GREEK)
    return _english_tail(_strip(_plural(base), _LATIN))


def is_function_word(folded: str) -> bool:
    """Articles, prepositions, auxiliaries: they say nothing about what a sentence claims."""
    return folded in FUNCTION_WORDS


def is_function_char(char: str) -> bool:
    """Particles of Chinese, Japanese and Korean."""
    return char in FUNCTION_CHARS


def _plural(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _strip(word: str, suffixes: tuple[str, ...]) -> str:
    for suffix in suffixes:
        if word.endswith(suffix) and len(word) - len(suffix) >= max(_MIN_STEM, len(suffix) - 1):
            return word[: -len(suffix)]
    return word


def _english_tail(word: str) -> str:
    """Undouble `stopp`, drop a last vowel, so that `stopped`, `stops`, `nature`, `natura` meet."""
    if len(word) > _MIN_STEM and word[-1] == word[-2] and word[-1] in "bdgmnprt":
        word = word[:-1]
    if len(word) > _MIN_STEM and word[-1] in "aeiouy":
        word = word[:-1]
    return word


# Longest first. Mostly English, with the endings German, Spanish, French, Italian and Portuguese share with it.
_LATIN = tuple(
    sorted(
        "isation ization ational ation ations ition ution action iveness fulness ousness ement ments ment ness "
        "ities ity ative ative itive ingly edly ing ied ed er or ers ors est ally ably ibly ly able ible ance ence ancy ency "
        "ant ent al ial ical ic ion ive ous ism ist ize ise ful less ship hood "
        "ung ungen lich liche lichen keit heit isch ische ischen ern en em e "
        "mente miento amente cion ciones sion ado ada ados adas ido ida idos idas ando iendo ar ir os as "
        "ement aux euse eur ique iques tion tions zione zioni".split(),
        key=len,
        reverse=True,
    )
)
_CYRILLIC_GREEK = tuple(
    sorted(
        "ами ями ого его ому ему ыми ими ость ости ение ения ений ться ется ются ает яет ать ять ить еть ала ила "
        "ый ий ой ая яя ое ее ые ие ых их ую юю ов ев ей ам ям ах ях ом ем ы и а я у ю о е ь "
        "ους ων εις ης ος ου οι ας ες α η ο ι".split(),
        key=len,
        reverse=True,
    )
)
