"""Boundaries: whether a sentence ends at this mark, from a bounded stretch of text on both sides of it.

Rules of our own rather than a library's: each looks only at the mark and its neighbours, so any way of cutting a stream
gives the same sentences, at constant cost. (sentencex, the best splitter measured beside it, has to see whole
paragraphs, and answers 43 of the 48 English golden rules of pySBD; `python -m bench.segmenting` prints ours.)
"""

import re
from typing import Final

from ..markers import PARTIAL, STARTS, Match, match_marker
from .abbreviations import BEFORE_DAY, BEFORE_NUMBER, MONTHS, NEVER, SOMETIMES, STARTERS
from .scripts import CJK, CJK_ENDS, CLOSERS, EMOJI, GREEK, OPENERS, OTHER_ENDS, SPACES
from .waiting import WAIT, Wait

LEFT = 60  # characters looked at before a mark: more than any abbreviation or number
INSIDE = 200  # characters within which brackets that stand open are looked for
AHEAD = 5  # characters of the next word that decide, where it is not complete


ENDS: Final = f".!?…‼⁇⁈⁉{CJK_ENDS}{OTHER_ENDS}"
GREEK_QUESTION: Final = f"(?<=[{GREEK}]);"
_UNSPACED: Final = frozenset(CJK_ENDS + OTHER_ENDS)  # ends that need no space after them
_RUN = re.compile(f"[{re.escape(ENDS)}]+(?:[ \u00a0]\\.)*")  # also an ellipsis with spaces: . . .
_DOTS = re.compile(r"\.?(?:[ \u00a0]\.)+")
_TAIL = re.compile(f"[{re.escape(CLOSERS)}{EMOJI}]+")
_EMOJI = re.compile(f"[{EMOJI}]+")
_CLOSING_TAG = re.compile(r"</[A-Za-z]{1,20}>|</?[A-Za-z]{0,20}\Z")
_HIRAGANA = re.compile("[\u3041-\u309f]")
_SPACE = re.compile(r"\s")
_BLANK = re.compile(f"[{SPACES}]*")
_CJK = re.compile(f"[{CJK}]")
_WORD_BEFORE = re.compile(r"[^\s(\[{<\"'“‘«„*_/–—]*\Z")
_NUMBERED = re.compile(r"\s*(?:[•⁃▪◦‣*-]\s?)?(\d{1,3}|[A-Za-z])([.)]{1,2})")
_DOTTED = re.compile(r"(?:[^\W\d_]{1,2}\.)+[^\W\d_]{1,2}")  # U.S, p.m, z.B
_MIXED_CLOSERS = (("„", "“"), ("»", "«"), ("„", "”"))  # what closes in one language opens in another


def sentence_end(text: str, i: int, *, final: bool) -> int | Wait | None:
    """Where the sentence `text` ends whose mark stands at `i`, the space behind it included; None where it goes on.

    `text` begins with the sentence. `final`: nothing follows it on this line.
    """
    run = _RUN.match(text, i)
    end = run.end() if run else i + 1
    if not final and (end == len(text) or (text[end] == " " and not _enough(text, end + 1))):
        return WAIT
    if text[i] == "." and text[max(0, i - 2) : i] in (". ", ".\u00a0"):
        return None  # the first dot has decided for all of them
    spaced = text[end - 1] not in _UNSPACED
    if spaced and _inside_a_word(text, end):
        return None
    if _numbered(text[: i + 1]) or _in_brackets(text, i, end) or not _has_word(text[:i]):
        return None
    closed = _closed(text, i, end, final)
    if closed is WAIT:
        return WAIT
    after = _over(_BLANK, text, closed)
    if after == len(text):
        return after if final else WAIT
    if not spaced and text[closed - 1] in "」』" and _HIRAGANA.match(text[after]):
        return None  # 「…。」と言った: what was said is part of the sentence
    if not spaced:
        return after
    if after == closed:
        return after if _CJK.match(text[after]) else None
    if not final and not _enough(text, after):
        return WAIT
    if _DOTS.fullmatch(text, i, end) and end - i > 2:
        return _after_dots(text, i, end, after)
    return after if _ends(text, i, end, after) else None


