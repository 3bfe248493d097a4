"""Strip: the model's markers leave the text, and the spaces that only they needed leave with them.

One machine for streams and for whole texts: `strip` feeds everything at once, so both agree by construction.
"""

import re
from dataclasses import dataclass

from .code_spans import Spans
from .context import BRACKETS, SPACES
from .grammar import MAX_MARKER, PARTIAL, Partial, Unit, match_link_target, match_unit
from .match import STARTS, Match, match_marker
from .named import MarkerNames

BLOCK = 2_000  # characters taken in at a time: keeps the cost of a long text linear
LEFT = 600  # characters of shown text kept for context; more than any rule looks back
MAX_RUN = 64  # backticks in a row; more open no inline code that anybody writes
MAX_SPACES = 16  # spaces in front of a marker that leave with it

_SPECIALS = "`$" + re.escape("".join(sorted(STARTS)))
_SPECIAL = re.compile(f"[{_SPECIALS}]")
# Numbers in brackets behind the last word and nothing else that could be a marker: how models cite most sentences
_PLAINEST = re.compile(rf"([^{_SPECIALS}]*[^\W_])(?: |(?<=[^\x00-\x7f]))((?:\[[1-9][0-9]?\]){{1,4}})([.!?。！？]\s*)")
_PLAIN_END = re.compile(f"[{SPACES}]{{1,{MAX_SPACES}}}\\Z")
_TIGHT = frozenset(".,;:!?)]}>…%»”’。，、；：！？）】］」』》〉｡､؟،؛।॥۔។፣።") - frozenset("%>")
_TIGHT_AFTER_SPACE = frozenset(".,)]}…”’。，、；：！？）】］」』》〉｡､")  # French keeps its space before ; : ! ? »
_THEN_TIGHT = {"<": "/", "\\": "\n"}  # a closing tag, a backslash that breaks the line
_OPENING = frozenset("([{“‘«（「『《〈【［\"'")


@dataclass(frozen=True, slots=True)
class Stripped:
    """A text without the model's markers, and the numbers they named: evidence's, and no evidence's. Each once."""

    text: str
    cited: tuple[int, ...] = ()
    unknown: tuple[int, ...] = ()


def strip(text: str, names: MarkerNames, *, verbatim: bool = False, before: str = "") -> Stripped:
    """Take the model's markers out of one sentence.

    `verbatim`: leave everything as it is (code). `before`: the shown text that it follows, if on the same line.
    """
    if verbatim or not _SPECIAL.search(text):
        return Stripped(text)
    if not before and (plainest := _plainest(text, names)):
        return plainest
    stripper = Stripper(names, before)
    shown = stripper.feed(text) + stripper.flush()
    return Stripped(shown, stripper.cited, stripper.unknown)


def _plainest(text: str, names: MarkerNames) -> Stripped | None:
    """What the machine below makes of the plainest sentences, in a sixth of the time."""
    found = _PLAINEST.fullmatch(text) if len(text) <= BLOCK else None
    if found is None:
        return None
    cited = tuple(dict.fromkeys(map(int, found[2][1:-1].split("]["))))
    return Stripped(found[1] + found[3], cited) if names.numbers.issuperset(cited) else None


