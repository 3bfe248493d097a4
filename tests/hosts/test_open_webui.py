"""A real Open WebUI in a browser, with Citestream between it and the model.

The scripted model writes wrong markers. So if a marker opens the right source, Citestream has corrected it.
"""

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from playwright.sync_api import Browser

from tests.conftest import Launch
from tests.hosts.installation import OPEN_WEBUI, installed
from tests.hosts.open_webui import OLLAMA_PREFIX, ChatPage, OpenWebUI, Shown, running
from tests.hosts.scripted_model import Reply, ScriptedModel
from tests.upstreams.wire import Break, serving

pytestmark = [pytest.mark.browser, pytest.mark.timeout(1800)]

ROOT = Path(__file__).parents[2]

SATURN = "The Saturn V was 110.6 metres tall. It flew thirteen times between 1967 and 1973."
BRIDGE = "The Harlan bridge was opened on 4 May 1932 by the mayor. It has six lanes and two footpaths."
TIDES = "The tide turns about every six hours. Spring tides are highest at new moon."
LIBRARY = {
    "eiffel.md": "The Eiffel tower is 330 metres tall. It was finished in 1889.",
    "rockets.md": "The Soyuz rocket is 46 metres tall. Rockets of this family have flown since 1966.",
}
QUESTION = "How tall was the Saturn V and when was the Harlan bridge opened?"
TOOL_QUESTION = f"Search the library: {QUESTION}"
FOLDER_QUESTION = "How tall is the Eiffel tower?"
WAITING = "Please take your time."
ANSWER = (
    "The Saturn V was 110.6 metres tall [2]. The Harlan bridge was opened on 4 May 1932 [1]. The moon is hollow [1]."
)
FOLDER_ANSWER = "The Eiffel tower is 330 metres tall [2]. The moon is hollow [1]."
UNFINISHED = "\n\nAnd this paragraph"
REPLIES = {
    f"{QUESTION} {WAITING}": Reply(ANSWER + UNFINISHED, Break.STALL),
    f"{FOLDER_QUESTION} {WAITING}": Reply(FOLDER_ANSWER + UNFINISHED, Break.STALL),
    TOOL_QUESTION: Reply(ANSWER, tool="query_knowledge_files", arguments={"query": QUESTION}),
    QUESTION: Reply(ANSWER),
    FOLDER_QUESTION: Reply(FOLDER_ANSWER),
    "Good morning": Reply("Good morning! The sky is blue."),
}
# A sentence -> the file that supports it, and words of the passage.
SUPPORT = {
    "The Saturn V was 110.6 metres tall.": ("saturn.txt", "110.6 metres"),
    "The Harlan bridge was opened on 4 May 1932.": ("bridge.txt", "opened on 4 May 1932"),
    "The moon is hollow.": None,
}


@dataclass(frozen=True, slots=True)
class Setup:
    """The running services, and the files for uploads."""

    webui: OpenWebUI
    model: ScriptedModel
    files: Sequence[Path]


@pytest.fixture(scope="module")
def setup(launch: Launch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Setup]:
    folder = tmp_path_factory.mktemp("hosts")
    files = [folder / f"{name}.txt" for name in ("saturn", "bridge", "tides")]
    for file, text in zip(files, (SATURN, BRIDGE, TIDES), strict=True):
        file.write_text(text, "utf-8")
    model = ScriptedModel(REPLIES)
    with serving(model) as upstream:
        provider = {"kind": "openai", "base_url": f"{upstream.url}/v1", "api_key": "k", "models": ["model", "embedder"]}
        config: dict[str, Any] = {"providers": {"scripted": provider}}
        config["retrievers"] = {"folder": {"kind": "folder", "store": str(folder / "evidence.db")}}
        config["default_retriever"] = "folder"
        config["models"] = {
            "with-events": {"model": "scripted/model", "citations": {"dialect": "openwebui"}},
            "listed": {"model": "scripted/model", "citations": {"references_in_text": True}},
        }
        config_file = folder / "citestream.yaml"
        config_file.write_text(yaml.safe_dump(config), "utf-8")
        index(folder)
        command = [sys.executable, "-m", "citestream", "serve", "--port", "0", "--config", str(config_file)]
        data = folder / "data"
        data.mkdir()
        with launch(command, folder / "citestream.log") as url, running(url, data, "scripted/embedder") as webui:
            knowledge = webui.add_knowledge("Library", files)
            base = "scripted/model"
            webui.add_model("searching", base, params={"function_calling": "legacy"}, knowledge=knowledge)
            webui.add_model("calling", base, params={"function_calling": "native"}, knowledge=knowledge)
            yield Setup(webui, model, files)


def index(folder: Path) -> None:
    """Create a folder with documents and index it with Citestream."""
    library = folder / "library"
    library.mkdir()
    for name, text in LIBRARY.items():
        (library / name).write_text(text, "utf-8")
    command = [
        sys.executable,
        "-m",
        "citestream",
        "index",
        str(library),
        "--store",
        str(folder / "evidence.db"),
        "--embedder",
        "none",
    ]
    subprocess.run(command, check=True, capture_output=True)


@pytest.fixture
def chat(browser: Browser, setup: Setup) -> Iterator[ChatPage]:
    setup.model.requests.clear()
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    yield ChatPage(context.new_page(), setup.webui.url)
    context.close()


def check_no_evidence_was_added(setup: Setup) -> None:
    """Check that the model received no excerpt of the folder, neither with the question nor for a title."""
    sent = json.dumps(setup.model.requests)
    assert [text for text in LIBRARY.values() if text[:40] in sent] == []


