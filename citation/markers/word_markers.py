"""Markers that are a word of the sentence: "According to [1], …", "[2] says that …", "both [1] and [2]".

Without them the sentence would have a gap. They are therefore recognised by the words around them, and the answer keeps
their place: a supported marker stays there, and any other one is removed.
"""

import re
from typing import Final, NamedTuple

from ..text.need_data import NEED_DATA, NeedData
from ..text.words.word_lists import any_of, load_words
from .context import SPACES
from .grammar import WORDS

PLACEHOLDER: Final = "[?]"  # stands for such a marker while a claim is read; never shown
MAX_LEFT_CHARACTERS = 60  # characters before the marker that are looked at; the longest phrase has 30
MAX_RIGHT_CHARACTERS = (
    60  # characters after a marker at the beginning of a clause; they can be another marker and a verb
)


class WordMarker(NamedTuple):
    """A marker that is a word. `before`, a marker and `after` at `offset` of the text without markers restore it."""

    offset: int
    before: str  # spaces
    after: str
    cited: tuple[int, ...]  # evidence numbers


def is_word(text: str, start: int, end: int, final: bool) -> bool | NeedData:
    """Return whether the marker `text[start:end]` is a word of its sentence.

    Return NEED_DATA if this depends on text that has not arrived; with `final`, nothing follows.
    """
    left = text[max(0, start - MAX_LEFT_CHARACTERS) : start].rstrip(SPACES)
    right = text[end : end + MAX_RIGHT_CHARACTERS]
    if governs_marker(left):
        return True
    if _GOVERNS_INSIDE.search(left):
        return NEED_DATA if not right.strip(SPACES) and not final else not _ENDS.match(right)
    if _LABEL.search(left):
        return NEED_DATA if not right.strip(SPACES) and not final else not _LABEL_ENDS.match(right)
    begins_clause = _BEFORE_SUBJECT.search(left) is not None
    if not begins_clause and not _JOINED_TO_NEXT.match(right):
        return NEED_DATA if not final and _BEFORE_NEXT.fullmatch(right) else False
    return _is_subject(_SUBJECT if begins_clause else _JOINED_SUBJECT, right, final)


def _is_subject(pattern: re.Pattern[str], right: str, final: bool) -> bool | NeedData:
    """Return whether the text after a marker says what it states."""
    if not final and len(right) < MAX_RIGHT_CHARACTERS and "\n" not in right:
        return NEED_DATA
    return pattern.match(right) is not None


def begins_next_sentence(text: str, end: int, final: bool) -> bool | NeedData:
    """Return whether the marker before `end`, after a full stop, is the subject of the next sentence: `[2] says`."""
    position = end
    while position < len(text) and text[position] in SPACES:
        position += 1
    if position == len(text):
        return False if final else NEED_DATA
    # A cheap test that excludes most sentences comes first.
    if text[position] not in "[,'’&、" and (text[position].isupper() or not text[position].isalpha()):
        return False
    return _is_subject(_SUBJECT, text[end : end + MAX_RIGHT_CHARACTERS], final)


def governs_marker(left: str) -> bool:
    """Return whether a marker after `left` is a word whatever follows: `according to`, `as stated in`, `see`."""
    last = left[-MAX_LEFT_CHARACTERS:].rpartition(" ")[2].lstrip("(*_d'’D").lower()
    # A cheap test that excludes most sentences comes first.
    return last in WORDS["governing"] and _GOVERNS.search(left[-MAX_LEFT_CHARACTERS:]) is not None


def joins(between: str) -> bool:
    """Return whether `between` joins a marker to the one before it, which is a word: " and "."""
    return _JOINS.fullmatch(between) is not None


def match_conjunction(text: str, i: int, final: bool) -> int | NeedData | None:
    """Return the end of a word for "and" or "or" between two markers, the first of which ends at `i`."""
    if conjunction := _BETWEEN.match(text, i):
        return conjunction.end()
    return NEED_DATA if not final and _BEFORE_NEXT.fullmatch(text, i) else None


