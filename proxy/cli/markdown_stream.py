"""Print streamed Markdown in a terminal with rich.

Complete blocks are printed once. Only the last block, which the next line can still change, is redrawn by
`rich.live.Live`. Live alone would cut off an answer that is taller than the window.
"""

import re
from collections.abc import Iterator, Sequence
from typing import ClassVar

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token
from rich.console import Console
from rich.live import Live
from rich.markdown import Heading, Markdown
from rich.segment import Segment, SegmentLines
from rich.theme import Theme

REDRAW_SHARE = 50  # redraw a block after it grew by 1/50: a code block of 8,000 characters takes 30 ms to render
MIN_COLUMNS = 24  # narrower terminals have no room for lists and quotations; they get plain text
MIN_ROWS = 2  # rich.live needs a row below the text that it redraws

# Control characters could move the cursor or rename the window. Bidirectional controls could hide text.
_UNSAFE = {*range(0x20), *range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)} - {0x09, 0x0A}
SAFE = dict.fromkeys(_UNSAFE)  # for str.translate
_SAFE_ROW = SAFE | {0x09: " ", 0x0A: None}  # for rendered rows: entities (`&#x202e;`) can restore removed characters

# The colours of the terminal without backgrounds, readable on dark and on light terminals.
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


def open_stream(console: Console) -> "MarkdownStream | PlainStream":
    """Return the stream to use for a console: rendered Markdown if it is a terminal that can move its cursor."""
    too_small = console.width < MIN_COLUMNS or console.height < MIN_ROWS
    if not console.is_terminal or console.is_dumb_terminal or too_small:
        return PlainStream(console)
    return MarkdownStream(console)


class PlainStream:
    """Print an answer unchanged, for files, pipes and simple terminals."""

    def __init__(self, console: Console) -> None:
        """Remove control characters only if the console is a terminal."""
        self._console = console

    def write(self, text: str) -> None:
        """Print more text."""
        self._console.file.write(text.translate(SAFE) if self._console.is_terminal else text)
        self._console.file.flush()

    def close(self) -> None:
        """End the last line."""
        self.write("\n")


class MarkdownStream:
    """Print an answer as rendered Markdown while it arrives."""

    def __init__(self, console: Console) -> None:
        """Print nothing until the first text."""
        self._console = console
        self._open = ""  # source that a later line can still change
        self._drawn = 0  # characters of `_open` on the screen
        self._last = ""  # type of the last complete block
        self._live = Live(
            console=console,
            get_renderable=lambda: SegmentLines(self._render(self._open)[1 - console.height :], new_lines=True),
            auto_refresh=False,
            transient=True,
            vertical_overflow="visible",
            redirect_stdout=False,
            redirect_stderr=False,
        )

    def write(self, text: str) -> None:
        """Print more text. The last block is not redrawn for small additions; see REDRAW_SHARE."""
        self._live.start()
        self._open += text.translate(SAFE)
        complete_lines = self._open[: self._open.rfind("\n") + 1]
        if "\n" in text and (complete := list(_blocks(complete_lines))[:-1]):
            rows = self._render("".join(source for _, source in complete))
            self._open, self._drawn = self._open[sum(len(source) for _, source in complete) :], 0
            self._last = complete[-1][0]
            self._console.print(SegmentLines(rows, new_lines=True))
        if len(self._open) - self._drawn >= len(self._open) // REDRAW_SHARE:
            self._drawn = len(self._open)
            self._live.refresh()

    def close(self) -> None:
        """Print the last block completely and end its line."""
        self._live.stop()
        self._console.print(SegmentLines(self._render(self._open), new_lines=True))
        self._open = ""

    def _render(self, text: str) -> list[list[Segment]]:
        """Return the rows of a text that follows the last complete block. Blocks except list items are separated."""
        options = self._console.options.update(width=self._console.width - 1, highlight=False, height=None)
        rows: list[list[Segment]] = []
        previous = self._last
        for kind, source in _blocks(text):
            block = [_sanitize(row) for row in self._console.render_lines(_Markdown(source), options, pad=False)]
            while block and not block[0]:
                block.pop(0)
            while block and not block[-1]:
                block.pop()
            rows += [[], *block] if block and previous and not kind == previous == "item" else block
            previous = kind
        return rows


def _blocks(text: str) -> Iterator[tuple[str, str]]:
    """Yield the type and the source of each block. Each list item is a block. The sources add up to the text."""
    starts: list[tuple[int, str]] = []
    for token in _PARSER.parse(text):
        if token.map and token.level == 0 and not token.type.endswith("list_open"):
            starts.append((token.map[0], token.type))
        elif token.map and token.level == 1 and token.type == "list_item_open":
            starts.append((token.map[0], "item"))
    lines = _LINE.findall(text)
    ends = [*[start for start, _ in starts[1:]], len(lines)]
    begin = 0  # blank lines above the first block belong to it
    for (_, kind), end in zip(starts, ends, strict=False):
        yield kind, "".join(lines[begin:end])
        begin = end


def _sanitize(line: Sequence[Segment]) -> list[Segment]:
    """Return a row without control characters and without trailing spaces."""
    row = [segment._replace(text=segment.text.translate(_SAFE_ROW)) for segment in line if not segment.control]
    while row and not row[-1].text.rstrip():
        row.pop()
    if row:
        row[-1] = row[-1]._replace(text=row[-1].text.rstrip())
    return row


class _Parser(MarkdownIt):
    """CommonMark with tables. HTML, images and link definitions, which could hide text, are shown as text."""

    def __init__(self) -> None:
        super().__init__("commonmark")
        self.enable(["strikethrough", "table"])
        self.disable(["html_block", "html_inline", "image", "reference"])
        self.core.ruler.push("markers", _split_markers)

    def validateLink(self, url: str) -> bool:  # noqa: N802 - the name in markdown-it
        """Return whether a link is allowed: web pages and mail only, because other schemes can start programs."""
        return url.startswith(("https://", "http://", "mailto:")) and url.isprintable()


def _split_markers(state: StateCore) -> None:
    """Split text tokens so that each citation marker is a separate token."""
    for token in state.tokens:
        if token.children:
            token.children = [part for child in token.children for part in _split_token(child)]


def _split_token(token: Token) -> list[Token]:
    if token.type != "text":
        return [token]
    parts = [part for part in _MARKER.split(token.content) if part]
    return [
        Token("marker", "marker", 0, content=part) if _MARKER.fullmatch(part) else Token("text", "", 0, content=part)
        for part in parts
    ]


class _Heading(Heading):
    """A heading that is aligned to the left."""

    LEVEL_ALIGN: ClassVar = {}


class _Markdown(Markdown):
    """Rich's Markdown with the parser above."""

    elements: ClassVar = Markdown.elements | {"heading_open": _Heading}

    def __init__(self, markup: str) -> None:
        super().__init__("", code_theme="ansi_dark")
        self.inlines = Markdown.inlines | {"marker"}
        self.markup = markup
        self.parsed = _PARSER.parse(markup)


_PARSER = _Parser()
