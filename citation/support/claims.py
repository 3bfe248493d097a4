"""Detection of sentences that make a claim, which evidence could support."""

import re
from collections.abc import Iterable

from ..text.segmentation import CITABLE, Kind
from ..text.words.word_lists import load_lines, load_words

# A longer sentence says more than the greeting or announcement at its beginning.
_MAX_PHRASE = 90

_WORD = re.compile(r"[^\W\d_]{2,}|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
_CODE = re.compile(r"`[^`]*`")
# A label or an address ends at the next bracket of its kind, so that none of them is read more than once. An address
# may contain pairs of parentheses.
_LINK = re.compile(r"(?:!?\[[^\[\]]*+\]\([^()]*+(?:\([^()]*+\)[^()]*+)*+\)|https?://\S++)\s*+")
_DECORATION = " \t\r\n*_#>~\"'“”‘’«»「」『』-–—•|"
_OPEN_ENDS = ("?", "？", "؟", ":", "：")  # the ends of questions and lead-ins
_LIST_NUMBER = re.compile(r"^(?:\(?\d{1,3}[.)]|[-*+•])\s+")


def _any_of(patterns: Iterable[str]) -> str:
    return f"(?:{'|'.join(patterns)})"


_CLAIM_WORDS = load_words("claim_words")
# The rest of a sentence that only names an address: "See https://example.org for details."
_ADDRESS = re.compile(rf"(?:{_any_of(_CLAIM_WORDS['address'])}\W*)+", re.IGNORECASE)
# At most two words and a conjunction: an item of a list that goes on, such as "by phone, or".
_LIST_ITEM = re.compile(
    rf"(?:[^\W\d_]+ ){{0,1}}[^\W\d_]+,? {_any_of(_CLAIM_WORDS['conjunctions'])}[,;]?", re.IGNORECASE
)
_COURTESY = re.compile(_any_of(load_lines("courtesies")), re.IGNORECASE)
_ABOUT_ANSWER = re.compile(_any_of(load_lines("answer_phrases")), re.IGNORECASE)
_MISSING_INFORMATION = re.compile(_any_of(load_lines("missing_information")), re.IGNORECASE)


def makes_claim(text: str, kind: Kind) -> bool:
    """Return whether `text`, a sentence without markers, states something that can be true or false.

    Headings, code, questions, lead-ins that end in a colon, courtesies, and sentences about the answer itself or about
    missing information do not. In doubt the result is True, since a claim that is not detected is not verified.
    """
    if kind not in CITABLE:
        return False
    plain = _LIST_NUMBER.sub("", text.strip())
    plain = _CODE.sub(" ", plain) if "`" in plain else plain
    linked = "](" in plain or "://" in plain
    plain = _LINK.sub("", plain) if linked else plain
    plain = plain.strip(_DECORATION)
    if (linked and _ADDRESS.fullmatch(plain)) or _LIST_ITEM.fullmatch(plain):
        return False
    if not _WORD.search(plain) and not (kind is Kind.TABLE_ROW and any(c.isdigit() for c in plain)):
        return False
    if plain.endswith(_OPEN_ENDS):
        return False
    if _MISSING_INFORMATION.match(plain):
        return False
    return len(plain) > _MAX_PHRASE or not (
        _COURTESY.fullmatch(plain.rstrip(".!。！,，~ ")) or _ABOUT_ANSWER.match(plain)
    )


def misses_information(text: str) -> bool:
    """Return whether a sentence says that the evidence lacks something, which no evidence can support."""
    return _MISSING_INFORMATION.match(text.strip(_DECORATION)) is not None


def states_something(claim: str) -> bool:
    """Return whether a sentence states anything, also if the model cites it. A model may cite "OK"."""
    return len(claim.split()) > 1 or makes_claim(claim, Kind.PROSE)


# The beginning of an entry in a list of sources, up to the marker: "[1]", "- [1]".
_ENTRY_MARKER = re.compile(r"\s*(?:(?:[-*+•]|\d{1,3}[.)])\s+)?[*_]{0,2}[\[［【]")
_MAX_ENTRY = 400
_PLACE = re.compile(
    r"[\W_]*(?:(?:pages?|pp?|seiten?|s|páginas?|págs?|sections?|excerpts?|chunks?|第)[.\s]*\d+(?:\s*[-–]\s*\d+)?[页頁]?[\W_]*)?",
    re.IGNORECASE,
)


def names_source(sentence: str, text: str, names: Iterable[str]) -> bool:
    """Return whether a sentence is an entry in a list of sources that the model wrote: "[1] report.pdf, page 3".

    Such an entry states nothing. `sentence` has the model's markers, `text` does not. `names`: of the evidence.
    """
    if len(sentence) > _MAX_ENTRY or not _ENTRY_MARKER.match(sentence):
        return False
    remaining = _LINK.sub(" ", text)
    for name in sorted(names, key=len, reverse=True):
        remaining = remaining.replace(name, " ")
    return remaining != text and _PLACE.fullmatch(remaining) is not None
