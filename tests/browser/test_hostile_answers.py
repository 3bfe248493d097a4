"""Answers of a hostile model or server: odd types, links that imitate markers, and very many references."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.chromium import serve_command
from tests.conftest import Launch

pytestmark = pytest.mark.browser

TYPES = Path(__file__).parents[2] / "proxy/component/citestream.d.ts"


@pytest.fixture(scope="module")
def page(browser: Browser, launch: Launch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    folder = tmp_path_factory.mktemp("hostile")
    with launch(serve_command(folder, {"providers": {"extractive": {}}}), folder / "log") as url:
        page = browser.new_page()
        page.goto(f"{url}/healthz")
        page.evaluate("url => import(`${url}/component/citestream.js`)", url)
        page.add_script_tag(path=Path(__file__).with_name("hostile_answers.js"))
        yield page
        page.close()


@pytest.fixture
def answer(page: Page) -> Page:
    """Return a page with an empty answer and its source panel."""
    page.evaluate(
        """document.body.innerHTML = '<citestream-answer id="a"></citestream-answer>'
            + '<citestream-sources for="a"></citestream-sources>'"""
    )
    return page


def show(page: Page, text: str, references: list[dict[str, Any]] | None = None) -> None:
    given = {"text": text, "references": references or []}
    page.evaluate("given => document.querySelector('citestream-answer').show(given)", given)


@pytest.mark.parametrize("form", ["finished", "chunk", "completion", "responses"])
def test_no_value_of_another_type_in_any_field_throws(page: Page, form: str) -> None:
    page.evaluate("document.body.replaceChildren()")
    result = page.evaluate("form => showOddAnswers(form)", form)
    assert result["thrown"] == []
    assert result["count"] > 1_000, "fields times values"


def test_the_odd_values_reach_every_field_of_the_types(page: Page) -> None:
    source = TYPES.read_text("utf-8")
    fields = "".join(re.findall(r"interface (?:Span|Reference|Grounding) \{(.*?)\n\}", source, re.DOTALL))
    declared = set(re.findall(r"(\w+): ", fields))
    full = page.evaluate("JSON.stringify(fullAnswer())")
    assert declared
    assert declared <= set(re.findall(r'"(\w+)":', full))


@pytest.mark.parametrize("value", ["null", "undefined", "1", "'x'", "[]", "[null]"])
def test_an_answer_of_another_type_is_empty(answer: Page, value: str) -> None:
    shown = answer.evaluate(
        f"""async () => {{ const element = document.querySelector("citestream-answer");
            element.show({value}); const text = element.answer.text;
            await element.stream([{value}]); return [text, element.answer.text, element.answer.error]; }}"""
    )
    assert shown == ["", "", None]


def test_numbers_that_are_strings_are_numbers(answer: Page) -> None:
    span = {"choice": "0", "start": "0", "end": "10", "support": "0.9", "quote": "It is red."}
    show(answer, "It is red. [1]", [{"number": "1", "title": "Red", "support": "0.9", "spans": [span, None]}, None])  # type: ignore[list-item]
    answer.locator("citestream-answer .marker").click()
    expect(answer.locator("citestream-sources li")).to_contain_text("Support 90 %")


def test_an_answer_in_the_page_that_is_not_json_is_an_error(answer: Page) -> None:
    html = '<citestream-answer><script type="application/json">{</script></citestream-answer>'
    answer.evaluate("html => { document.body.innerHTML = html; }", html)
    expect(answer.locator("citestream-answer").get_by_role("alert")).to_have_text("The answer in the page is not JSON.")


RELATIVE = (
    *("/logout", "?delete=1", "#x", "delete", "./x", "../x", "//evil.example/x", "///evil.example", "\\\\evil.example"),
    *("/\\evil.example", "http:/logout", "http:logout", "https:\\\\evil.example", "http:///x", "http://", "mailto:"),
    *("file:///etc/passwd", "javascript:alert(1)", "data:text/html,x", "blob:http://x/y", "ftp://x", "\thttp:x", "//"),
    *(
        "&#47;logout",
        "%2Flogout",
        "<?delete=1>",
        "</logout>",
        "http://?x",
        "http://#x",
        "view-source:http://x",
        "ws://x",
    ),
)
TEXTS = ("1", "the source", "[1]", "**1**")


@pytest.mark.parametrize("target", RELATIVE)
def test_a_relative_address_in_an_answer_is_no_link(answer: Page, target: str) -> None:
    reference = {"number": 1, "title": "Red", "url": "https://example.org/a"}
    show(answer, " ".join(f"see [{text}]({target})" for text in TEXTS), [reference])
    expect(answer.locator("citestream-answer .text a")).to_have_count(0)


def test_an_absolute_address_in_an_answer_is_a_link(answer: Page) -> None:
    show(answer, "[one](http://e.org/x) [two](HTTPS://e.org) [three](mailto:a@e.org) <http://e.org/y> https://e.org/z")
    expect(answer.locator("citestream-answer .text a")).to_have_count(5)


IMITATIONS = (
    *("[1](http://evil.example)", "[[1]](http://evil.example)", "[**1**](http://evil.example)"),
    *("[`1`](http://evil.example)", "<sup>[1](http://evil.example)</sup>", "[①](http://evil.example)"),
    *(
        "[¹](http://evil.example)",
        "[１](http://evil.example)",
        "[\\[1\\]](http://evil.example)",
        "[ 1 ](http://evil.example)",
    ),
    *(
        "[&#49;](http://evil.example)",
        "[l](http://evil.example)",
        "[1, 2](http://evil.example)",
        "[$1$](http://evil.example)",
    ),
    *(
        "[<sup>1</sup>](http://evil.example)",
        "[](http://evil.example)",
        "[1️⃣](http://evil.example)",
        "[١](http://evil.example)",
    ),
)


@pytest.mark.parametrize("text", IMITATIONS)
def test_a_link_that_looks_like_a_marker_shows_its_host_and_is_none(answer: Page, text: str) -> None:
    show(answer, f"It is red. {text}", [{"number": 1, "title": "Red", "url": "https://example.org/a"}])
    expect(answer.locator("citestream-answer .text .marker")).to_have_count(0)
    expect(answer.locator("citestream-answer .text a")).to_contain_text("(evil.example)")


@pytest.mark.parametrize("address", ["https://example.org/a_(b)?q=ä", "https://example.org/a_%28b%29?q=%C3%A4"])
def test_a_marker_that_links_to_its_reference_is_a_marker(answer: Page, address: str) -> None:
    show(
        answer, f"It is red. [[1]]({address})", [{"number": 1, "title": "Red", "url": "https://example.org/a_(b)?q=ä"}]
    )
    expect(answer.locator("citestream-answer .text .marker")).to_have_count(1)
    expect(answer.locator("citestream-answer .text a")).to_have_count(0)


@pytest.mark.parametrize("per_paragraph", [1, 5_000], ids=["a paragraph each", "one paragraph"])
def test_an_answer_with_5000_references_can_be_used(answer: Page, per_paragraph: int) -> None:
    answer.evaluate("count => document.querySelector('citestream-answer').show(longAnswer(5000, count))", per_paragraph)
    element, panel = answer.locator("citestream-answer"), answer.locator("citestream-sources")
    expect(element.locator(".text .marker")).to_have_count(5_000)
    claims = element.evaluate("one => new Set(one.claims.map((claim) => one.textOf(claim))).size")
    assert claims == 5_000, "each sentence is wrapped"
    element.locator(".text .marker").last.click()
    expect(panel.locator("ol li")).to_have_count(1)
    expect(panel.locator("ol li")).to_contain_text("Source 5000")
    panel.get_by_role("button", name="Show all 5000 sources").click()
    expect(panel.locator("ol li")).to_have_count(51)
    panel.get_by_role("button", name="Show 50 more of 5000").click()
    expect(panel.locator("ol li").nth(99)).to_contain_text("Source 100")
    expect(panel.locator("ol li")).to_have_count(101)
    assert answer.evaluate("document.querySelector('citestream-sources').shadowRoot.activeElement?.textContent")
