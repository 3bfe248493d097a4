"""Layout, size, accessibility and security of the page, also with hostile text."""

from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from citestream.proxy.http.middleware.auth import COMPONENT_PREFIX, PAGE_PREFIX
from tests.browser.chromium import violations
from tests.browser.playground.page import ask, ask_hostile, open_page, passage

pytestmark = pytest.mark.browser

MAX_BYTES = 460_000  # total size of the files that the page loads; the library of formulas has 168,000
# The layout shifts that Chromium measures, except those after an action of the user: https://web.dev/articles/cls
OBSERVE_SHIFTS = """() => {
    globalThis.shifts = [];
    const shifts = (list) => list.getEntries().filter((one) => !one.hadRecentInput).map(({ value }) => value);
    new PerformanceObserver((list) => globalThis.shifts.push(...shifts(list))).observe({ type: "layout-shift" });
}"""


@pytest.mark.parametrize("width", [1280, 390])
def test_wide_code_tables_and_formulas_scroll_inside_the_answer(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 800})
    page.select_option("#model", "wide/m")
    page.evaluate(OBSERVE_SHIFTS)
    turn = ask(page, "How high is the load?")
    expect(turn.locator("math")).to_have_count(1)
    edge = page.locator("#conversation").evaluate("node => node.getBoundingClientRect().right")
    edges = turn.locator(".text > *").evaluate_all("nodes => nodes.map(node => node.getBoundingClientRect().right)")
    assert max(edges) <= edge
    assert turn.locator("pre").evaluate("node => node.scrollWidth > node.clientWidth")
    assert page.evaluate("shifts.reduce((sum, one) => sum + one, 0)") < 0.01, "below 0.1 is good for a whole page"


def test_code_has_a_button_that_copies_it(page: Page) -> None:
    answer = ask_hostile(page).locator("citestream-answer")
    button = answer.get_by_role("button", name="Copy the code")
    button.focus()
    page.keyboard.press("Enter")
    expect(answer.get_by_role("button", name="Code copied")).to_be_focused()
    assert page.evaluate("navigator.clipboard.readText()") == 'lanes[1] = "<b>not a marker</b>"'
    assert "Copy" not in answer.locator(".text").inner_text(), "the label is not part of the selected text"


def test_code_is_selected_if_the_page_cannot_use_the_clipboard(page: Page) -> None:
    page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined, configurable: true })")
    answer = ask_hostile(page).locator("citestream-answer")
    answer.get_by_role("button", name="Copy the code").click()
    expect(answer.get_by_role("button", name="Code selected")).to_be_visible()
    assert page.evaluate("getSelection().toString().trim()") == 'lanes[1] = "<b>not a marker</b>"'


