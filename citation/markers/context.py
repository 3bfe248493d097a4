"""What makes brackets a citation: the text around them, and the numbers that evidence has.

`[1]` is also an index (`arr[1] = x`), a link's text (`[1](url)`), a definition (`[1]: url`), an array (`: [1, 2]`), a
year (`[2024]`). The rules below are those of a careful reader; each looks at a bounded stretch of text.
"""

import re
from typing import Final, NamedTuple

from .grammar import (
    MAX_MARKER,
    PARTIAL,
    SOURCE_WORDS,
    Form,
    Partial,
    Unit,
    match_lead,
    match_link_target,
    match_unit,
    words,
)
from .named import MarkerNames, match_name

SPACES: Final = " \t\u00a0\u2009\u202f\u3000"  # what may stand between words in a line
MAX_GROUP = 16  # markers in a row taken as one; a longer row goes on as the next one
MAX_REPORTED = 10  # unknown numbers reported of one range: "[1-999999]" says no more than its first ones
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


STARTS: Final = frozenset("[［【(（#\\*_<^")  # the characters a citation can begin with
_BRACKETS = frozenset("[［【(（#\\")
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
    end = _skip_spaces(text, inner.end)
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
        following = _marker(text, start, names, hangs, final) if text[start] in _BRACKETS else None
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
    if _is_data(text, i, unit):
        return None
    end = _follow(text, i, unit, hangs, names, final)
    if not isinstance(end, int):
        return end
    soft = hangs == "word" and text[end : end + 1] in tuple(SPACES) and text[_skip_spaces(text, end) :][:1].isalnum()
    numbers = _judge(text[i], unit, names, glued=hangs == "word", soft=soft)
    return Match(end, *numbers) if numbers else None


# --- what stands before -------------------------------------------------------------------------------------------

_NAME_BEFORE = re.compile(r"[$@]?[A-Za-z0-9_.]*\Z")
_CODE_NAMES = words("""
    arr array arrays args argv argc buf buffer ctx df dict dicts elem elements func idx index items iter key keys kwargs
    list lists lst mat matrix nums obj objs param params ptr row rows self str strs string strings struct sys tmp tuple
    var vars vec vector
""")
_REACH = 60  # characters of the word before that are looked at


def glue(text: str, i: int) -> str:
    """How the brackets hang on what stands before: "free", "word" (on a word of prose), "never" (code, a link)."""
    before = text[i - 1] if i else "\n"
    for _ in range(MAX_GROUP):
        if before not in "]］】":
            break
        start = _unit_before(text, i)
        if start is None:
            return "never" if before == "]" else "free"  # [text][1]: a reference link
        i, before = start, text[start - 1] if start else "\n"
    if before in "\\[［" or (before == "#" and text[i] == "#"):
        return "never"
    if before == "(":
        return "never" if text[i - 2 : i - 1] in _CALLS and i > 1 else "free"
    if before == ")":
        opening = text.rfind("(", max(0, i - _REACH), i)
        return "never" if opening > 0 and text[opening - 1] in _CALLS else "free"
    if not (before.isascii() and (before.isalnum() or before == "_")) or text[i] in "［【（":
        return "free"
    found = _NAME_BEFORE.search(text, max(0, i - _REACH), i)
    word = found[0] if found else ""
    if not word.strip("_"):
        return "free"  # __[1]__
    return "never" if _like_code(word) else "word"


_CALLS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")


def _like_code(word: str) -> bool:
    """Whether `word[1]` would be an index: `x`, `arr`, `my_list`, `myList`, `obj.items`, `x2`, `$row`."""
    stem, _, last = word.rpartition(".")
    if word[0] in "$@" or "_" in word or last.lower() in _CODE_NAMES:
        return True
    if last.isdigit():
        return False
    if stem.strip(".").isidentifier() and len(stem) > 1 and last.lower() not in _DOMAINS:
        return True
    if len(last) == 1:
        return last.isalpha()
    return last[0].islower() and not last.islower() and last[:1] not in "ei" and not last.endswith("OS")


_DOMAINS = frozenset({"com", "org", "net", "io", "gov", "edu", "eu", "de", "fr", "uk", "ai", "dev", "info"})


