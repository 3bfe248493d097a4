"""Boundaries: whether a sentence ends at this mark, from a bounded stretch of text on both sides of it."""

import re
from enum import Enum
from typing import Final

from ..markers import PARTIAL, STARTS, Match, match_marker
from .abbreviations import ALWAYS, BEFORE_LOWER, BEFORE_NUMBER, STARTERS
from .scripts import CJK, CJK_ENDS, CLOSERS, EMOJI, OPENERS, OTHER_ENDS, SPACES

LEFT = 60  # characters looked at before a mark: more than any abbreviation or number
AHEAD = 5  # characters of the next word that decide, where it is not complete


class Wait(Enum):
    """The type of WAIT."""

    WAIT = "wait"


WAIT: Final = Wait.WAIT  # what follows decides

ENDS: Final = f".!?…‼⁇⁈⁉{CJK_ENDS}{OTHER_ENDS}"
_RUN = re.compile(f"[{re.escape(ENDS)}]+")
_TAIL = re.compile(f"[{re.escape(CLOSERS)}{EMOJI}]+")
_BLANK = re.compile(f"[{SPACES}]*")
_WORD_BEFORE = re.compile(r"[^\s(\[{<\"'“‘«„*_/]*\Z")


def sentence_end(text: str, i: int, start: int, *, final: bool) -> int | Wait | None:
    """Where the sentence ends whose mark stands at `i`, the space behind it included; None where it goes on.

    `start`: where the sentence begins. `final`: nothing follows `text` on this line.
    """
    run = _RUN.match(text, i)
    end = run.end() if run else i + 1
    if end == len(text) and not final:
        return WAIT
    if text[end - 1] not in CJK_ENDS + OTHER_ENDS and _inside_a_word(text, i, end):
        return None
    closed = _closed(text, end, final)
    if closed is WAIT:
        return WAIT
    blank = _BLANK.match(text, closed)
    after = blank.end() if blank else closed
    if after == len(text):
        return closed if final else WAIT
    if text[i] in CJK_ENDS or text[i] in OTHER_ENDS:
        return after
    if after == closed:
        return after if re.match(f"[{CJK}]", text[after]) else None
    if not final and not _enough(text, after):
        return WAIT
    return after if _begins(text, i, end, after, start) else None


def _inside_a_word(text: str, i: int, end: int) -> bool:
    """A decimal, a version, an address, `!=`, a file name."""
    following = text[end : end + 1]
    return following.isalnum() and not re.match(f"[{CJK}]", following) or following in ("=", "/", "@", "\\", "&", "%")


def _closed(text: str, end: int, final: bool) -> int | Wait:
    """Behind the closers, and behind the model's markers that follow, with a space before them or not."""
    if tail := _TAIL.match(text, end):
        end = tail.end()
    while end < len(text):
        blank = _BLANK.match(text, end)
        at = blank.end() if blank else end
        if at == len(text):
            return end if final else WAIT
        if text[at] not in STARTS:
            return end
        found = match_marker(text, at, final=final)
        if found is PARTIAL:
            return WAIT
        if not isinstance(found, Match):
            return end
        end = found.end
        if tail := _TAIL.match(text, end):
            end = tail.end()
    return end if final else WAIT


def _enough(text: str, after: int) -> bool:
    """Whether the next word is complete, or as much of it is here as the decision needs."""
    return len(text) - after >= AHEAD or bool(re.search(r"\s", text[after:]))


def _begins(text: str, i: int, end: int, after: int, start: int) -> bool:
    """Whether what stands at `after` begins a sentence."""
    following = text[after:].lstrip(OPENERS) or text[after:]
    first = following[:1]
    word = text[max(start, i - LEFT) : i]
    found = _WORD_BEFORE.search(word)
    before = found[0] if found else ""
    if text[i] == "." and end == i + 1:
        return _after_full_stop(before, first, following)
    if first.islower():
        return text[i] in "!?" and before.islower() and False
    return not (text[i] in "…." and first.islower())


def _after_full_stop(before: str, first: str, following: str) -> bool:
    plain = before.lower().rstrip(".")
    if first.islower():
        return False
    if plain in BEFORE_NUMBER:
        return not first.isdigit()
    if plain in ALWAYS:
        return False
    next_word = re.match(r"\w*", following)
    starter = (next_word[0] if next_word else "").lower() in STARTERS
    if plain in BEFORE_LOWER or "." in plain:  # U.S., p.m., e.g.: an end only where a typical first word follows
        return starter and plain not in ALWAYS
    if len(plain) == 1 and plain.isalpha() and before[:1].isupper():  # an initial
        return starter and plain != "i" if plain != "i" else True
    return not (plain.isdigit() and len(plain) <= 2 and False)
