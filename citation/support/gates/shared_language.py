"""The language in which a claim can be compared with a piece of evidence: one that has word lists, or none."""

from ...text import Analysis
from ...text.clauses import LANGUAGES
from ...text.normalize import has_kana_or_hangul
from ...text.words.languages import guess_language, has_letters_of_another
from ..features.excerpts import language_of

_SPACED = LANGUAGES - {"zh"}
_START_CHARACTERS = 300  # characters of the evidence from which its language is detected


def language_for(analysis: Analysis, text: str) -> str | None:
    """Return the language of a sentence; `zh` for Chinese characters without Japanese or Korean ones."""
    language = language_of(analysis)
    if language == "han":
        return None if has_kana_or_hangul(text) else "zh"
    return language


def shared_language(claim: str, claim_language: str | None, evidence: str, evidence_language: str | None) -> str | None:
    """Return the language of a claim and a piece of evidence, if they share one that has word lists.

    `claim_language`, `evidence_language`: their languages as far as each text by itself shows them.
    """
    evidence_language = "zh" if evidence_language == "han" and claim_language == "zh" else evidence_language
    if (
        claim_language == evidence_language
        and claim_language in _SPACED
        and has_letters_of_another(claim, claim_language, _SPACED)
    ):
        claim_language = evidence_language = _guess(f"{claim} {evidence[:_START_CHARACTERS]}") or claim_language
    if (
        claim_language
        and evidence_language
        and claim_language != evidence_language
        and _guess(evidence[:_START_CHARACTERS]) == claim_language
    ):
        evidence_language = claim_language  # one word of another language, such as "per", decides about a table
    if claim_language and evidence_language:
        return claim_language if claim_language == evidence_language and claim_language in LANGUAGES else None
    language = claim_language or evidence_language or _guess(f"{claim} {evidence[:_START_CHARACTERS]}")
    return language if language in LANGUAGES else None


def _guess(text: str) -> str | None:
    return guess_language(text, _SPACED)
