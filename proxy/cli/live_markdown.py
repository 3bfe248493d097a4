"""Markdown in a terminal while it arrives: what is finished is printed once, only the block still open is drawn anew.

Pure: `feed` and `finish` return what to write. A block is finished when a later line began another one, which does not
depend on how the text was cut. In the end the whole answer is on the screen or above it, nothing twice. (Rich's own
`Live` clears what it drew before it draws again, and cuts off what is taller than the window.)
"""

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile
from math import ceil
from typing import ClassVar

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from rich.color import ColorSystem
from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import CodeBlock, Heading, Markdown
from rich.segment import Segment
from rich.syntax import Syntax
from rich.theme import Theme

GROWTH = 50  # a block is drawn anew once it grew by a fiftieth: a code block of 8,000 signs takes 30 ms to draw
NARROWEST = 24  # columns; in fewer, lists and quotations leave no room for words, and text is printed as it comes

# Control characters could move the cursor or rename the window, those for writing direction hide what is written.
_UNSAFE = {*range(0x20), *range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)} - {0x09, 0x0A}
SAFE = dict.fromkeys(_UNSAFE)
_IN_A_ROW = SAFE | {0x09: " ", 0x0A: None}  # entities (`&#x202e;`) bring back what was removed from the source

# The terminal's own colours, without backgrounds: readable on dark and on light.
THEME = Theme(
    {
        "markdown.code": "cyan",
        "markdown.code_block": "none",
        "markdown.marker": "bold cyan",
        "markdown.h1": "bold underline",
        "markdown.h2": "bold underline",
        "markdown.h3": "bold",
        "markdown.h4": "bold",
        "markdown.link_url": "underline",
    }
)
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_MARKER = re.compile(r"(\[\d{1,4}\])")
_AT_ONCE, _SHOWN = "\x1b[?2026h", "\x1b[?2026l"  # synchronised output; terminals without it ignore it

Row = tuple[Segment, ...]


class Plain:
    """An answer as it is: for files, pipes, and terminals that cannot move their cursor."""

    def __init__(self, *, safe: bool) -> None:
        self._safe = safe

    def feed(self, text: str) -> str:
        """What to write to show this text too."""
        return text.translate(SAFE) if self._safe else text

    def finish(self) -> str:
        """There is nothing left to write."""
        return ""


def answering(console: Console) -> "Live | Plain":
    """How to show an answer where this console writes."""
    if not console.is_terminal or console.is_dumb_terminal or console.width < NARROWEST:
        return Plain(safe=console.is_terminal)
    return Live(console)


