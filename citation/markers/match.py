"""Match a citation at a position of a text: one marker or several, with emphasis or parentheses around them."""

import re
from collections.abc import Iterable
from functools import partial
from itertools import chain
from typing import Final

from ..text.need_data import NEED_DATA, NeedData
from ..text.normalize import fold
from ..text.numbers.units import UNITS
from ..text.segmentation import MarkerEnd
from .anchors import ANCHOR_STARTS, match_anchor
from .arrays import ListStarts, is_data
from .context import (
    MAX_GROUP,
    OPENING_CHARACTERS,
    ROW_GAP,
    SPACES,
    LeftContext,
    after_word,
    follows_word,
    is_called,
    left_context,
    right_context,
    skip_spaces,
)
from .displayed import match_brackets
from .grammar import MAX_MARKER_CHARACTERS, SUPERSCRIPTS, WORDS, Brackets, Form, Match, match_lead, match_locator
from .named import MarkerNames, match_name
from .notations import NOTATION_STARTS, match_notation
from .source_lists import match_list
from .word_markers import begins_next_sentence, match_conjunction

# A larger number in plain brackets is a year, an amount or a ticket, unless it is an evidence number.
MAX_PLAUSIBLE_NUMBER = 999


ANY_NUMBER = MarkerNames(frozenset(range(1, MAX_PLAUSIBLE_NUMBER + 1)))  # for callers that do not know the evidence


def match_marker(text: str, i: int, names: MarkerNames = ANY_NUMBER, *, final: bool = False) -> Match | NeedData | None:
    """Match a citation that begins at `i`.

    Return NEED_DATA if the decision depends on the text that follows; with `final`, nothing follows.
    """
    if names.ignored:
        return None
    if text[i] in ANCHOR_STARTS and (anchor := _anchor(text, i, names, final)) is not None:
        return anchor
    if text[i] in NOTATION_STARTS and (notation := match_notation(text, i, names, final=final)) is not None:
        return notation
    if text[i] in _WRAPPERS and (wrapped := _wrapped(text, i, names, final, depth=2)) is not None:
        return wrapped
    return _row(text, i, names, final)


def marker_end(names: MarkerNames = ANY_NUMBER) -> MarkerEnd:
    """Return the function with which a `Segmenter` recognises the model's markers at the end of a sentence.

    Any number can be a marker, and the names of the evidence.
    """
    return partial(_marker_end, names)


def _marker_end(names: MarkerNames, text: str, position: int, final: bool) -> int | NeedData | None:
    if text[position] not in MARKER_STARTS:
        return None
    match = match_name(text, position, names, final) if names.names else None
    if match is None and text[position] in ANCHOR_STARTS:
        anchor = match_anchor(text, position, final=final)
        if isinstance(anchor, tuple):
            return anchor[0]
        match = anchor
    if match is None and text[position] in NOTATION_STARTS:
        match = match_notation(text, position, names, final=final)
    if match is None and names.names and text[position] in OPENING_CHARACTERS:
        match = _listed_names(text, position, names, LeftContext.FREE, final)
    match = match or match_marker(text, position, final=final)
    if not isinstance(match, Match) or match.encloses:
        return match if match is NEED_DATA else None
    begins = begins_next_sentence(text, match.end, final)
    if begins is NEED_DATA:
        return NEED_DATA
    last = max((text.rfind(f"{space}[", position, match.end) for space in SPACES), default=-1)
    return match.end if not begins else last if last > position else None  # "It rose. [1] [2] says"


def before_cut_marker(text: str, names: MarkerNames = ANY_NUMBER) -> int:
    """Return the length of a cut text without the marker that it ends inside, and without the space before that."""
    for opening in _CUT.finditer(text, max(0, len(text) - MAX_MARKER_CHARACTERS)):
        i = opening.start("brackets")
        if left_context(text, i) is LeftContext.CODE or match_marker(text, i, names) is not NEED_DATA:
            continue
        whole = match_marker(text, i, names, final=True)
        if isinstance(whole, Match):
            if text.startswith("(", whole.end):  # its link is cut
                return whole.end
            continue
        inside = text[opening.end() :].lower().lstrip("^#")
        if _CUT_NUMBER.match(inside) or any(name.startswith(inside) for name in _names_in_cut(names)):
            return len(_BEFORE_CUT.sub("", text[: opening.start()]))
    return len(text)


def _names_in_cut(names: MarkerNames) -> Iterable[str]:
    return chain(WORDS["source"], map(str.lower, names.names))


_CUT = re.compile(r"[(（]?(?P<brackets>[\[［【]{1,2})")
_CUT_NUMBER = re.compile(rf"(?:(?:{'|'.join(WORDS['source'])})\W{{0,3}})?\d|\Z", re.IGNORECASE)
_BEFORE_CUT = re.compile(rf"(?:(?<=[\]】)])[,;])?[{SPACES}]*\Z")  # also the comma after the marker before

