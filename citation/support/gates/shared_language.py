"""The language in which a claim can be compared with a piece of evidence: one that has word lists, or none."""

from ...text import Analysis
from ...text.clauses import LANGUAGES
from ...text.normalize import has_kana_or_hangul
from ...text.words.languages import guess_language, has_letters_of_another
from ..features.excerpts import language_of

_SPACED = LANGUAGES - {"zh"}
_START = 300  # characters of the evidence from which its language is detected


def language_for(analysis: Analysis, text: str) -> str | None:
    """Return the language of a sentence; `zh` for Chinese characters without Japanese or Korean ones."""
    language = language_of(analysis)
    if language == "han":
        return None if has_kana_or_hangul(text) else "zh"
    return language


def shared_language(claim: str, mine: str | None, evidence: str, theirs: str | None) -> str | None:
    """Return the language of a claim and a piece of evidence, if they share one that has word lists.

    `mine`, `theirs`: their languages as far as each text by itself shows them.
    """
    theirs = "zh" if theirs == "han" and mine == "zh" else theirs
    if mine == theirs and mine in _SPACED and has_letters_of_another(claim, mine, _SPACED):
        mine = theirs = _guess(f"{claim} {evidence[:_START]}") or mine
    if mine and theirs and mine != theirs and _guess(evidence[:_START]) == mine:
        theirs = mine  # one word of another language, such as "per", decides about a table
    if mine and theirs:
        return mine if mine == theirs and mine in LANGUAGES else None
    known = mine or theirs or _guess(f"{claim} {evidence[:_START]}")
    return known if known in LANGUAGES else None


def _guess(text: str) -> str | None:
    return guess_language(text, _SPACED)
