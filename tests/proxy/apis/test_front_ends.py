"""Requests of chat front ends that can only choose a model. They were copied from the code of the front ends."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest
import yaml

Launch = Callable[..., AbstractContextManager[str]]

CLIENTS = Path(__file__).parents[2] / "clients"
CASE = json.loads((CLIENTS / "case.json").read_text("utf-8"))
ALIASES = yaml.safe_load((Path(__file__).parent.parent.parent / "clients" / "aliases.yaml").read_text("utf-8"))[
    "models"
]
LISTED, OPEN_WEBUI = ALIASES
GUIDE = Path(__file__).parents[3] / "docs" / "clients" / "librechat.md"
# Top-level keys that have another meaning in Open WebUI 0.12.
OPEN_WEBUI_KEYS = {"sources", "event", "error", "selected_model_id", "type", "output", "done", "timings"}

TITLE = """### Task:
Generate a concise, 3-5 word title with an emoji summarizing the chat history.
### Chat History:
<chat_history>
USER: How tall was the Saturn V?
</chat_history>"""


@pytest.fixture(scope="module")
def server(launch: Launch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Run a server with the models of the guides. The embedded provider answers from a folder."""
    folder = tmp_path_factory.mktemp("server")
    (folder / "docs").mkdir()
    for piece in CASE["evidence"]:
        (folder / "docs" / f"{piece['id']}.md").write_text(piece["text"], "utf-8")
    store = str(folder / "evidence.db")
    indexing = [
        sys.executable,
        "-m",
        "citestream",
        "index",
        str(folder / "docs"),
        "--store",
        store,
        "--embedder",
        "none",
    ]
    subprocess.run(indexing, check=True, capture_output=True)
    models = {name: {**alias, "model": "extractive"} for name, alias in ALIASES.items()}
    retrievers = {"docs": {"kind": "folder", "store": store, "url_prefix": "https://docs.example.org/"}}
    config = {"models": models, "retrievers": retrievers, "default_retriever": "docs"}
    (folder / "config.yaml").write_text(yaml.safe_dump(config), "utf-8")
    command = [sys.executable, "-m", "citestream", "serve", "--port", "0", "--config", str(folder / "config.yaml")]
    with launch(command, folder / "log") as url:
        yield url


def chunks(server: str, model: str, *, question: str = CASE["question"], **more: Any) -> list[dict[str, Any]]:
    messages = [{"role": "user", "content": question}]
    body = {"model": model, "messages": messages, "stream": True, **(more or {"evidence": CASE["evidence"]})}
    request = Request(f"{server}/v1/chat/completions", json.dumps(body).encode(), {"Content-Type": "application/json"})  # noqa: S310 - our own address
    with urlopen(request) as answer:  # noqa: S310 - the same
        lines = answer.read().decode().split("\n\n")
    return [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: {")]


def text_of(found: list[dict[str, Any]]) -> str:
    return "".join(choice["delta"].get("content") or "" for chunk in found for choice in chunk["choices"])


def finish_of(found: list[dict[str, Any]]) -> dict[str, Any]:
    [finish] = [chunk for chunk in found if chunk["choices"] and chunk["choices"][0]["finish_reason"]]
    return finish


def test_annotations_are_in_the_order_of_the_markers(server: str) -> None:
    found = chunks(server, "extractive")
    text, delta = text_of(found), finish_of(found)["choices"][0]["delta"]
    cited = [annotation["url_citation"] for annotation in delta["annotations"]]
    assert [text[one["start_index"] : one["end_index"]] for one in cited] == ["[1]", "[2]"]
    assert len({one["url"] for one in cited}) == len({one["title"] for one in cited}) == 2
    assert all(one["url"] and one["title"] for one in cited)


def test_annotations_are_sent_once_and_without_text(server: str) -> None:
    found = chunks(server, "extractive")
    carrying = [chunk for chunk in found if chunk["choices"] and chunk["choices"][0]["delta"].get("annotations")]
    assert carrying == [finish_of(found)]
    assert not carrying[0]["choices"][0]["delta"].get("content")


@pytest.mark.parametrize("model", ["extractive", LISTED])
def test_no_key_has_another_meaning_in_open_webui(server: str, model: str) -> None:
    assert set().union(*chunks(server, model)) & OPEN_WEBUI_KEYS == set()


def test_open_webui_receives_each_excerpt_once_in_the_order_of_the_markers(server: str) -> None:
    found = chunks(server, OPEN_WEBUI)
    events = [chunk["event"] for chunk in found if "event" in chunk]
    sources = [event["data"] for event in events]
    assert {event["type"] for event in events} == {"source"}
    assert [source["document"] for source in sources] == [[one["text"]] for one in CASE["evidence"][:2]]
    assert len({source["metadata"][0]["source"] for source in sources}) == 2
    assert "annotations" not in finish_of(found)["choices"][0]["delta"]
    assert set().union(*found) & OPEN_WEBUI_KEYS == {"event"}


def test_clients_that_show_only_text_get_links_and_a_list_as_in_the_guide(server: str) -> None:
    text = text_of(chunks(server, LISTED))
    assert "twice. [[2]](https://example.org/apollo-12)" in text
    assert "- [2] [Apollo 12](https://example.org/apollo-12)" in text
    assert f"```text\n{text.strip()}\n```" in GUIDE.read_text("utf-8")


def test_a_request_without_evidence_is_answered_from_the_folder(server: str) -> None:
    found = chunks(server, LISTED, question="How tall was the Saturn V?", user="somebody")
    assert "🚀 The Saturn V was 110.6 metres tall. [[1]](https://docs.example.org/" in text_of(found)
    assert "**References**" in text_of(found)


def test_a_title_has_no_references(server: str) -> None:
    found = chunks(server, LISTED, question=TITLE, user="somebody")
    assert "[1]" not in text_of(found)
    assert "References" not in text_of(found)
