"""A client that stops an answer in the middle keeps the references of all markers that it shows."""

import json
import re
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen
from uuid import uuid4

import pytest
import yaml
from openai import OpenAI, Stream
from openai.types.chat import ChatCompletionChunk

from tests.faults.dialects import DIALECTS
from tests.faults.framing import chunked
from tests.upstreams.wire import Break, Request, Step, serving

Launch = Callable[..., AbstractContextManager[str]]
Fields = dict[str, Any]

EVIDENCE = [
    {"text": "The bridge was opened in 1932 by the mayor.", "id": "bridge"},
    {"text": "The tower is 90 metres tall.", "id": "tower"},
    {"text": "The harbour has three docks.", "id": "harbour"},
]
SENTENCES = (
    "The bridge was opened in 1932. ",
    "The tower is 90 metres tall. ",
    "The harbour has three docks. ",
    "And ",
)
MARKER = re.compile(r"\[(\d+)\]")
OPENAI = DIALECTS["openai"]


async def stalled_provider(_: Request) -> AsyncIterator[Step]:
    """Send three sentences, and then nothing until the client disconnects."""
    name = f"chatcmpl-{uuid4().hex}"
    for step in chunked(OPENAI, [OPENAI.text(one, id=name) for one in SENTENCES])[:-1]:
        yield step
    yield Break.STALL


@pytest.fixture(scope="module")
def server(launch: Launch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("server")
    with serving(stalled_provider) as upstream:
        provider = {"kind": "openai", "base_url": f"{upstream.url}/v1", "api_key": "sk-none-0123456789"}
        (folder / "config.yaml").write_text(yaml.safe_dump({"providers": {"slow": provider}}), "utf-8")
        command = [sys.executable, "-m", "citestream", "serve", "--port", "0", "--config", str(folder / "config.yaml")]
        with launch(command, folder / "log") as url:
            yield url


@pytest.fixture
def client(server: str) -> Iterator[OpenAI]:
    with OpenAI(base_url=f"{server}/v1", api_key="none", max_retries=0) as client:
        yield client


def ask(client: OpenAI, **citations: Any) -> Stream[ChatCompletionChunk]:
    return client.chat.completions.create(
        model="slow/m",
        messages=[{"role": "user", "content": "What is in Harlan?"}],
        stream=True,
        extra_body={"evidence": EVIDENCE, "citations": citations},
    )


def read(stream: Stream[ChatCompletionChunk], markers: int) -> tuple[str, list[ChatCompletionChunk]]:
    """Read until the text has this many markers, then stop. Return the text and the chunks."""
    text, chunks = "", list[ChatCompletionChunk]()
    for chunk in stream:
        chunks.append(chunk)
        text += chunk.choices[0].delta.content or ""
        if len(MARKER.findall(text)) == markers:
            break
    stream.close()
    return text, chunks


@pytest.mark.parametrize("markers", [1, 2, 3])
def test_the_openai_client_has_the_references_of_a_stopped_answer(markers: int, client: OpenAI) -> None:
    text, chunks = read(ask(client, references_when="first_use"), markers)
    references = [found for chunk in chunks if (found := getattr(chunk, "references", None))][-1]
    assert [str(one["number"]) for one in references] == MARKER.findall(text)
    assert [one["id"] for one in references] == [one["id"] for one in EVIDENCE[:markers]]
    for one in references:
        (span,) = one["spans"]
        assert text[span["start"] : span["end"]] == SENTENCES[one["number"] - 1].strip()


def test_a_stopped_answer_in_open_webui_has_the_sources_of_its_markers(client: OpenAI) -> None:
    text, chunks = read(ask(client, dialect="openwebui"), 2)
    sources = [event["data"]["document"] for chunk in chunks if (event := getattr(chunk, "event", None))]
    assert MARKER.findall(text) == ["1", "2"]
    assert sources == [[one["text"]] for one in EVIDENCE[:2]]


def test_the_references_of_a_stopped_answer_can_be_requested(client: OpenAI, server: str) -> None:
    text, chunks = read(ask(client), 3)
    stored = stored_references(server, chunks[0].id)
    assert [one["id"] for one in stored["references"]] == [one["id"] for one in EVIDENCE]
    assert [str(one["number"]) for one in stored["references"]] == MARKER.findall(text)
    assert stored["grounding"]["claims"] == 3


def test_the_references_of_a_stopped_response_can_be_requested(client: OpenAI, server: str) -> None:
    more = {"evidence": EVIDENCE}
    stream = client.responses.create(model="slow/m", input="What is in Harlan?", stream=True, extra_body=more)
    text, name = "", ""
    for event in stream:
        name = event.response.id if event.type == "response.created" else name
        text += event.delta if event.type == "response.output_text.delta" else ""
        if "[3]" in text:
            break
    stream.close()
    assert [one["id"] for one in stored_references(server, name)["references"]] == [one["id"] for one in EVIDENCE]


def stored_references(server: str, name: str) -> Fields:
    """Return the stored references, as soon as the server has noticed that the client has disconnected."""
    while True:
        try:
            with urlopen(f"{server}/v1/references/{name}") as answer:  # noqa: S310 - our own address
                stored: Fields = json.loads(answer.read())
                return stored
        except HTTPError as error:
            assert error.code == 404  # noqa: PT017 - the request is repeated
