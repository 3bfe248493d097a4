"""An answer paints nothing outside the box of its component, and formulas and accents nothing outside their block."""

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.chromium import serve_command
from tests.conftest import Launch

pytestmark = pytest.mark.browser

RULE = r"$\smash{\rule{49em}{49em}}$"
FAKE = r"$\smash{\raise{20em}{\text{FAKE}}}$"
LEFT = r"$\hspace{-9em}\hspace{-9em}\hspace{-9em}\hspace{-9em}\rule{9em}{9em}$"
ZALGO = ("n" + "\u0301\u0302\u0303\u0308\u030a\u0330\u0331\u0332\u0333" * 12) * 10
WORD = "W" * 400
BIDI = "\u202e\u2067" + "ABC אבג " * 40
TALL = "<sup>" * 60 + "up" + "</sup>" * 60 + "<sub>" * 60 + "down"
HIDDEN = {  # contents that reach out of their box
    "a rule without height": RULE,
    "raised text": FAKE,
    "lowered text": FAKE.replace("raise", "lower"),
    "a rule in large letters": r"$\Huge\rule{49em}{49em}$",
    "a rule without width": r"$a\rlap{\Huge\rule{49em}{9em}}$",
    "a rule to the left": r"$a\llap{\Huge\rule{49em}{9em}}$",
    "negative spaces": LEFT,
    "a fraction of huge parts": r"$\smash{\frac{\Huge\rule{9em}{9em}}{\Huge\rule{9em}{9em}}}$",
    "a raised box in a raised box": r"$\smash{\raise{9em}{\raise{9em}{\raise{9em}{\text{FAKE}}}}}$",
    "a formula of its own": f"$${RULE[1:-1]}$$",
    "a formula of its own with raised text": f"$${FAKE[1:-1]}$$",
    "a formula of its own with negative spaces": f"$${LEFT[1:-1]}$$",
    "a frame": r"$\smash{\boxed{\Huge\rule{49em}{9em}}}$",
    "a long formula": "$" + "a + " * 200 + "b$",
    "stacked accents": ZALGO,
    "a long word": WORD,
    "a long word in code": f"`{WORD}`",
    "bidirectional controls": BIDI,
    "raised and lowered text": TALL,
}
PLACES = {
    "a paragraph": "{}",
    "a heading": "# {}",
    "a list": "- {}",
    "nested lists": "- " * 15 + "{}",
    "a task list": "- [x] {}",
    "a quotation": "> {}",
    "nested quotations": ">" * 15 + " {}",
    "a table": "| a | b |\n|---|---|\n| {} | c |",
    "a head of a table": "| {} | b |\n|---|---|\n| a | c |",
    "bold text in a link": "[**x {}**](http://e.org)",
}


@pytest.fixture(scope="module")
def page(browser: Browser, launch: Launch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    folder = tmp_path_factory.mktemp("containment")
    with launch(serve_command(folder, {"providers": {"extractive": {}}}), folder / "log") as url:
        context = browser.new_context(viewport={"width": 900, "height": 1100})
        page = context.new_page()
        page.goto(f"{url}/healthz")
        page.add_script_tag(path=Path(__file__).with_name("containment.js"))
        page.evaluate("url => buildPage(url)", url)
        yield page
        context.close()


def show(page: Page, text: str, **fields: Any) -> tuple[dict[str, Any], str]:
    """Show an answer. Return the boxes of the component and of its blocks, and a screenshot."""
    response = {"text": text, **fields}
    boxes: dict[str, Any] = page.evaluate("([...response]) => showAnswer(...response)", [response, "$" in text])
    return boxes, base64.b64encode(page.screenshot()).decode()


def difference(page: Page, one: str, other: str, box: dict[str, float], *, inside: bool = False) -> int:
    count: int = page.evaluate("given => differences(given)", [one, other, box, inside])
    return count


@pytest.mark.parametrize("place", PLACES)
def test_no_pixel_outside_the_component_changes(page: Page, place: str) -> None:
    _, empty = show(page, "")
    changed = {}
    for case, content in HIDDEN.items():
        text = PLACES[place].format(content.replace("$$", "$") if place != "a paragraph" else content)
        boxes, shown = show(page, text)
        changed[case] = difference(page, empty, shown, boxes["element"])
    assert {case: count for case, count in changed.items() if count} == {}


@pytest.mark.parametrize("case", HIDDEN)
def test_no_pixel_of_another_sentence_changes(page: Page, case: str) -> None:
    before = "The bridge was opened in 1932. [1]"
    references = [{"number": 1, "title": "Bridges", "spans": []}]
    boxes, expected = show(page, before, references=references)
    first = boxes["blocks"][0]
    for text in (f"{before}\n\n{HIDDEN[case]}", f"{before}\n\n# {HIDDEN[case]}"):
        _, shown = show(page, text, references=references)
        assert difference(page, expected, shown, first, inside=True) == 0


@pytest.mark.parametrize("field", ["title", "file_name", "snippet", "label", "id"])
def test_no_pixel_outside_the_component_changes_for_names_and_quotes(page: Page, field: str) -> None:
    _, empty = show(page, "")
    for content in (ZALGO, WORD, BIDI):
        reference: dict[str, object] = {"number": 1, "title": None, "is_generated_artifact": True, "spans": []}
        reference[field] = content
        boxes, shown = show(page, "It is red. [1]", references=[reference])
        assert difference(page, empty, shown, boxes["element"]) == 0


def test_a_formula_in_a_line_keeps_its_baseline(page: Page) -> None:
    show(page, "The letter $x$ is followed by $y$ here.")
    bottoms = page.evaluate(
        """() => [...document.querySelector("citestream-answer").shadowRoot.querySelectorAll("mi")]
            .map((one) => one.getBoundingClientRect()).map(({ top, bottom }) => [top, bottom])"""
    )
    words = page.evaluate(
        """() => { const range = document.createRange();
            range.selectNode(document.querySelector("citestream-answer").textElement.querySelector("p").firstChild);
            const { top, bottom } = range.getBoundingClientRect(); return [top, bottom]; }"""
    )
    assert len(bottoms) == 2
    for top, bottom in bottoms:
        assert words[0] - 2 <= top < bottom <= words[1] + 2, "the letter is within the line"


def test_a_wide_formula_in_a_line_scrolls(page: Page) -> None:
    show(page, "It is $" + "a + " * 60 + "b$ wide.")
    page.wait_for_function(
        """() => { const place = document.querySelector("citestream-answer").shadowRoot.querySelector(".math");
            place.scrollLeft = 50; return place.scrollLeft === 50; }"""
    )
