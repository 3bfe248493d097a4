"""Documents are added to the page: pasted, chosen, dropped, and read."""

from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.browser.chromium import serve_command, watched_page
from tests.browser.playground.page import OPENED, PASSAGE, READ_MS, ask, open_page, passage, paste, with_index
from tests.conftest import Launch
from tests.providers.retrieval.readers import documents

pytestmark = pytest.mark.browser


def test_text_can_be_pasted_on_a_phone(browser: Browser, server: str) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 800}, has_touch=True)
    with watched_page(context, (server,)) as page:
        open_page(page, server)
        page.get_by_role("button", name="Paste text").tap()
        page.fill("#paste-body", OPENED)
        page.tap("#paste-add")
        expect(page.locator("#documents li:not([aria-busy])")).to_have_count(1, timeout=READ_MS)
        expect(ask(page, "When was the Harlan bridge opened?").locator(".marker")).to_have_count(1)
    context.close()


def test_a_message_reports_that_only_the_best_excerpts_were_sent(page: Page) -> None:
    page.evaluate("""async () => { window.ranking = await import("./playground/ranking.js"); }""")
    texts = [f"Bridge {number} has {number} lanes." for number in range(40)]
    chosen = page.evaluate(
        "texts => ranking.bestExcerpts(texts.map((text) => ({ text })), 'How many lanes has bridge 37?', 200)", texts
    )
    assert len(chosen) == 30
    assert {"text": texts[37]} in chosen
    paste(page, "".join(f"# Bridge {number}\n\n{text}\n\n" for number, text in enumerate(texts)))
    turn = ask(page, "How many lanes has bridge 37?")
    expect(turn).to_contain_text("Bridge 37 has 37 lanes.")
    expect(turn.locator(".choice")).to_contain_text("Only the 30 of 40 excerpts")
    page.get_by_label("Remove bridge.md").click()
    paste(page, OPENED)
    expect(ask(page, "When was the Harlan bridge opened?").locator(".choice")).to_be_hidden()


def test_many_documents_leave_room_for_the_conversation(page: Page, tmp_path: Path) -> None:
    for number in range(5):
        (tmp_path / f"{number}.md").write_text(f"Bridge {number} has {number} lanes.", "utf-8")
    page.set_input_files("#files", sorted(tmp_path.glob("*.md")))
    names = page.locator("#documents li:not([aria-busy])")
    expect(names).to_have_count(5, timeout=READ_MS)
    expect(names.first).to_be_visible()
    ask(page, "How many lanes has bridge 3?")
    expect(names.first).to_be_hidden()
    page.get_by_text("5 documents").click()
    expect(names.first).to_be_visible()


def test_a_dropped_pdf_is_read_and_opens_at_its_page(page: Page, tmp_path: Path) -> None:
    documents.pdf(tmp_path / "bridges.pdf", ["Nothing of interest.", f"{OPENED} It is red."])
    page.set_input_files("#files", tmp_path / "bridges.pdf")
    expect(page.locator("#documents")).to_contain_text("2 pages", timeout=READ_MS)
    turn = ask(page, "When was the Harlan bridge opened?")
    turn.locator(".marker").first.click()
    expect(passage(page)).to_contain_text("bridges.pdf")
    expect(passage(page)).to_contain_text("page 2")
    passage(page).get_by_text("Open document").click()
    document = page.locator("#document")
    expect(document.locator("mark.passage")).to_contain_text(OPENED)
    expect(document.locator("h3")).to_have_text(["Page 1", "Page 2"])
    assert str(document.get_by_text("Open the PDF at page 2").get_attribute("href")).endswith("#page=2")


def test_a_spreadsheet_opens_as_a_table_at_its_row(page: Page, tmp_path: Path) -> None:
    rows = [["Bridge", "Opened"], ["Harlan", "1932"], ["Bremen", "1950"]]
    documents.xlsx(tmp_path / "bridges.xlsx", {"Bridges": rows})
    page.set_input_files("#files", tmp_path / "bridges.xlsx")
    expect(page.locator("#documents li:not([aria-busy])")).to_have_count(1, timeout=READ_MS)
    turn = ask(page, "When was the Harlan bridge opened?")
    turn.locator(".marker").first.click()
    expect(passage(page)).to_contain_text("bridges.xlsx · row 2")
    passage(page).get_by_text("Open document").click()
    document = page.locator("#document")
    expect(document.locator("th")).to_have_text(["Bridge", "Opened"])
    expect(document.locator("tr").nth(1).locator("mark")).to_have_text(["Harlan", "1932"])
    expect(document.locator("tr").nth(2).locator("mark")).to_have_count(0)