def _unit_before(text: str, end: int) -> int | None:
    """Where the brackets begin that end at `end`, if they could be a marker."""
    start = end
    for _ in range(2):  # twice for [[1]]
        start = max(text.rfind(opening, max(0, end - MAX_MARKER), start) for opening in "[［【")
        if start < 0:
            return None
        unit = match_unit(text, start)
        if isinstance(unit, Unit) and unit.end == end:
            return start
    return None


def _is_data(text: str, i: int, unit: Unit) -> bool:
    """Whether they are an array: `"ids": [1, 2]`, `x = [1]`, `[[1, 2], [3, 4]]`, `[0, 1]`."""
    if unit.form is Form.SOURCE:
        return False
    listed = len(unit.ranges) > 1
    if listed and len(unit.ranges) == 2 and unit.ranges[0] == (0, 0):
        return True  # an interval
    k = _back_over_spaces(text, i)
    before = text[k - 1] if k else ""
    if before == "=" or (before in "[{" and before):
        return True
    if before == ",":
        k = _back_over_spaces(text, k - 1)
        start = _unit_before(text, k) if text[k - 1 : k] in ("]", "］") else None
        return start is not None and (text[start - 1 : start] == "[" or _is_data(text, start, unit))
    if before == ":":
        k = _back_over_spaces(text, k - 1)
        word = re.search(r"\w*\Z", text[max(0, k - _REACH) : k])
        return text[k - 1 : k] in ('"', "'") or (listed and (not word or word[0].lower() not in _LEADS))
    return False


_LEADS = SOURCE_WORDS - {"id", "ids"}  # "Sources: [1, 2]" is prose, "ids: [1, 2]" is data


def _back_over_spaces(text: str, k: int) -> int:
    least = max(0, k - 16)
    while k > least and text[k - 1].isspace():
        k -= 1
    return k


# --- what stands after --------------------------------------------------------------------------------------------


def _follow(text: str, i: int, unit: Unit, hangs: str, names: MarkerNames, final: bool) -> int | Partial | None:
    """Where the marker ends, its link included, or None where what follows says that it is something else."""
    end, following = unit.end, text[unit.end : unit.end + 1]
    if not following:
        return end if final else PARTIAL
    if following == "(" and unit.form is not Form.SOURCE:
        target = match_link_target(text, end)
        if target is PARTIAL and not final:
            return PARTIAL
        if isinstance(target, int):
            return target if unit.form is Form.LINK else None
    if following == "=" or (following == ":" and _begins_line(text, i)):
        return None
    return _follow_glued(text, end, names, final) if hangs == "word" else end


def _follow_glued(text: str, end: int, names: MarkerNames, final: bool) -> int | Partial | None:
    """After `word[1]`: prose goes on with a space or punctuation, code with an operator, a call or a name."""
    last = end
    for _ in range(MAX_GROUP):  # the last of several decides
        beyond = _next_end(text, last, names, final)
        if beyond is PARTIAL:
            return PARTIAL
        if beyond is None:
            break
        last = beyond
    at = _skip_spaces(text, last)
    following, second = text[at : at + 1], text[at + 1 : at + 2]
    if not final and (not following or (following in ".!<" and not second)):
        return PARTIAL
    if following == "!" and second == "=":
        return None
    if at > last:
        code = following in tuple("=+<>") and not (following == "<" and (second.isalpha() or second == "/"))
        return None if code else end
    if following == ".":
        return None if second.isalnum() or second == "_" else end
    if following == "<":
        return end if second.isalpha() or second == "/" else None
    return None if following in _OPERATORS or following.isalnum() else end


def _next_end(text: str, at: int, names: MarkerNames, final: bool) -> int | Partial | None:
    """Where the brackets end that begin at `at`, if they could be a marker."""
    if at >= len(text) or text[at] not in _BRACKETS:
        return None
    named = match_name(text, at, names, final)
    if named is not None:
        return named if named is PARTIAL else named[0]
    unit = match_unit(text, at)
    if unit is PARTIAL:
        return None if final else PARTIAL
    return unit.end if isinstance(unit, Unit) else None


_OPERATORS = frozenset("([{=+/%>&@$-")


def _begins_line(text: str, i: int) -> bool:
    start = i
    while start and i - start < 12 and text[start - 1] in " \t>":
        start -= 1
    return start == 0 or text[start - 1] == "\n"


def _skip_spaces(text: str, at: int) -> int:
    most = min(len(text), at + 16)
    while at < most and text[at] in SPACES:
        at += 1
    return at


# --- which numbers ------------------------------------------------------------------------------------------------


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