class Live:
    """One answer, rendered."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._open = ""  # the text that is not finished
        self._previewed = 0  # how much of it is drawn
        self._last = ""  # the kind of the last finished block
        self._drawn: list[Row] = []  # rows of the open block as they stand on the screen
        self._columns = 0  # when they were drawn
        self._fresh = True  # the cursor stands at the beginning of an empty row

    def feed(self, text: str) -> str:
        """What to write to show this text too."""
        self._open += text.translate(SAFE)
        rows: list[Row] = []
        if "\n" in text:
            for kind, source in self._finished():
                rows += self._rows(kind, source, self._last)
                self._last = kind
        if not rows and len(self._open) - self._previewed < len(self._open) // GROWTH:
            return ""
        self._previewed = len(self._open)
        return self._draw(rows, self._preview()[-max(1, self._console.height - 1) :])

    def finish(self) -> str:
        """What to write to show the end; the cursor stays behind its last word."""
        rows = self._preview()
        self._open = ""
        return self._draw(rows, [])

    def _finished(self) -> list[tuple[str, str]]:
        """Take the blocks that no further line can change from the open text."""
        complete = self._open[: self._open.rfind("\n") + 1]
        found = list(_blocks(complete))[:-1]
        if found:
            self._open, self._previewed = self._open[sum(len(source) for _, source in found) :], 0
        return found

    def _preview(self) -> list[Row]:
        rows: list[Row] = []
        last = self._last
        for kind, source in _blocks(self._open):
            rows += self._rows(kind, source, last)
            last = kind
        return rows

    def _rows(self, kind: str, source: str, last: str) -> list[Row]:
        """The rows of a block, below an empty one where something else stands above it."""
        options = self._console.options.update(width=self._console.width - 1, highlight=False)
        rows = [_clean(line) for line in self._console.render_lines(_Markdown(source), options, pad=False)]
        while rows and not rows[0]:
            rows.pop(0)
        while rows and not rows[-1]:
            rows.pop()
        return [(), *rows] if rows and last and not kind == last == "item" else rows

    def _draw(self, final: list[Row], tail: list[Row]) -> str:
        """Bring the screen from the rows that were drawn to these, touching only what differs."""
        rows, drawn = final + tail, self._drawn
        narrowed = self._columns != self._console.width
        same = 0 if narrowed else len(list(takewhile(lambda pair: pair[0] == pair[1], zip(rows, drawn, strict=False))))
        if same == len(rows) < len(drawn):
            same = max(0, same - 1)  # so that the cursor ends behind the last row
        above = sum(self._height(row) for row in drawn[same:]) - 1
        back = "\r" + (f"\x1b[{above}A" if above else "") + "\x1b[J" if same < len(drawn) else ""
        new = "\n".join(map(self._ansi, rows[same:]))
        below = "\n" if same < len(rows) and same == len(drawn) and not self._fresh else ""
        if rows or drawn:
            self._fresh = not rows
        self._drawn, self._columns = tail, self._console.width
        return f"{_AT_ONCE}{back}{below}{new}{_SHOWN}" if back or new or below else ""

    def _height(self, row: Row) -> int:
        """The rows of the screen that this takes; more than one where the window became narrower."""
        return max(1, ceil(sum(segment.cell_length for segment in row) / self._console.width))

    def _ansi(self, row: Row) -> str:
        segments = Segment.remove_color(row) if self._console.no_color else row
        return "".join(
            style.render(text, color_system=ColorSystem.STANDARD) if style else text for text, style, _ in segments
        )


def _blocks(text: str) -> Iterator[tuple[str, str]]:
    """Kind and source of each block, all of the text together; each item of a list is one."""
    starts: list[tuple[int, str]] = []
    for token in _PARSER.parse(text):
        if token.map and token.level == 0 and not token.type.endswith("list_open"):
            starts.append((token.map[0], token.type))
        elif token.map and token.level == 1 and token.type == "list_item_open":
            starts.append((token.map[0], "item"))
    lines = _LINE.findall(text)
    ends = [*[start for start, _ in starts[1:]], len(lines)]
    begin = 0  # what stands above the first block and makes none belongs to it
    for (_, kind), end in zip(starts, ends, strict=False):
        yield kind, "".join(lines[begin:end])
        begin = end


def _clean(line: Sequence[Segment]) -> Row:
    """A row without what a terminal must not get, and without blanks at its end."""
    row = [segment._replace(text=segment.text.translate(_IN_A_ROW)) for segment in line if not segment.control]
    while row and not row[-1].text.rstrip():
        row.pop()
    if row:
        row[-1] = row[-1]._replace(text=row[-1].text.rstrip())
    return tuple(row)


class _Parser(MarkdownIt):
    """Markdown as models write it. What could hide text stays text: HTML, pictures, definitions of links."""

    def __init__(self) -> None:
        super().__init__("commonmark")
        self.enable(["strikethrough", "table"])
        self.disable(["html_block", "html_inline", "image", "reference"])
        self.core.ruler.push("markers", _mark)

    def validateLink(self, url: str) -> bool:  # noqa: N802 - markdown-it's name
        """Pages and mail only: other schemes start programs."""
        return url.startswith(("https://", "http://", "mailto:")) and url.isprintable()


def _mark(state: StateCore) -> None:
    """Make markers tokens of their own."""
    for token in state.tokens:
        if token.children:
            token.children = [part for child in token.children for part in _marked(child)]


def _marked(token: Token) -> list[Token]:
    if token.type != "text":
        return [token]
    parts = [part for part in _MARKER.split(token.content) if part]
    return [
        Token("marker", "marker", 0, content=part) if _MARKER.fullmatch(part) else Token("text", "", 0, content=part)
        for part in parts
    ]


class _Heading(Heading):
    """At the left, as all text."""

    LEVEL_ALIGN: ClassVar = {}


class _Code(CodeBlock):
    """In the terminal's own colours."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        code = str(self.text).rstrip()
        yield Syntax(code, self.lexer_name, theme="ansi_dark", word_wrap=True, padding=(0, 2))


class _Markdown(Markdown):
    """Rich's, with this parser."""

    elements: ClassVar = Markdown.elements | {"heading_open": _Heading, "fence": _Code, "code_block": _Code}

    def __init__(self, markup: str) -> None:
        super().__init__("")
        self.inlines = Markdown.inlines | {"marker"}
        self.markup = markup
        self.parsed = _PARSER.parse(markup)


_PARSER = _Parser()
