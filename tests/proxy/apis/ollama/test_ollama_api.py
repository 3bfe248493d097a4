"""Ollama's API in front of any provider, through the official client."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any
from urllib.request import Request, urlopen

import ollama
import pytest

Launch = Callable[..., AbstractContextManager[str]]

EVIDENCE = [
    {"text": "The Harlan bridge was opened on 4 May 1932 by the mayor."},
    {"text": "Bananas grow in the tropics."},
]
MESSAGES = [{"role": "user", "content": "When was the Harlan bridge opened?"}]
CITED = "The Harlan bridge was opened on 4 May 1932 by the mayor. [1]"


@pytest.fixture(scope="module")
def server(launch: Launch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    log = tmp_path_factory.mktemp("server") / "log"
    with launch([sys.executable, "-m", "citestream", "serve", "--port", "0"], log) as url:
        yield url


@pytest.fixture
def client(server: str) -> Iterator[ollama.Client]:
    client = ollama.Client(server)
    yield client
    client._client.close()


def test_the_streamed_and_the_complete_answer_of_chat_are_equal(client: ollama.Client) -> None:
    options = {"evidence": EVIDENCE, "temperature": 0}
    lines = list(client.chat("extractive", messages=MESSAGES, stream=True, options=options))
    whole = client.chat("extractive", messages=MESSAGES, options=options)
    assert "".join(line.message.content or "" for line in lines) == whole.message.content == CITED
    assert [line.done for line in lines] == [False] * (len(lines) - 1) + [True]
    assert lines[-1].done_reason == whole.done_reason == "stop"
    assert lines[-1].eval_count == whole.eval_count
    assert lines[-1].eval_count


def test_generate_is_cited_like_chat(client: ollama.Client) -> None:
    options = {"evidence": EVIDENCE}
    streamed = client.generate("extractive", MESSAGES[0]["content"], stream=True, options=options)
    assert "".join(line.response or "" for line in streamed) == CITED
    assert client.generate("extractive", MESSAGES[0]["content"], options=options).response == CITED


def test_a_request_without_a_question_loads_the_model(client: ollama.Client) -> None:
    """`ollama run` sends one before the first question, and one that unloads the model at the end."""
    loaded = client.generate("extractive")
    assert (loaded.response, loaded.done, loaded.done_reason) == ("", True, "load")
    chat = client.chat("extractive")
    assert (chat.message.content, chat.done, chat.done_reason) == ("", True, "load")
    assert client.generate("extractive", keep_alive=0).done_reason == "unload"
    with pytest.raises(ollama.ResponseError, match="does not exist"):
        client.generate("nobody/nothing")


def test_models_are_listed_and_shown(client: ollama.Client) -> None:
    assert "extractive" in [model.model for model in client.list().models]
    assert client.show("extractive").capabilities


def test_an_error_has_ollamas_format(client: ollama.Client) -> None:
    with pytest.raises(ollama.ResponseError) as caught:
        client.chat("nobody/nothing", messages=MESSAGES)
    assert caught.value.status_code == 404
    assert "does not exist" in caught.value.error
    with pytest.raises(ollama.ResponseError, match=r"options|evidence\[0\]"):
        client.chat("extractive", messages=MESSAGES, options={"evidence": [{"text": ""}]})


def test_the_last_line_contains_the_references(server: str) -> None:
    body: dict[str, Any] = {"model": "extractive", "messages": MESSAGES, "evidence": EVIDENCE}
    with urlopen(Request(f"{server}/api/chat", json.dumps(body).encode())) as answer:  # noqa: S310 - our own address
        assert answer.headers["Content-Type"] == "application/x-ndjson"
        lines = [json.loads(line) for line in answer.read().split(b"\n") if line]
    assert [reference["evidence_number"] for reference in lines[-1]["references"]] == [1]
    assert lines[-1]["grounding"]["supported"] == 1
    assert all("message" in line for line in lines)
