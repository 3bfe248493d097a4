"""The context of brackets: is it a citation, an index or a link?

`[1]` can also be an index (`arr[1] = x`), the text of a link (`[1](url)`) or a link definition (`[1]: url`); arrays.py
recognises arrays. Each rule looks at a bounded part of the surrounding text.
"""

import re
from enum import Enum
from typing import Final

from ..text.need_data import NEED_DATA, NeedData
from ..text.normalize import UNSPACED, fold
from ..text.words.languages import stopwords
from .displayed import LOOKALIKES, match_brackets
from .grammar import MAX_MARKER_CHARACTERS, WORDS, Brackets, Form, Match, match_lead, match_link_target, match_locator
from .named import MarkerNames, match_name
from .notations import match_notation
from .source_lists import match_list

SPACES: Final = " \t\u00a0\u2009\u202f\u3000"  # white space within a line
_UNLIKE_CODE: Final = frozenset("【#&") | {pair[0] for pair in LOOKALIKES}
OPENING_CHARACTERS: Final = _UNLIKE_CODE | frozenset("(（[\\")  # the characters that brackets can begin with
MAX_GROUP = 16  # markers in a row that are one citation; a longer row is several
ROW_GAP: Final = re.compile(f"[{SPACES}]{{0,3}}[,;、，；·・–/+-]?[{SPACES}]{{0,3}}")  # between the markers of a row


# --- left context -------------------------------------------------------------------------------------------------

_NAME_BEFORE = re.compile(r"[$@\\]?[A-Za-z0-9_.]*\Z")
_VARIABLE = re.compile(r"[A-Za-z]|[a-z]\d{1,2}")
# "vitamin C[1]", "Plan B[1]": the letter is part of a name, no variable
_LETTERED = re.compile(
    r"\b(?:vitamine?|hepatitis|influenza|plan|type|grade|class|category|group|schedule|appendix|annex|exhibit|series)"
    r" [A-Z]\Z",
    re.IGNORECASE,
)
# "in World War I[1]" and "to Charles V[1]", not "Set X[1]" at the beginning of a sentence or "die Spannung V[1]"
_NUMERAL = re.compile(r"\w,? (?<!\b[Dd](?:er|ie|as|en|em) )([A-Z]\w+) [IVX]\Z")
_QUANTITY = re.compile(
    r"""(?<![\w.,])\d(?:[\d.,]*\d)?\ ?
    (?:[A-Za-zµ]{1,3}/ | degrees?\ )?  # "90 km/h[1]", "145 degrees F[1]"
    °?[ABCFJKLMNSTVWghkms]\Z  # a unit, a point of the compass or a billion: "5 g[1]", "64°N[1]", "$2 B[1]"
    """,
    re.VERBOSE,
)
_HYPHENATED = re.compile(r"[^\W\d_]{2}-[A-Z]\Z")  # "Ice-T[1]"
_ABBREVIATION = re.compile(r"(?:[A-Z]\.)+[A-SU-Z]")  # "U.S[1]", not the transposed matrix "A.T[1]"
_AMOUNT = re.compile(r"\$\d.*")  # "$100[1]", "$24million[1]"
_NAME_CHARACTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_")
_OPENING_OF = {")": "(", "}": "{"}  # the arguments of a call or a command: f(x)[1], \\begin{array}[1]
_SUFFIXES = frozenset("sStTdm")  # after an apostrophe: "UK's", "1980's", "can't"
_GREEK = re.compile(r"[\u0370-\u03ff]")  # "Δx[1]", a variable
# α[1], ℤ[1], but not the end of a word: "TNF-α[1]"
_SYMBOL = re.compile(r"(?<![^\W_])(?<![^\W_]{2}-)(?=[^\W\d_])[\u0370-\u03ff\u2100-\u214f\U0001d400-\U0001d7ff]\Z")
REACH_CHARACTERS = 60  # characters before the brackets that are searched for a word


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
        start = brackets_before(text, i)
        if start is None:
            return LeftContext.CODE if before == "]" else LeftContext.FREE  # [text][1]: a reference link
        i, before = start, text[start - 1] if start else "\n"
    if before in "\\[［" or (before == "#" and text[i] == "#"):
        return LeftContext.CODE
    if opening_bracket in _UNLIKE_CODE:
        return LeftContext.FREE
    if before == "(":
        return LeftContext.CODE if follows_word(text, i - 1) else LeftContext.FREE
    if before in _OPENING_OF:
        opening = text.rfind(_OPENING_OF[before], max(0, i - REACH_CHARACTERS), i)
        is_code = follows_word(text, opening) or text[opening - 1 : opening] == "$"
        return LeftContext.CODE if opening > 0 and is_code else LeftContext.FREE
    return LeftContext.FREE if opening_bracket in "(（" else _word_context(text, i, before)


