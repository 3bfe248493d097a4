"""Phrases that attribute a sentence to the evidence: "According to [1], …", "The document states that …".

They are no part of what the evidence must support. In a claim, they would be words that the passage lacks, and clauses
that make a simple pair complex, in which most disagreements do not refuse the citation.
"""

import re

from ..markers import PLACEHOLDER
from ..text.words.word_lists import any_of, load_words

_PHRASES = load_words("source_phrases")
_MARKER = re.escape(PLACEHOLDER)
_MARKERS = rf"{_MARKER}(?:(?:\s*,)?\s*{any_of(_PHRASES['conjunctions'])}?\s*{_MARKER}){{0,8}}"
_NOUNS = r"(?:excerpts?|sources?|context|documents?|documentation|evidence|passages?|texts?|information|references?)"
# Sources that a model names by their number, and parts of them: "Document 1 says that …", "Table 2 shows that …".
_NUMBERED = (
    r"(?:(?:the|das|die|der|dem|le|la|el)\s)?"
    r"(?:excerpts?|sources?|documents?|passages?|texts?|references?|chunks?|snippets?|files?|figures?|fig\.|tables?|"
    r"dokumente?|quellen?|auszug|abbildung|tabelle|extraits?|fuentes?|documentos?|fragmentos?|tableau|figura|tabla)"
    r"\s(?:no\.\s?|nr\.\s?|n°\s?)?#?\d{1,3}(?![\d.,]*\d)(?:(?:,\s|\s(?:and|und|et|y)\s)\d{1,3}(?![\d.,]*\d)){0,8}"
)
_NUMBERED_UNSPACED = r"(?:文档|文件|资料|来源|材料|证据|片段|文獻|文献)\s?\d{1,3}"
_GIVEN = r"(?:the|this|these|your)\s(?:(?:provided|given|available|above|retrieved|supplied)\s)?"
_SOURCE = rf"(?:(?:{_GIVEN})?{_NOUNS}\s+{_MARKERS}|{_MARKERS}|{_GIVEN}{_NOUNS})"
_FOREIGN_SOURCE = (
    r"(?:de[nmr]\s(?:(?:bereitgestellten|vorliegenden|angegebenen)\s)?(?:dokument(?:en?)?|quellen?|auszügen?|text(?:en)?)|"
    r"(?:les|la|le|l['’])\s?(?:documents?|sources?|extraits?|textes?)(?:\sfournie?s?)?|"
    r"(?:los|las|la|el)\s(?:documentos?|fuentes?|fragmentos?|textos?)(?:\sproporcionad[oa]s?)?)"
)
_PREPOSITION = (
    rf"(?:{any_of(_PHRASES['attributing'])}|based on|as per|as {any_of(_PHRASES['participles'])} (?:in|by)|"
    rf"{any_of(_PHRASES['attributing_unspaced'])})"
)
_VERB = any_of(_PHRASES["stating"])
_LEADING = re.compile(
    rf"(?:{_PREPOSITION}\s*(?:{_NUMBERED}|{_NUMBERED_UNSPACED}|{_SOURCE}|{_FOREIGN_SOURCE})\s*[,，:：]?|"
    rf"{_NUMBERED}\s+(?:also\s|both\s|clearly\s|explicitly\s)?{_VERB},?\s+(?:(?:that|dass|que)\b|(?=(?:\S+\s+){{3}}))|"
    rf"{_NUMBERED_UNSPACED}(?:中|里)?也?{any_of(_PHRASES['stating_unspaced'])}[，：]?|"
    rf"{any_of(_PHRASES['attributing_unspaced'])}(?:所?提供的|所给的?|上述)?(?:资料|文档|文件|信息|内容|来源|证据|摘录)[,，]|"
    rf"(?:in|from|given)\s{_MARKERS}\s*[,:]|as\s{_MARKERS}\s{_VERB},|"
    rf"(?:both\s)?{_SOURCE}\s+(?:also\s|both\s|clearly\s|explicitly\s)?{_VERB},?\s+(?:that|dass|que)\b|"
    rf"{_MARKERS}{any_of(_PHRASES['stating_unspaced'])}[，：]?)\s*",
    re.IGNORECASE,
)
_TRAILING = re.compile(
    rf",?\s+(?:{_PREPOSITION}\s*(?:{_NUMBERED}|{_SOURCE})|as\s{_MARKERS}\s{_VERB})(?=[.!。]?\s*\Z)", re.IGNORECASE
)
_PLACE = re.compile(rf"\s?{_MARKER}")
MAX_PHRASE_CHARACTERS = 120  # characters; the phrases with two markers have 60


def without_attribution(text: str) -> str:
    """Return what a sentence states, without phrases that attribute it to the evidence.

    `text`: with PLACEHOLDER in place of the markers that are words.
    """
    leading = _LEADING.match(text, 0, MAX_PHRASE_CHARACTERS)
    stated = text[leading.end() :] if leading else text
    start = max(0, len(stated) - MAX_PHRASE_CHARACTERS)
    stated = stated[:start] + _TRAILING.sub("", stated[start:])
    return _PLACE.sub("", stated if stated.strip(" .") else text).strip()
