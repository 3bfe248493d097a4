"""What is on the screen is the whole answer, however it arrived: a terminal is emulated, and its rows are compared."""

import io
import re
from collections.abc import Sequence

import pyte
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from citestream.proxy.cli.live_markdown import NARROWEST, THEME, Live

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


class Window:
    """A terminal of some size, and what scrolled out of it."""

    def __init__(self, columns: int = 60, lines: int = 8) -> None:
        self.screen = pyte.HistoryScreen(columns, lines, history=10_000)
        self.stream = pyte.Stream(self.screen)
        self.console = Console(
            file=io.StringIO(), width=columns, height=lines, force_terminal=True, theme=THEME, highlight=False
        )
        self.live = Live(self.console)
        self.written: list[str] = []

    def show(self, pieces: Sequence[str]) -> list[str]:
        for piece in pieces:
            self.write(self.live.feed(piece))
        self.write(self.live.finish())
        return self.rows()

    def write(self, text: str) -> None:
        self.written.append(text)
        self.stream.feed(text.replace("\n", "\r\n"))  # as the line discipline does

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
    assert "  def carries(tonnes: int) -> bool:" in rows
    assert "▌ They said so." in rows
    assert rows[-1].split() == ["Vec<String>", "!a", "picture", "日本語", "[1]:", "https://evil.example"]


@pytest.mark.parametrize(("columns", "lines"), [(60, 8), (NARROWEST, 3), (200, 60), (80, 1)])
def test_it_does_not_matter_how_the_answer_arrived(columns: int, lines: int) -> None:
    whole = Window(columns, 200).show([ANSWER])
    assert Window(columns, max(lines, 2)).show(list(ANSWER)) == whole
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
@given(st.lists(FRAGMENTS, max_size=30), st.integers(NARROWEST, 90), st.integers(2, 12), st.data())
def test_any_text_in_any_pieces_in_any_window_is_shown_once(
    fragments: list[str], columns: int, lines: int, data: st.DataObject
) -> None:
    text = "".join(fragments)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=20)))
    pieces = [text[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    window = Window(columns, lines)
    assert window.show(pieces) == Window(columns, 400).show([text])
    written = "".join(window.written)
    assert re.findall(r"\x1b(?!\[[\d;]*m|\[\d+A|\[J|\[\?2026[hl]|\]8;|\\)", written) == []
    assert not {"\u202e", "\t", "\x07"} & set(written)


def test_a_finished_block_is_written_once_and_only_rows_that_change_are_drawn_anew() -> None:
    window = Window(lines=20)
    window.show(["First things first.\n\n", "Second.\n\n", "- third", " thing\n", "- fourth\n\nEnd"])
    written = "".join(window.written)
    assert [written.count(word) for word in ("First", "Second", "fourth", "End")] == [1, 1, 1, 1]
    window = Window(columns=30, lines=20)
    window.show(["It is a long sentence that takes three rows of this window and then ", "goes ", "on."])
    assert "".join(window.written).count("It is a long") == 1


def test_of_a_block_that_is_taller_than_the_window_the_end_is_shown_until_it_is_finished() -> None:
    window = Window(lines=5)
    for number in range(20):
        window.write(window.live.feed(f"\\\nrow {number}" if number else "row 0"))
    assert window.rows()[-1] == "row 19"
    assert len(window.screen.history.top) == 0
    window.write(window.live.finish())
    assert window.rows() == [f"row {number}" for number in range(20)]


def test_a_window_that_became_narrower_is_drawn_anew_from_where_the_block_began() -> None:
    window = Window(columns=60, lines=20)
    window.write(window.live.feed("A sentence of some fifty characters, in one row."))
    window.console.width = 30  # which folds that row
    assert window.live.feed(" On.").startswith("\x1b[?2026h\r\x1b[1A\x1b[J")


def test_links_lead_to_pages_and_mail_only() -> None:
    window = Window()
    window.show([ANSWER, "[f](file:///etc/passwd) <ssh://host> [m](mailto:a@b.example)"])
    links = set(re.findall(r"\x1b\]8;[^;]*;([^\x1b]+)", "".join(window.written)))
    assert links == {"https://example.org/a", "https://example.org/p.png", "mailto:a@b.example"}
