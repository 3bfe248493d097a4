"""Boundaries: whether a sentence ends at this mark, from a bounded stretch of text on both sides of it.

Rules of our own rather than a library's: each looks only at the mark and its neighbours, so any way of cutting a stream
gives the same sentences, at constant cost. (sentencex, the best splitter measured beside it, has to see whole
paragraphs, and answers 43 of the 48 English golden rules of pySBD; `python -m bench.segmenting` prints ours.)
"""

import re
from typing import Final

from ...markers import PARTIAL, STARTS, Match, match_marker
from .abbreviations import STARTERS
from .full_stop import LEFT, full_stop_ends
from .lookahead import NEED_DATA, NeedData
from .punctuation import ARMENIAN, CJK, CJK_ENDS, CLOSERS, EMOJI, FOOTNOTES, GREEK, OPENERS, OTHER_ENDS, SPACES

INSIDE = 200  # characters within which brackets that stand open are looked for
MAX_STARTER = 14  # characters of a word that begins sentences
MAX_OPENERS = 8  # quotation marks, brackets, dashes and spaces in front of a word

ENDS: Final = f".!?…‼⁇⁈⁉{CJK_ENDS}{OTHER_ENDS}"
LOOKALIKES: Final = f"(?<=[{GREEK}]);|(?<=[{ARMENIAN}]):"  # what is typed for the Greek question mark and the verjaket
_UNSPACED: Final = frozenset(CJK_ENDS + OTHER_ENDS)  # ends that need no space after them
_RUN = re.compile(f"[{re.escape(ENDS)}]+(?:[ \u00a0]\\.)*")  # also an ellipsis with spaces: . . .
_DOTS = re.compile(r"\.?(?:[ \u00a0]\.)+")
_TAIL = re.compile(f"[{re.escape(CLOSERS)}{EMOJI}{FOOTNOTES}]+")
_EMOJI = re.compile(f"[{EMOJI}]+")
_WORD_FOLLOWS = re.compile(" [A-Za-z0-9]")
_CLOSING_TAG = re.compile(r"</[A-Za-z]{1,20}>|</?[A-Za-z]{0,20}\Z")
_HIRAGANA = re.compile("[\u3041-\u309f]")
_LETTER = re.compile(r"[^\W_]")
_BLANK = re.compile(f"[{SPACES}]*")
_CJK = re.compile(f"[{CJK}]")
_BEFORE_WORD = re.compile(f"[{re.escape(OPENERS)}{SPACES}]{{0,{MAX_OPENERS}}}")
_BRAND = re.compile(r"[a-z]{1,3}(?:[A-Z]|\Z)")
_WORD = re.compile(r"\w*")
_MARKER_ENDS = frozenset("]】］)$")
_NUMBERED = re.compile(r"\s*(?:[•⁃▪◦‣*-]\s?)?(\d{1,3}|[A-Za-z])([.)]{1,2})")
_NEXT_NUMBER = re.compile(r"\s((?:[•⁃▪◦‣]\s?)?(\d{1,3}|[A-Za-z])([.)]{1,2}))\Z")
_MIXED_CLOSERS = (("„", "“"), ("»", "«"), ("„", "”"))  # what closes in one language opens in another


def sentence_end(text: str, i: int, *, final: bool) -> int | NeedData | None:
    """Where the sentence `text` ends whose mark stands at `i`, the space behind it included; None where it goes on.

    `text` begins with the sentence. `final`: nothing follows it on this line.
    """
    run = _RUN.match(text, i)
    end = run.end() if run else i + 1
    if not final and (end == len(text) or (end + 1 == len(text) and text[end] == " ")):
        return NEED_DATA
    if text[i] == "." and text[max(0, i - 2) : i] in (". ", ".\u00a0"):
        return None  # the first dot has decided for all of them
    spaced = text[end - 1] not in _UNSPACED
    if spaced and text[end : end + 1] not in FOOTNOTES and _inside_a_word(text, end):
        return _glued(text, i, end, final)
    if _numbered(text[: i + 1]) or _in_brackets(text, i, end) or not _has_word(text, i):
        return None
    closed = _closed(text, i, end, final)
    if closed is NEED_DATA:
        return NEED_DATA
    after = _over(_BLANK, text, closed)
    if after == len(text):
        return after if final else NEED_DATA
    if not spaced and text[closed - 1] in "」』" and _HIRAGANA.match(text[after]):
        return None  # 「…。」と言った: what was said is part of the sentence
    if not spaced:
        return after
    if after == closed:
        behind_marker = closed - end > 2 and text[closed - 1] in _MARKER_ENDS and text[after].isupper()
        return after if behind_marker or _CJK.match(text[after]) else None
    return _begins(text, i, end, after, final)