_PHRASES = load_words("source_phrases")
_CONJUNCTIONS = any_of(_PHRASES["conjunctions"])
_GAP = rf"[{SPACES},]{{0,3}}"  # a line break separates markers
_LIST_GAP = rf"[{SPACES},;]{{0,3}}"
_JOINS = re.compile(rf"{_GAP}{_CONJUNCTIONS}?[{SPACES}]{{0,3}}")
# Phrases that need an object, also at the end of a sentence
_GOVERNS = re.compile(
    rf"""
    \b(?: {any_of(_PHRASES["attributing"] + _PHRASES["referring"])} | {any_of(_PHRASES["participles"])}\ (?:in|by)
        | (?:beschrieben|erwähnt|angegeben|steht|heißt\ es|berichtet)\ in
        | (?:indiqué|décrit|mentionné|précisé)e?s?\ (?:dans|par)
        | (?:indicado|descrito|mencionado|señalado)s?\ (?:en|por) )\Z
    | (?:\A|[\n.:;,(–—-]\s*|\bplease\s) (?: (?:see|cf\.?|refer\ to)(?:\ also)? | siehe(?:\ auch)? | voir | véase )\Z
    """,
    re.VERBOSE | re.IGNORECASE,
)
_LABELS = "|".join(word for word in WORDS["source"] if len(word) > 3 and word not in {"cite", "evidence", "context"})
# Phrases and labels that can also end a sentence. "Source [1] says" needs its marker, "the source [1] says" does not.
_GOVERNS_INSIDE = re.compile(
    rf"""
    (?: \b[Bb]ased\ on | \b[Rr]elying\ on | {any_of(_PHRASES["attributing_unspaced"])}
        | (?:\A|[\n。，；、])\s* (?:据|如)
        | \b(?: [Ff]rom | [Ww]ith | of | [Gg]iven | [Uu]nlike | [Ll]ike | [Bb]etween | than )
        | (?:\A|[\n.]\s*) (?:In|Following|By|Nach|Dans|En|Secondo|Segundo) )\Z
    """,
    re.VERBOSE,
)
_ENDS = re.compile(r"\s*(?:[.!?)\]|。！？）]|\Z|\n)")
_LABEL = re.compile(
    rf"(?:\A|[\n.:;,(]\s*|\b(?:in|of|to|by|from|and|with|that|per|see)\s)(?:{_LABELS})\Z", re.IGNORECASE
)
_LABEL_ENDS = re.compile(rf"{_ENDS.pattern}|\s*[:：]")  # "Source [1]: report.pdf" is an entry of a list
# The subject of a clause can follow; or a verb, after "in": "the information in [1] shows"
_BEFORE_SUBJECT = re.compile(
    r"(?:\A|[\n.!?:;,(>“\"。，；：（–—-]|\b(?:and|but|while|whereas|that|both|as|or|what|which|where|how|because|since|"
    r"if|in|und|aber|während|dass|wie|et|mais|que|comme|y|pero|como))\Z",
    re.IGNORECASE,
)
_VERBS = (
    rf"(?:{any_of(_PHRASES['stating'] + _PHRASES['telling'])}|"
    r"(?:do(?:es)? not|do(?:es)?n['’]t) (?:say|state|mention|give|contain|support))"
)
_UNSPACED_VERBS = any_of(_PHRASES["stating_unspaced"] + _PHRASES["telling_unspaced"])
_JOINED = rf"(?:{_GAP}{_CONJUNCTIONS}?[{SPACES}]{{0,3}}\[[^\[\]\n]{{1,12}}\]){{0,3}}"
_ADVERB = rf"(?:{any_of(_PHRASES['between'])} )?"
_ASIDE = rf"(?:,[{SPACES}](?:{any_of(_PHRASES['aside'])}),)?"
_SUBJECT = re.compile(
    rf"{_JOINED}(?:[{SPACES}]{{0,3}}{_UNSPACED_VERBS}|['’]s\b|{_ASIDE}[{SPACES}]{{1,3}}{_ADVERB}{_VERBS}\b)"
)
_JOINED_TO_NEXT = re.compile(rf"{_GAP}{_CONJUNCTIONS}[{SPACES}]{{0,3}}\[")
# More text could complete _JOINED_TO_NEXT or _BETWEEN
_BEFORE_NEXT = re.compile(rf"{_LIST_GAP}(?:[^\W\d]{{0,7}}|and/o?r?|[&,、])[{SPACES}]{{0,3}}")
_BETWEEN = re.compile(rf"{_LIST_GAP}{_CONJUNCTIONS}[{SPACES}]{{0,3}}(?=\[)")
_JOINED_SUBJECT = re.compile(rf"(?={_JOINED_TO_NEXT.pattern}){_SUBJECT.pattern}")
