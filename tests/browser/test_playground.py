"""The playground in a real browser with a real server, also with hostile text."""

import json
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
import yaml
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect, sync_playwright

from citestream.proxy.http.auth import PAGE_PREFIX
from tests.conftest import Launch
from tests.upstreams.wire import serving, sse

pytestmark = pytest.mark.browser

CHROMIUM = "/usr/bin/chromium"
# As root there is no sandbox to be had; the rest keeps it from asking anybody but us.
ARGUMENTS = ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
BUDGET = 300_000  # bytes of everything the page loads, the formulas' library included

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
PASSAGE = "The Harlan bridge was opened on 4 May 1932 by the mayor <script>window.pwned = 4</script> of Harlan."
TEXT = f"Some words before it. {PASSAGE} And some words after it."


def events(text: str) -> list[bytes]:
    made: list[dict[str, Any]] = [{"delta": {"content": piece}} for piece in re.findall(r"(?s).{1,9}", text)]
    made.append({"delta": {}, "finish_reason": "stop"})
    envelope = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    chunks = [{**envelope, "choices": [{"index": 0, "finish_reason": None, **one}]} for one in made]
    return [b"data: " + json.dumps(chunk).encode() + b"\n\n" for chunk in chunks] + [b"data: [DONE]\n\n"]


