"""The screen of an emulated terminal shows the complete answer for any pieces in which the answer arrives."""

import io
import re
from collections.abc import Sequence

import pyte
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from citestream.proxy.cli.markdown_stream import MIN_COLUMNS, MIN_ROWS, THEME, MarkdownStream, open_stream

ANSWER = """# The bridge

It was **opened** in `1932`. [1] See [the page](https://example.org/a), or
[this](javascript:alert(1)). [2]

- two lanes
- eight tracks, and a line that is too long for a narrow terminal and has to be wrapped
  - one more
1. first
2. second

```python
def carries(tonnes: int) -> bool:
    return tonnes < 52_800
```

| year | what |
|---|--:|
| 1932 | opened |

> They said
> so.

Vec<String> &#x202e; ![a picture](https://example.org/p.png) 日本語 [1]: https://evil.example
"""


class Window(io.StringIO):
    """An emulated terminal with its scroll-back buffer."""

    def __init__(self, columns: int = 60, lines: int = 8) -> None:
        super().__init__()
        self.screen = pyte.HistoryScreen(columns, lines, history=10_000)
        self.stream = pyte.Stream(self.screen)
        self.console = Console(
            file=self, width=columns, height=lines, force_terminal=True, theme=THEME, highlight=False
        )
        self.markdown = MarkdownStream(self.console)
        self.written = ""

    def write(self, text: str) -> int:
        self.written += text
        self.stream.feed(text.replace("\n", "\r\n"))  # as the line discipline of a terminal does
        return len(text)

    def show(self, pieces: Sequence[str]) -> list[str]:
        for piece in pieces:
            self.markdown.write(piece)
        self.markdown.close()
        return self.rows()

    def rows(self) -> list[str]:
        above = ["".join(row[at].data for at in range(self.screen.columns)) for row in self.screen.history.top]
        rows = [row.rstrip() for row in (*above, *self.screen.display)]
        while rows and not rows[-1]:
            rows.pop()
        return rows


def test_the_answer_is_rendered() -> None:
    rows = Window(lines=50).show([ANSWER])
    assert rows[:5] == [
        "The bridge",
        "",
        "It was opened in 1932. [1] See the page, or",
        "[this](javascript:alert(1)). [2]",
        "",
    ]
    assert " • two lanes" in rows
    assert " def carries(tonnes: int) -> bool:" in rows
    assert "▌ They said so." in rows
    assert rows[-1].split() == ["Vec<String>", "!a", "picture", "日本語", "[1]:", "https://evil.example"]


@pytest.mark.parametrize(("columns", "lines"), [(60, 8), (MIN_COLUMNS, 3), (200, 60), (80, MIN_ROWS)])
def test_the_result_is_independent_of_how_the_answer_arrives(columns: int, lines: int) -> None:
    whole = Window(columns, 200).show([ANSWER])
    assert Window(columns, lines).show(list(ANSWER)) == whole
    assert Window(columns, lines).show(ANSWER.splitlines(keepends=True)) == whole


INLINE = ["word", "longer words", "**", "*", "`", "~~", "$x$", "!", "[1]", "[x](http://e.x)", "<b>", "日本", "😀", "|"]
BLOCKS = [
    "\n",
    "\n\n",
    "- ",
    "1. ",
    "2. ",
    "> ",
    "    ",
    "# ",
    "---",
    "===",
    "```",
    "|a|b|\n|--|--|\n",
    "[1]: http://e.x\n",
]
HOSTILE = ["\t", "\r", "&#x202e;", "&#27;", "\x1b[2J", "\u2028", "\u200d"]
FRAGMENTS = st.sampled_from(INLINE + BLOCKS + HOSTILE)


@settings(max_examples=60, deadline=None)
@given(st.lists(FRAGMENTS, max_size=30), st.integers(MIN_COLUMNS, 90), st.integers(2, 12), st.data())
def test_any_text_in_any_pieces_in_any_window_is_shown_once(
    fragments: list[str], columns: int, lines: int, data: st.DataObject
) -> None:
    text = "".join(fragments)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=20)))
    pieces = [text[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    window = Window(columns, lines)
    assert window.show(pieces) == Window(columns, 400).show([text])
    written = window.written
    assert re.findall(r"\x1b(?!\[[\d;]*m|\[1A|\[2K|\[\?25[hl]|\]8;|\\)", written) == []
    assert not {"\u202e", "\t", "\x07"} & set(written)


def test_complete_blocks_scroll_out_of_the_window_while_the_answer_arrives() -> None:
    window = Window(lines=4)
    for number in range(20):
        window.markdown.write(f"Paragraph {number}.\n\n")
    above = ["".join(row[at].data for at in range(60)).rstrip() for row in window.screen.history.top]
    assert above[:3] == ["Paragraph 0.", "", "Paragraph 1."]
    assert window.show([]) == [row for number in range(20) for row in (f"Paragraph {number}.", "")][:-1]


def test_the_end_of_a_block_that_is_taller_than_the_window_is_shown_until_it_is_complete() -> None:
    window = Window(lines=5)
    for number in range(20):
        window.markdown.write(f"\\\nrow {number}" if number else "row 0")
    assert window.rows()[-1] == "row 19"
    assert len(window.screen.history.top) == 0
    assert window.show([]) == [f"row {number}" for number in range(20)]


def test_a_terminal_that_cannot_move_its_cursor_gets_plain_text_without_control_characters() -> None:
    window = Window(columns=MIN_COLUMNS - 1)
    stream = open_stream(window.console)
    stream.write("**a**\x1b[2J")
    stream.close()
    assert window.written == "**a**[2J\n"


def test_a_pipe_gets_the_text_unchanged() -> None:
    pipe = io.StringIO()
    stream = open_stream(Console(file=pipe))
    stream.write("**a**\t\x1b[1m")
    stream.close()
    assert pipe.getvalue() == "**a**\t\x1b[1m\n"


def test_links_lead_to_pages_and_mail_only() -> None:
    window = Window()
    window.show([ANSWER, "[f](file:///etc/passwd) <ssh://host> [m](mailto:a@b.example)"])
    links = set(re.findall(r"\x1b\]8;[^;]*;([^\x1b]+)", window.written))
    assert links == {"https://example.org/a", "https://example.org/p.png", "mailto:a@b.example"}
