"""The page shows the passages that support an answer, and the documents that contain them."""

import re
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.chromium import serve_command, watched_page
from tests.browser.playground.page import OPENED, ask, open_page, passage, paste, with_index
from tests.conftest import Launch

pytestmark = pytest.mark.browser

LANES = "The Harlan bridge carries eight lanes of traffic."


def test_three_clicks_lead_from_the_example_to_the_supporting_words(page: Page) -> None:
    page.click("#example")
    turn = ask(page)
    expect(turn).to_contain_text("3 of 3 claims supported")
    markers = turn.locator(".marker")
    expect(markers).to_have_count(3)
    markers.first.click()
    card = passage(page)
    expect(card).to_contain_text("moon-landings.md")
    expect(card).to_contain_text("page 2")
    expect(card).to_contain_text(re.compile(r"Support 9\d % · cited by the model"))
    expect(card.locator("blockquote")).to_contain_text("three stages that was 110.6 metres tall.")
    expect(card.locator("mark")).to_have_text(["Apollo", "110.6 metres"])
    expect(turn.get_by_role("dialog")).to_be_hidden()  # a card would repeat the passage


def test_a_card_opens_on_hover_on_focus_and_on_tap(browser: Browser, server: str) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 800}, has_touch=True)
    with watched_page(context, (server,)) as page:
        open_page(page, server)
        page.click("#example")
        turn = ask(page)
        card, markers = turn.get_by_role("dialog"), turn.locator(".marker")
        markers.first.hover()
        expect(card).to_contain_text("110.6")
        page.mouse.move(200, 500)
        expect(card).to_be_hidden()
        markers.nth(1).tap()
        expect(card).to_contain_text("lightning")
        page.touchscreen.tap(200, 300)
        expect(card).to_be_hidden()
        markers.nth(1).focus()
        page.keyboard.press("Tab")  # only a focus from the keyboard opens the card
        expect(card).to_be_visible()
    context.close()


def test_a_marker_opens_the_passage_of_its_sentence(page: Page) -> None:
    paste(page, f"{OPENED} It rained all day in the town. Many guests came. {LANES}")
    turn = ask(page, "When was the Harlan bridge opened, and how many lanes of traffic does the Harlan bridge carry?")
    markers = turn.locator(".marker")
    expect(markers).to_have_count(2)
    for marker, text in ((markers.first, OPENED), (markers.last, LANES)):
        marker.click()
        expect(page.locator("#sources blockquote")).to_have_text([text])


def test_the_pointer_over_a_marker_shows_its_passage_in_the_panel(page: Page) -> None:
    page.click("#example")
    turn = ask(page)
    turn.locator(".marker").nth(1).hover()
    expect(passage(page).locator("blockquote")).to_contain_text("lightning")
    expect(turn.get_by_role("dialog")).to_be_hidden()


def test_the_source_panel_follows_the_selected_sentence(page: Page) -> None:
    page.click("#example")
    turn = ask(page)
    panel = page.locator("#sources")
    expect(panel.get_by_label("Sources").locator("li")).to_have_count(3)
    turn.get_by_text("Apollo 12 was struck").click()
    expect(panel.locator("blockquote")).to_have_count(1)
    expect(panel.locator("blockquote")).to_contain_text("lightning")
    panel.get_by_text("Show all 3 sources").click()
    expect(panel.get_by_label("Sources").locator("li")).to_have_count(3)
    expect(panel).to_contain_text("Generated programme profile")


def test_an_opened_document_shows_the_marked_passage(page: Page) -> None:
    paste(page, f"{OPENED} It rained all day in the town. Many guests came. {LANES}")
    turn = ask(page, "How many lanes of traffic does the Harlan bridge carry?")
    turn.locator(".marker").first.click()
    passage(page).get_by_text("Open document").click()
    document = page.locator("#document")
    expect(document.locator("mark.passage")).to_have_text(LANES)
    expect(document).to_contain_text("Many guests came.")
    page.keyboard.press("Escape")
    expect(document).to_be_hidden()