@pytest.fixture(scope="module")
def server(launch: Launch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("playground")
    with serving(sse(*events(HOSTILE))) as upstream:
        providers = {
            "extractive": {"kind": "extractive"},
            "hostile": {"kind": "openai", "base_url": f"{upstream.url}/v1", "api_key": "k", "models": ["m"]},
        }
        with launch(serve(folder, {"providers": providers}), folder / "log") as url:
            yield url


def serve(folder: Path, config: dict[str, Any]) -> list[str]:
    written = folder / "config.yaml"
    written.write_text(yaml.safe_dump(config), "utf-8")
    return [sys.executable, "-m", "citestream", "serve", "--port", "0", "--config", str(written)]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Browser, server: str) -> Iterator[Page]:
    """Yield the loaded page. Fail if it sent requests to other servers or logged errors."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = context.new_page()
    asked: list[str] = []
    complaints: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    opened(page, server)
    yield page
    assert {url for url in asked if not url.startswith(server)} == set()
    assert [one for one in complaints if "404 (Not Found)" not in one] == [], "apart from a model there is not"
    context.close()


def opened(page: Page, server: str) -> None:
    page.goto(server)
    expect(page.locator("#model")).to_have_value("extractive")


def ask(page: Page) -> None:
    page.click("#go")
    expect(page.locator("#summary")).to_be_visible()


def ask_hostile(page: Page) -> None:
    page.fill("#question", "When was the Harlan bridge opened?")
    page.fill("#model", "hostile/m")
    page.click("#paste")
    page.fill("#excerpts textarea", TEXT)
    page.fill("#excerpts input", "<b onclick=alert(1)>bridge</b>.md")
    ask(page)


def test_from_the_example_to_the_highlighted_words_in_three_clicks(page: Page) -> None:
    page.click("#example")
    ask(page)
    expect(page.locator("#summary")).to_contain_text("3 of 3 claims supported")
    chips = page.locator("#answer .chip")
    expect(chips).to_have_count(3)
    chips.first.click()
    dialog = page.locator("dialog")
    expect(dialog).to_be_visible()
    expect(dialog).to_contain_text("moon-landings.md")
    expect(dialog).to_contain_text("Source text")
    expect(dialog).to_contain_text("verified")
    expect(dialog.locator("mark")).to_contain_text("110.6 metres tall.")
    expect(dialog.locator(".text")).to_contain_text("It flew thirteen times")
    expect(dialog.locator("mark")).not_to_contain_text("thirteen")
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(chips.first).to_be_focused()


def test_a_marker_opens_the_passage_of_its_sentence(page: Page) -> None:
    opened, lanes = "The Harlan bridge was opened on 4 May 1932.", "The Harlan bridge carries eight lanes of traffic."
    page.click("#paste")
    page.fill("#excerpts textarea", f"{opened} It rained all day in the town. Many guests came. {lanes}")
    page.fill(
        "#question", "When was the Harlan bridge opened, and how many lanes of traffic does the Harlan bridge carry?"
    )
    ask(page)
    chips = page.locator("#answer .chip")
    expect(chips).to_have_count(2)
    for chip, passage in ((chips.first, opened), (chips.last, lanes)):
        chip.click()
        expect(page.locator("dialog mark")).to_have_text(passage)
        page.keyboard.press("Escape")


def test_references_show_their_kind_of_text(page: Page) -> None:
    page.click("#example")
    for remaining in (3, 2, 1):
        page.click("#excerpts li:first-child button")
        expect(page.locator("#excerpts li")).to_have_count(remaining)
    page.fill("#question", "When did the six missions of Apollo land?")
    ask(page)
    expect(page.locator("#references .label")).to_have_text("Generated programme profile")


def test_the_inspector_shows_the_decision_for_each_claim(page: Page) -> None:
    ask_hostile(page)
    unsupported = page.locator("#answer .unsupported").first
    expect(unsupported).to_contain_text("It is")
    unsupported.click()
    claim = page.locator("#inspector details[open]").first
    expect(claim.locator("summary").first).to_contain_text("unsupported")
    expect(claim).to_contain_text("17")
    expect(claim.locator("th[scope=row]")).to_contain_text("1 <b onclick=alert(1)>bridge</b>.md")
    claim.get_by_text("all scores").click()
    expect(claim).to_contain_text("cover_1")


def test_hostile_text_is_shown_and_does_nothing(page: Page) -> None:
    ask_hostile(page)
    answer = page.locator("#answer")
    expect(answer.locator("h3")).to_have_text("Bridges <script>window.pwned = 1</script>")
    expect(answer).to_contain_text("<img src=x onerror=")
    expect(answer.locator("td").first).to_have_text("Harlan")
    expect(answer.locator("td .chip")).to_have_count(1)
    children = "rows => rows.map(row => [...row.children].map(cell => cell.tagName).join())"
    assert answer.locator("tr").evaluate_all(children) == ["TH,TH", "TD,TD"], "nothing but cells stands in a row"
    expect(answer.locator("pre code")).to_have_text('lanes[1] = "<b>not a marker</b>"\n')
    expect(answer.locator("pre .chip")).to_have_count(0)
    expect(answer.locator("math mfrac")).to_have_count(1)
    expect(answer.locator("strong")).to_have_text("17 lanes")
    expect(answer.locator("script, img, style, [onerror], a[href^=javascript]")).to_have_count(0)
    answer.locator(".chip").first.click()
    expect(page.locator("dialog mark")).to_contain_text("<script>window.pwned = 4</script>")
    expect(page.locator("dialog .text")).to_contain_text("Some words before it.")
    expect(page.locator("dialog")).not_to_contain_text("added", timeout=100)
    page.keyboard.press("Escape")
    answer.locator(".chip").last.click()
    expect(page.locator("dialog")).to_contain_text("added: the backend found it")
    page.keyboard.press("Escape")
    for tab in ("inspector", "wire", "code"):
        page.click(f"#tab-{tab}")
    assert page.evaluate("window.pwned") is None


def test_the_raw_stream_is_shown_with_times_and_as_programs(page: Page, server: str) -> None:
    page.click("#example")
    ask(page)
    page.click("#tab-wire")
    rows = page.locator("#wire tbody tr")
    expect(rows.last).to_contain_text("data: [DONE]")
    assert re.match(r"\d+\.\d ms", rows.first.inner_text())
    page.click("#tab-code")
    page.get_by_label("Copy Python").click()
    expect(page.get_by_label("Copy Python")).to_have_text("Copied")
    copied = page.evaluate("navigator.clipboard.readText()")
    compile(copied, "copied", "exec")
    assert f'base_url="{server}/v1"' in copied


def test_the_copied_program_runs(page: Page, capsys: pytest.CaptureFixture[str]) -> None:
    page.click("#example")
    ask(page)
    page.click("#tab-code")
    page.get_by_label("Copy Python").click()
    expect(page.get_by_label("Copy Python")).to_have_text("Copied")
    exec(compile(page.evaluate("navigator.clipboard.readText()"), "copied", "exec"), {})  # noqa: S102 - our own program
    assert "110.6 metres tall. [1]" in capsys.readouterr().out


def test_the_copied_curl_command_is_answered(page: Page) -> None:
    page.click("#example")
    ask(page)
    page.click("#tab-code")
    page.get_by_label("Copy curl").click()
    expect(page.get_by_label("Copy curl")).to_have_text("Copied")
    program, _, address, _, header, _, body = shlex.split(
        page.evaluate("navigator.clipboard.readText()").replace("\\\n", "")
    )
    assert program == "curl"
    said = httpx.post(address, content=body, headers=dict([header.split(": ")])).text
    assert "110.6 metres tall. [1]" in said
    assert said.endswith("data: [DONE]\n\n")


def test_a_file_dropped_on_the_page_becomes_an_excerpt(page: Page) -> None:
    page.evaluate(
        """() => {
            const dataTransfer = new DataTransfer();
            dataTransfer.items.add(new File(["The bridge is red."], "red.md", { type: "text/markdown" }));
            const drop = new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true });
            document.querySelector("#question").dispatchEvent(drop);
        }"""
    )
    expect(page.locator("#excerpts input")).to_have_value("red.md")
    expect(page.locator("#excerpts textarea")).to_have_value("The bridge is red.")


def test_chosen_files_become_excerpts_and_binary_files_are_named(page: Page, tmp_path: Path) -> None:
    (tmp_path / "bridge.md").write_text(f"{PASSAGE}\n\n{'Filler. ' * 400}", "utf-8")
    (tmp_path / "photo.txt").write_bytes(b"\x00\x01")
    page.set_input_files("#files", [tmp_path / "bridge.md", tmp_path / "photo.txt"])
    expect(page.locator("#error")).to_contain_text("photo.txt")
    expect(page.locator("#excerpts li")).to_have_count(3)
    expect(page.locator("#excerpts input").first).to_have_value("bridge.md")


def test_the_error_message_of_the_server_is_shown(page: Page) -> None:
    page.fill("#question", "What?")
    page.fill("#model", "nobody/knows")
    page.click("#go")
    expect(page.get_by_role("alert")).to_contain_text("the model 'nobody/knows' does not exist")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 360])
def test_axe_finds_no_accessibility_violations(page: Page, scheme: Any, width: int) -> None:
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 800})
    ask_hostile(page)
    page.locator("form details summary").click()
    assert page.evaluate("document.documentElement.scrollWidth") <= width, "nothing hangs over the edge"
    for tab in ("references", "inspector", "wire", "code"):
        page.click(f"#tab-{tab}")
        if tab == "inspector":
            page.locator("#inspector summary").first.click()
        violations(page)
    page.locator("#answer .chip").first.click()
    violations(page)
    page.keyboard.press("Escape")


def violations(page: Page) -> None:
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


def test_everything_can_be_used_with_the_keyboard(page: Page) -> None:
    page.click("#example")
    page.focus("#question")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#summary")).to_be_visible()
    page.focus("#answer .chip")
    page.keyboard.press("Enter")
    expect(page.locator("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    page.focus("#tab-references")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#tab-inspector")).to_have_attribute("aria-selected", "true")
    expect(page.locator("#inspector")).to_be_visible()
    page.keyboard.press("End")
    expect(page.locator("#tab-code")).to_be_focused()


def test_the_chosen_theme_is_remembered(page: Page, server: str) -> None:
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.click("#theme")
    chosen = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert chosen != dark
    opened(page, server)
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == chosen


def test_the_page_is_small(page: Page) -> None:
    ask_hostile(page)
    expect(page.locator("math")).to_have_count(1)
    sizes = page.evaluate(
        "performance.getEntries().filter((e) => e.decodedBodySize && !e.name.includes('/v1/'))"
        ".map((e) => e.decodedBodySize)"
    )
    assert 100_000 < sum(sizes) < BUDGET


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
        url = stack.enter_context(launch(serve(tmp_path, config), tmp_path / "log"))
        page = context.new_page()
        page.goto(url)
        expect(page.get_by_role("alert")).to_contain_text("client key")
        page.get_by_label("Client key").fill("sesame")
        page.get_by_label("Client key").blur()
        expect(page.locator("#model")).to_have_value("extractive")
        page.click("#example")
        ask(page)
        expect(page.locator("#answer .chip")).to_have_count(3)
        assert page.evaluate("JSON.stringify(localStorage)") == "{}"
        assert context.cookies() == []
        other = context.new_page()
        other.goto(url)
        expect(other.get_by_role("alert")).to_contain_text("client key")
        refused = context.request.get(f"{url}/v1/playground")
        assert refused.status == 401
        assert context.request.get(f"{url}{PAGE_PREFIX}app.js").ok


def test_every_file_has_the_security_headers(browser: Browser, server: str) -> None:
    context = browser.new_context()
    for path in ("/", f"{PAGE_PREFIX}app.js", f"{PAGE_PREFIX}vendor/purify.min.js", f"{PAGE_PREFIX}icon.svg"):
        headers = context.request.get(f"{server}{path}").headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
    context.close()


def test_an_index_can_be_chosen_as_source(browser: Browser, launch: Launch, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/bridge.md").write_text("The Harlan bridge was opened on 4 May 1932. It is red.", "utf-8")
    store = str(tmp_path / "evidence.db")
    index = [sys.executable, "-m", "citestream", "index", str(tmp_path / "docs"), "--store", store]
    subprocess.run(index, check=True, capture_output=True)
    config = {
        "providers": {"extractive": {"kind": "extractive"}},
        "retrievers": {"bridges": {"kind": "folder", "store": store}},
        "default_retriever": "bridges",
    }
    context = browser.new_context()
    with ExitStack() as stack:
        stack.callback(context.close)
        page = context.new_page()
        opened(page, stack.enter_context(launch(serve(tmp_path, config), tmp_path / "log")))
        expect(page.locator("#source")).to_have_value("bridges")
        expect(page.locator("#given")).to_be_hidden()
        page.fill("#question", "When was the Harlan bridge opened?")
        ask(page)
        page.locator("#answer .chip").first.click()
        expect(page.locator("dialog mark")).to_have_text("The Harlan bridge was opened on 4 May 1932.")
        expect(page.locator("dialog .text")).to_contain_text("It is red.")
