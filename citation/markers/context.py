"""The context of brackets: is it a citation, an index, a link or an array?

`[1]` can also be an index (`arr[1] = x`), the text of a link (`[1](url)`), a link definition (`[1]: url`) or an array
(`: [1, 2]`). Each rule looks at a bounded part of the surrounding text.
"""

import re
from enum import Enum
from typing import Final

from ..text.normalize import UNSPACED, fold
from ..text.words.languages import stopwords
from .displayed import LOOKALIKES, match_brackets
from .grammar import (
    MAX_MARKER,
    PARTIAL,
    SOURCE_WORDS,
    Brackets,
    Form,
    Partial,
    match_lead,
    match_link_target,
    words,
)
from .named import MarkerNames, match_name

SPACES: Final = " \t\u00a0\u2009\u202f\u3000"  # white space within a line
_UNLIKE_CODE: Final = frozenset("【#&") | {pair[0] for pair in LOOKALIKES}
OPENING_CHARACTERS: Final = _UNLIKE_CODE | frozenset("(（[\\")  # the characters that brackets can begin with
MAX_GROUP = 16  # markers in a row that are one citation; a longer row is several


# --- left context -------------------------------------------------------------------------------------------------

_NAME_BEFORE = re.compile(r"[$@]?[A-Za-z0-9_.]*\Z")
_CODE_NAMES = words("""
    arr array arrays args argv argc buf buffer ctx df dict dicts elem elements func idx index items iter key keys kwargs
    list lists lst mat matrix nums obj objs param params ptr row rows self str strs string strings struct sys tmp tuple
    var vars vec vector
""")
_REACH = 60  # characters before the brackets that are searched for a word


class LeftContext(Enum):
    """How brackets relate to the text before them."""

    FREE = "free"  # after a space, punctuation or another marker
    ATTACHED = "attached"  # right after a word of prose: `rose[1]`
    CODE = "code"  # an index, a reference link or an escape: never a citation


def left_context(text: str, i: int) -> LeftContext:
    """Classify the text before the brackets at `i`."""
    before, opening_bracket = text[i - 1] if i else "\n", text[i]
    for _ in range(MAX_GROUP):
        if before not in "]］】":
            break
        start = _brackets_before(text, i)
        if start is None:
            return LeftContext.CODE if before == "]" else LeftContext.FREE  # [text][1]: a reference link
        i, before = start, text[start - 1] if start else "\n"
    if before in "\\[［" or (before == "#" and text[i] == "#"):
        return LeftContext.CODE
    if opening_bracket in _UNLIKE_CODE:
        return LeftContext.FREE
    if before == "(":
        return LeftContext.CODE if text[i - 2 : i - 1] in _NAME_CHARACTERS and i > 1 else LeftContext.FREE
    if before == ")":
        opening = text.rfind("(", max(0, i - _REACH), i)
        return LeftContext.CODE if opening > 0 and text[opening - 1] in _NAME_CHARACTERS else LeftContext.FREE
    if not (before.isascii() and (before.isalnum() or before == "_")) or opening_bracket in "(（":
        return LeftContext.FREE
    found = _NAME_BEFORE.search(text, max(0, i - _REACH), i)
    word = found[0] if found else ""
    if not word.strip("_"):
        return LeftContext.FREE  # __[1]__
    return LeftContext.CODE if _is_code_name(word) else LeftContext.ATTACHED


_NAME_CHARACTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")


def _is_code_name(word: str) -> bool:
    """Return whether `word[1]` would be an index: `x`, `arr`, `my_list`, `myList`, `obj.items`, `x2`, `$row`."""
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


def _brackets_before(text: str, end: int) -> int | None:
    """Return the beginning of the brackets that end at `end`, if they could be a marker."""
    start = end
    for _ in range(2):  # twice for [[1]]
        start = max(text.rfind(opening, max(0, end - MAX_MARKER), start) for opening in "[［【")
        if start < 0:
            return None
        brackets = match_brackets(text, start)
        if isinstance(brackets, Brackets) and brackets.end == end:
            return start
    return None


def is_data(text: str, i: int, brackets: Brackets) -> bool:
    """Return whether they are an array: `"ids": [1, 2]`, `x = [1]`, `[[1, 2], [3, 4]]`, `[0, 1]`, the range [1, 5]."""
    if brackets.form is Form.SOURCE:
        return False
    listed = len(brackets.ranges) > 1
    if listed and len(brackets.ranges) == 2 and brackets.ranges[0] == (0, 0):
        return True  # an interval
    for _ in range(MAX_GROUP):
        k = _back_over_spaces(text, i)
        before = text[k - 1 : k]
        if before != ",":
            break
        k = _back_over_spaces(text, k - 1)  # after other brackets: the same as those
        start = _brackets_before(text, k) if text[k - 1 : k] in ("]", "］") else None
        if start is None:
            return False
        i = start
    else:
        return True
    if before == "(":  # f([1], [2])
        return left_context(text, i) is LeftContext.CODE
    if before in ("=", "[", "{"):
        return text[k - 3 : k] != "$^{"  # a formula that consists of a marker
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


