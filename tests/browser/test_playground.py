"""The page in a real browser with a real server, also with hostile text."""

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from citestream.proxy.http.middleware.auth import COMPONENT_PREFIX, PAGE_PREFIX
from tests.browser.chromium import completion_events, serve_command, violations, watched_page
from tests.conftest import Launch
from tests.providers.retrieval.readers import documents
from tests.upstreams.wire import Break, serving, sse

pytestmark = pytest.mark.browser

BUDGET = 310_000  # bytes of everything the page loads; the library of formulas has 168,000

HOSTILE = """# Bridges <script>window.pwned = 1</script>

The Harlan bridge was opened on 4 May 1932 [1]. It is **17 lanes** wide. <img src=x onerror="window.pwned = 2">
[innocent](javascript:window.pwned=3) ![stolen](http://127.0.0.1:9/leak?secret) <style>body { display: none }</style>

| bridge | opened |
|---|---|
| Harlan | opened on 4 May 1932 [1] |

```python
lanes[1] = "<b>not a marker</b>"
```

The load is $\\frac{p}{2}$ a metre. The Harlan bridge was opened in May 1932. جسر هارلان افتتح في 4 مايو 1932.
"""
WIDE = f"""The load is low.

```python
print("{"a line of code that is wider than any window " * 5}")
```

| bridge | remarks |
|---|---|
| Harlan | {"a remark that needs some space, as they do. " * 2} |

$$
{"a + " * 80} b
$$

{"https://example.org/" + "path/" * 60}
"""
READ_MS = 60_000  # limit for reading a document, which starts a process, on a machine under load
# Chromium's own measure, without what follows at once after an action of the user: https://web.dev/articles/cls
OBSERVE_SHIFTS = """() => {
    globalThis.shifts = [];
    const shifts = (list) => list.getEntries().filter((one) => !one.hadRecentInput).map(({ value }) => value);
    new PerformanceObserver((list) => globalThis.shifts.push(...shifts(list))).observe({ type: "layout-shift" });
}"""
PASSAGE = "The Harlan bridge was opened on 4 May 1932 by the mayor <script>window.pwned = 4</script> of Harlan."
TEXT = f"Some words before it. {PASSAGE} And some words after it."
OPENED = "The Harlan bridge was opened on 4 May 1932."
LANES = "The Harlan bridge carries eight lanes of traffic."


