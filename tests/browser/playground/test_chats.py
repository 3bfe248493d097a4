"""The browser keeps the chats: they survive a reload, are listed, found, renamed, deleted, and exported."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.chromium import violations
from tests.browser.playground.page import OPENED, ask, open_page, passage, paste

pytestmark = pytest.mark.browser

QUESTION = "When was the Harlan bridge opened?"


def chats(page: Page) -> Locator:
    return page.locator("#chat-list li")


def reload(page: Page, turns: int) -> None:
    """Load the page again, after the chat has been written."""
    expect(chats(page)).not_to_have_count(0)
    page.evaluate("async () => (await import('./playground/database.js')).readAll('contents')")
    page.reload()
    expect(page.locator(".turn .actions")).to_have_count(turns)


def test_a_conversation_with_its_documents_and_choices_survives_a_reload(page: Page) -> None:
    paste(page, OPENED)
    page.click("#open-options")
    page.select_option("#strictness", "strict")
    page.keyboard.press("Escape")
    page.select_option("#model", "hostile/m")
    ask(page, QUESTION)
    page.select_option("#model", "extractive")
    ask(page, f"{QUESTION} Again.")
    reload(page, 2)
    turn = page.locator(".turn").last
    expect(page.locator("#model")).to_have_value("extractive")
    expect(page.locator("#strictness")).to_have_value("strict")
    expect(page.locator("#documents")).to_contain_text("bridge.md")
    expect(turn).to_contain_text("1 of 1 claim supported")
    turn.locator(".marker").click()
    passage(page).get_by_text("Open document").click()
    expect(page.locator("#document mark")).to_have_text(OPENED)
    page.keyboard.press("Escape")
    turn.locator(".inspect").click()
    expect(page.locator("#claims .decision")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(ask(page, QUESTION).locator(".marker")).to_have_count(1)


def test_chats_are_found_renamed_deleted_and_restored(page: Page) -> None:
    page.set_viewport_size({"width": 1600, "height": 900})  # the list is beside the conversation
    paste(page, OPENED)
    ask(page, QUESTION)
    page.click("#new")
    expect(page.locator(".turn")).to_have_count(0)
    ask(page, "Who is the mayor of Merton?")
    expect(chats(page).locator("a")).to_have_count(2)
    page.fill("#chat-search", "1932")  # a word of an answer
    expect(chats(page).locator("[dir]")).to_have_text([QUESTION])
    chats(page).hover()
    page.get_by_role("button", name="Rename").click()
    page.get_by_label("Name of the chat").fill("The bridge")
    page.keyboard.press("Enter")
    expect(chats(page).locator("a")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".question")).to_have_text(QUESTION)
    chats(page).hover()
    page.get_by_role("button", name="Delete The bridge").click()
    expect(page.locator(".turn")).to_have_count(0)
    expect(chats(page)).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".question")).to_have_text(QUESTION)
    expect(chats(page).locator("[aria-current] [dir]")).to_have_text("The bridge")
    assert violations(page) == ""


def test_the_list_of_chats_is_a_drawer_in_a_narrow_window(page: Page) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    page.click("#example")
    ask(page)
    page.click("#new")
    page.click("#open-chats")
    expect(page.locator("#chat-search")).to_be_focused()
    assert violations(page) == ""
    chats(page).locator("a").click()
    expect(page.locator("#chats-drawer")).to_be_hidden()
    expect(page.locator(".turn .marker").first).to_be_visible()


def test_an_edited_question_and_a_regenerated_answer_keep_the_earlier_versions(page: Page) -> None:
    paste(page, f"{OPENED} The Harlan bridge has eight lanes.")
    first = ask(page, QUESTION)
    ask(page, "How many lanes does it have?")
    first.get_by_label("Edit the question").focus()
    page.keyboard.press("Enter")
    page.locator(".edit-question textarea").fill("How many lanes does the Harlan bridge have?")
    page.keyboard.press("Enter")
    expect(first).to_contain_text("eight lanes.")
    expect(page.locator(".turn")).to_have_count(1)  # the later question followed the other answer
    reload(page, 1)
    page.get_by_label("Previous version").click()
    expect(page.locator(".question")).to_have_text([QUESTION, "How many lanes does it have?"])
    expect(first).to_contain_text(OPENED)
    page.get_by_label("Next version").click()
    first.locator(".regenerate").click()
    expect(page.locator(".versions")).to_contain_text("3/3")
    expect(page.locator(".turn")).to_have_count(1)


def test_a_conversation_is_exported_with_its_quotations(page: Page, tmp_path: Path) -> None:
    paste(page, f"{OPENED} <script>window.pwned = 1</script>")
    ask(page, QUESTION)
    texts = {}
    for kind in ("markdown", "html"):
        page.click("#open-export")
        with page.expect_download() as download:
            page.click(f"#export-{kind}")
        download.value.save_as(tmp_path / kind)
        texts[kind] = (tmp_path / kind).read_text("utf-8")
    assert f"## {QUESTION}\n\n{OPENED}" in texts["markdown"]
    assert f"[1] bridge.md: “{OPENED}" in texts["markdown"]
    assert f'<li value="1"><strong dir="auto">bridge.md</strong><blockquote dir="auto">{OPENED}' in texts["html"]
    assert "<script" not in texts["html"]


def test_a_printed_conversation_has_its_sources_and_no_controls(page: Page) -> None:
    paste(page, OPENED)
    ask(page, QUESTION)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    expect(page.locator(".printed blockquote")).to_have_text(OPENED)
    for control in ("header", "#ask", "#panel", ".actions"):
        expect(page.locator(control)).to_be_hidden()
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    expect(page.locator(".printed")).to_have_count(0)


def test_an_answer_is_copied_as_rich_text_with_file_names(page: Page) -> None:
    paste(page, OPENED)
    turn = ask(page, QUESTION)
    turn.locator(".copy").click()
    expect(turn.locator(".copy")).to_have_text("Copied")
    copied = page.evaluate(
        """async () => {
            const [item] = await navigator.clipboard.read();
            return (await item.getType("text/html")).text();
        }"""
    )
    assert re.search(rf"{re.escape(OPENED)}<sup>\[1\]</sup>", copied)
    assert "bridge.md</strong>" in copied


def test_a_chat_that_cannot_be_kept_is_answered_all_the_same(page: Page, server: str) -> None:
    page.add_init_script("Object.defineProperty(window, 'indexedDB', { value: { open() { throw new Error('no') } } })")
    open_page(page, server)
    expect(page.locator("#notice")).to_contain_text("This browser does not keep chats.")
    paste(page, OPENED)
    expect(ask(page, QUESTION).locator(".marker")).to_have_count(1)
