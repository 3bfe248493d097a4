"""The components render Markdown like GitHub: random documents are compared with the output of cmark-gfm."""

from collections.abc import Iterator
from random import Random

import cmarkgfm
import pytest
from playwright.sync_api import Browser, Page

from tests.browser.chromium import serve_command
from tests.browser.markdown_constructs import constructs
from tests.conftest import Launch

pytestmark = pytest.mark.browser

DOCUMENTS = 300
PIECES = (
    *("word", "word", "word", "1932.", "5 * 3", "2 < 3", "a & b", "foo\\*bar", "\\", "x*y", "a_b_c", "end  "),
    *("*beta*", "**gamma delta**", "_eps_", "~~del~~", "**a *b* c**", "***both***", "*a*b", "**“q”**"),
    *("`code`", "`` a`b ``", "[link](http://e.org/a)", "(see [two](http://e.org/(p)))", "http://e.org/x_y."),
)
LINES = ("---", "***", "Title\n===", "Section\n---")
MARKS = ("-", "*", "+", "1.", "2.", "10)")

# For each text and its HTML by cmark-gfm, compares the elements and the text. Headings are two levels lower here.
DIFFERENCES = """async (cases) => {
  const { MarkdownView } = await import("/component/citestream.js");
  const lower = { H1: "H3", H2: "H4", H3: "H5", H4: "H6", H5: "H6", H6: "H6" };
  const outline = (node, headings) => [...node.childNodes].map((child) => {
    if (child.nodeType === Node.TEXT_NODE) return child.data;
    if (child.className === "table" || child.className === "code") return outline(child, headings);
    if (child.tagName === "BUTTON") return "";
    const name = (headings && lower[child.tagName]) || child.tagName;
    const attribute = child.getAttribute("href") ?? child.getAttribute("start") ?? "";
    return `<${name} ${attribute}>${outline(child, headings)}</${name}>`;
  }).join("");
  const tags = / ?(<(?:P|UL|OL|LI|BLOCKQUOTE|PRE|H\\d|TABLE|THEAD|TBODY|TR|T[HD]|HR|BR|CODE) [^>]*>|<\\/[A-Z0-9]+>) ?/g;
  const normal = (html) => html.replace(/\\s+/g, " ").replace(tags, "$1").trim();
  return cases.map(([text, html]) => {
    const root = document.createElement("div");
    new MarkdownView(root, () => null).update(text);
    const expected = normal(outline(new DOMParser().parseFromString(html, "text/html").body, true));
    return { text, expected, shown: normal(outline(root, false)) };
  }).filter(({ expected, shown }) => expected !== shown);
}"""

PIECES_AT_ONCE = 50_000
MOST_ELEMENTS = 60_000  # the limits of the component for an answer, with markers and the parts of lists and tables

# Show a text with a verified claim and markers. Return the number of elements.
SHOWN = """async (text) => {
  const { MarkdownView } = await import("/component/citestream.js");
  globalThis.root ??= document.body.appendChild(document.createElement("div"));
  root.replaceChildren();
  const marker = (number) => Object.assign(document.createElement("span"), { textContent: number });
  new MarkdownView(root, marker).update(text, [{ start: 0, end: 9 }]);
  root.getBoundingClientRect();
  return root.querySelectorAll("*").length;
}"""


@pytest.fixture(scope="module")
def page(browser: Browser, launch: Launch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """Yield a page of the server without a policy about the HTML that the test parses."""
    folder = tmp_path_factory.mktemp("markdown")
    with launch(serve_command(folder, {"providers": {"extractive": {}}}), folder / "log") as url:
        page = browser.new_page()
        page.goto(f"{url}/healthz")
        yield page
        page.close()


def inline(random: Random) -> str:
    return " ".join(random.choice(PIECES) for _ in range(random.randint(1, 5)))


def item(random: Random, mark: str, depth: int) -> str:
    indent = " " * (len(mark) + 1)
    content = block(random, depth + 1) if random.random() < 0.5 else inline(random)
    return f"{mark} " + "\n".join(indent + line if line else "" for line in content.split("\n"))[len(indent) :]


def items(random: Random, depth: int) -> str:
    mark = random.choice(MARKS)
    marks = [mark] * random.randint(1, 4)
    if mark[0].isdigit():
        marks = [f"{int(mark[:-1]) + index}{mark[-1]}" for index in range(len(marks))]
    return random.choice(["\n", "\n", "\n\n"]).join(item(random, mark, depth) for mark in marks)


def block(random: Random, depth: int = 0) -> str:
    """Return a random block, which may contain others."""
    kind = random.randint(0, 9)
    nested = depth < 3
    if kind < 3 and nested:
        return items(random, depth)
    if kind == 3 and nested:
        return "\n".join(f"> {line}" for line in block(random, depth + 1).split("\n"))
    if kind == 4:
        return f"```py\n{inline(random)}\n\n  {inline(random)}\n```"
    if kind == 5:
        return f"| a | b |\n|---|:-:|\n| {inline(random)} | {inline(random)} |\n| x |"
    if kind == 6:
        return random.choice(LINES)
    if kind == 7:
        return f"{'#' * random.randint(1, 6)} {inline(random).rstrip()}"
    if kind == 8 and nested:
        return f"{inline(random)}\n{block(random, depth + 1)}"
    return "\n".join(inline(random) for _ in range(random.randint(1, 3)))


def documents() -> Iterator[str]:
    for seed in range(DOCUMENTS):
        random = Random(seed)
        yield "\n\n".join(block(random) for _ in range(random.randint(1, 3)))


def test_random_documents_are_rendered_as_by_cmark_gfm(page: Page) -> None:
    cases = [[text, cmarkgfm.github_flavored_markdown_to_html(text)] for text in documents()]
    assert page.evaluate(DIFFERENCES, cases) == []


@pytest.mark.parametrize("part", range(4))
def test_50000_pieces_of_every_construct_are_shown_within_the_timeout_of_a_test(page: Page, part: int) -> None:
    """The limits of the component keep the number of elements small; text beyond them is plain."""
    for name, text in list(constructs(PIECES_AT_ONCE).items())[part::4]:
        assert page.evaluate(SHOWN, text) <= MOST_ELEMENTS, name


def test_a_table_of_200_columns_and_200_rows_is_plain_text(page: Page) -> None:
    row = "|a" * 200 + "|\n"
    text = row + "|-" * 200 + "|\n" + row * 200
    assert page.evaluate(SHOWN, text) <= 2
    assert page.evaluate("root.textContent") == text.rstrip("\n")


def test_a_table_of_1000_rows_is_a_table(page: Page) -> None:
    page.evaluate(SHOWN, "| a | b | c |\n|---|---|---|\n" + "| 1 | 2 | 3 |\n" * 1_000)
    assert page.evaluate("root.querySelectorAll('td').length") == 3_000
