"""Removal of what belongs to a marker: the rest of its list, and the spaces that only it needed.

A removal that would join the text around it to another marker is found here, too.
"""

import re
import unicodedata

from ..text.need_data import NEED_DATA, NeedData
from ..text.normalize import UNSPACED
from .context import MAX_GROUP, OPENING_CHARACTERS, SPACES, skip_spaces
from .displayed import match_brackets
from .grammar import MAX_MARKER_CHARACTERS, WORDS, Match
from .match import match_marker
from .named import MarkerNames, has_tag, match_name
from .word_markers import match_conjunction

MAX_SPACES = 16  # spaces before or after a marker that are looked at

_TIGHT = frozenset(".,;:!?)]}>…%»”’。，、；：！？）】］」』》〉｡､؟،؛।॥۔។፣።") - frozenset("%>")
_TIGHT_AFTER_SPACE = frozenset(".,)]}…”’。，、；：！？）】］」』》〉｡､")  # French keeps its space before ; : ! ? »
_THEN_TIGHT = {"<": "/", "\\": "\n"}  # a closing tag; a backslash at the end of a line
_OPENING_BRACKETS = frozenset("([{“‘«（「『《〈【［")
_EITHER_QUOTES = frozenset("\"'“‘«")  # they begin a quotation in some languages, and end it in others
_LINE_BREAK = re.compile(r"\r?\n")
_SPACED_WORDS = re.compile(rf"[^\W_{UNSPACED}]{{2}}")


def with_list(text: str, citation: Match, names: MarkerNames, final: bool) -> Match | NeedData:
    """Return a citation together with the last one of its list, as in `rose [1] and [2].`.

    The conjunction belongs to the list, like the comma of `[1], [2]`, if the clause ends after the last marker.
    """
    joined = citation
    for _ in range(MAX_GROUP):
        conjunction = match_conjunction(text, joined.end, final)
        last = match_marker(text, conjunction, names, final=final) if isinstance(conjunction, int) else None
        if conjunction is NEED_DATA or last is NEED_DATA:
            return NEED_DATA
        if last is None:
            break
        joined = joined.joined(last)
    if joined is citation:
        return citation
    following_start = skip_spaces(text, joined.end)
    if following_start == len(text) and not final:
        return NEED_DATA
    joins = following_start < len(text) and _begins_text(text, following_start, final)
    if joins:  # the conjunction joins text: `[1] and [2] high`
        return joins if joins is NEED_DATA else citation
    return joined


def _begins_text(text: str, position: int, final: bool) -> bool | NeedData:
    """Return whether words begin at `position`, possibly with emphasis, quotes or a sign.

    For example: `**costs**`, `$5`, `-5`, `≈ 5`. A conjunction begins another clause.
    """
    word = _FIRST_WORD.match(text, position)
    if word and word.end() == len(text) and not final:
        return NEED_DATA
    if word and word[0].lower() in WORDS["clause"]:
        return False
    if text[position].isalnum() or text[position] in _OPENING_BRACKETS or text[position] in "`$€£¥+#@":
        return True
    if text[position] in "*_~" or text[position] in _EITHER_QUOTES:
        closes = _closes(text, position, final)
        return NEED_DATA if closes is NEED_DATA else not closes
    if (
        not (text[position] in "-–—§." or unicodedata.category(text[position]) == "Sm")
        or not text[position - 1].isspace()
    ):
        return False
    following = text[position + 1 : position + 2]
    return NEED_DATA if not following and not final else following.isdigit()


_FIRST_WORD = re.compile(r"[^\W\d_]{1,8}(?![^\W_])")


# Punctuation that introduces a marker: "six hours, [1].", "six hours — [1]", "six hours -> [1]"
INTRODUCTION = re.compile(
    rf"[{SPACES}]{{0,4}}(?:[,;，；、–—―→⇒]|(?<!\])[:：]|(?<=[{SPACES}])(?:-{{1,2}}>?|=>?))(?=[{SPACES}]*\Z)"
)


def ends_sentence(text: str, end: int, introduction: str, final: bool) -> bool | NeedData:
    """Return whether nothing but the end of a sentence follows the marker that this punctuation introduces.

    A comma or colon at the end of a line belongs to the words around it.
    """
    following_start = skip_spaces(text, end)
    if following_start == len(text) and not final:
        return NEED_DATA
    if following_start == len(text) or text[following_start] in "\r\n":
        return introduction.strip(SPACES)[0] not in ",;:，；：、"
    if text[following_start] in "*_" or (
        text[following_start] == "." and following_start + 1 == len(text) and not final
    ):
        return _closes(text, following_start, final) if text[following_start] != "." else NEED_DATA
    return text[following_start] in ".!?。！？…)）]" and not text[following_start + 1 : following_start + 2].isalnum()