# The characters that a citation can begin with
MARKER_STARTS: Final = OPENING_CHARACTERS | ANCHOR_STARTS | frozenset("*_~<^$" + SUPERSCRIPTS)
_WRAPPERS = frozenset("(（*_~<^$\\")
_EMPHASIS = (
    ("**", "**"), ("__", "__"), ("*", "*"), ("_", "_"), ("~~", "~~"), ("~", "~"), ("<sup>", "</sup>"), ("^", "^"),
    ("$^{", "}$"), ("$^", "$"), ("$", "$"), ("\\(^{", "}\\)"),
)  # fmt: skip


def _anchor(text: str, i: int, names: MarkerNames, final: bool) -> Match | NeedData | None:
    """Match an anchor of the host; without one, any is an unknown marker.

    If the host has anchors, one of something else, such as another search, is not a marker.
    """
    anchors = match_anchor(text, i, final=final)
    if not isinstance(anchors, tuple):
        return anchors
    end, cited = anchors
    if not names.labels:
        return Match(end, (), (0,))
    if any(name not in names.names for name in cited):
        return None
    return Match(end, tuple(dict.fromkeys(key for name in cited for key in names.names[name])), ())


def _wrapped(text: str, i: int, names: MarkerNames, final: bool, depth: int) -> Match | NeedData | None:
    if text[i] in "(（":
        if text[i - 1 : i] and left_context(text, i) is not LeftContext.FREE:
            return None
        start = match_lead(text, i)
        close = ")" if text[i] == "(" else "）"
        if not follows_word(text, i):
            return _enclosed(text, start, close, names, final, depth)
        if is_called(text, i):
            return None
        inside = _enclosed(text, start, close, names, final, depth, LeftContext.FREE)
        end = after_word(text, inside.end, names, final) if isinstance(inside, Match) else inside
        return inside if isinstance(end, int) else end
    for opening, close in _EMPHASIS:
        if text.startswith(opening, i) and (depth == 1 or _opens(text, i, opening)):
            match = _enclosed(text, i + len(opening), close, names, final, depth)
            if match is not None:
                return match
        elif not final and opening.startswith(text[i:]):
            return NEED_DATA
    return None


def _enclosed(
    text: str,
    start: int | NeedData | None,
    close: str,
    names: MarkerNames,
    final: bool,
    depth: int,
    left: LeftContext | None = None,
) -> Match | NeedData | None:
    """Match markers from `start` up to `close`, and nothing else. `left`: the context of the first one, if known."""
    if start is None:
        return None
    if start is NEED_DATA or start == len(text):
        return None if final else NEED_DATA
    inner: Match | NeedData | None = None
    if depth > 1 and text[start] in _WRAPPERS:
        inner = _wrapped(text, start, names, final, depth - 1)
    if inner is None:
        inner = _row(text, start, names, final, left)
    conjunction = match_conjunction(text, inner.end, final) if isinstance(inner, Match) else None
    if isinstance(inner, Match) and isinstance(conjunction, int):
        last = _row(text, conjunction, names, final)
        inner = inner.joined(last) if isinstance(last, Match) else last
    if not isinstance(inner, Match):
        return inner
    locator = match_locator(text, inner.end) if close in ")）" else None
    end = skip_spaces(text, locator if isinstance(locator, int) else inner.end)
    if text.startswith(close, end):
        return inner._replace(end=end + len(close))
    incomplete = locator is NEED_DATA or close.startswith(text[end:])
    return NEED_DATA if conjunction is NEED_DATA or (not final and incomplete) else None


def _opens(text: str, i: int, mark: str) -> bool:
    """Return whether emphasis begins here: after a space, or if as many marks were opened as closed before."""
    before = text[i - 1 : i]
    if not before or before.isspace() or before in "(（" or mark == "^":
        return True
    return len(mark) > 1 and text.count(mark, max(0, i - _EMPHASIS_REACH_CHARACTERS), i) % 2 == 0


_EMPHASIS_REACH_CHARACTERS = 300  # characters before the mark that are searched for the beginning of bold text


def _row(
    text: str, i: int, names: MarkerNames, final: bool, left: LeftContext | None = None
) -> Match | NeedData | None:
    """Match a row of markers: `[1][2]`, `[1], [2]`, `[1]–[3]`. `left`: the context of the first one, if known."""
    left, lists = left or left_context(text, i), ListStarts()
    row = _marker(text, i, names, left, lists, final)
    if not isinstance(row, Match):
        return row
    for _ in range(MAX_GROUP - 1):
        gap = ROW_GAP.match(text, row.end)
        start = gap.end() if gap else row.end
        if start == len(text):
            return row if final else NEED_DATA
        left = left if start == row.end else LeftContext.FREE
        following = _marker(text, start, names, left, lists, final) if text[start] in OPENING_CHARACTERS else None
        if following is NEED_DATA:
            return NEED_DATA
        if not isinstance(following, Match):
            return row
        is_range = text[row.end : start].strip(SPACES) in ("–", "-")
        row = row.joined(following, _inner_numbers(row, following, names) if is_range else ())
    return row