def test_each_unreadable_file_stays_in_the_list_with_the_reason(page: Page, tmp_path: Path) -> None:
    (tmp_path / "bridge.md").write_text(PASSAGE, "utf-8")
    (tmp_path / "photo.png").write_bytes(b"\x00\x01")
    (tmp_path / "broken.pdf").write_bytes(b"not a PDF")
    (tmp_path / "empty.txt").touch()
    names = ("bridge.md", "photo.png", "broken.pdf", "empty.txt")
    page.set_input_files("#files", [tmp_path / name for name in names])
    failed = page.locator("#documents .failed")
    expect(failed).to_have_count(3, timeout=READ_MS)
    for name, reason in (
        ("photo.png", ".png files cannot be read. PDF, Word, Excel, PowerPoint, HTML and text files can."),
        ("broken.pdf", "The file is a broken PDF; open it and save it again."),
        ("empty.txt", "The file is empty."),
    ):
        expect(failed.filter(has_text=name).get_by_role("alert")).to_have_text(reason)
    expect(page.locator("#notice")).to_be_empty()
    page.get_by_text("4 documents, 3 could not be read").click()
    page.get_by_text("4 documents, 3 could not be read").click()
    expect(ask(page, "When was the Harlan bridge opened?").locator(".marker")).to_have_count(1)
    page.get_by_text("4 documents").click()
    for name in names:
        page.get_by_label(f"Remove {name}").click()
    expect(page.locator("#documents li")).to_have_count(0)


def test_a_file_dropped_on_the_page_becomes_a_document(page: Page) -> None:
    page.evaluate(
        """() => {
            const dataTransfer = new DataTransfer();
            dataTransfer.items.add(new File(["The bridge is red."], "red.md", { type: "text/markdown" }));
            const drop = new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true });
            document.querySelector("#question").dispatchEvent(drop);
        }"""
    )
    expect(page.locator("#documents")).to_contain_text("1 excerpt", timeout=READ_MS)
    page.locator("#documents .name").click()
    expect(page.locator("#document")).to_contain_text("The bridge is red.")


def test_a_question_is_sent_after_the_documents_have_been_read(page: Page, tmp_path: Path) -> None:
    (tmp_path / "bridge.md").write_text(OPENED)
    waiting: list[Route] = []
    page.route("**/v1/evidence/read*", lambda route: waiting.append(route))  # a built-in method cannot be a handler
    page.set_input_files("#files", tmp_path / "bridge.md")
    page.fill("#question", "When was the bridge opened?")
    page.keyboard.press("Enter")
    expect(page.locator("#notice")).to_contain_text("still being read")
    expect(page.locator(".turn")).to_have_count(0)
    waiting[0].continue_()
    expect(page.locator(".turn .marker")).to_have_count(1)
    expect(page.locator("#notice")).to_be_empty()
    expect(page.locator("#question")).to_have_value("")


def test_documents_that_are_added_before_the_models_are_loaded_stay_selected(
    browser: Browser, launch: Launch, tmp_path: Path
) -> None:
    context = browser.new_context()
    with ExitStack() as stack:
        stack.callback(context.close)
        page = context.new_page()
        waiting: list[Route] = []
        page.route("**/v1/models", lambda route: waiting.append(route))  # a built-in method cannot be a handler
        page.goto(stack.enter_context(launch(serve_command(tmp_path, with_index(tmp_path)), tmp_path / "log")))
        page.click("#example")
        expect(page.locator("#model option")).to_have_count(0)
        waiting[0].continue_()
        expect(page.locator("#model")).to_have_value("extractive")
        expect(page.locator("#source")).to_have_value("")