def remaining_spaces(text: str, begin: int, start: int, end: int, final: bool) -> tuple[str, int] | NeedData:
    """Return the spaces that stay where a marker was, and where the text continues after them.

    `begin`: where the spaces before the marker `text[start:end]` begin.
    """
    following_at = end
    while following_at < len(text) and following_at - end < MAX_SPACES and text[following_at] in SPACES:
        following_at += 1
    before, after, following = text[begin:start], text[end:following_at], text[following_at : following_at + 1]
    if not following and not final:
        return NEED_DATA
    left = text[begin - 1 : begin] or "\n"
    if following == "\r" and following_at + 1 == len(text) and not final:
        return NEED_DATA
    line_break = _LINE_BREAK.match(text, following_at)
    if left == "\n":  # at the beginning of a line: keep the indentation
        if line_break and begin:
            return "", line_break.end()  # remove a line that consists of markers only
        return ("" if not following or line_break else before), following_at
    if not following:
        return after, following_at
    if not (before or after) and _SPACED_WORDS.fullmatch(left + following):
        return " ", following_at  # the marker separated two words: `rose[1]and`
    if after:
        if following == "." and following_at + 1 == len(text) and not final:
            return NEED_DATA
        begins_word = following == "." and text[following_at + 1 : following_at + 2].isalnum()  # .5, .NET
        is_tight = following in _TIGHT_AFTER_SPACE and not begins_word
        return ("" if is_tight or left in SPACES or _opens(text, begin - 1) else after), following_at
    closes = _closes(text, following_at, final)
    return NEED_DATA if closes is NEED_DATA else ("" if closes else before, following_at)


def _opens(text: str, position: int) -> bool:
    """Return whether a bracket or a quotation begins at `position`. A quote right after other text ends one: `„so“`."""
    if text[position] not in _EITHER_QUOTES:
        return text[position] in _OPENING_BRACKETS
    before = text[position - 1] if position else " "
    return before.isspace() or before in _OPENING_BRACKETS or before in "—–"


def _closes(text: str, position: int, final: bool) -> bool | NeedData:
    """Return whether this character follows a word without a space: punctuation, closing emphasis or quotes."""
    mark = text[position]
    if mark in "*_~" or mark in _EITHER_QUOTES:
        beyond = position
        while beyond < len(text) and beyond - position < 4 and text[beyond] == mark:
            beyond += 1
        following = text[beyond : beyond + 1]
        if not following and not final:
            return NEED_DATA
        return not (following.isalnum() or following in _OPENING_BRACKETS)
    if mark in _THEN_TIGHT:
        following = text[position + 1 : position + 2]
        return NEED_DATA if not following and not final else following == _THEN_TIGHT[mark]
    return mark in "\r\n" or mark in _TIGHT


class OpenBrackets:
    """The brackets in the shown text that are no marker yet, but that following text could turn into one."""

    def __init__(self, names: MarkerNames) -> None:
        self._names = names
        self._starts: list[int] = []
        self._read = 0  # length of the shown text that was searched for brackets

    def shift(self, by: int) -> None:
        """Adjust the positions after the first `by` characters were removed."""
        self._starts = [position - by for position in self._starts if position >= by]
        self._read = max(0, self._read - by)

    def creates_marker(self, text: str, done: int, spaces: str, end: int, final: bool) -> bool | NeedData:
        """Return whether a marker, code or math would begin before `done` if `spaces` replaced `text[done:end]`.

        `text[:done]` has been shown. Its brackets are read once, so that many of them do not slow down each removal.
        """
        begin = max(0, done - MAX_MARKER_CHARACTERS)
        shown, right = text[begin:done], text[end : end + MAX_MARKER_CHARACTERS]
        left = shown + spaces
        if left[-1:] in ("`", "$", "#") and right[:1] == left[-1:]:
            return True
        openings = (opening.start() for opening in _OPENERS.finditer(text, max(begin, self._read), done))
        self._starts = [
            start for start in (*self._starts, *openings) if start >= begin and self._is_open(shown, start - begin)
        ]
        self._read = done
        for start in self._starts:
            joined = _joined(left, right, start - begin, self._names, final)
            if joined is not False:
                return joined
        return False

    def _is_open(self, text: str, position: int) -> bool:
        if has_tag(text, position):
            return match_name(text, position, self._names, False) is NEED_DATA
        return match_brackets(text, position) is NEED_DATA


def _joined(left: str, right: str, position: int, names: MarkerNames, final: bool) -> bool | NeedData:
    """Return whether `left` has no marker at `position`, and `left` with `right` has one."""
    if has_tag(left, position):
        if isinstance(match_name(left, position, names, True), Match):
            return False
        named = match_name(left + right, position, names, final)
        return NEED_DATA if named is NEED_DATA else named is not None
    if match_brackets(left, position) is not NEED_DATA:
        return False
    brackets = match_brackets(left + right, position)
    if brackets is NEED_DATA:
        return False if final else NEED_DATA
    return brackets is not None


_OPENERS = re.compile(f"[{re.escape(''.join(sorted(OPENING_CHARACTERS)))}]")