def _inner_numbers(first: Match, last: Match, names: MarkerNames) -> tuple[int, ...]:
    """Return the evidence numbers between the ends of a range such as `[1]-[4]`."""
    if not (first.cited and last.cited) or last.cited[0] - first.cited[-1] > MAX_GROUP:
        return ()
    return tuple(number for number in range(first.cited[-1] + 1, last.cited[0]) if number in names.numbers)


def _marker(
    text: str, i: int, names: MarkerNames, left: LeftContext, lists: ListStarts, final: bool
) -> Match | NeedData | None:
    """Match one pair of brackets whose context allows a citation."""
    if left is LeftContext.CODE:
        return None
    named = match_name(text, i, names, final)
    if named is not None:
        return named
    if text[i] == "\\" and (command := match_notation(text, i, names, final=final)) is not None:
        return command
    brackets = match_brackets(text, i)
    if brackets is None or (brackets is NEED_DATA and final):
        return _listed_names(text, i, names, left, final)
    if brackets is NEED_DATA:
        return NEED_DATA
    if brackets.form is Form.SUPERSCRIPT:
        return _superscript(text, i, brackets, names, final)
    if is_data(text, i, brackets, lists):
        return None
    end = right_context(text, i, brackets, left, names, final)
    if not isinstance(end, int):
        return end
    soft = left is LeftContext.ATTACHED and text[skip_spaces(text, end) :][:1].isalnum()
    numbers = _plausible_numbers(text[i], brackets, names, attached=left is LeftContext.ATTACHED, soft=soft)
    return Match(end, *numbers) if numbers else None


def _listed_names(text: str, i: int, names: MarkerNames, left: LeftContext, final: bool) -> Match | NeedData | None:
    """Match brackets with names, places or words that show that they cite."""
    listed = match_list(text, i, names, final) if not (text[i] in "(（" and follows_word(text, i)) else None
    if not isinstance(listed, tuple):
        return listed
    brackets, named = listed
    end = right_context(text, i, brackets, left, names, final)
    if not isinstance(end, int):
        return end
    cited, unknown = names.split(brackets.ranges)
    return Match(end, tuple(dict.fromkeys(cited + named)), unknown)


# Not "in.²", "x ²", "1024 ²" or the quotation "²"
_NOTE_BEFORE = re.compile(
    rf"(?:[^\W\d_]{{4}}[{SPACES}]|(?:[^\W_]{{4}}\.|(?<=[\w.,!?…)])\"|[,;:!?…”’»。，！？；：])[{SPACES}]?)\Z"
)
_PART_OF_FORMULA = frozenset("/⁄√∛∜+-−⁺⁻⁼⁽⁾^")  # "¹/₂", "³√8", "²⁺"


def _superscript(text: str, i: int, brackets: Brackets, names: MarkerNames, final: bool) -> Match | NeedData | None:
    """Match a superscript that is no exponent, fraction, root or charge, with numbers of evidence only."""
    if not _NOTE_BEFORE.search(text, max(0, i - 6), i) or _is_exponent(text, i):
        return None
    following = text[brackets.end : brackets.end + 2]
    if not final and following in ("", ",", "，", "^"):
        return NEED_DATA
    if following[:1].isalnum() or (following[:1] in _PART_OF_FORMULA and following != "^["):
        return None
    cited, unknown = names.split(brackets.ranges)
    return Match(brackets.end, cited, ()) if cited and not unknown else None


def _is_exponent(text: str, i: int) -> bool:
    """Return whether a superscript follows a unit of length or time: "metres per second ²"."""
    word = _WORD_BEFORE.search(text, max(0, i - _LONGEST_UNIT_CHARACTERS), i)
    return word is not None and UNITS.get(fold(word[1]), ("",))[0] in {"length", "time"}


_WORD_BEFORE = re.compile(rf"([^\W\d_]+)[{SPACES}]\Z")
_LONGEST_UNIT_CHARACTERS = 30


def _plausible_numbers(
    opening: str, brackets: Brackets, names: MarkerNames, *, attached: bool, soft: bool
) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """Return the known and the unknown numbers, or None if they are unlikely to be a citation."""
    cited, unknown = names.split(brackets.ranges)
    high = max(high for _, high in brackets.ranges)
    if brackets.form is Form.SOURCE and opening not in "(（":
        return cited, unknown
    if cited:
        return None if any(number >= 1000 for number in unknown) and brackets.form is Form.PLAIN else (cited, unknown)
    if opening == "\\" or soft or (attached and min(brackets.ranges)[0] == 0):
        return None
    limit = 99 if attached or opening in "(（" else MAX_PLAUSIBLE_NUMBER
    return (cited, unknown) if high <= limit else None
