"""Questions and answers on the page: follow-ups, stopped answers, errors, models."""

import re
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from citestream.proxy.http.middleware.auth import PAGE_PREFIX
from tests.browser.chromium import serve_command, watched_page
from tests.browser.playground.page import OPENED, ask, open_page, passage, paste
from tests.conftest import Launch

pytestmark = pytest.mark.browser


def test_a_follow_up_question_is_sent_with_the_conversation(page: Page) -> None:
    page.click("#example")
    ask(page)
    turn = ask(page, "How often has the Saturn V flown?")
    expect(turn.locator(".marker").first).to_be_visible()
    turn.locator(".inspect").click()
    page.click("#tab-wire")
    request = page.locator("#wire pre").inner_text()
    assert re.findall(r'"role": "(\w+)"', request) == ["user", "assistant", "user"]
    assert "110.6 metres tall. Apollo 12" in request, "earlier answers are sent without their markers"


def test_an_answer_can_be_stopped_and_regenerated(page: Page) -> None:
    paste(page, OPENED)
    page.select_option("#model", "stalled/m")
    page.fill("#question", "When was the Harlan bridge opened?")
    page.click("#go")
    turn = page.locator(".turn")
    expect(turn).to_contain_text(OPENED)
    page.click("#stop")
    expect(turn).to_contain_text("Stopped.")
    turn.locator(".marker").hover()
    expect(passage(page).locator("blockquote")).to_have_text(OPENED)
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
    assert page.evaluate("navigator.clipboard.readText()") == f"{OPENED} [1]\n\n[1] bridge.md: “{OPENED}”"


def test_a_new_chat_starts_without_the_earlier_answers(page: Page) -> None:
    page.click("#example")
    ask(page)
    page.click("#new")
    expect(page.locator(".turn")).to_have_count(0)
    expect(page.locator("#welcome")).to_be_visible()
    expect(page.locator("#question")).to_be_focused()


def test_an_error_of_the_server_is_shown_with_advice(page: Page) -> None:
    page.click("#open-options")
    page.fill("#other-model", "unknown/model")
    page.keyboard.press("Escape")
    turn = ask(page, "Where?")
    expect(turn.get_by_role("alert")).to_contain_text("the model 'unknown/model' does not exist")
    expect(turn.locator(".advice")).to_have_text("Choose another model below the question.")


def test_a_message_explains_where_to_enter_a_model_if_no_provider_lists_any(
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
        expect(page.locator("#model option").first).to_have_text("no model listed")
        page.click("#open-options")
        page.fill("#other-model", "away/model")
        page.keyboard.press("Escape")
        turn = ask(page, "Where?")
        expect(turn.get_by_role("alert")).to_contain_text("its host refused the connection")


def test_an_empty_answer_is_reported(page: Page) -> None:
    paste(page, OPENED)
    page.select_option("#model", "silent/m")
    turn = ask(page, "When was the Harlan bridge opened?")
    expect(turn.locator(".advice")).to_contain_text("The model returned an empty answer.")


def test_with_client_keys_the_page_asks_for_a_key_and_stores_it_in_the_tab(
    browser: Browser, launch: Launch, tmp_path: Path
) -> None:
    config = {
        "server": {"keys": [{"name": "me", "key": "sesame-open-0123"}]},
        "providers": {"extractive": {"kind": "extractive"}},
    }
    context = browser.new_context()
    with ExitStack() as stack:
        stack.callback(context.close)
        url = stack.enter_context(launch(serve_command(tmp_path, config), tmp_path / "log"))
        page = context.new_page()
        page.goto(url)
        expect(page.get_by_role("alert")).to_contain_text("access key")
        page.click("#open-options")
        page.get_by_label("Access key").fill("sesame-open-0123")
        page.get_by_label("Access key").blur()
        expect(page.locator("#model")).to_have_value("extractive")
        page.keyboard.press("Escape")
        paste(page, OPENED)
        expect(ask(page, "When was the Harlan bridge opened?").locator(".marker")).to_have_count(1)
        assert page.evaluate("JSON.stringify(localStorage)") == "{}"
        assert context.cookies() == []
        other = context.new_page()
        other.goto(url)
        expect(other.get_by_role("alert")).to_contain_text("access key")
        for path in ("/v1/playground", "/v1/models"):
            assert context.request.get(f"{url}{path}").status == 401
        assert context.request.post(f"{url}/v1/evidence/read?file_name=a.txt", data="text").status == 401
        assert context.request.get(f"{url}{PAGE_PREFIX}app.js").ok


def test_the_judge_of_the_server_can_be_left_out(browser: Browser, launch: Launch, tmp_path: Path) -> None:
    config = {"providers": {"extractive": {"kind": "extractive"}}, "scoring": {"judge": "extractive"}}
    context = browser.new_context()
    with launch(serve_command(tmp_path, config), tmp_path / "log") as url, watched_page(context, (url,)) as page:
        open_page(page, url)
        paste(page, OPENED)
        for value in ("true", "false"):
            page.click("#open-options")
            expect(page.get_by_label("Second check by a model").locator("option").first).to_have_text("extractive")
            page.get_by_label("Second check by a model").select_option(value)
            page.keyboard.press("Escape")
            turn = ask(page, f"When was the Harlan bridge opened? {value}")
            turn.locator(".inspect").click()
            page.click("#tab-wire")
            assert f'"judge": {value}' in page.locator("#wire pre").inner_text()
            page.keyboard.press("Escape")
    context.close()


def test_the_options_name_no_judge_if_the_server_has_none(page: Page) -> None:
    expect(page.locator("#judge-label")).to_be_hidden()
    page.click("#open-options")
    expect(page.locator("#strictness")).to_be_visible()
    expect(page.locator("#judge-label")).to_be_hidden()
