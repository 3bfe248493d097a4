"""The inspector of the page: decisions, the raw stream, and programs to copy."""

import re
import shlex

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.browser.playground.page import OPENED, ask, ask_hostile, passage, paste

pytestmark = pytest.mark.browser


def test_unsupported_and_rejected_claims_are_explained(page: Page) -> None:
    turn = ask_hostile(page)
    unsupported = turn.locator(".unsupported").first
    expect(unsupported).to_contain_text("It is")
    assert "underline" in unsupported.evaluate("node => getComputedStyle(node).textDecorationLine")
    unsupported.focus()
    page.keyboard.press("Enter")
    expect(passage(page)).to_contain_text("No source supports this sentence")
    page.keyboard.press("Escape")
    turn.locator(".inspect").click()
    claim = page.locator("#claims .decision", has_text="17 lanes")
    expect(claim).to_have_attribute("open", "")  # because it is selected
    expect(claim.locator("summary").first).to_contain_text("unsupported")
    expect(claim.locator("th[scope=row]")).to_contain_text("1 <b onclick=alert(1)>bridge</b>.md")
    claim.get_by_text("all scores").click()
    expect(claim).to_contain_text("cover_1")


@pytest.mark.parametrize("width", [1280, 390])
def test_a_long_file_name_leaves_room_for_the_decision(page: Page, width: int) -> None:
    paste(page, OPENED, f"{'n' * 80}.md")
    page.set_viewport_size({"width": width, "height": 800})
    turn = ask(page, "When was the Harlan bridge opened?")
    turn.locator(".inspect").click()
    page.locator("#claims .decision > summary").click()
    edge = page.locator("#claims").evaluate("node => node.getBoundingClientRect().right")
    decision = page.locator("#claims td", has_text="supports")
    assert decision.evaluate("node => node.getBoundingClientRect().right") <= edge


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
