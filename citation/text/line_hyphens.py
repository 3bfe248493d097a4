"""Words that are divided at the ends of lines, as in the text of a PDF: "com-\\nmittee"."""

import re
from typing import Final

from .normalize import fold
from .steps import Steps, completed
from .words.frequencies import is_known
from .words.word_lists import load_words

MAX_WORD: Final = 40  # letters before a hyphen; more are data
_STEP: Final = 128  # hyphens that are looked at in a step: 1 ms
_LONG_TEXT_CHARACTERS: Final = 100_000  # characters, in which one sign is found in up to 0.5 ms
_MIN_PART: Final = 2  # letters before a hyphen that divides a word
_HYPHENS: Final = frozenset("-‐")

_LETTER = r"[^\W\d_]"
_BREAK = re.compile(rf"(?<={_LETTER})(?:[-‐\u00ad][ \t]{{0,8}}\r?\n[ \t]{{0,40}}|\u00ad)(?={_LETTER})")
_LETTERS = re.compile(f"{_LETTER}+")
_LAST_LETTERS = re.compile(rf"{_LETTER}+\Z")
_SUSPENDING = frozenset(load_words("sentence_words")["after_suspended_hyphen"])
# Each is found in a tenth of the time of the pattern.
_SIGNS = ("\u00ad", "-\n", "-\r\n", "‐\n", "‐\r\n", "- \n", "-  \n")


def join_in_steps(text: str) -> Steps[str]:
    """Return a text of the same length without hyphens and line ends inside words.

    The removed characters become spaces after the word; before it, where the line or the text ends, so that no offset
    of a sentence changes. Compounds of two English words keep their hyphen: "well-\\nknown".
    """
    for sign in _SIGNS:
        if sign in text:
            break
        if len(text) > _LONG_TEXT_CHARACTERS:
            yield None
    else:
        return text
    parts: list[str] = []
    done, word, removed = 0, "", 0  # the end of the copied text; the word that ends there, and what it has lost
    for number, line_break in enumerate(_BREAK.finditer(text), 1):
        if number % _STEP == 0:
            yield None
        after = _LETTERS.match(text, line_break.end())
        if word and line_break.start() != done:
            parts.append(_filled(text, done, word, removed))
            word, removed = "", 0
        before = _LAST_LETTERS.search(text, max(done, line_break.start() - MAX_WORD), line_break.start())
        first = word or (before[0] if before else "")
        if after is None or not first or not _joins(text, first, line_break, after.end()):
            continue
        if before and not word:
            parts.append(text[done : before.start()])
        word, removed, done = first + after[0], removed + len(line_break[0]), after.end()
    parts.append(_filled(text, done, word, removed))
    return "".join([*parts, text[done:]])


join_divided_words = completed(join_in_steps)


def _filled(text: str, end: int, word: str, removed: int) -> str:
    spaces = " " * removed
    return spaces + word if text[end : end + 1] in ("", "\n", "\r") else word + spaces


def _joins(text: str, before: str, line_break: re.Match[str], end: int) -> bool:
    """Return whether the hyphen between `before` and the part up to `end` only divides a word."""
    after = text[line_break.end() : end]
    if line_break[0].startswith("\u00ad"):
        return len(before) <= MAX_WORD
    if not after[0].islower() or after in _SUSPENDING or not _MIN_PART <= len(before) <= MAX_WORD:
        return False
    if (
        text[end : end + 1] in _HYPHENS
        or text[line_break.start() - len(before) - 1 : line_break.start() - len(before)] in _HYPHENS
    ):
        return bool(_BREAK.match(text, end))  # state-of-the-art
    before, after = fold(before), fold(after)
    return is_known(before + after) or not (is_known(before) and is_known(after))
