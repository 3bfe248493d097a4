"""Links of references in Chromium: it scrolls to the quote and highlights it."""

import base64
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from citestream.citation.cite import cite
from citestream.citation.evidence import Evidence
from citestream.citation.references import deep_link

pytestmark = pytest.mark.browser

HIGHLIGHT = (1, 254, 3)  # the colour of highlighted text, which is nowhere else on the page
FILLER = "<p>The weather was mild, and nothing of note took place in the whole county.</p>" * 60
COMMITTEE = (
    "The committee met again in the spring of 1932, and it asked the engineers of three firms for an estimate of the "
    "cost, of the time and of the number of workers that would be necessary, with a list of all parts. After two weeks "
    "of talks, the plans were changed, and the committee agreed to build the bridge a mile further down the river."
)
PAGE = f"""<!doctype html><meta charset="utf-8"><title>Bridge</title>
<style>::target-text {{ background-color: rgb{HIGHLIGHT}; color: black }} p {{ font: 16px sans-serif }}</style>
<p>The bus is red. It is red.</p>
{FILLER}
<h2 id="height">Height – total</h2>
<p id="short">It carries <b>two lanes</b>, a cycle-path &amp; eight <a href="/x">railway tracks</a>.</p>
<p id="long">{COMMITTEE}</p>
<table><tr><td id="name">Harlan bridge</td><td id="tall">330.5 m tall</td></tr></table>
<p id="chinese">大桥于1932年开放。</p>
<p id="again">The car is new. It is red. The bus came.</p>
{FILLER}"""

# The text as a retriever extracts it, the quote, and the elements that are highlighted.
QUOTES: dict[str, tuple[str, str, list[str]]] = {
    "a short quote with the signs of a directive": (
        "It carries two lanes, a cycle-path & eight railway tracks.",
        "It carries two lanes, a cycle-path & eight railway tracks.",
        ["short"],
    ),
    "a quote in Markdown": (
        "It carries **two lanes**, a cycle-path & eight [railway tracks](/x).",
        "It carries **two lanes**, a cycle-path & eight [railway tracks](/x).",
        ["short"],
    ),
    "a part of a sentence": ("It carries two lanes, a cycle-path & eight railway tracks.", "lanes, a cyc", ["short"]),
    "a heading and its paragraph": (
        "## Height – total\n\nIt carries two lanes, a cycle-path & eight railway tracks.",
        "## Height – total\n\nIt carries two lanes, a cycle-path & eight railway tracks.",
        ["height", "short"],
    ),
    "a long quote": (COMMITTEE, COMMITTEE, ["long"]),
    "a row of a table": ("| Harlan bridge | 330.5 m tall |", "| Harlan bridge | 330.5 m tall |", ["name", "tall"]),
    "a sentence in a script without spaces": ("大桥于1932年开放。", "大桥于1932年开放。", ["chinese"]),
    "a quote that occurs earlier on the page": (
        "The bus is red. It is red. The car is new. It is red. The bus came.",
        "It is red.",
        ["again"],
    ),
}


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(PAGE.encode())

    def log_message(self, *_: Any) -> None:
        """Log nothing."""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/bridge"
        server.shutdown()
        thread.join()


# Whether an element is in the window, and the number of its pixels that are highlighted.
_PIXELS = """
async ([png, colour]) => {
  const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${png}`)).blob());
  const canvas = new OffscreenCanvas(image.width, image.height);
  const context = canvas.getContext("2d");
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, image.width, image.height);
  let count = 0;
  for (let at = 0; at < data.length; at += 4) count += colour.every((value, i) => data[at + i] === value);
  return count;
}
"""


def is_in_window(page: Page, element: str) -> bool:
    script = "id => { const box = document.getElementById(id).getBoundingClientRect();"
    script += " return box.top >= 0 && box.bottom <= innerHeight; }"
    return bool(page.evaluate(script, element))


def is_highlighted(page: Page, reader: Page, element: str) -> bool:
    """Return whether text of an element is highlighted. `reader`: an empty page, which counts the pixels."""
    png = base64.b64encode(page.locator(f"#{element}").screenshot()).decode()
    return bool(reader.evaluate(_PIXELS, [png, HIGHLIGHT]))


@pytest.mark.parametrize("case", QUOTES)
def test_chromium_scrolls_to_the_quote_and_highlights_it(browser: Browser, address: str, case: str) -> None:
    text, quote, expected = QUOTES[case]
    start = text.rindex(quote)
    link = deep_link(Evidence(1, text, "e", url=address), (start, start + len(quote)))
    assert link
    with browser.new_context() as context:
        page, reader = context.new_page(), context.new_page()
        page.goto(link)
        page.wait_for_function("scrollY > 0")
        assert is_in_window(page, expected[0])
        elements = ("height", "short", "long", "name", "tall", "chinese", "again")
        assert [one for one in elements if is_highlighted(page, reader, one)] == expected


def test_the_link_of_an_answer_opens_its_quote(browser: Browser, address: str) -> None:
    text = "It carries two lanes, a cycle-path & eight railway tracks.\n大桥于1932年开放。"
    cited = cite("The bridge carries two lanes and eight railway tracks.", [Evidence(1, text, "e", url=address)])
    (reference,) = cited.fields["references"]
    with browser.new_context() as context:
        page, reader = context.new_page(), context.new_page()
        page.goto(reference["link"])
        page.wait_for_function("scrollY > 0")
        assert is_highlighted(page, reader, "short")


def test_without_a_directive_nothing_is_highlighted(browser: Browser, address: str) -> None:
    with browser.new_context() as context:
        page, reader = context.new_page(), context.new_page()
        page.goto(address)
        assert page.evaluate("scrollY") == 0
        assert not is_highlighted(page, reader, "short")
