"""Lines and sentences of the model that only name sources: its own list of sources, "Source: [1]", "See [1].".

Their numbers are those of the evidence, while ours count the cited evidence. They state nothing, and our references
replace them.
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ..markers import MarkerNames, strip
from ..markers.match import MARKER_STARTS
from ..text.segmentation import DATA, VERBATIM, Kind, Sentence
from ..text.segmentation.blocks import prefix_length
from ..text.words.word_lists import any_of, load_words

MAX_HEADING_CHARACTERS = 60  # characters of a heading or label; the longest of the data have 35
MAX_NUMBER = 99  # a larger number is a year or the label of something else


class Line(NamedTuple):
    """A sentence, and whether it is removed."""

    sentence: Sentence
    is_removed: bool = False


class SourceLines:
    """Finds the model's own list of sources in the sentences of an answer.

    The list follows other text. It begins with a heading, "Sources:", or with a definition, "[1]: https://…". A heading
    is held until the line after it shows whether it begins such a list.
    """

    def __init__(self, names: MarkerNames) -> None:
        """`names`: the numbers and names of the evidence."""
        self.has_entries = False  # whether a list with names or addresses was found
        self._names = names
        self._known = [name.lower() for name in (*names.names, *names.targets) if len(name) > 1]
        self._held: list[Sentence] = []  # a heading and the blank lines after it
        self._in_list = False
        self._in_entry = False  # whether the rest of the line belongs to an entry
        self._begins_line = True
        self._has_text = False  # whether a sentence came before
        self._linked: set[str] = set()  # numbers of definitions that are links: [text][1]

    @property
    def holds(self) -> bool:
        """Whether a heading is held."""
        return bool(self._held)

    def may_begin(self, text: str) -> bool:
        """Return whether the open sentence may become one that only names sources."""
        if self._begins_line and (self._held or self._in_list or _MAY_BE_DEFINITION.fullmatch(text)):
            return True
        return self._in_entry or may_lead(text)

    def feed(self, sentences: Iterable[Sentence]) -> list[Line]:
        """Add the next sentences; return those that are decided, in order."""
        return [line for sentence in sentences for line in self._add(sentence)]

    def flush(self) -> list[Line]:
        """Return the held sentences, because nothing follows."""
        held, self._held = self._held, []
        return [Line(sentence) for sentence in held]

    def _add(self, sentence: Sentence) -> list[Line]:
        text = sentence.text
        begins_line, self._begins_line = self._begins_line, text.endswith("\n")
        if not begins_line:
            removed, self._in_entry = self._in_entry, self._in_entry and not self._begins_line
            return [*self.flush(), self._line(sentence, removed)]
        self._in_entry = False
        if not text.strip():
            if self._held:
                self._held.append(sentence)
                return []
            return [self._line(sentence, self._in_list)]
        if self._has_text and self._is_entry(sentence):
            held, self._held = self._held, []
            self._in_list, self._in_entry = True, not self._begins_line
            return [*(Line(held_sentence, is_removed=True) for held_sentence in held), Line(sentence, is_removed=True)]
        self._in_list = False
        if self._has_text and sentence.kind not in VERBATIM and is_heading(text):
            lines = self.flush()
            self._held = [sentence]
            return lines
        return [*self.flush(), self._line(sentence)]

    def _line(self, sentence: Sentence, is_removed: bool = False) -> Line:
        self._has_text = self._has_text or (bool(sentence.text.strip()) and sentence.kind is not Kind.HEADING)
        self._linked.update(_LINKED.findall(sentence.text))
        return Line(sentence, is_removed)

    def _is_entry(self, sentence: Sentence) -> bool:
        """Return whether a line is an entry of a list of sources."""
        if sentence.kind in DATA or sentence.kind is Kind.CODE:
            return False
        text = sentence.text
        lower = text.lower()
        is_named = "://" in lower or "](" in lower or any(name in lower for name in self._known)
        if definition := _DEFINITION.match(text):
            is_source = definition["number"] not in self._linked and int(definition["number"]) <= MAX_NUMBER
            found_entry = is_source and (is_named or not definition["footnote"])
        elif self._held or self._in_list:
            bracketed = _BRACKETED.match(text)
            found_entry = bracketed is not None or (is_named and _ITEM.match(text) is not None)
        else:
            return False
        if found_entry and _LETTER.search(strip(text, self._names).text):
            self.has_entries = True
        return found_entry


def is_heading(text: str) -> bool:
    """Return whether a line is the heading of a list of sources: "**Sources:**", "## References"."""
    return len(text) <= MAX_HEADING_CHARACTERS and _HEADING.fullmatch(text) is not None


def leads_to_marker(text: str, kind: Kind) -> bool:
    """Return whether a sentence whose markers were removed only introduced them: "See.", "*Source:*", "".

    `text`: without the marker of the list item or quote that it begins.
    """
    if kind not in (Kind.PROSE, Kind.LIST_ITEM, Kind.QUOTE) or len(text) > 2 * MAX_HEADING_CHARACTERS:
        return False
    return _LEADING.fullmatch(text) is not None


def may_lead(text: str) -> bool:
    """Return whether an open sentence may become one that only introduces a marker."""
    begin = prefix_length(text)
    words = _MARKER_BEGINS.sub("", text[begin : begin + 2 * MAX_HEADING_CHARACTERS].lower())
    body = " ".join(_DECORATION.sub(" ", words).split())
    return any(phrase.startswith(body) for phrase in _LEADS)


def without_line(text: str, *, begins_line: bool) -> str:
    """Return what remains of a removed sentence: the line breaks after it, without that of its own line."""
    breaks = text[len(text.rstrip()) :]
    if "\n" not in breaks:
        return ""
    return breaks.split("\n", 1)[1] if begins_line else breaks


_PHRASES = load_words("source_phrases")
_MARKER_BEGINS = re.compile(f"(?:[{re.escape(''.join(sorted(MARKER_STARTS - set('*_~#'))))}]|##).*", re.DOTALL)
_DECORATION = re.compile(r"[\W_]+")
_DECORATED = r"[\W_]*"
_HEADING_WORDS = any_of(_PHRASES["heading"])
_HEADING = re.compile(rf"[\s#>*_~]*{_HEADING_WORDS}{_DECORATED}", re.IGNORECASE)
_LEADING = re.compile(
    rf"{_DECORATED}(?:(?:{any_of(_PHRASES['before_leading'])}{_DECORATED})?"
    rf"(?:{any_of(_PHRASES['leading'] + _PHRASES['heading'])}){_DECORATED}"
    rf"(?:(?:{any_of(_PHRASES['conjunctions'])}){_DECORATED})*)?",
    re.IGNORECASE,
)
_LEADS: Sequence[str] = [
    " ".join(_DECORATION.sub(" ", phrase.replace("_", " ")).split())
    for phrase in (
        *_PHRASES["leading"],
        *_PHRASES["heading"],
        *(f"{before} {leading}" for before in _PHRASES["before_leading"] for leading in _PHRASES["leading"]),
    )
]
_DEFINITION = re.compile(r"[ ]{0,3}(?:[-*+•]\s+)?\[(?P<footnote>\^?)(?P<number>\d{1,3})\]:(?=\s)")
_MAY_BE_DEFINITION = re.compile(r"[ ]{0,3}(?:[-*+•]\s*)?(?:\[(?:\^?(?:\d{1,3}(?:\](?::.*)?)?)?)?)?", re.DOTALL)
_BULLET = r"\s*(?:>\s*)?(?:[-*+•]\s+)?"
_BRACKETED = re.compile(
    rf"{_BULLET}[*_]{{0,2}}(?:[\[［【]\^?(?:[A-Za-z]{{2,9}}\s?)?\d{{1,2}}(?:†[^\]】]*)?[\]］】]|<sup>\d)"
)
_ITEM = re.compile(r"\s*(?:>\s*)?(?:[-*+•]\s|\(?\d{1,2}[.)]\s)")
_LINKED = re.compile(r"\[[^\[\]]*[^\W\d][^\[\]]*\]\[(\d{1,3})\]")
_LETTER = re.compile(r"[^\W\d_]{2}")
