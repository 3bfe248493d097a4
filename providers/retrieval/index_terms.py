"""Tokens: what the text half of the index compares, in every script.

Not the lexicon of `citation`: that one serves gates and thresholds and changes whenever those are fitted anew, while
these are written into a store that outlives many versions of the program. On 367 questions with passages (make bench)
both find the same.
"""

import re
import unicodedata

from ..extractive.question_words import FUNCTION_WORDS, stem, without_question_words

VERSION = 1  # of the form of tokens; a store with another one is read again from its own texts

# Written without spaces: Han, kana, Thai, Lao, Khmer, Myanmar; and Hangul, where endings cling to the words.
_UNSPACED = (
    "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff\u3040-\u30ff\u31f0-\u31ff"
    "\u1100-\u11ff\uac00-\ud7a3\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
)
_MARKS = "\u0900-\u0dff\u0f00-\u0fff"  # vowel signs of Indic scripts are no \\w for `re`
_PIECE = re.compile(
    rf"(?P<run>[{_UNSPACED}]+)|(?:[^\W_{_UNSPACED}]|[{_MARKS}])+(?:[.,'’](?:[^\W_{_UNSPACED}]|[{_MARKS}])+)*"
)
_KEPT = re.compile("[\u0900-\u0fff\u3099\u309a]")  # marks that make another letter, not an accent
LONGEST = 64  # characters of a token; what is longer is data, and nobody asks for it whole


def tokens(text: str) -> list[str]:
    """Stems of words in order, pairs of characters where words are not spaced; without case and accents."""
    found: list[str] = []
    for piece in _PIECE.finditer(_folded(text)):
        word = piece[0]
        if piece["run"]:
            found += [word[at : at + 2] for at in range(max(1, len(word) - 1))]
        else:
            found.append(stem(word.removesuffix("'s").removesuffix("’s"))[:LONGEST])
    return found


def asked(question: str) -> list[str]:
    """The tokens a question is about, each once: without question words and articles, unless it has nothing else."""
    words = (
        word
        for word in without_question_words(question).split()
        if word.casefold().strip("?¿!¡.,;:\"'«»()") not in FUNCTION_WORDS
    )
    return list(dict.fromkeys(tokens(" ".join(words)) or tokens(question)))


def _folded(text: str) -> str:
    """Without case, compatibility forms and accents; vowel signs of Indic scripts stay, Hangul is whole again."""
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFKD", text.casefold())
    kept = "".join(char for char in plain if not unicodedata.combining(char) or _KEPT.match(char))
    return unicodedata.normalize("NFC", kept)
