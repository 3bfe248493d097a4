"""Boundaries: whether a sentence ends at a mark, decided from a bounded stretch of text on both sides of it.

These are rules of our own rather than a library. Each looks only at the mark and its neighbours, so any division of a
stream gives the same sentences at constant cost. sentencex, the best splitter measured in comparison, needs whole
paragraphs, and is right for 43 of the 48 English golden rules of pySBD; `python -m bench.segmenting` prints ours.
"""

import re
from collections.abc import Callable
from typing import Final

from ..full_stop import MAX_LEFT_CHARACTERS, STARTERS, ends_before_lower_case, full_stop_ends
from ..need_data import NEED_DATA, NeedData

# Ends of sentences that need no space after them: CJK in full and half width
CJK_ENDS: Final = "。！？｡；"
# Ends of scripts without case, with or without a space: Arabic and Urdu, Syriac, danda family, Khmer, Myanmar,
# Ethiopic, Armenian, Tibetan, Greek question mark, Mongolian, Ol Chiki, Sinhala, N'Ko, Tifinagh-neutral marks
OTHER_ENDS: Final = "؟۔܀܁܂।॥។៕၊။።፧፨։།༎\u037e᠃᠉᱾᱿෴꓿꛳꛷"
# Characters that may follow the end directly and belong to the sentence
CLOSERS: Final = "\"'”’»›)]}*_~`）］｝」』】》〉〕〗〙〛＂＇≫"
# Characters that may precede the first word of the next sentence
OPENERS: Final = "\"'“‘«‹([{*_~¿¡„‚（［｛「『【《〈〔〖≪<-–—"
SPACES: Final = " \t\r\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"  # for a character class; no newline
CJK: Final = (
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    "\uac00-\ud7af\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
THAI_LAO: Final = "\u0e00-\u0eff"
ARMENIAN: Final = "\u0531-\u0587"
GREEK: Final = "\u0370-\u03ff\u1f00-\u1fff"
# Emoji and their joiners: after the end they belong to the sentence before
EMOJI: Final = "\u200d\ufe0e\ufe0f\u20e3\u2600-\u27bf\u2b50\u2b55\U0001f000-\U0001faff\U000e0020-\U000e007f"
FOOTNOTES: Final = "¹²³⁰⁴⁵⁶⁷⁸⁹"  # numbers of notes follow the end

MAX_BRACKET_CHARACTERS = 200  # characters before a mark that are searched for open brackets
MAX_TAG_CHARACTERS = 200  # characters of a tag, as for protected spans
MAX_STARTER_CHARACTERS = 14  # characters of a word in STARTERS
MAX_OPENERS = 8  # quotation marks, brackets, dashes and spaces before a word

ENDS: Final = f".!?…‼⁇⁈⁉{CJK_ENDS}{OTHER_ENDS}"
# Typed in place of the Greek question mark and the Armenian full stop
LOOKALIKES: Final = f"(?<=[{GREEK}]);|(?<=[{ARMENIAN}]):"
_NEED_NO_SPACE: Final = frozenset(CJK_ENDS + OTHER_ENDS)
_RUN = re.compile(f"[{re.escape(ENDS)}]+(?:[ \u00a0]\\.)*")  # also an ellipsis with spaces: . . .
_DOTS = re.compile(r"\.?(?:[ \u00a0]\.)+")
_TAIL = re.compile(f"[{re.escape(CLOSERS)}{EMOJI}{FOOTNOTES}]+")
_EMOJI = re.compile(f"[{EMOJI}]+")
_WORD_FOLLOWS = re.compile(" [A-Za-z0-9]")
_CLOSING_TAG = re.compile(r"</[A-Za-z]{1,20}>|</?[A-Za-z]{0,20}\Z")
_HIRAGANA = re.compile("[\u3041-\u309f]")
_LETTER = re.compile(r"[^\W_]")
_SPACES = re.compile(f"[{SPACES}]*")
_CJK = re.compile(f"[{CJK}]")
_BEFORE_WORD = re.compile(f"[{re.escape(OPENERS)}{SPACES}]{{0,{MAX_OPENERS}}}")
_BRAND = re.compile(r"[a-z]{1,3}(?:[A-Z]|\Z)")
_WORD = re.compile(r"\w*")
_LAST_WORD = re.compile(r"\w+[`*_]*\Z")
_ENDS_INSIDE = frozenset("\"'”’»›)]}）］｝」』】》〉")
_OPENING_TAGS = re.compile(
    rf"(?:(?:<(?![bh]r\b)[A-Za-z][^<>\n]{{0,{MAX_TAG_CHARACTERS}}}+>|\[cite_start\])[{SPACES}]*+){{0,{MAX_OPENERS}}}+"
)
_INCOMPLETE_TAG = re.compile(rf"(?:<(?:[A-Za-z][^<>\n]{{0,{MAX_TAG_CHARACTERS}}})?|\[[a-z_]{{1,10}})\Z")
_MARKER_ENDS = frozenset("]】］)$>")
_NUMBERED = re.compile(r"\s*(?:[•⁃▪◦‣*-]\s?)?(\d{1,3}|[A-Za-z])([.)]{1,2})")
_NEXT_NUMBER = re.compile(r"\s((?:[•⁃▪◦‣]\s?)?(\d{1,3}|[A-Za-z])([.)]{1,2}))\Z")
_NEXT_NUMBER_BEGIN = re.compile(r"\s(?:[•⁃▪◦‣]\s?)?(?:\d{1,3}|[A-Za-z])?[.)]{0,2}\Z")
_MIXED_CLOSERS = (("„", "“"), ("»", "«"), ("„", "”"))
_ESCAPE = "\\"  # a marker in ASCII can begin with it, and follow the mark without a space

# A function of a text, an offset, and whether nothing follows the text on this line. It returns the end of the citation
# marker that begins at the offset, and None where none does.
MarkerEnd = Callable[[str, int, bool], int | NeedData | None]


def sentence_end(text: str, i: int, marker_end: MarkerEnd, *, final: bool) -> int | NeedData | None:
    """Return where the sentence ends whose mark is at `i`, including the space after it; None where it continues.

    `text` begins with the sentence. `marker_end`: recognises the markers that belong to it. `final`: nothing follows
    the text on this line.
    """
    run = _RUN.match(text, i)
    end = run.end() if run else i + 1
    if not final and (end == len(text) or (end + 1 == len(text) and text[end] == " ")):
        return NEED_DATA
    if text[i] == "." and text[max(0, i - 2) : i] in (". ", ".\u00a0"):
        return None  # the first dot of an ellipsis with spaces has decided
    marked = marker_end(text, end, final) if text.startswith(_ESCAPE, end) else None
    if marked is NEED_DATA:
        return NEED_DATA
    spaced = text[end - 1] not in _NEED_NO_SPACE
    if spaced and text[end : end + 1] not in FOOTNOTES and marked is None and _is_inside_word(text, end):
        return _without_space(text, i, end, final)
    if _is_item_number(text[: i + 1]) or _is_in_brackets(text, i, end) or not _has_word(text, i):
        return None
    closed = _after_closers(text, i, end, marker_end, final)
    if closed is NEED_DATA:
        return NEED_DATA
    after = _skip(_SPACES, text, closed)
    if after == len(text):
        return after if final else NEED_DATA
    if not spaced:
        # 「…。」と言った: the quotation is part of the sentence
        return None if text[closed - 1] in "」』" and _HIRAGANA.match(text[after]) else after
    if after == closed and (closed - end < 2 or text[closed - 1 : closed + 1] != "><"):
        after_marker = closed - end > 2 and text[closed - 1] in _MARKER_ENDS and text[after].isupper()
        return after if after_marker or _CJK.match(text[after]) else None
    return _next_sentence(text, i, end, after, final)


def next_number(text: str, i: int) -> int | None:
    """Return where the next item of a list in one line begins, `2.` or `b)`; its mark is at `i`. None if none does."""
    if text[i : i + 2] == ".)":
        i += 1
    first = _NUMBERED.match(text)
    following = _NEXT_NUMBER.search(text[max(0, i - 12) : i + 1]) if first else None
    if first is None or following is None or first[2] != following[3] or first.end() > i:
        return None
    before, after = first[1], following[2]
    follows = (
        int(after) == int(before) + 1 if before.isdigit() and after.isdigit() else ord(after[-1]) == ord(before[-1]) + 1
    )
    return i + 1 - len(following[1]) if follows and before.isdigit() == after.isdigit() else None


def before_next_number(text: str) -> int:
    """Return the length of the text without what could become the number of the next item of a list in one line."""
    beginning = _NEXT_NUMBER_BEGIN.search(text, max(0, len(text) - 12)) if _NUMBERED.match(text) else None
    return beginning.start() if beginning else len(text)


def _skip(pattern: re.Pattern[str], text: str, start: int) -> int:
    match = pattern.match(text, start)
    return match.end() if match else start


def _is_inside_word(text: str, end: int) -> bool:
    """Return whether the mark is part of a decimal, a version, an address, `!=` or a file name."""
    following = text[end : end + 1]
    return (following.isalnum() and not _CJK.match(following)) or following in ("=", "/", "@", "\\", "&", "%")


def _is_item_number(text: str) -> bool:
    """Return whether the text is only the number of a list item."""
    number = _NUMBERED.match(text)
    return number is not None and number.end() >= len(text)


def _has_word(text: str, i: int) -> bool:
    return i > MAX_LEFT_CHARACTERS or _LETTER.search(text, 0, i) is not None


_BRACKETS = {"(": ")", "[": "]", "《": "》", "〈": "〉", "（": "）"}


def _is_in_brackets(text: str, i: int, end: int) -> bool:
    """Return whether a bracket is open that is not closed directly after the mark. After a colon it is an emoticon."""
    stretch = text[max(0, i - MAX_BRACKET_CHARACTERS) : i]
    for opening, closing in _BRACKETS.items():
        opening_index = stretch.rfind(opening)
        if (
            opening_index < 0
            or closing in stretch[opening_index:]
            or (opening_index and stretch[opening_index - 1] in ":;")
        ):
            continue
        if text[end : end + 1] != closing or stretch.endswith(opening):  # [...]
            return True
    return False


def _after_closers(text: str, i: int, end: int, marker_end: MarkerEnd, final: bool) -> int | NeedData:
    """Return the offset after the closers and the model's markers that follow, with or without a space before them."""
    if _WORD_FOLLOWS.match(text, end):
        return end  # the most frequent case
    end = _skip(_TAIL, text, end)
    for opening, closing in _MIXED_CLOSERS:
        if text[end : end + 1] == closing and text.count(opening, max(0, i - MAX_BRACKET_CHARACTERS), i):
            end = _skip(_TAIL, text, end + 1)
    while end < len(text):
        position = _skip(_SPACES, text, end)
        if position == len(text):
            break
        if emoji := _EMOJI.match(text, position):
            end = emoji.end()
            continue
        if text[position] == "»" and text.count("«", max(0, i - MAX_BRACKET_CHARACTERS), i) > text.count(
            "»", max(0, i - MAX_BRACKET_CHARACTERS), end
        ):
            end = _skip(_TAIL, text, position)
            continue
        tag = _CLOSING_TAG.match(text, end)
        marker_or_tag_end = tag.end() if tag else marker_end(text, position, final)
        if marker_or_tag_end is NEED_DATA or (
            tag and tag.end() == len(text) and not tag[0].endswith(">") and not final
        ):
            return NEED_DATA
        if not isinstance(marker_or_tag_end, int):
            break
        end = _skip(_TAIL, text, marker_or_tag_end)
    return end if final or end < len(text) else NEED_DATA


def _next_sentence(text: str, i: int, end: int, after: int, final: bool) -> int | NeedData | None:
    """Return where a sentence ends whose mark is followed by a space and the text at `after`; None if it continues."""
    tags = _skip(_OPENING_TAGS, text, after)
    if not final and _INCOMPLETE_TAG.match(text, tags):
        return NEED_DATA
    begin = _skip(_BEFORE_WORD, text, tags)
    if begin - tags == MAX_OPENERS:
        return None
    if begin == len(text):
        return after if final else NEED_DATA
    if text[begin].islower():
        if _ends_before_lower_case(text, i, end, text[tags:begin]):
            return after
        brand = _BRAND.match(text, begin)  # iPhone, eBay
        if brand and brand.end() == len(text) and not final:
            return NEED_DATA
        if not brand or not brand[0][-1].isupper():
            return None
    dots = text.count(".", i, end)
    if dots > 2 and _DOTS.fullmatch(text, i, end):  # three are an ellipsis, a fourth ends the sentence
        continues = dots != 4 or not text[begin].isupper()
        return None if continues else (after if text[i - 1].isspace() else i + 2)
    if end - i > 1 or text[i] != ".":
        return after
    ends = full_stop_ends(text, i, begin, final=final)
    return NEED_DATA if ends is NEED_DATA else after if ends else None


def _ends_before_lower_case(text: str, i: int, end: int, openers: str) -> bool:
    """Return whether a sentence ends at the marks from `i` to `end`, given that lower case follows after `openers`.

    It continues after the end of a quotation or a remark, after an ellipsis, and after names such as "Yahoo!".
    """
    if text[end : end + 1] in _ENDS_INSIDE or openers.strip("`*_\"'“‘„«‹ "):
        return False
    if text[i] == ".":
        return end - i == 1 and text[i - 1 : i] != "." and ends_before_lower_case(text, i)
    word = _LAST_WORD.search(text, max(0, i - MAX_STARTER_CHARACTERS), i)
    return text[i] == "?" or (text[i] == "!" and word is not None and word[0].islower())


def _without_space(text: str, i: int, end: int, final: bool) -> int | NeedData | None:
    """Return the end in `It rose.The next`: the space is missing, and the word often begins sentences."""
    if not text[end].isupper() or not text[i - 1 : i].islower() or not text[max(0, i - 2) : i].isalpha():
        return None
    word = _WORD.match(text, end)
    stop = word.end() if word else end
    if stop == len(text) and not final:
        return NEED_DATA if stop - end < MAX_STARTER_CHARACTERS else None
    starts = text[end:stop].lower() in STARTERS and text[end + 1 : stop].islower() and stop - end > 1
    return end if starts and text[stop : stop + 1].isspace() else None