def _word_context(text: str, i: int, before: str) -> LeftContext:
    """Classify brackets at `i` by the word or symbol before them, which ends with `before`."""
    if _SYMBOL.search(text, max(0, i - 2), i):
        return LeftContext.CODE
    end_of_word = i - 1 if before == "^" else i  # the superscript of a variable: W^[1]
    if not (before.isascii() and (before.isalnum() or before in "_^")):
        return LeftContext.FREE
    word = _name_before(text, end_of_word)
    start = end_of_word - len(word)
    if word.endswith("__"):
        word = word.rstrip("_")  # rose__[1]__
    if not word.strip("_"):
        return LeftContext.FREE  # __[1]__
    if _is_code_name(word) and not _is_part_of_name(text, start, end_of_word):
        return LeftContext.CODE
    return LeftContext.ATTACHED if end_of_word == i else LeftContext.FREE


def is_called(text: str, i: int) -> bool:
    """Return whether the parenthesis at `i` has arguments: `sum([1])`, not `rose([1])`."""
    if not follows_word(text, i):
        return False
    name = _name_before(text, i)
    is_function = name.lower() in WORDS["function"] or _is_code_name(name)
    return is_function and not _is_part_of_name(text, i - len(name), i)


def follows_word(text: str, i: int) -> bool:
    """Return whether a letter or digit stands directly before `i`."""
    return i > 0 and text[i - 1] in _NAME_CHARACTERS


def _name_before(text: str, end: int) -> str:
    """Return the ASCII name that ends at `end`, with its dots and its `$`, `@` or backslash; empty if there is none."""
    match = _NAME_BEFORE.search(text, max(0, end - REACH_CHARACTERS), end)
    return match[0] if match else ""


def _is_part_of_name(text: str, start: int, end: int) -> bool:
    """Return whether the letters from `start` to `end` belong to a longer word, a name or a quantity of prose."""
    if _continues_word(text, start, end):
        return True
    first = max(0, end - REACH_CHARACTERS)
    if (numeral := _NUMERAL.search(text, first, end)) and fold(numeral[1]) not in stopwords(None):
        return True  # not "If I[1]"
    return any(pattern.search(text, first, end) for pattern in (_LETTERED, _QUANTITY, _HYPHENATED))


def _continues_word(text: str, start: int, end: int) -> bool:
    """Return whether the letters from `start` to `end` end a longer word: the "n" of "Colón", the "T" of "AT&T"."""
    letters, before, earlier = text[start:end], text[start - 1 : start], text[start - 2 : start - 1]
    if before in ("'", "’"):
        return letters in _SUFFIXES and earlier.isalnum()
    if before == "&":
        return letters.isupper() and earlier.isupper()
    if not before.isalpha() or before.isascii() or _UNSPACED.match(before) or _GREEK.match(before):
        return False
    return letters.isalpha() and (letters.islower() or letters.isupper())


def _is_code_name(word: str) -> bool:
    """Return whether `word[1]` would be an index: `x`, `arr`, `my_list`, `myList`, `obj.items`, `x2`, `$row`."""
    stem, _, last = word.rpartition(".")
    if _AMOUNT.fullmatch(word) or _ABBREVIATION.fullmatch(word):
        return False
    if word[0] in "$@\\" or "_" in word or last.lower() in WORDS["variable"] or _VARIABLE.fullmatch(last):
        return True
    if last.isdigit() or not last:
        return False
    if stem.strip(".").isidentifier() and len(stem) > 1 and last.lower() not in WORDS["domain"]:
        return True
    return last[0].islower() and not last.islower() and last[:1] not in "ei" and not last.endswith("OS")