@pytest.fixture(scope="module")
def server(launch: Launch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("playground")
    unfinished = completion_events(f"{OPENED} {'Then it rained. ' * 9}")[:9]
    with (
        serving(sse(*completion_events(HOSTILE))) as hostile,
        serving(sse(*completion_events(""))) as silent,
        serving(sse(*completion_events(WIDE))) as wide,
        serving(sse(*unfinished, Break.STALL)) as stalled,
    ):
        providers = {
            "extractive": {"kind": "extractive"},
            "hostile": {"kind": "openai", "base_url": f"{hostile.url}/v1", "api_key": "k", "models": ["m"]},
            "silent": {"kind": "openai", "base_url": f"{silent.url}/v1", "api_key": "k", "models": ["m"]},
            "stalled": {"kind": "openai", "base_url": f"{stalled.url}/v1", "api_key": "k", "models": ["m"]},
            "wide": {"kind": "openai", "base_url": f"{wide.url}/v1", "api_key": "k", "models": ["m"]},
        }
        with launch(serve_command(folder, {"providers": providers}), folder / "log") as url:
            yield url


@pytest.fixture
def page(browser: Browser, server: str) -> Iterator[Page]:
    """Yield the loaded page. Fail if it sent requests to other servers or logged errors."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    with watched_page(context, (server,)) as page:
        open_page(page, server)
        yield page
    context.close()


def open_page(page: Page, server: str) -> None:
    page.goto(server)
    expect(page.locator("#model")).to_have_value("extractive")


def ask(page: Page, question: str = "") -> Locator:
    """Ask, and return the turn with the complete answer."""
    before = page.locator(".turn").count()
    if question:
        page.fill("#question", question)
    page.click("#go")
    turn = page.locator(".turn").nth(before)
    expect(turn.locator(".actions")).to_be_visible()
    return turn


def paste(page: Page, text: str, name: str = "bridge.md") -> None:
    page.click("#paste")
    page.fill("#paste-name", name)
    page.fill("#paste-body", text)
    page.click("#paste-add")
    expect(page.locator("#documents li:not([aria-busy])")).to_contain_text([name], timeout=READ_MS)


def ask_hostile(page: Page) -> Locator:
    page.select_option("#model", "hostile/m")
    paste(page, TEXT, "<b onclick=alert(1)>bridge</b>.md")
    return ask(page, "When was the Harlan bridge opened?")


def test_from_the_example_to_the_supporting_words_in_three_clicks(page: Page) -> None:
    page.click("#example")
    turn = ask(page)
    expect(turn).to_contain_text("3 of 3 claims supported")
    markers = turn.locator(".marker")
    expect(markers).to_have_count(3)
    markers.first.click()
    card = turn.get_by_role("dialog")
    expect(card).to_contain_text("moon-landings.md")
    expect(card).to_contain_text("page 2")
    expect(card).to_contain_text(re.compile(r"Support 9\d % · cited by the model"))
    expect(card.locator("blockquote")).to_contain_text("three stages that was 110.6 metres tall.")
    expect(card.locator("mark")).to_have_text(["Apollo", "110.6 metres"])
    page.keyboard.press("Escape")
    expect(card).to_be_hidden()


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


def test_a_marker_opens_the_passage_of_its_sentence(page: Page) -> None:
    paste(page, f"{OPENED} It rained all day in the town. Many guests came. {LANES}")
    turn = ask(page, "When was the Harlan bridge opened, and how many lanes of traffic does the Harlan bridge carry?")
    markers = turn.locator(".marker")
    expect(markers).to_have_count(2)
    for marker, passage in ((markers.first, OPENED), (markers.last, LANES)):
        marker.click()
        expect(turn.get_by_role("dialog").locator("blockquote")).to_have_text(passage)
        expect(page.locator("#sources blockquote")).to_have_text([passage])
        page.keyboard.press("Escape")


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
    turn.get_by_role("dialog").get_by_text("Open document").click()
    document = page.locator("#document")
    expect(document.locator("mark.passage")).to_have_text(LANES)
    expect(document).to_contain_text("Many guests came.")
    page.keyboard.press("Escape")
    expect(document).to_be_hidden()


def test_an_opened_document_shows_tables_with_the_marked_row(page: Page) -> None:
    paste(page, "| bridge | opened | lanes |\n|---|---|---|\n| Harlan | 1932 | 8 |\n| Merton | 1950 | 4 |\n")
    turn = ask(page, "When was the Merton bridge opened?")
    turn.locator(".marker").first.click()
    card = turn.get_by_role("dialog")
    expect(card.locator("blockquote")).to_have_text("Merton · 1950 · 4")
    card.get_by_text("Open document").click()
    expect(page.locator("#document tr")).to_have_count(3)
    expect(page.locator("#document mark.passage")).to_have_text(["Merton", "1950", "4"])


def test_an_answer_without_a_source_lists_the_passages_that_were_read(page: Page) -> None:
    paste(page, f"{OPENED} {LANES}")
    turn = ask(page, "Who is the mayor of Merton?")
    expect(turn.locator("citestream-answer")).to_contain_text("The documents do not say.")
    expect(turn.locator(".advice")).to_contain_text("The answer does not cite the passage that was read.")
    panel = page.locator("#sources")
    expect(panel.locator("summary")).to_have_text("1 passage read and not cited")
    expect(panel.locator("li")).to_contain_text(OPENED)
    panel.get_by_text("Open document").click()
    expect(page.locator("#document")).to_contain_text(LANES)


def test_the_page_says_that_only_the_best_excerpts_were_sent(page: Page) -> None:
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
    expect(turn.get_by_role("dialog")).to_contain_text("bridges.pdf")
    expect(turn.get_by_role("dialog")).to_contain_text("page 2")
    turn.get_by_role("dialog").get_by_text("Open document").click()
    document = page.locator("#document")
    expect(document.locator("mark.passage")).to_contain_text(OPENED)
    expect(document.locator("h3")).to_have_text(["Page 1", "Page 2"])
    assert str(document.get_by_text("Open the PDF at page 2").get_attribute("href")).endswith("#page=2")


def test_files_that_cannot_be_read_are_named_with_the_reason(page: Page, tmp_path: Path) -> None:
    (tmp_path / "bridge.md").write_text(PASSAGE, "utf-8")
    (tmp_path / "photo.png").write_bytes(b"\x00\x01")
    (tmp_path / "broken.pdf").write_bytes(b"not a PDF")
    page.set_input_files("#files", [tmp_path / name for name in ("bridge.md", "photo.png", "broken.pdf")])
    notice = page.locator("#notice")
    expect(notice).to_contain_text("photo.png has no reader; the formats are", timeout=READ_MS)
    expect(notice).to_contain_text("broken.pdf is a broken PDF", timeout=READ_MS)
    expect(page.locator("#documents li")).to_have_count(1)
    page.get_by_label("Remove bridge.md").click()
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


def test_a_follow_up_question_is_sent_with_the_conversation(page: Page) -> None:
    page.click("#example")
    ask(page)
    turn = ask(page, "How often has the Saturn V flown?")
    expect(turn.locator(".marker").first).to_be_visible()
    turn.locator(".inspect").click()
    page.click("#tab-wire")
    request = page.locator("#wire pre").inner_text()
    assert re.findall(r'"role": "(\w+)"', request) == ["user", "assistant", "user"]
    assert "110.6 metres tall. Apollo 12" in request, "without markers, whose numbers belong to the earlier evidence"


def test_an_answer_can_be_stopped_and_asked_again(page: Page) -> None:
    paste(page, OPENED)
    page.select_option("#model", "stalled/m")
    page.fill("#question", "When was the Harlan bridge opened?")
    page.click("#go")
    turn = page.locator(".turn")
    expect(turn).to_contain_text(OPENED)
    page.click("#stop")
    expect(turn).to_contain_text("Stopped.")
    turn.locator(".marker").hover()
    expect(turn.get_by_role("dialog").locator("blockquote")).to_have_text(OPENED)
    expect(page.locator("#go")).to_be_visible()
    page.select_option("#model", "extractive")
    turn.locator(".regenerate").click()
    expect(turn).to_contain_text("1 of 1 claim supported")
    expect(page.locator(".turn")).to_have_count(1)


def test_an_answer_is_copied_with_its_sources(page: Page) -> None:
    paste(page, OPENED)
    turn = ask(page, "When was the Harlan bridge opened?")
    turn.locator(".copy").click()
    expect(turn.locator(".copy")).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == f"{OPENED} [1]\n\n[1] bridge.md"


def test_only_the_last_answer_can_be_asked_again(page: Page) -> None:
    page.click("#example")
    first = ask(page)
    expect(first.locator(".regenerate")).to_be_visible()
    second = ask(page, "Which mission was struck by lightning?")
    expect(first.locator(".regenerate")).to_be_hidden()
    expect(second.locator(".regenerate")).to_be_visible()


def test_a_new_chat_starts_without_the_earlier_answers(page: Page) -> None:
    page.click("#example")
    ask(page)
    page.click("#new")
    expect(page.locator(".turn")).to_have_count(0)
    expect(page.locator("#welcome")).to_be_visible()
    expect(page.locator("#question")).to_be_focused()


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


def test_a_question_before_the_documents_are_read_is_asked_afterwards(page: Page, tmp_path: Path) -> None:
    (tmp_path / "bridge.md").write_text(OPENED)
    held: list[Route] = []
    page.route("**/v1/evidence/read*", lambda route: held.append(route))  # a built-in method cannot be a handler
    page.set_input_files("#files", tmp_path / "bridge.md")
    page.fill("#question", "When was the bridge opened?")
    page.keyboard.press("Enter")
    expect(page.locator("#notice")).to_contain_text("still being read")
    expect(page.locator(".turn")).to_have_count(0)
    held[0].continue_()
    expect(page.locator(".turn .marker")).to_have_count(1)
    expect(page.locator("#notice")).to_be_empty()
    expect(page.locator("#question")).to_have_value("")


def test_code_has_a_button_that_copies_it(page: Page) -> None:
    answer = ask_hostile(page).locator("citestream-answer")
    button = answer.get_by_role("button", name="Copy the code")
    button.focus()
    page.keyboard.press("Enter")
    expect(answer.get_by_role("button", name="Code copied")).to_be_focused()
    assert page.evaluate("navigator.clipboard.readText()") == 'lanes[1] = "<b>not a marker</b>"'
    assert "Copy" not in answer.locator(".text").inner_text(), "the label is not part of the selected text"


def test_code_is_selected_where_a_page_may_not_copy(page: Page) -> None:
    page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined, configurable: true })")
    answer = ask_hostile(page).locator("citestream-answer")
    answer.get_by_role("button", name="Copy the code").click()
    expect(answer.get_by_role("button", name="Code selected")).to_be_visible()
    assert page.evaluate("getSelection().toString().trim()") == 'lanes[1] = "<b>not a marker</b>"'


def test_unsupported_and_rejected_claims_are_explained(page: Page) -> None:
    turn = ask_hostile(page)
    unsupported = turn.locator(".unsupported").first
    expect(unsupported).to_contain_text("It is")
    assert "underline" in unsupported.evaluate("node => getComputedStyle(node).textDecorationLine")
    unsupported.focus()
    page.keyboard.press("Enter")
    expect(turn.get_by_role("dialog")).to_contain_text("No source supports this sentence")
    page.keyboard.press("Escape")
    turn.locator(".inspect").click()
    claim = page.locator("#claims .decision", has_text="17 lanes")
    expect(claim).to_have_attribute("open", "")  # because it is selected
    expect(claim.locator("summary").first).to_contain_text("unsupported")
    expect(claim.locator("th[scope=row]")).to_contain_text("1 <b onclick=alert(1)>bridge</b>.md")
    claim.get_by_text("all scores").click()
    expect(claim).to_contain_text("cover_1")


def test_hostile_text_is_shown_and_does_nothing(page: Page) -> None:
    turn = ask_hostile(page)
    answer = turn.locator("citestream-answer .text")
    expect(answer.locator("h3")).to_have_text("Bridges <script>window.pwned = 1</script>")
    expect(answer).to_contain_text("<img src=x onerror=")
    expect(answer.locator("td").first).to_have_text("Harlan")
    expect(answer.locator("td .marker")).to_have_count(1)
    children = "rows => rows.map(row => [...row.children].map(cell => cell.tagName).join())"
    assert answer.locator("tr").evaluate_all(children) == ["TH,TH", "TD,TD"], "nothing but cells stands in a row"
    expect(answer.locator("pre code")).to_have_text('lanes[1] = "<b>not a marker</b>"\n')
    expect(answer.locator("pre .marker")).to_have_count(0)
    expect(answer.locator("math mfrac")).to_have_count(1)
    expect(answer.locator("strong")).to_have_text("17 lanes")
    expect(answer.locator("script, img, style, [onerror], a[href^=javascript]")).to_have_count(0)
    answer.locator(".marker").first.click()
    card = turn.get_by_role("dialog")
    expect(card.locator("blockquote")).to_contain_text("<script>window.pwned = 4</script>")
    card.get_by_text("Open document").click()
    expect(page.locator("#document mark")).to_contain_text("<script>window.pwned = 4</script>")
    expect(page.locator("#document")).to_contain_text("Some words before it.")
    page.keyboard.press("Escape")
    answer.locator(".marker").last.click()
    expect(card).to_contain_text("added by Citestream")
    page.keyboard.press("Escape")
    turn.locator(".inspect").click()
    for tab in ("claims", "wire", "code"):
        page.click(f"#tab-{tab}")
    assert page.evaluate("window.pwned") is None


def test_the_raw_stream_is_shown_with_times_and_as_programs(page: Page, server: str) -> None:
    open_code(page)
    page.click("#tab-wire")
    rows = page.locator("#wire tbody tr")
    expect(rows.last).to_contain_text("data: [DONE]")
    assert re.match(r"\d+\.\d ms", rows.first.inner_text())
    copied = copy(page, "Python")
    compile(copied, "copied", "exec")
    assert f'base_url="{server}/v1"' in copied


def open_code(page: Page) -> None:
    page.click("#example")
    ask(page).locator(".inspect").click()


def copy(page: Page, language: str) -> str:
    page.click("#tab-code")
    button = page.get_by_label(f"Copy {language}")
    button.click()
    expect(button).to_have_text("Copied")
    return str(page.evaluate("navigator.clipboard.readText()"))


def test_the_copied_program_runs(page: Page, capsys: pytest.CaptureFixture[str]) -> None:
    open_code(page)
    exec(compile(copy(page, "Python"), "copied", "exec"), {})  # noqa: S102 - our own program
    assert "110.6 metres tall. [1]" in capsys.readouterr().out


def test_the_copied_curl_command_is_answered(page: Page) -> None:
    open_code(page)
    program, _, address, _, header, _, body = shlex.split(copy(page, "curl").replace("\\\n", ""))
    assert program == "curl"
    said = httpx.post(address, content=body, headers=dict([header.split(": ")])).text
    assert "110.6 metres tall. [1]" in said
    assert said.endswith("data: [DONE]\n\n")


def test_an_error_of_the_server_is_shown_with_advice(page: Page) -> None:
    page.click("#open-options")
    page.fill("#other-model", "unknown/model")
    page.keyboard.press("Escape")
    turn = ask(page, "Where?")
    expect(turn.get_by_role("alert")).to_contain_text("the model 'unknown/model' does not exist")
    expect(turn.locator(".advice")).to_have_text("Choose another model below the question.")


def with_index(folder: Path) -> dict[str, Any]:
    """Index a document in `folder`, and return a configuration that searches it."""
    (folder / "docs").mkdir()
    (folder / "docs/bridge.md").write_text("The Harlan bridge was opened on 4 May 1932. It is red.", "utf-8")
    store = str(folder / "evidence.db")
    index = [sys.executable, "-m", "citestream", "index", str(folder / "docs"), "--store", store]
    subprocess.run(index, check=True, capture_output=True)
    return {
        "providers": {"extractive": {"kind": "extractive"}},
        "retrievers": {"bridges": {"kind": "folder", "store": store}},
        "default_retriever": "bridges",
    }


def test_documents_that_are_added_before_the_models_are_known_stay_chosen(
    browser: Browser, launch: Launch, tmp_path: Path
) -> None:
    context = browser.new_context()
    with ExitStack() as stack:
        stack.callback(context.close)
        page = context.new_page()
        held: list[Route] = []
        page.route("**/v1/models", lambda route: held.append(route))  # a built-in method cannot be a handler
        page.goto(stack.enter_context(launch(serve_command(tmp_path, with_index(tmp_path)), tmp_path / "log")))
        page.click("#example")
        expect(page.locator("#model option")).to_have_count(0)
        held[0].continue_()
        expect(page.locator("#model")).to_have_value("extractive")
        expect(page.locator("#source")).to_have_value("")


def test_the_page_says_where_to_enter_a_model_if_no_provider_lists_any(
    browser: Browser, launch: Launch, tmp_path: Path
) -> None:
    config = {"providers": {"away": {"kind": "openai", "base_url": "http://127.0.0.1:9/v1", "api_key": "none"}}}
    context = browser.new_context()
    with ExitStack() as stack:
        stack.callback(context.close)
        page = context.new_page()
        page.goto(stack.enter_context(launch(serve_command(tmp_path, config), tmp_path / "log")))
        expect(page.get_by_role("alert")).to_have_text(
            "The providers list no models. Enter the name of a model in Options."
        )
        expect(page.locator("#model")).to_have_text("no model listed")
        page.click("#open-options")
        page.fill("#other-model", "away/model")
        page.keyboard.press("Escape")
        turn = ask(page, "Where?")
        expect(turn.get_by_role("alert")).to_contain_text("its host refused the connection")


def test_a_question_without_documents_says_that_nothing_is_checked(page: Page) -> None:
    turn = ask(page, "When was the Harlan bridge opened?")
    expect(turn.locator(".advice")).to_contain_text("No documents were searched")


def test_an_empty_answer_says_so(page: Page) -> None:
    paste(page, OPENED)
    page.select_option("#model", "silent/m")
    turn = ask(page, "When was the Harlan bridge opened?")
    expect(turn.locator(".advice")).to_contain_text("The model returned an empty answer.")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_axe_finds_no_accessibility_violations(page: Page, scheme: Any, width: int) -> None:
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 800})
    assert violations(page) == ""
    turn = ask_hostile(page) if width > 390 else ask_example(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width, "nothing hangs over the edge"
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


def test_everything_can_be_used_with_the_keyboard(page: Page) -> None:
    page.click("#example")
    page.focus("#question")
    page.keyboard.press("Enter")
    turn = page.locator(".turn")
    expect(turn.locator(".actions")).to_be_visible()
    marker = turn.locator(".marker").first
    marker.focus()
    page.keyboard.press("Enter")
    card = turn.get_by_role("dialog")
    expect(card).to_be_focused()
    page.keyboard.press("Tab")
    expect(card.get_by_text("Open document")).to_be_focused()
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


def test_the_page_is_small(page: Page) -> None:
    turn = ask_hostile(page)
    expect(turn.locator("math")).to_have_count(1)
    sizes = page.evaluate(
        "performance.getEntries().filter((e) => e.decodedBodySize && !e.name.includes('/v1/'))"
        ".map((e) => e.decodedBodySize)"
    )
    assert 100_000 < sum(sizes) < BUDGET


def test_the_page_loads_all_modules_of_the_components_at_once(page: Page) -> None:
    listed = page.locator("link[rel=modulepreload]").evaluate_all("links => links.map(link => link.href)")
    loaded = page.evaluate("performance.getEntriesByType('resource').map(({ name }) => name)")
    assert {url for url in loaded if "/component/" in url} == set(listed)


def test_with_client_keys_the_page_asks_for_a_key_and_stores_it_in_the_tab(
    browser: Browser, launch: Launch, tmp_path: Path
) -> None:
    config = {
        "server": {"keys": [{"name": "me", "key": "sesame"}]},
        "providers": {"extractive": {"kind": "extractive"}},
    }
    context = browser.new_context()
    with ExitStack() as stack:
        stack.callback(context.close)
        url = stack.enter_context(launch(serve_command(tmp_path, config), tmp_path / "log"))
        page = context.new_page()
        page.goto(url)
        expect(page.get_by_role("alert")).to_contain_text("client key")
        page.click("#open-options")
        page.get_by_label("Client key").fill("sesame")
        page.get_by_label("Client key").blur()
        expect(page.locator("#model")).to_have_value("extractive")
        page.keyboard.press("Escape")
        paste(page, OPENED)
        expect(ask(page, "When was the Harlan bridge opened?").locator(".marker")).to_have_count(1)
        assert page.evaluate("JSON.stringify(localStorage)") == "{}"
        assert context.cookies() == []
        other = context.new_page()
        other.goto(url)
        expect(other.get_by_role("alert")).to_contain_text("client key")
        for path in ("/v1/playground", "/v1/models"):
            assert context.request.get(f"{url}{path}").status == 401
        assert context.request.post(f"{url}/v1/evidence/read?file_name=a.txt", data="text").status == 401
        assert context.request.get(f"{url}{PAGE_PREFIX}app.js").ok


def test_every_file_has_the_security_headers(browser: Browser, server: str) -> None:
    context = browser.new_context()
    for path in ("/", f"{PAGE_PREFIX}app.js", f"{COMPONENT_PREFIX}citestream.js", f"{PAGE_PREFIX}icon.svg"):
        response = context.request.get(f"{server}{path}")
        assert "default-src 'none'" in response.headers["content-security-policy"]
        assert response.headers["x-content-type-options"] == "nosniff"
        again = context.request.get(f"{server}{path}", headers={"If-None-Match": response.headers["etag"]})
        assert (again.status, again.body()) == (304, b"")
    context.close()


def test_an_index_can_be_chosen_as_source(browser: Browser, launch: Launch, tmp_path: Path) -> None:
    context = browser.new_context()
    with ExitStack() as stack:
        stack.callback(context.close)
        page = context.new_page()
        open_page(page, stack.enter_context(launch(serve_command(tmp_path, with_index(tmp_path)), tmp_path / "log")))
        expect(page.locator("#source")).to_have_value("bridges")
        turn = ask(page, "When was the Harlan bridge opened?")
        turn.locator(".marker").first.click()
        expect(turn.get_by_role("dialog").locator("blockquote")).to_have_text(OPENED)
        turn.get_by_role("dialog").get_by_text("Open document").click()
        expect(page.locator("#document mark")).to_have_text(OPENED)
        expect(page.locator("#document")).to_contain_text("It is red.")
        page.keyboard.press("Escape")
        turn = ask(page, "Wie heißt der Bürgermeister?")
        expect(turn.locator(".advice")).to_have_text(
            re.compile("No passage in “bridges” fits|The answer does not cite")
        )
