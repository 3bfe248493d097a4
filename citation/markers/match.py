"""Match a citation at a position of a text: one marker or several, with emphasis or parentheses around them."""

import re
from typing import Final, NamedTuple

from ..text.normalize import fold
from ..text.numbers.units import UNITS
from .anchors import ANCHOR_STARTS, match_anchor
from .context import (
    MAX_GROUP,
    OPENING_CHARACTERS,
    SPACES,
    LeftContext,
    is_data,
    left_context,
    right_context,
    skip_spaces,
)
from .displayed import match_brackets
from .grammar import PARTIAL, SUPERSCRIPTS, Brackets, Form, Partial, match_lead
from .named import MarkerNames, match_name
from .word_markers import match_conjunction

# A larger number in plain brackets is a year, an amount or a ticket, unless it is an evidence number.
MAX_PLAUSIBLE_NUMBER = 999


class Match(NamedTuple):
    """A citation by the model: its end, its evidence numbers, and its numbers that no evidence has."""

    end: int
    cited: tuple[int, ...]
    unknown: tuple[int, ...]

    def joined(self, last: "Match", between: tuple[int, ...] = ()) -> "Match":
        """Return this citation together with the next one, and the evidence numbers between them."""
        cited = dict.fromkeys(self.cited + between + last.cited)
        return Match(last.end, tuple(cited), tuple(dict.fromkeys(self.unknown + last.unknown)))


ANY_NUMBER = MarkerNames(frozenset(range(1, MAX_PLAUSIBLE_NUMBER + 1)))  # for callers that do not know the evidence


def match_marker(text: str, i: int, names: MarkerNames = ANY_NUMBER, *, final: bool = False) -> Match | Partial | None:
    """Match a citation that begins at `i`.

    Return PARTIAL if the decision depends on the text that follows; with `final`, nothing follows.
    """
    if names.ignored:
        return None
    if names.labels and text[i] in ANCHOR_STARTS and (anchor := _anchor(text, i, names, final)) is not None:
        return anchor
    if text[i] in _WRAPPERS and (wrapped := _wrapped(text, i, names, final, depth=2)) is not None:
        return wrapped
    return _row(text, i, names, final)


# The characters that a citation can begin with
MARKER_STARTS: Final = OPENING_CHARACTERS | ANCHOR_STARTS | frozenset("*_<^$" + SUPERSCRIPTS)
_WRAPPERS = frozenset("(（*_<^$")
_EMPHASIS = (
    ("**", "**"), ("__", "__"), ("*", "*"), ("_", "_"), ("<sup>", "</sup>"), ("^", "^"), ("$^{", "}$"), ("$^", "$")
)  # fmt: skip
_GAP = re.compile(f"[{SPACES}]{{0,3}}[,;、，；·–/+-]?[{SPACES}]{{0,3}}")


def _anchor(text: str, i: int, names: MarkerNames, final: bool) -> Match | Partial | None:
    """Match an anchor of the host. One of something else, such as another search, is not a marker."""
    found = match_anchor(text, i, final=final)
    if not isinstance(found, tuple):
        return found
    end, cited = found
    if any(name not in names.names for name in cited):
        return None
    return Match(end, tuple(dict.fromkeys(key for name in cited for key in names.names[name])), ())


def _wrapped(text: str, i: int, names: MarkerNames, final: bool, depth: int) -> Match | Partial | None:
    if text[i] in "(（":
        if text[i - 1 : i] and left_context(text, i) is not LeftContext.FREE:
            return None
        start = match_lead(text, i)
        close = ")" if text[i] == "(" else "）"
        return _enclosed(text, start, close, names, final, depth)
    for opening, close in _EMPHASIS:
        if text.startswith(opening, i) and _opens(text, i, opening):
            found = _enclosed(text, i + len(opening), close, names, final, depth)
            if found is not None:
                return found
        elif not final and opening.startswith(text[i:]):
            return PARTIAL
    return None


def _enclosed(
    text: str, start: int | Partial | None, close: str, names: MarkerNames, final: bool, depth: int
) -> Match | Partial | None:
    """Match markers from `start` up to `close`, and nothing else."""
    if start is None:
        return None
    if start is PARTIAL or start == len(text):
        return None if final else PARTIAL
    inner: Match | Partial | None = None
    if depth > 1 and text[start] in _WRAPPERS:
        inner = _wrapped(text, start, names, final, depth - 1)
    if inner is None:
        inner = _row(text, start, names, final)
    conjunction = match_conjunction(text, inner.end, final) if isinstance(inner, Match) else None
    if isinstance(inner, Match) and isinstance(conjunction, int):
        last = _row(text, conjunction, names, final)
        inner = inner.joined(last) if isinstance(last, Match) else last
    if not isinstance(inner, Match):
        return inner
    end = skip_spaces(text, inner.end)
    if text.startswith(close, end):
        return inner._replace(end=end + len(close))
    return PARTIAL if conjunction is PARTIAL or (not final and close.startswith(text[end:])) else None


