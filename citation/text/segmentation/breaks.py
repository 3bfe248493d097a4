"""Tags of HTML that a reader sees as the end of a line: `<br>`, `</li>`, `</p>`, `</td>`."""

import re
from typing import Final

from ..need_data import NEED_DATA, NeedData
from ..words.word_lists import load_words

MAX_BREAK_CHARACTERS: Final = 20  # characters of a closing tag or line break

_WORDS = load_words("format_words")
_VOID = "|".join(_WORDS["line_breaks"])
_BLOCK = "|".join(_WORDS["block_elements"])
_CLOSED = "|".join(_WORDS["block_elements"] + _WORDS["thoughts"])
_ATTRIBUTES = r"(?:\s[^<>]*+)?"
_BREAK = re.compile(rf"(?:</?(?:{_VOID})\s?/?>|</(?:{_CLOSED})\s?>|<(?P<opens>{_BLOCK}){_ATTRIBUTES}>)", re.IGNORECASE)
_MORE = re.compile(rf"(?:\s*+(?:</?(?:{_VOID})\s?/?>|</[A-Za-z][\w-]*\s?>))*+[^\S\n]*+", re.IGNORECASE)
_BEGIN = re.compile(rf"(?:\s*+<(?:{_BLOCK}|{_VOID}){_ATTRIBUTES}/?>)*+\s*+", re.IGNORECASE)
_END = re.compile(rf"(?:</?(?:{_VOID})\s?/?>|</(?:{_BLOCK})\s?>)\Z", re.IGNORECASE)
_OPEN_TAG = re.compile(r"<[^<>]*\Z")
_TAG = re.compile(r"<[^<>]*+>")
_WORD = re.compile(r"[^\W_]")


def break_end(text: str, i: int, *, final: bool) -> int | NeedData | None:
    """Return where the sentence ends at the tag that begins at `i`, None where the tag is no break.

    A sentence ends after closing tags and line breaks, and before the opening tag of the next block. `text` begins with
    the sentence. `final`: nothing follows the text on this line.
    """
    tag = _BREAK.match(text, i)
    if tag is None or not _WORD.search(_TAG.sub("", text[:i])):
        return None
    if tag["opens"]:
        return i
    more = _MORE.match(text, tag.end())
    end = more.end() if more else tag.end()
    if not final and (end == len(text) or _OPEN_TAG.match(text, end)):
        return NEED_DATA
    return end


def without_breaks(text: str) -> tuple[int, int]:
    """Return the span of a sentence without white space and breaks around it."""
    begun = _BEGIN.match(text)
    start, end = begun.end() if begun else 0, len(text.rstrip())
    while text[end - 1 : end] == ">" and (tag := _END.search(text, max(start, end - MAX_BREAK_CHARACTERS), end)):
        end = len(text[: tag.start()].rstrip())
    return min(start, end), end
