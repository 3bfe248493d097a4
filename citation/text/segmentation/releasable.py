"""Settled: how much of a sentence that is not complete can be shown already."""

import re

MAX_TAIL = 300  # characters at the end that are looked at: more than a marker has
# What may yet stand behind our marker, or go: closing punctuation, tags, the model's markers; the last may be cut off
_TAIL = re.compile(
    r"(?:[\s.!?…。！？；:,;\"'”’)\]}*_»›」』】》`$|#\\^]|</?[A-Za-z][^<>\n]{0,100}+>|##\d{1,18}"
    r"|\[[^\]\n]{0,60}+\]|【[^】\n]{0,60}+】|\([^)\n]{0,60}+\))*"
    r"(?:[\[［【(（<][^\])】］）>\n]{0,100}+)?\Z"
)

# The single characters of that
_SOFT = "".join(filter(str.isspace, map(chr, range(0x3001)))) + ".!?…。！？；:,;\"'”’)]}*_»›」』】》`$|#\\^"
_OPENS = re.compile(r"[\[［【(（<#]")  # without one of these, nothing but those can be such a tail


def releasable_length(text: str) -> int:
    """How many leading characters nothing that follows makes part of a marker, a closing mark or trailing space."""
    least = max(0, len(text) - MAX_TAIL)
    if not _OPENS.search(text, least):
        return len(text.rstrip(_SOFT))
    if not _CLOSES.search(text, least):
        return _before_opening(text, least)
    tail = _TAIL.search(text, least)
    return tail.start() if tail else len(text)


def _before_opening(text: str, least: int) -> int:
    """The same where nothing is closed: spares the search from every bracket of many that stand open."""
    opening = _OPENING.search(text, max(least, len(text) - MAX_OPEN - 1))
    end = len(text[: opening.start() if opening else len(text)].rstrip(_SOFT))
    while number := _NUMBER.search(text, max(least, end - 20), end):
        end = len(text[: number.start()].rstrip(_SOFT))
    return end


MAX_OPEN = 100  # characters behind a bracket that stands open
_OPENING = re.compile(r"[\[［【(（<]")
_CLOSES = re.compile(r"[\])】］）>\n]")
_NUMBER = re.compile(r"##\d{1,18}\Z")
