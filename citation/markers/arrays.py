"""Arrays: brackets with numbers that are data, such as `ids: [1, 2]` or the range [1, 5], and no citation."""

import re

from .context import MAX_GROUP, REACH_CHARACTERS, brackets_before, follows_word, is_called
from .grammar import WORDS, Brackets, Form

_DIGIT_CLASSES = (((0, 9),), ((1, 9),))  # [0-9] and [1-9], as in regular expressions
_SOURCE_LABELS = WORDS["source"] - WORDS["field"]  # "Sources: [1, 2]" is prose, "ids: [1, 2]" is data
# x ∈ [1, 5], f: A → [1, 2], for i in [1, 2], of shape [1, 2]
_BEFORE_DATA = re.compile(r"(?:[∈∉→]|[-=]>|\b[a-z] in|\bof (?:shape|dimensions))\Z")

# Where a list of brackets begins, and how many come before one of them; None if something else comes before a comma
ListStart = tuple[int | None, int]
ListStarts = dict[int, ListStart]


def is_data(text: str, i: int, brackets: Brackets, lists: ListStarts) -> bool:
    """Return whether they are an array: `"ids": [1, 2]`, `x = [1]`, `[[1, 2], [3, 4]]`, `[0, 1]`, the range [1, 5].

    `lists`: receives where lists of brackets in this text begin, so that a row of them takes linear time.
    """
    if brackets.form is Form.SOURCE:
        return False
    listed = len(brackets.ranges) > 1
    if (listed and (0, 0) in brackets.ranges) or brackets.ranges in _DIGIT_CLASSES:
        return True  # an interval, a vector or a regular expression
    start, passed = lists[i] = _list_start(text, i, lists)
    if passed >= MAX_GROUP:
        return True  # too many for a citation
    if start is None:
        return False
    k = _back_over_spaces(text, start)
    before = text[k - 1 : k]
    if before == "(":  # f([1], [2])
        return is_called(text, k - 1) or (listed and follows_word(text, k - 1))
    if before in ("=", "[", "{"):
        return text[k - 3 : k] not in ("$^{", "(^{")  # a formula that consists of a marker
    if before == ":":
        k = _back_over_spaces(text, k - 1)
        word = _word_before(text, k)
        return text[k - 1 : k] in ('"', "'") or word in WORDS["field"] or (listed and word not in _SOURCE_LABELS)
    return listed and (
        _introduces_array(text, k) or _BEFORE_DATA.search(text, max(0, k - REACH_CHARACTERS), k) is not None
    )


def _introduces_array(text: str, end: int) -> bool:
    """Return whether the words before `end` introduce an array: "the range", "it returns", not "the annual returns"."""
    word = _word_before(text, end)
    start = end - len(word)
    previous, is_first = _previous_word(text, start)
    if word in WORDS["array_or_prose"]:
        if text[start - 1 : start] == "-":
            return False  # mid-range
        is_function = len(previous) == 1 or "_" in previous  # "f returns"
        return not previous or is_function or previous in WORDS["before_array"]
    if word in WORDS["be"]:
        return is_first or previous not in WORDS["pronoun"]  # "It is [1, 2].", not "what it is [1, 2]"
    return word in WORDS["array"]


def _previous_word(text: str, end: int) -> tuple[str, bool]:
    """Return the word before `end` on the same line, empty if there is none, and whether it begins a sentence."""
    position = _back_over_spaces(text, end)
    if "\n" in text[position:end]:
        return "", True
    word = _word_before(text, position)
    start = position - len(word)
    position = _back_over_spaces(text, start)
    return word, position == 0 or "\n" in text[position:start] or text[position - 1] in ".?!:"


def _list_start(text: str, i: int, lists: ListStarts) -> ListStart:
    """Return where the list of brackets begins to which those at `i` belong, and how many come before them."""
    start, passed = i, 0
    while passed < MAX_GROUP:
        if start in lists:
            first, before = lists[start]
            return first, passed + before
        k = _back_over_spaces(text, start)
        if text[k - 1 : k] != ",":
            break
        k = _back_over_spaces(text, k - 1)
        opening = brackets_before(text, k) if text[k - 1 : k] in ("]", "］") else None
        if opening is None:
            return None, passed
        start, passed = opening, passed + 1
    return start, passed


def _word_before(text: str, k: int) -> str:
    match = re.search(r"\w*\Z", text[max(0, k - REACH_CHARACTERS) : k])
    return match[0].lower() if match else ""


def _back_over_spaces(text: str, k: int) -> int:
    least = max(0, k - 16)
    while k > least and text[k - 1].isspace():
        k -= 1
    return k
