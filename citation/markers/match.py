"""Match: the citation that begins at a place in a text, or that one may be forming there."""

import re
from typing import Final, NamedTuple

from .context import BRACKETS, MAX_GROUP, SPACES, follow, glue, is_data, skip_spaces
from .grammar import PARTIAL, Form, Partial, Unit, match_lead, match_unit
from .named import MarkerNames, match_name

SMALL = 999  # a bare number beyond this is a year, an amount or a ticket, unless evidence has it


class Match(NamedTuple):
    """A citation of the model: where it ends, and the numbers it names that evidence has, and those that none has."""

    end: int
    cited: tuple[int, ...]
    unknown: tuple[int, ...]


ANY = MarkerNames(frozenset(range(1, SMALL + 1)))  # for who does not know the evidence


def match_marker(text: str, i: int, names: MarkerNames = ANY, *, final: bool = False) -> Match | Partial | None:
    """The citation that begins at `i`: markers in a row, wrapped in bold or parentheses or not.

    PARTIAL: what follows the end of `text` decides; never with `final`, which says that nothing follows.
    """
    if text[i] in _WRAPPERS and (wrapped := _wrapped(text, i, names, final, depth=2)) is not None:
        return wrapped
    return _row(text, i, names, final)


STARTS: Final = BRACKETS | frozenset("*_<^")  # the characters a citation can begin with
_WRAPPERS = frozenset("(（*_<^")
_EMPHASIS = (("**", "**"), ("__", "__"), ("*", "*"), ("_", "_"), ("<sup>", "</sup>"), ("^", "^"))
_GAP = re.compile(f"[{SPACES}]{{0,3}}[,;、，；·–-]?[{SPACES}]{{0,3}}")


def _wrapped(text: str, i: int, names: MarkerNames, final: bool, depth: int) -> Match | Partial | None:
    if text[i] in "(（":
        if text[i - 1 : i] and glue(text, i) != "free":
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
    """Markers from `start` to `close`, and nothing else."""
    if start is None:
        return None
    if start is PARTIAL or start == len(text):
        return None if final else PARTIAL
    inner: Match | Partial | None = None
    if depth > 1 and text[start] in _WRAPPERS:
        inner = _wrapped(text, start, names, final, depth - 1)
    if inner is None:
        inner = _row(text, start, names, final)
    if not isinstance(inner, Match):
        return inner
    end = skip_spaces(text, inner.end)
    if text.startswith(close, end):
        return inner._replace(end=end + len(close))
    return PARTIAL if not final and close.startswith(text[end:]) else None


def _opens(text: str, i: int, mark: str) -> bool:
    """Whether emphasis begins here rather than ends: after a space, or where as many began as ended before."""
    before = text[i - 1 : i]
    if not before or before.isspace() or before in "(（":
        return True
    return len(mark) > 1 and text.count(mark, max(0, i - _EMPHASIS_REACH), i) % 2 == 0


_EMPHASIS_REACH = 300  # characters looked back for the beginning of bold text


def _row(text: str, i: int, names: MarkerNames, final: bool) -> Match | Partial | None:
    """Markers in a row: `[1][2]`, `[1], [2]`, `[1]–[3]`."""
    hangs = glue(text, i)
    found = _marker(text, i, names, hangs, final)
    if not isinstance(found, Match):
        return found
    for _ in range(MAX_GROUP - 1):
        gap = _GAP.match(text, found.end)
        start = gap.end() if gap else found.end
        if start == len(text):
            return found if final else PARTIAL
        hangs = hangs if start == found.end else "free"
        following = _marker(text, start, names, hangs, final) if text[start] in BRACKETS else None
        if following is PARTIAL:
            return PARTIAL
        if not isinstance(following, Match):
            return found
        span = _between(found, following, names) if text[found.end : start].strip(SPACES) in ("–", "-") and gap else ()
        found = Match(
            following.end,
            tuple(dict.fromkeys(found.cited + span + following.cited)),
            tuple(dict.fromkeys(found.unknown + following.unknown)),
        )
    return found


def _between(first: Match, last: Match, names: MarkerNames) -> tuple[int, ...]:
    """The numbers that `[1]-[4]` leaves out."""
    if not (first.cited and last.cited) or last.cited[0] - first.cited[-1] > MAX_GROUP:
        return ()
    return tuple(number for number in range(first.cited[-1] + 1, last.cited[0]) if number in names.numbers)


def _marker(text: str, i: int, names: MarkerNames, hangs: str, final: bool) -> Match | Partial | None:
    """One pair of brackets, and what around it says that it is a citation or is not."""
    if hangs == "never":
        return None
    named = match_name(text, i, names, final)
    if named is not None:
        return named if named is PARTIAL else Match(*named)
    unit = match_unit(text, i)
    if not isinstance(unit, Unit):
        return None if final else unit
    if is_data(text, i, unit):
        return None
    end = follow(text, i, unit, hangs, names, final)
    if not isinstance(end, int):
        return end
    soft = hangs == "word" and text[end : end + 1] in tuple(SPACES) and text[skip_spaces(text, end) :][:1].isalnum()
    numbers = _judge(text[i], unit, names, glued=hangs == "word", soft=soft)
    return Match(end, *numbers) if numbers else None


def _judge(
    opening: str, unit: Unit, names: MarkerNames, *, glued: bool, soft: bool
) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """The known and the unknown numbers, or None where they are too unlike a citation."""
    cited, unknown = names.split(unit.ranges)
    high = max(high for _, high in unit.ranges)
    if unit.form is Form.SOURCE and opening not in "(（":
        return cited, unknown
    if cited:
        return None if any(number >= 1000 for number in unknown) and unit.form is Form.PLAIN else (cited, unknown)
    if opening == "\\" or soft or (glued and min(unit.ranges)[0] == 0):
        return None
    limit = 99 if glued or opening in "(（" else SMALL
    return (cited, unknown) if high <= limit else None