def check_markers(shown: Sequence[Shown]) -> None:
    """Check that each sentence has the marker of its source alone, and that the dialog shows its passage."""
    assert [one.text for one in shown] == list(SUPPORT)
    for sentence in shown:
        support = SUPPORT[sentence.text]
        assert [name for name, _ in sentence.opened] == ([support[0]] if support else [])
        assert all(support and support[1] in text for _, text in sentence.opened)


def check_folder(chat: ChatPage, passage: str) -> None:
    """Check that the answer from the folder has one marker and one source, which shows this text."""
    first, second = chat.sentences()[:2]
    assert (first.text, second) == ("The Eiffel tower is 330 metres tall.", Shown("The moon is hollow.", ()))
    ((name, text),) = first.opened
    assert name == "eiffel.md"
    assert passage in text.removeprefix(f"{name}\nContent")
    assert chat.sources() == ["eiffel.md"]


@pytest.mark.parametrize("model", ["scripted/model", f"{OLLAMA_PREFIX}.scripted/model"])
def test_markers_of_uploaded_files_open_the_passages_that_support_the_sentences(
    chat: ChatPage, setup: Setup, model: str
) -> None:
    chat.open(model)
    chat.attach([*setup.files[:2]])
    chat.ask(QUESTION)
    check_markers(chat.sentences())
    assert sorted(chat.sources()) == ["bridge.txt", "saturn.txt"]
    check_no_evidence_was_added(setup)


@pytest.mark.parametrize("model", ["searching", "calling"])
def test_markers_of_a_knowledge_collection_open_the_passages_that_support_the_sentences(
    chat: ChatPage, setup: Setup, model: str
) -> None:
    chat.open(model)
    chat.ask(TOOL_QUESTION if model == "calling" else QUESTION)
    check_markers(chat.sentences())
    assert sorted(chat.sources()) == ["bridge.txt", "saturn.txt", "tides.txt"]
    check_no_evidence_was_added(setup)


def test_an_upload_and_a_tool_in_one_turn_keep_their_own_markers(chat: ChatPage, setup: Setup) -> None:
    chat.open("calling")
    chat.attach([setup.files[2]])
    chat.ask(TOOL_QUESTION)
    check_markers(chat.sentences())


def test_evidence_of_the_folder_becomes_sources_with_their_excerpts(chat: ChatPage, setup: Setup) -> None:
    chat.open("with-events")
    chat.ask(FOLDER_QUESTION)
    check_folder(chat, LIBRARY["eiffel.md"])


def test_without_the_dialect_the_sources_have_only_their_names(chat: ChatPage, setup: Setup) -> None:
    chat.open("scripted/model")
    chat.ask(FOLDER_QUESTION)
    check_folder(chat, "eiffel.md")


def test_the_ollama_connection_shows_the_references_of_the_folder_as_text(chat: ChatPage) -> None:
    chat.open(f"{OLLAMA_PREFIX}.listed")
    chat.ask(FOLDER_QUESTION)
    assert "tall. [1]" in chat.answer.inner_text()
    assert "[1] eiffel.md" in chat.answer.inner_text()
    assert chat.sources() == []


def test_a_greeting_has_neither_evidence_nor_markers(chat: ChatPage, setup: Setup) -> None:
    chat.open("scripted/model")
    chat.ask("Good morning!")
    assert chat.sources() == []
    check_no_evidence_was_added(setup)


def test_a_stopped_answer_keeps_its_markers_and_sources(chat: ChatPage, setup: Setup) -> None:
    chat.open("scripted/model")
    chat.attach([*setup.files[:2]])
    chat.send(f"{QUESTION} {WAITING}")
    chat.wait_for_text("hollow")
    chat.stop()
    for _ in range(2):
        check_markers(chat.sentences()[:3])
        assert sorted(chat.sources()) == ["bridge.txt", "saturn.txt"]
        chat.reload()


def test_a_stopped_answer_from_the_folder_keeps_its_sources(chat: ChatPage) -> None:
    chat.open("with-events")
    chat.send(f"{FOLDER_QUESTION} {WAITING}")
    chat.wait_for_text("hollow")
    chat.stop()
    for _ in range(2):
        check_folder(chat, LIBRARY["eiffel.md"])
        chat.reload()


def test_regenerated_answers_and_answers_to_edited_questions_have_the_markers_of_their_sources(
    chat: ChatPage, setup: Setup
) -> None:
    chat.open("scripted/model")
    chat.attach([*setup.files[:2]])
    chat.ask("What is in these files?")
    assert chat.sentences() == [Shown("I do not know.", ())]
    chat.edit(QUESTION)
    check_markers(chat.sentences())
    chat.regenerate()
    chat.wait_for_text("hollow")
    chat.wait()
    check_markers(chat.sentences())
    assert sorted(chat.sources()) == ["bridge.txt", "saturn.txt"]


def test_open_webui_reads_the_variables_of_the_compose_file() -> None:
    compose = yaml.safe_load((ROOT / "deploy/compose.open-webui.yaml").read_text("utf-8"))
    (source,) = (installed("open-webui", OPEN_WEBUI).parent / "lib").glob("python*/site-packages/open_webui/config.py")
    read = set(re.findall(r"(?:getenv|environ\.get)\('(\w+)'", source.read_text("utf-8")))
    assert compose["services"]["open-webui"]["environment"].keys() <= read