class Stripper:
    """Takes markers out of a text that arrives in pieces; holds back only what could be one, or a space before one."""

    def __init__(self, names: MarkerNames, before: str = "") -> None:
        """`before`: the shown text that this one follows."""
        self._names = names
        self._text = before[-LEFT:]  # shown text, as context, and what is held
        self._done = len(self._text)  # what is shown of it
        self._new = self._done  # where the text of this stripper begins
        self._spans = Spans()
        self._cited: dict[int, None] = {}
        self._unknown: dict[int, None] = {}

    @property
    def cited(self) -> tuple[int, ...]:
        """Evidence numbers the model cited so far, in order, each once."""
        return tuple(self._cited)

    @property
    def unknown(self) -> tuple[int, ...]:
        """Numbers it cited so far that no evidence has; 0 for a name."""
        return tuple(self._unknown)

    @property
    def held(self) -> str:
        """What is held back."""
        return self._text[self._done :]

    def feed(self, text: str) -> str:
        """Take in a piece; return what can be shown."""
        if len(text) <= BLOCK:
            return self._take(text, final=False)
        return "".join(self._take(text[at : at + BLOCK], final=False) for at in range(0, len(text), BLOCK))

    def flush(self) -> str:
        """The text is over; return the rest of it."""
        return self._take("", final=True)

    def _take(self, text: str, *, final: bool) -> str:
        self._text += text
        shown: list[str] = []
        while self._done < len(self._text):
            special = _SPECIAL.search(self._text, self._done)
            if special is None:
                end = len(self._text) if final else self._before_spaces(len(self._text))
                shown.append(self._show(end))
                break
            shown.append(self._show(self._before_spaces(special.start())))
            piece = self._at(special.start(), final)
            if piece is None:
                break
            shown.append(piece)
        self._forget_left()
        return "".join(shown)

    def _show(self, end: int) -> str:
        piece = self._text[self._done : end]
        self._done = end
        return piece

    def _before_spaces(self, end: int) -> int:
        spaces = _PLAIN_END.search(self._text, max(self._done, end - MAX_SPACES), end)
        return spaces.start() if spaces else end

    def _at(self, at: int, final: bool) -> str | None:
        """Deal with the special character at `at`: what to show next, or None to wait."""
        text, character = self._text, self._text[at]
        if character == "`":
            return self._run(at, final)
        if character == "(" and text[at - 1 : at] == "]" and at:
            target = match_link_target(text, at)
            if isinstance(target, int):
                return self._show(target)
            if target is PARTIAL and not final:
                return None
        if character in STARTS:
            found = match_marker(text, at, self._names, final=final)
            if isinstance(found, Match):
                return self._remove(at, found, final)
            if found is PARTIAL:
                return None
        if character in "$\\":
            return self._math(at, final)
        return self._show(at + 1)

    def _run(self, at: int, final: bool) -> str | None:
        end = at
        while end < len(self._text) and self._text[end] == "`" and end - at < MAX_RUN:
            end += 1
        if end - at == MAX_RUN:
            return self._show(end)
        if end == len(self._text) and not final:
            return None
        self._spans.ticks(self._text, at, end)
        return self._show(end)

    def _math(self, at: int, final: bool) -> str | None:
        following = self._text[at + 1 : at + 2]
        if not following and not final:
            return None
        mark = self._text[at : at + 2] if self._text[at] == "\\" or following == "$" else "$"
        self._spans.math_mark(self._text, at, mark)
        # A backslash takes the character after it along, unless code is open, where it means nothing
        return self._show(at + 1 if self._spans.code is not None else min(at + len(mark), len(self._text)))

    def _remove(self, at: int, found: Match, final: bool) -> str | None:
        """Take the marker at `at` out, with the spaces only it needed; or leave it, where it is no prose."""
        text = self._text
        covered = self._spans.cover(text, at, found.end, final)
        if covered is PARTIAL:
            return None
        if covered:
            return self._show(found.end)
        spaces = self._spacing(found.end, at, final)
        if spaces is PARTIAL:
            return None
        kept, end = spaces
        seam = _seam(text[max(0, self._done - MAX_MARKER) : self._done] + kept, text[end : end + MAX_MARKER], final)
        if seam is PARTIAL:
            return None
        if seam:
            return self._show(at + 1)
        self._cited.update(dict.fromkeys(found.cited))
        self._unknown.update(dict.fromkeys(found.unknown))
        self._text = text[: self._done] + kept + text[end:]
        return ""

    def _spacing(self, start: int, at: int, final: bool) -> tuple[str, int] | Partial:
        """The spaces that stay of those around the marker, and where the text goes on behind it."""
        text = self._text
        end = start
        while end < len(text) and end - start < MAX_SPACES and text[end] in SPACES:
            end += 1
        before, after, following = text[self._done : at], text[start:end], text[end : end + 1]
        if not following and not final:
            return PARTIAL
        left = text[self._done - 1 : self._done] or "\n"
        if left == "\n":  # the line begins here: indentation stays
            if following == "\n" and self._done > self._new:
                return "", end + 1  # and a line of nothing but markers leaves whole
            return ("" if not following or following == "\n" else before), end
        if not following:
            return after, end
        if after:
            return ("" if following in _TIGHT_AFTER_SPACE or left in _OPENING or left in SPACES else after), end
        if following in "*_~\"'":
            return self._spacing_before_mark(end, before, final)
        if following in _THEN_TIGHT:
            beyond = text[end + 1 : end + 2]
            return PARTIAL if not beyond and not final else ("" if beyond == _THEN_TIGHT[following] else before, end)
        return ("" if following == "\n" or following in _TIGHT else before), end

    def _spacing_before_mark(self, end: int, before: str, final: bool) -> tuple[str, int] | Partial:
        """Before `**` or a quote: a closing one is followed by a space or punctuation, and wants none before it."""
        beyond = end
        while beyond < len(self._text) and beyond - end < 4 and self._text[beyond] == self._text[end]:
            beyond += 1
        following = self._text[beyond : beyond + 1]
        if not following and not final:
            return PARTIAL
        return (before if following.isalnum() or following in _OPENING - {'"', "'"} else ""), end

    def _forget_left(self) -> None:
        """Keep only the shown text that a rule can look at."""
        if (spare := self._done - LEFT) > LEFT:
            self._text = self._text[spare:]
            self._done -= spare
            self._new = max(0, self._new - spare)
            self._spans.shift(spare)


def _seam(left: str, right: str, final: bool) -> bool | Partial:
    """Whether `left` and `right` make a marker, code or math only when they meet: then nothing is taken out."""
    if left[-1:] in ("`", "$", "#") and right[:1] == left[-1:]:
        return True
    for opening in _OPENERS.finditer(left):
        if match_unit(left, opening.start()) is PARTIAL:
            joined = match_unit(left + right, opening.start())
            if isinstance(joined, Unit):
                return True
            if joined is PARTIAL and not final:
                return PARTIAL
    return False


_OPENERS = re.compile(f"[{re.escape(''.join(sorted(BRACKETS)))}]")