def _opens(text: str, i: int, mark: str) -> bool:
    """Return whether emphasis begins here: after a space, or if as many marks were opened as closed before."""
    before = text[i - 1 : i]
    if not before or before.isspace() or before in "(（":
        return True
    return len(mark) > 1 and text.count(mark, max(0, i - _EMPHASIS_REACH), i) % 2 == 0


_EMPHASIS_REACH = 300  # characters before the mark that are searched for the beginning of bold text


def _row(text: str, i: int, names: MarkerNames, final: bool) -> Match | Partial | None:
    """Match a row of markers: `[1][2]`, `[1], [2]`, `[1]–[3]`."""
    left = left_context(text, i)
    found = _marker(text, i, names, left, final)
    if not isinstance(found, Match):
        return found
    for _ in range(MAX_GROUP - 1):
        gap = _GAP.match(text, found.end)
        start = gap.end() if gap else found.end
        if start == len(text):
            return found if final else PARTIAL
        left = left if start == found.end else LeftContext.FREE
        following = _marker(text, start, names, left, final) if text[start] in OPENING_CHARACTERS else None
        if following is PARTIAL:
            return PARTIAL
        if not isinstance(following, Match):
            return found
        is_range = text[found.end : start].strip(SPACES) in ("–", "-")
        found = found.joined(following, _inner_numbers(found, following, names) if is_range else ())
    return found


def _inner_numbers(first: Match, last: Match, names: MarkerNames) -> tuple[int, ...]:
    """Return the evidence numbers between the ends of a range such as `[1]-[4]`."""
    if not (first.cited and last.cited) or last.cited[0] - first.cited[-1] > MAX_GROUP:
        return ()
    return tuple(number for number in range(first.cited[-1] + 1, last.cited[0]) if number in names.numbers)


def _marker(text: str, i: int, names: MarkerNames, left: LeftContext, final: bool) -> Match | Partial | None:
    """Match one pair of brackets whose context allows a citation."""
    if left is LeftContext.CODE:
        return None
    named = match_name(text, i, names, final)
    if named is not None:
        return named if named is PARTIAL else Match(*named)
    brackets = match_brackets(text, i)
    if not isinstance(brackets, Brackets):
        return None if final else brackets
    if brackets.form is Form.SUPERSCRIPT:
        return _superscript(text, i, brackets, names, final)
    if is_data(text, i, brackets):
        return None
    end = right_context(text, i, brackets, left, names, final)
    if not isinstance(end, int):
        return end
    soft = left is LeftContext.ATTACHED and text[skip_spaces(text, end) :][:1].isalnum()
    numbers = _plausible_numbers(text[i], brackets, names, attached=left is LeftContext.ATTACHED, soft=soft)
    return Match(end, *numbers) if numbers else None


# Not "in.²", "x ²", "1024 ²" or the quotation "²"
_NOTE_BEFORE = re.compile(
    rf"(?:[^\W\d_]{{4}}[{SPACES}]|(?:[^\W_]{{4}}\.|(?<=[\w.,!?…)])\"|[,;:!?…”’»。，！？；：])[{SPACES}]?)\Z"
)
_PART_OF_FORMULA = frozenset("/⁄√∛∜+-−⁺⁻⁼⁽^")  # "¹/₂", "³√8", "²⁺"


def _superscript(text: str, i: int, found: Brackets, names: MarkerNames, final: bool) -> Match | Partial | None:
    """Match a superscript that is no exponent, fraction, root or charge, with numbers of evidence only."""
    if not _NOTE_BEFORE.search(text, max(0, i - 6), i) or _is_exponent(text, i):
        return None
    following = text[found.end : found.end + 2]
    if not final and following in ("", ",", "，"):
        return PARTIAL
    if following[:1].isalnum() or following[:1] in _PART_OF_FORMULA:
        return None
    cited, unknown = names.split(found.ranges)
    return Match(found.end, cited, ()) if cited and not unknown else None


def _is_exponent(text: str, i: int) -> bool:
    """Return whether a superscript follows a unit of length or time: "metres per second ²"."""
    word = _WORD_BEFORE.search(text, max(0, i - _LONGEST_UNIT), i)
    return word is not None and UNITS.get(fold(word[1]), ("",))[0] in {"length", "time"}


_WORD_BEFORE = re.compile(rf"([^\W\d_]+)[{SPACES}]\Z")
_LONGEST_UNIT = 30  # characters


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
