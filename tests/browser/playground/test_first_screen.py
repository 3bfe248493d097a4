"""The first screen says what is there and suggests questions, and an answer has follow-up questions."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.chromium import serve_command, violations, watched_page
from tests.browser.playground.page import open_page, passage, paste, with_index
from tests.conftest import Launch

pytestmark = pytest.mark.browser

CONFIGURATION_WORDS = ("extractive", "lexical", "scorer", "release", "unsupported claims", "first text after")


@pytest.fixture(scope="module")
def indexed_server(launch: Launch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Yield the address of a server with an indexed folder and without a language model."""
    folder: Path = tmp_path_factory.mktemp("indexed")
    with launch(serve_command(folder, with_index(folder)), folder / "log") as url:
        yield url


@pytest.fixture
def indexed_page(browser: Browser, indexed_server: str) -> Iterator[Page]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    with watched_page(context, (indexed_server,)) as page:
        open_page(page, indexed_server)
        yield page
    context.close()


def test_the_first_screen_names_the_folder_and_says_that_there_is_no_model(indexed_page: Page) -> None:
    page = indexed_page
    expect(page.locator("#facts li")).to_have_text(
        [
            "The folder “docs” with 3 files is ready.",
            "Quotes only: without a language model, an answer consists of sentences of the documents.",
        ]
    )
    expect(page.locator("#source option:checked")).to_have_text("docs")
    expect(page.locator("#model option:checked")).to_have_text("Quotes only (no model)")
    expect(page.locator("#model option[disabled]").first).to_have_text("OpenAI: set OPENAI_API_KEY")
    page.get_by_role("button", name="Connect a model").click()
    expect(page.locator("#connect")).to_contain_text("ANTHROPIC_API_KEY=… citestream serve")
    assert violations(page) == ""
    page.keyboard.press("Escape")
    page.click("#open-options")
    shown = page.locator("body").inner_text().lower()
    assert [word for word in CONFIGURATION_WORDS if word in shown] == []


def test_a_suggested_question_is_answered_and_has_follow_ups(indexed_page: Page) -> None:
    page = indexed_page
    suggested = page.locator("#welcome-suggestions button")
    expect(suggested).to_have_count(3)
    expect(suggested.first).to_have_text("Hydro S: price in euros?")
    suggested.first.click()
    turn = page.locator(".turn")
    turn.locator(".marker").first.click()
    expect(passage(page).locator("blockquote")).to_have_text("Hydro S · 129.50")
    follow_up = page.locator(".follow-up button")
    expect(follow_up.first).to_be_visible()
    assert "Hydro S: price in euros?" not in follow_up.all_inner_texts()
    follow_up.first.click()
    expect(page.locator(".turn")).to_have_count(2)
    expect(page.locator(".turn").first.locator(".follow-up")).to_have_count(0)


SUGGESTED = {
    "a row of a table is asked for its number": (
        [{"text": "| sku | pump | price |\n|---|---|---|\n| BW-1 | Hydro | 129.50 |"}],
        ["Hydro: price?"],
    ),
    "a heading is a topic": (
        [{"title": "Handbook › 2.1 Travel", "text": "It is by train."}],
        ["What do the documents say about “Travel”?"],
    ),
    "a name inside a sentence is a topic": (
        [{"text": "It was founded by Walter Sommer. Walter Sommer left. The Sommers came to Hamburg."}],
        [f"What do the documents say about “{name}”?" for name in ("Walter Sommer", "Sommers", "Hamburg")],
    ),
    "a question that was asked is left out": ([{"title": "Handbook › Asked", "text": "It is by train."}], []),
}


@pytest.mark.parametrize("case", SUGGESTED)
def test_questions_are_made_from_the_documents(indexed_page: Page, case: str) -> None:
    entries, expected = SUGGESTED[case]
    questions = indexed_page.evaluate(
        """async (entries) => {
            const { suggestions } = await import("./playground/suggestions.js");
            return suggestions(entries, ["What do the documents say about “Asked”?"]);
        }""",
        entries,
    )
    assert questions == expected


def test_questions_are_suggested_after_a_document_was_added(page: Page) -> None:
    expect(page.locator("#facts li")).to_have_text(["Models that answer: hostile/m, silent/m, stalled/m and 1 more."])
    paste(page, "# Handbook\n\n## Travel\n\nEmployees travel by train.\n\n## Leave\n\nIt is 28 days.\n")
    expect(page.locator("#welcome-suggestions button").first).to_have_text("What do the documents say about “Travel”?")
