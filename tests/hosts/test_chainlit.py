"""A LlamaIndex application on a page of Chainlit, with Citestream between it and the model.

The scripted model writes wrong markers. So if a marker opens the right passage, Citestream has corrected it.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from playwright.sync_api import Browser, Page, expect

from tests.conftest import Launch
from tests.hosts.host_server import host_server
from tests.hosts.installation import CHAINLIT, installed
from tests.hosts.scripted_model import Reply, ScriptedModel
from tests.upstreams.wire import Break, serving

pytestmark = [pytest.mark.browser, pytest.mark.timeout(900)]

APPLICATION = Path(__file__).with_name("chainlit_app.py")
FILES = {
    "bridge.txt": "The Harlan bridge was opened on 4 May 1932 by the mayor. It has six lanes and two footpaths.",
    "saturn.txt": "The Saturn V was 110.6 metres tall. It flew thirteen times between 1967 and 1973.",
}
QUESTION = "How tall was the Saturn V and when was the Harlan bridge opened?"
WAITING = "Please take your time."
ANSWER = (
    "The Saturn V was 110.6 metres tall [1]. The Harlan bridge was opened on 4 May 1932 [2]. The moon is hollow [1]."
)
CITED = "The Saturn V was 110.6 metres tall. [2] The Harlan bridge was opened on 4 May 1932. [1] The moon is hollow."
REPLIES = {WAITING: Reply(f"{ANSWER}\n\nAnd this paragraph", Break.STALL), QUESTION: Reply(ANSWER)}
TIMEOUT_MILLISECONDS = 60_000


@pytest.fixture(scope="module")
def model() -> ScriptedModel:
    return ScriptedModel(REPLIES)


@pytest.fixture(scope="module")
def host(launch: Launch, tmp_path_factory: pytest.TempPathFactory, model: ScriptedModel) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("chainlit")
    for name, text in FILES.items():
        (folder / name).write_text(text, "utf-8")
    program = str(installed("chainlit", CHAINLIT) / "chainlit")
    with serving(model) as upstream:
        config = {"providers": {"scripted": {"kind": "openai", "base_url": f"{upstream.url}/v1", "api_key": "k"}}}
        (folder / "citestream.yaml").write_text(yaml.safe_dump(config), "utf-8")
        serve = [sys.executable, "-m", "citestream", "serve", "--port", "0"]
        with launch([*serve, "--config", str(folder / "citestream.yaml")], folder / "citestream.log") as citestream:
            environment = {"LIBRARY": str(folder), "MODEL": "scripted/model", "OPENAI_BASE_URL": f"{citestream}/v1"}
            command = [program, "run", str(APPLICATION), "--headless", "--host", "127.0.0.1"]
            with host_server(command, "/", folder, environment) as url:
                yield url


@pytest.fixture
def page(browser: Browser, host: str, model: ScriptedModel) -> Iterator[Page]:
    model.requests.clear()
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    page.goto(host)
    yield page
    context.close()


def send(page: Page, question: str) -> None:
    page.click("#chat-input")
    page.keyboard.type(question)
    page.keyboard.press("Enter")


def check_markers(page: Page) -> None:
    """Check that each marker opens the passage of its sentence."""
    for marker, passage in (("[2]", FILES["saturn.txt"]), ("[1]", FILES["bridge.txt"])):
        page.locator("a.element-link", has_text=marker).last.click()
        expect(page.get_by_text(passage).last).to_be_visible(timeout=TIMEOUT_MILLISECONDS)


def test_markers_open_the_passages_that_support_the_sentences(page: Page, model: ScriptedModel) -> None:
    send(page, QUESTION)
    expect(page.get_by_text(CITED)).to_be_visible(timeout=TIMEOUT_MILLISECONDS)
    check_markers(page)
    (request,) = model.requests
    assert len(request["messages"]) == 1
    assert "excerpt" not in json.dumps(request["messages"]), "Citestream adds no evidence and no rules"


def test_a_stopped_answer_keeps_its_markers_and_passages(page: Page) -> None:
    send(page, f"{QUESTION} {WAITING}")
    expect(page.get_by_text(CITED)).to_be_visible(timeout=TIMEOUT_MILLISECONDS)
    page.locator("#stop-button").click()
    expect(page.locator("#stop-button")).to_have_count(0)
    check_markers(page)