def next_number(text: str, i: int) -> int | None:
    """Where the next item of a list in one line begins, `2.` or `b)`, whose mark stands at `i`; None if it is none."""
    if text[i : i + 2] == ".)":
        i += 1
    first = _NUMBERED.match(text)
    found = _NEXT_NUMBER.search(text[max(0, i - 12) : i + 1]) if first else None
    if first is None or found is None or first[2] != found[3] or first.end() > i:
        return None
    before, after = first[1], found[2]
    follows = (
        int(after) == int(before) + 1 if before.isdigit() and after.isdigit() else ord(after[-1]) == ord(before[-1]) + 1
    )
    return i + 1 - len(found[1]) if follows and before.isdigit() == after.isdigit() else None


def _over(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at


def _inside_a_word(text: str, end: int) -> bool:
    """A decimal, a version, an address, `!=`, a file name."""
    following = text[end : end + 1]
    return (following.isalnum() and not _CJK.match(following)) or following in ("=", "/", "@", "\\", "&", "%")


def _numbered(text: str) -> bool:
    """Whether this is nothing but the number of a list item."""
    found = _NUMBERED.match(text)
    return found is not None and found.end() >= len(text)


def _has_word(text: str, i: int) -> bool:
    return i > LEFT or _LETTER.search(text, 0, i) is not None


_BRACKETS = {"(": ")", "[": "]", "《": "》", "〈": "〉", "（": "）"}


def _in_brackets(text: str, i: int, end: int) -> bool:
    """Whether a bracket stands open that is not closed at once; one that hangs on a colon is a face."""
    stretch = text[max(0, i - INSIDE) : i]
    for opening, closing in _BRACKETS.items():
        at = stretch.rfind(opening)
        if at < 0 or closing in stretch[at:] or (at and stretch[at - 1] in ":;"):
            continue
        if text[end : end + 1] != closing or stretch.endswith(opening):  # [...]
            return True
    return False


def _closed(text: str, i: int, end: int, final: bool) -> int | NeedData:
    """Behind the closers, and behind the model's markers that follow, with a space before them or not."""
    if _WORD_FOLLOWS.match(text, end):
        return end  # as mostly
    end = _over(_TAIL, text, end)
    for opening, closing in _MIXED_CLOSERS:
        if text[end : end + 1] == closing and text.count(opening, max(0, i - INSIDE), i):
            end = _over(_TAIL, text, end + 1)
    while end < len(text):
        at = _over(_BLANK, text, end)
        if at == len(text):
            break
        if emoji := _EMOJI.match(text, at):
            end = emoji.end()
            continue
        if text[at] == "»" and text.count("«", max(0, i - INSIDE), i) > text.count("»", max(0, i - INSIDE), end):
            end = _over(_TAIL, text, at)
            continue
        tag = _CLOSING_TAG.match(text, end)
        found = tag.end() if tag else _behind_marker(text, at, final)
        if found is NEED_DATA or (tag and tag.end() == len(text) and not tag[0].endswith(">") and not final):
            return NEED_DATA
        if not isinstance(found, int):
            break
        end = _over(_TAIL, text, found)
    return end if final or end < len(text) else NEED_DATA


def _behind_marker(text: str, at: int, final: bool) -> int | NeedData | None:
    """Behind the model's marker that begins at `at`, if one does."""
    if text[at] not in STARTS:
        return None
    found = match_marker(text, at, final=final)
    if found is PARTIAL:
        return NEED_DATA
    return found.end if isinstance(found, Match) else None


def _begins(text: str, i: int, end: int, after: int, final: bool) -> int | NeedData | None:
    """Where the sentence ends that a mark and a space end, going by what begins at `after`."""
    begin = _over(_BEFORE_WORD, text, after)
    if begin - after == MAX_OPENERS:
        return None
    if begin == len(text):
        return after if final else NEED_DATA
    if text[begin].islower():
        brand = _BRAND.match(text, begin)  # iPhone, eBay
        if brand and brand.end() == len(text) and not final:
            return NEED_DATA
        if not brand or not brand[0][-1].isupper():
            return None
    dots = text.count(".", i, end)
    if dots > 2 and _DOTS.fullmatch(text, i, end):  # three leave something out, a fourth ends the sentence
        goes_on = dots != 4 or not text[begin].isupper()
        return None if goes_on else (after if text[i - 1].isspace() else i + 2)
    if end - i > 1 or text[i] != ".":
        return after
    ends = full_stop_ends(text, i, begin, final=final)
    return NEED_DATA if ends is NEED_DATA else after if ends else None


def _glued(text: str, i: int, end: int, final: bool) -> int | NeedData | None:
    """`It rose.The next`: the space left out, where lower case ends and a word follows that begins sentences."""
    if not text[end].isupper() or not text[i - 1 : i].islower() or not text[max(0, i - 2) : i].isalpha():
        return None
    word = _WORD.match(text, end)
    stop = word.end() if word else end
    if stop == len(text) and not final:
        return NEED_DATA if stop - end < MAX_STARTER else None
    starts = text[end:stop].lower() in STARTERS and text[end + 1 : stop].islower() and stop - end > 1
    return end if starts and text[stop : stop + 1].isspace() else None