# --- right context ------------------------------------------------------------------------------------------------


def right_context(
    text: str, i: int, brackets: Brackets, left: LeftContext, names: MarkerNames, final: bool
) -> int | Partial | None:
    """Return the end of the marker, including its link, or None if the text after it shows that it is none."""
    end, following = brackets.end, text[brackets.end : brackets.end + 1]
    if not following:
        return end if final else PARTIAL
    if following == "(" and text[i] == "[":
        target = match_link_target(text, end)
        if target is PARTIAL and not final:
            return PARTIAL
        if isinstance(target, int):
            return None if brackets.form is Form.PLAIN else target
    if text[i] not in _UNLIKE_CODE and (following == "=" or (following == ":" and _begins_line(text, i))):
        return None
    return _after_word(text, end, names, final) if left is LeftContext.ATTACHED else end


def _after_word(text: str, end: int, names: MarkerNames, final: bool) -> int | Partial | None:
    """Decide about `word[1]`: in prose, a space or punctuation follows; in code, an operator, a call or a name."""
    last = end
    for _ in range(MAX_GROUP):  # the last marker of a row decides
        beyond = _next_end(text, last, names, final)
        if beyond is PARTIAL:
            return PARTIAL
        if beyond is None:
            break
        if text[last] in _UNLIKE_CODE or text[beyond - 1] == ")":
            return end  # in a row with a marker that cannot be code
        last = beyond
    at = skip_spaces(text, last)
    following, second = text[at : at + 1], text[at + 1 : at + 2]
    if not final and (not following or (following in ".!<$" and not second)):
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
    if word := _WORD.match(text, at):
        return PARTIAL if word.end() == len(text) and not final else end if _is_prose(word[0]) else None
    if following in ("$", "("):
        return _before_marker(text, end, at, final)
    return None if following in _OPERATORS or following.isalnum() else end


def _before_marker(text: str, end: int, at: int, final: bool) -> int | Partial | None:
    """Return `end` if a marker that cannot be code begins at `at`: `rose[1]$^{[2]}$`, `rose[1](see [2])`."""
    if text[at] == "$":
        return end if text[at + 1 : at + 2] == "^" else None
    lead = match_lead(text, at)
    if lead is PARTIAL and not final:
        return PARTIAL
    return end if isinstance(lead, int) and lead > at + 1 else None  # not "rose[1](2)"


def _is_prose(word: str) -> bool:
    """Return whether a word right after `word[1]` shows that this is prose: `rose[1]and`, `rose[1]The`, `GPT[1]是`.

    Any other word can be the end of a name, as in `calix[4]arene`.
    """
    if _UNSPACED.match(word):
        return True
    return len(word) > 1 and (word[0].isupper() or fold(word) in stopwords(None))


def _next_end(text: str, at: int, names: MarkerNames, final: bool) -> int | Partial | None:
    """Return the end of the brackets that begin at `at`, if they could be a marker."""
    if at >= len(text) or text[at] not in OPENING_CHARACTERS:
        return None
    named = match_name(text, at, names, final)
    if named is not None:
        return named if named is PARTIAL else named[0]
    brackets = match_brackets(text, at)
    if not isinstance(brackets, Brackets):
        return None if final else brackets
    if brackets.form is Form.PLAIN or text[at] != "[" or text[brackets.end : brackets.end + 1] not in ("(", ""):
        return brackets.end
    target = match_link_target(text, brackets.end) if brackets.end < len(text) else PARTIAL
    if target is PARTIAL and not final:
        return PARTIAL
    return target if isinstance(target, int) else brackets.end


_WORD = re.compile(r"[^\W\d_]{1,16}")  # no stop word is longer
_UNSPACED = re.compile(f"[{UNSPACED}]")
_OPERATORS = frozenset("([{=+/%>&@$-")


def _begins_line(text: str, i: int) -> bool:
    start = i
    while start and i - start < 12 and text[start - 1] in " \t>":
        start -= 1
    return start == 0 or text[start - 1] == "\n"


def skip_spaces(text: str, at: int) -> int:
    """Return the position after at most 16 spaces at `at`."""
    most = min(len(text), at + 16)
    while at < most and text[at] in SPACES:
        at += 1
    return at