def test_an_opened_document_shows_tables_with_the_marked_row(page: Page) -> None:
    paste(page, "| bridge | opened | lanes |\n|---|---|---|\n| Harlan | 1932 | 8 |\n| Merton | 1950 | 4 |\n")
    turn = ask(page, "When was the Merton bridge opened?")
    turn.locator(".marker").first.click()
    card = passage(page)
    expect(card.locator("blockquote")).to_have_text("Merton · 1950 · 4")
    card.get_by_text("Open document").click()
    expect(page.locator("#document tr")).to_have_count(3)
    expect(page.locator("#document mark.passage")).to_have_text(["Merton", "1950", "4"])


def test_an_answer_without_citations_lists_the_passages_that_were_read(page: Page) -> None:
    paste(page, f"{OPENED} {LANES}")
    turn = ask(page, "Who is the mayor of Merton?")
    expect(turn.locator("citestream-answer")).to_contain_text("I found no sentence about this.")
    expect(turn.locator(".advice")).to_contain_text("The answer does not cite the passage that was read.")
    panel = page.locator("#sources")
    expect(panel.locator("summary")).to_have_text("1 passage read and not cited")
    expect(panel.locator("li")).to_contain_text(OPENED)
    panel.get_by_text("Open document").click()
    expect(page.locator("#document")).to_contain_text(LANES)


def test_a_question_without_documents_has_a_message_that_nothing_is_checked(page: Page) -> None:
    turn = ask(page, "When was the Harlan bridge opened?")
    expect(turn.locator(".advice")).to_contain_text("No documents were searched")


def test_an_index_can_be_chosen_as_source(browser: Browser, launch: Launch, tmp_path: Path) -> None:
    context = browser.new_context()
    with ExitStack() as stack:
        stack.callback(context.close)
        page = context.new_page()
        open_page(page, stack.enter_context(launch(serve_command(tmp_path, with_index(tmp_path)), tmp_path / "log")))
        expect(page.locator("#source")).to_have_value("bridges")
        turn = ask(page, "When was the Harlan bridge opened?")
        turn.locator(".marker").first.click()
        expect(passage(page).locator("blockquote")).to_have_text(OPENED)
        passage(page).get_by_text("Open document").click()
        expect(page.locator("#document mark")).to_have_text(OPENED)
        expect(page.locator("#document")).to_contain_text("It is red.")
        expect(page.locator("#document")).to_contain_text("Merton has two bridges.")
        page.keyboard.press("Escape")
        turn = ask(page, "Wie heißt der Bürgermeister?")
        expect(turn.locator(".advice")).to_have_text(
            re.compile("No passage in “bridges” fits|The answer does not cite|The answer cites none")
        )


def test_documents_of_an_index_open_as_tables_and_at_their_page(
    browser: Browser, launch: Launch, tmp_path: Path
) -> None:
    context = browser.new_context()
    with ExitStack() as stack:
        stack.callback(context.close)
        page = context.new_page()
        open_page(page, stack.enter_context(launch(serve_command(tmp_path, with_index(tmp_path)), tmp_path / "log")))
        document = page.locator("#document")
        turn = ask(page, "What is the price of the Hydro L?")
        turn.locator(".marker").first.click()
        passage(page).get_by_text("Open document").click()
        expect(document.locator("th")).to_have_text(["pump", "price in euros"])
        expect(document.locator("mark.passage")).to_have_text(["Hydro L", "219.50"])
        page.keyboard.press("Escape")
        turn = ask(page, "How often does the tide turn?")
        turn.locator(".marker").first.click()
        passage(page).get_by_text("Open document").click()
        expect(document.locator("h3")).to_have_text(["Page 1", "Page 2"])
        expect(document.locator("mark.passage")).to_have_text("The tide turns every six hours.")
        with page.expect_response("**/v1/evidence/file") as received, page.expect_popup() as opened:
            document.get_by_text("Open the PDF at page 2").click()
        size = (tmp_path / "docs/tides.pdf").stat().st_size
        assert (received.value.status, received.value.headers["content-length"]) == (200, str(size))
        opened.value.wait_for_url(re.compile("^blob:.*#page=2$"))