def test_hostile_text_is_shown_as_text(page: Page) -> None:
    turn = ask_hostile(page)
    answer = turn.locator("citestream-answer .text")
    expect(answer.locator("h3")).to_have_text("Bridges <script>window.pwned = 1</script>")
    expect(answer).to_contain_text("<img src=x onerror=")
    expect(answer.locator("td").first).to_have_text("Harlan")
    expect(answer.locator("td .marker")).to_have_count(1)
    children = "rows => rows.map(row => [...row.children].map(cell => cell.tagName).join())"
    assert answer.locator("tr").evaluate_all(children) == ["TH,TH", "TD,TD"], "a row contains only cells"
    expect(answer.locator("pre code")).to_have_text('lanes[1] = "<b>not a marker</b>"\n')
    expect(answer.locator("pre .marker")).to_have_count(0)
    expect(answer.locator("math mfrac")).to_have_count(1)
    expect(answer.locator("strong")).to_have_text("17 lanes")
    expect(answer.locator("script, img, style, [onerror], a[href^=javascript]")).to_have_count(0)
    answer.locator(".marker").first.click()
    expect(passage(page).locator("blockquote")).to_contain_text("<script>window.pwned = 4</script>")
    passage(page).get_by_text("Open document").click()
    expect(page.locator("#document mark")).to_contain_text("<script>window.pwned = 4</script>")
    expect(page.locator("#document")).to_contain_text("Some words before it.")
    page.keyboard.press("Escape")
    answer.locator(".marker").last.click()
    expect(passage(page)).to_contain_text("added by Citestream")
    page.keyboard.press("Escape")
    turn.locator(".inspect").click()
    for tab in ("claims", "wire", "code"):
        page.click(f"#tab-{tab}")
    assert page.evaluate("window.pwned") is None


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_axe_finds_no_accessibility_violations(page: Page, scheme: Any, width: int) -> None:
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 800})
    assert violations(page) == ""
    turn = ask_hostile(page) if width > 390 else ask_example(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width, "the page does not scroll sideways"
    assert violations(page) == ""
    turn.locator(".marker").first.click()
    assert violations(page) == ""
    page.keyboard.press("Escape")
    turn.locator(".inspect").click()
    for tab in ("claims", "wire", "code"):
        page.click(f"#tab-{tab}")
        assert violations(page) == ""
    page.keyboard.press("Escape")
    page.click("#open-options")
    assert violations(page) == ""


def ask_example(page: Page) -> Locator:
    page.click("#example")
    return ask(page)


def test_the_page_fits_a_width_of_320_pixels(page: Page) -> None:
    """The width of a page at 400 % zoom: https://www.w3.org/WAI/WCAG22/Understanding/reflow."""
    ask_example(page).locator(".marker").first.click()
    page.set_viewport_size({"width": 320, "height": 500})
    assert page.evaluate("document.documentElement.scrollWidth") == 320


def test_everything_can_be_used_with_the_keyboard(page: Page) -> None:
    page.click("#example")
    page.focus("#theme")
    page.keyboard.press("/")
    expect(page.locator("#question")).to_be_focused()
    page.keyboard.press("Enter")
    turn = page.locator(".turn")
    expect(turn.locator(".actions")).to_be_visible()
    marker = turn.locator(".marker").first
    marker.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#sources .panel")).to_be_focused()
    page.keyboard.press("Tab")
    expect(passage(page).get_by_text("Open document")).to_be_focused()
    page.keyboard.press("Escape")
    expect(marker).to_be_focused()
    turn.locator(".inspect").press("Enter")
    expect(page.locator("#inspector")).to_be_visible()  # it is loaded now
    page.focus("#tab-claims")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#tab-wire")).to_have_attribute("aria-selected", "true")
    page.keyboard.press("End")
    expect(page.locator("#tab-code")).to_be_focused()
    page.keyboard.press("Escape")
    expect(turn.locator(".inspect")).to_be_focused()


def test_the_chosen_theme_is_remembered(page: Page, server: str) -> None:
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.click("#theme")
    chosen = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert chosen != dark
    open_page(page, server)
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == chosen


def test_the_size_of_the_loaded_files_is_limited(page: Page) -> None:
    turn = ask_hostile(page)
    expect(turn.locator("math")).to_have_count(1)
    sizes = page.evaluate(
        "performance.getEntries().filter((e) => e.decodedBodySize && !e.name.includes('/v1/'))"
        ".map((e) => e.decodedBodySize)"
    )
    assert 100_000 < sum(sizes) < MAX_BYTES


def test_the_page_loads_all_modules_of_the_components_at_once(page: Page) -> None:
    listed = page.locator("link[rel=modulepreload]").evaluate_all("links => links.map(link => link.href)")
    loaded = page.evaluate("performance.getEntriesByType('resource').map(({ name }) => name)")
    assert {url for url in loaded if "/component/" in url} == set(listed)


def test_every_file_has_the_security_headers(browser: Browser, server: str) -> None:
    context = browser.new_context()
    for path in ("/", f"{PAGE_PREFIX}app.js", f"{COMPONENT_PREFIX}citestream.js", f"{PAGE_PREFIX}icon.svg"):
        response = context.request.get(f"{server}{path}")
        assert "default-src 'none'" in response.headers["content-security-policy"]
        assert response.headers["x-content-type-options"] == "nosniff"
        second_response = context.request.get(f"{server}{path}", headers={"If-None-Match": response.headers["etag"]})
        assert (second_response.status, second_response.body()) == (304, b"")
    context.close()