def brackets_before(text: str, end: int) -> int | None:
    """Return the beginning of the brackets that end at `end`, if they could be a marker."""
    start = end
    for _ in range(2):  # twice for [[1]]
        start = max(text.rfind(opening, max(0, end - MAX_MARKER_CHARACTERS), start) for opening in "[［【")
        if start < 0:
            return None
        brackets = match_brackets(text, start)
        if isinstance(brackets, Brackets) and brackets.end == end:
            return start
    return None


# --- right context ------------------------------------------------------------------------------------------------


def right_context(
    text: str, i: int, brackets: Brackets, left: LeftContext, names: MarkerNames, final: bool
) -> int | NeedData | None:
    """Return the end of the marker, including its link, or None if the text after it shows that it is none."""
    end, following = brackets.end, text[brackets.end : brackets.end + 1]
    if not following:
        return end if final else NEED_DATA
    if following == "(" and text[i] == "[":
        target = match_link_target(text, end)
        if target is NEED_DATA and not final:
            return NEED_DATA
        if isinstance(target, int):
            is_citation = brackets.form is not Form.PLAIN or _links_to_source(text, i, end, target, names)
            return target if is_citation else None
    if text[i] not in _UNLIKE_CODE and (following == "=" or (following == ":" and _begins_line(text, i))):
        return None
    if following == "-" and brackets.form is Form.PLAIN:  # [1,2]-shift
        joined = text[end + 1 : end + 2]
        if joined.isalpha() or not (joined or final):
            return None if joined else NEED_DATA
    return after_word(text, end, names, final) if left is LeftContext.ATTACHED else end


def after_word(text: str, end: int, names: MarkerNames, final: bool) -> int | NeedData | None:
    """Decide about `word[1]` or `word([1])`, which ends at `end`; return `end` if it is a marker.

    In prose, a space or punctuation follows; in code, an operator, a call or a name.
    """
    last = _end_of_row(text, end, names, final)
    if last is NEED_DATA:
        return NEED_DATA
    if last is None:
        return end  # in a row with a marker that cannot be code
    following_start = skip_spaces(text, last)
    following, second = text[following_start : following_start + 1], text[following_start + 1 : following_start + 2]
    if not final and (not following or (following in ".!<$" and not second)):
        return NEED_DATA
    if following == "!" and second == "=":
        return None
    if following_start > last:
        code = following in tuple("=+<>") and not (following == "<" and (second.isalpha() or second in "/!"))
        return None if code else end
    if following == ".":
        return None if second.isalnum() or second == "_" else end
    if following == "<":
        return end if second.isalpha() or second in "/!" else None
    if word := _WORD.match(text, following_start):
        return NEED_DATA if word.end() == len(text) and not final else end if _is_prose(word[0]) else None
    if following in ("$", "("):
        return _before_marker(text, end, following_start, names, final)
    return None if following in _OPERATORS or following.isalnum() else end


def _end_of_row(text: str, end: int, names: MarkerNames, final: bool) -> int | NeedData | None:
    """Return the end of the last marker of the row whose first one ends at `end`; None if they cannot be code.

    Brackets cannot be code if others follow them after a space, a comma or a sign: `rose[1]-[2]`.
    """
    for _ in range(MAX_GROUP):
        gap = ROW_GAP.match(text, end)
        start = gap.end() if gap else end
        if end < start == len(text) and not final:
            return NEED_DATA
        beyond = _next_end(text, start, names, final)
        if not isinstance(beyond, int):
            return beyond or end
        if start > end or text[start] in _UNLIKE_CODE or text[beyond - 1] == ")" or _is_notation(text, start, names):
            return None
        end = beyond
    return end


def _is_notation(text: str, position: int, names: MarkerNames) -> bool:
    """Return whether the brackets at `position` contain more than numbers, as no index does."""
    return not isinstance(match_brackets(text, position), Brackets) and match_name(text, position, names, True) is None


