"""What the text around brackets says about them: an index, a link, an array, or a citation.

`[1]` is also an index (`arr[1] = x`), a link's text (`[1](url)`), a definition (`[1]: url`), an array (`: [1, 2]`). The
rules below are those of a careful reader; each looks at a bounded stretch of text.
"""

import re
from typing import Final

from .grammar import (
    LOOKALIKES,
    MAX_MARKER,
    PARTIAL,
    SOURCE_WORDS,
    Form,
    Partial,
    Unit,
    match_link_target,
    match_unit,
    words,
)
from .named import MarkerNames, match_name

SPACES: Final = " \t\u00a0\u2009\u202f\u3000"  # what may stand between words in a line
_UNLIKE_CODE: Final = frozenset("【(（#&") | {pair[0] for pair in LOOKALIKES}
BRACKETS: Final = _UNLIKE_CODE | frozenset("[\\")  # the characters a pair of brackets can begin with
MAX_GROUP = 16  # markers in a row taken as one; a longer row goes on as the next one


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
    if not (before.isascii() and (before.isalnum() or before == "_")) or text[i] in "［【（#":
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


def is_data(text: str, i: int, unit: Unit) -> bool:
    """Whether they are an array: `"ids": [1, 2]`, `x = [1]`, `[[1, 2], [3, 4]]`, `[0, 1]`, the range [1, 5]."""
    if unit.form is Form.SOURCE:
        return False
    listed = len(unit.ranges) > 1
    if listed and len(unit.ranges) == 2 and unit.ranges[0] == (0, 0):
        return True  # an interval
    for _ in range(MAX_GROUP):
        k = _back_over_spaces(text, i)
        before = text[k - 1 : k]
        if before != ",":
            break
        k = _back_over_spaces(text, k - 1)  # behind another pair of brackets: what that one is
        start = _unit_before(text, k) if text[k - 1 : k] in ("]", "］") else None
        if start is None:
            return False
        i = start
    else:
        return True
    if before in ("=", "[", "{"):
        return True
    if before == ":":
        k = _back_over_spaces(text, k - 1)
        return text[k - 1 : k] in ('"', "'") or (listed and _word_before(text, k) not in _LEADS)
    return listed and _word_before(text, k) in _DATA_WORDS


_LEADS = SOURCE_WORDS - {"id", "ids"}  # "Sources: [1, 2]" is prose, "ids: [1, 2]" is data
_DATA_WORDS = words("""
    arr array interval intervals list matrix numbers prints range ranges returns row sequence set tuple values vector
""")


def _word_before(text: str, k: int) -> str:
    found = re.search(r"\w*\Z", text[max(0, k - _REACH) : k])
    return found[0].lower() if found else ""


def _back_over_spaces(text: str, k: int) -> int:
    least = max(0, k - 16)
    while k > least and text[k - 1].isspace():
        k -= 1
    return k


# --- what stands after --------------------------------------------------------------------------------------------


def follow(text: str, i: int, unit: Unit, hangs: str, names: MarkerNames, final: bool) -> int | Partial | None:
    """Where the marker ends, its link included, or None where what follows says that it is something else."""
    end, following = unit.end, text[unit.end : unit.end + 1]
    if not following:
        return end if final else PARTIAL
    if following == "(" and text[i] == "[" and unit.form is not Form.SOURCE:
        target = match_link_target(text, end)
        if target is PARTIAL and not final:
            return PARTIAL
        if isinstance(target, int):
            return target if unit.form is Form.LINK else None
    if following == "=" or (following == ":" and _begins_line(text, i)):
        return None
    return _after_word(text, end, names, final) if hangs == "word" else end


def _after_word(text: str, end: int, names: MarkerNames, final: bool) -> int | Partial | None:
    """After `word[1]`: prose goes on with a space or punctuation, code with an operator, a call or a name."""
    last = end
    for _ in range(MAX_GROUP):  # the last of several decides
        beyond = _next_end(text, last, names, final)
        if beyond is PARTIAL:
            return PARTIAL
        if beyond is None:
            break
        last = beyond
    at = skip_spaces(text, last)
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
    if at >= len(text) or text[at] not in BRACKETS:
        return None
    named = match_name(text, at, names, final)
    if named is not None:
        return named if named is PARTIAL else named[0]
    unit = match_unit(text, at)
    if not isinstance(unit, Unit):
        return None if final else unit
    if unit.form is not Form.LINK or text[unit.end : unit.end + 1] not in ("(", ""):
        return unit.end
    target = match_link_target(text, unit.end) if unit.end < len(text) else PARTIAL
    if target is PARTIAL and not final:
        return PARTIAL
    return target if isinstance(target, int) else unit.end


_OPERATORS = frozenset("([{=+/%>&@$-")


def _begins_line(text: str, i: int) -> bool:
    start = i
    while start and i - start < 12 and text[start - 1] in " \t>":
        start -= 1
    return start == 0 or text[start - 1] == "\n"


def skip_spaces(text: str, at: int) -> int:
    most = min(len(text), at + 16)
    while at < most and text[at] in SPACES:
        at += 1
    return at