def next_number(text: str, i: int) -> int | None:
    """Where the next item of a list in one line begins, `2.` or `b)`, whose mark stands at `i`; None if it is none."""
    if text[i : i + 2] == ".)":
        i += 1
    first = _NUMBERED.match(text)
    found = re.search(r"\s((?:[•⁃▪◦‣]\s?)?(\d{1,3}|[A-Za-z])([.)]{1,2}))\Z", text[max(0, i - 12) : i + 1])
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


def _has_word(text: str) -> bool:
    return any(character.isalnum() for character in text[-LEFT:]) or len(text) > LEFT


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


def _closed(text: str, i: int, end: int, final: bool) -> int | Wait:
    """Behind the closers, and behind the model's markers that follow, with a space before them or not."""
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
        tag = _CLOSING_TAG.match(text, end)
        found = tag.end() if tag else _behind_marker(text, at, final)
        if found is WAIT or (tag and tag.end() == len(text) and not tag[0].endswith(">") and not final):
            return WAIT
        if not isinstance(found, int):
            break
        end = _over(_TAIL, text, found)
    return end if final or end < len(text) else WAIT


def _behind_marker(text: str, at: int, final: bool) -> int | Wait | None:
    """Behind the model's marker that begins at `at`, if one does."""
    if text[at] not in STARTS:
        return None
    found = match_marker(text, at, final=final)
    if found is PARTIAL:
        return WAIT
    return found.end if isinstance(found, Match) else None


def _enough(text: str, after: int) -> bool:
    """Whether the next word is complete, or as much of it is here as the decision needs."""
    return len(text) - after >= AHEAD or _SPACE.search(text, after) is not None


def _after_dots(text: str, i: int, end: int, after: int) -> int | None:
    """Dots with spaces between: three leave something out, a fourth ends the sentence."""
    dots = text.count(".", i, end)
    if not text[after:].lstrip(OPENERS)[:1].isupper() or dots != 4:
        return None
    attached = not text[i - 1].isspace()
    return i + 2 if attached else after


def _ends(text: str, i: int, end: int, after: int) -> bool:
    """Whether the mark ends a sentence, given that a space follows."""
    following = text[after:].lstrip(OPENERS) or text[after:]
    if following[:1].islower():
        return False
    if text[end - 1] == "…" or end - i > 1 or text[i] != ".":
        return True
    found = _WORD_BEFORE.search(text[max(0, i - LEFT) : i])
    before = found[0] if found else ""
    return not _abbreviated(before, text[max(0, i - LEFT) : i - len(before)], following)


def _abbreviated(before: str, left: str, following: str) -> bool:
    """Whether `before.` is short for something and the sentence goes on with `following`."""
    plain = before.lower()
    first = following[:1]
    if plain in NEVER:
        return True
    if plain in BEFORE_NUMBER:
        return first.isdigit()
    word = re.match(r"[\w'’]*", following)
    starts = (word[0] if word else "").lower() in STARTERS
    if plain in SOMETIMES or _DOTTED.fullmatch(before):
        return not starts or (plain in _CLOCK and first.isdigit())
    if len(before) == 1 and before.isalpha():
        return _initial(before, left, following, starts)
    if before.isdigit() and len(before) <= 2:
        return (word[0] if word else "").lower() in MONTHS or left.split(" ")[-2:-1] in BEFORE_DAY
    return False


_CLOCK = frozenset({"a.m", "p.m"})


def _initial(letter: str, left: str, following: str, starts: bool) -> bool:
    """`J. Smith`, `z. B.`; but `you and I. Then`, `plan B. It`."""
    if re.match(r"[^\W\d_]\.", following) and not letter.isupper():
        return True
    if re.search(r"(?:\A|\s)[^\W\d_]\.[ \u00a0]\Z", left):  # the second of two
        return not starts
    if not letter.isupper():
        return False
    named = re.search(r"(\w+)[ \u00a0]\Z", left)
    if named is None or named[1][:1].isupper():
        return True
    return letter != "I" and not starts