def _before_marker(text: str, end: int, position: int, names: MarkerNames, final: bool) -> int | NeedData | None:
    """Return `end` if a marker that cannot be code begins at `position`: `rose[1]$^{[2]}$`, `rose[1](see [2])`."""
    if text[position] == "$":
        return end if text[position + 1 : position + 2] == "^" else None
    lead = match_lead(text, position)
    place = lead
    if lead == position + 1:  # "rose[1]([2], p. 3)", not "rose[1](2)"
        inner = _next_end(text, lead, names, final)
        place = match_locator(text, inner) if isinstance(inner, int) else inner
    if place is NEED_DATA and not final:
        return NEED_DATA
    return end if isinstance(place, int) else None


def _is_prose(word: str) -> bool:
    """Return whether a word right after `word[1]` shows that this is prose: `rose[1]and`, `rose[1]The`, `GPT[1]是`.

    Any other word can be the end of a name, as in `calix[4]arene`.
    """
    if _UNSPACED.match(word):
        return True
    return len(word) > 1 and (word[0].isupper() or fold(word) in stopwords(None))


def _next_end(text: str, position: int, names: MarkerNames, final: bool) -> int | NeedData | None:
    """Return the end of the brackets that begin at `position`, if they could be a marker."""
    if position >= len(text) or text[position] not in OPENING_CHARACTERS:
        return None
    named = match_name(text, position, names, final)
    if named is not None:
        return named.end if isinstance(named, Match) else named
    notation = match_notation(text, position, names, final=final)
    if notation is not None:
        return notation.end if isinstance(notation, Match) else notation
    brackets = match_brackets(text, position)
    if brackets is None:
        listed = match_list(text, position, names, final)
        return listed[0].end if isinstance(listed, tuple) else listed
    if brackets is NEED_DATA:
        return None if final else NEED_DATA
    if brackets.form is Form.PLAIN or text[position] != "[" or text[brackets.end : brackets.end + 1] not in ("(", ""):
        return brackets.end
    target = match_link_target(text, brackets.end) if brackets.end < len(text) else NEED_DATA
    if target is NEED_DATA and not final:
        return NEED_DATA
    return target if isinstance(target, int) else brackets.end


def _links_to_source(text: str, i: int, start: int, end: int, names: MarkerNames) -> bool:
    """Return whether a number at `i` with the link target `text[start:end]` cites: `[1](https://…)`, `[1]()`.

    The number of a step, page or section is a word of its sentence, and `[1](#intro)` leads to a place in the text.
    """
    if text[i - 1 : i] == "!":
        return False  # an image
    target = text[start + 1 : end - 1].strip().split(" ")[0].strip("<>")
    if not target or target in names.targets or target in names.names or _REFERENCE_ANCHOR.match(target):
        return True
    label = _LABEL_BEFORE.search(text, max(0, i - REACH_CHARACTERS), i)
    is_labelled = label is not None and label[0].strip().lower() in _NUMBERED
    return _ADDRESS.match(target) is not None and not is_labelled and not follows_word(text, i)


_NUMBERED = WORDS["numbered"] | WORDS["locator"]
_LABEL_BEFORE = re.compile(r"[^\W\d_]{1,20}[ \u00a0#]{1,3}\Z")
_ADDRESS = re.compile(r"https?://|www\.|file:|/|[^\s#/][^\s#]*\.\w", re.IGNORECASE)  # also the name of a file
_REFERENCE_ANCHOR = re.compile(r"#(?:\d|ref|cit|fn|source|note)", re.IGNORECASE)  # [1](#ref-1), [1](#citation-1)
_WORD = re.compile(r"[^\W\d_]{1,16}")  # no stop word is longer
_UNSPACED = re.compile(f"[{UNSPACED}]")
_OPERATORS = frozenset("([{=+/%>&@$-")


def _begins_line(text: str, i: int) -> bool:
    start = i
    while start and i - start < 12 and text[start - 1] in " \t>":
        start -= 1
    return start == 0 or text[start - 1] == "\n"


def skip_spaces(text: str, position: int) -> int:
    """Return the position after at most 16 spaces at `position`."""
    most = min(len(text), position + 16)
    while position < most and text[position] in SPACES:
        position += 1
    return position
