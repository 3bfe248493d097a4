"""Offsets of annotations locate the marker or the claim, in every client API, streamed and complete."""

import sys
from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from typing import Any

import pytest
import yaml

from tests.conftest import Launch
from tests.proxy.answers import Shown
from tests.proxy.pipeline.test_streamed_equals_whole import APIS, normalized, send_request
from tests.upstreams.scripted import Answer, Fields, Upstream
from tests.upstreams.wire import serving

EVIDENCE = [
    {"text": "The Harlan bridge was opened on 4 May 1932.", "url": "https://ex.org/opened"},
    {"text": "水在一百度沸腾。", "url": "https://ex.org/boils.pdf", "page_number": 3},
]
TEXT = "🌉 The Harlan bridge was opened on 4 May 1932 [1]. 水在一百度沸腾 [2]。"
CLAIMS = ["🌉 The Harlan bridge was opened on 4 May 1932.", "水在一百度沸腾。"]
MARKERS = ["[1]", "[2]"]
LINKS = [
    "https://ex.org/opened#:~:text=The%20Harlan%20bridge%20was%20opened%20on%204%20May%201932.",
    "https://ex.org/boils.pdf#page=3",
]

Located = Callable[[Shown], list[str]]


def of_chat(shown: Shown) -> list[str]:
    (choice,) = shown["choices"]
    found = [one["url_citation"] for one in choice["annotations"]]
    assert [one["link"] for one in found] == LINKS
    return [choice["text"][one["start_index"] : one["end_index"]] for one in found]


def of_response(shown: Shown) -> list[str]:
    (part,) = shown["output"][0]["content"]
    assert [one["link"] for one in part["annotations"]] == LINKS
    return [part["text"][one["start_index"] : one["end_index"]] for one in part["annotations"]]


def of_gemini(shown: Shown) -> list[str]:
    (candidate,) = shown["candidates"]
    return [candidate["text"].encode()[start:end].decode() for start, end, *_ in candidate["grounding"]]


def of_cohere(shown: Shown) -> list[str]:
    (block,) = shown["message"]["content"]
    return [block["text"][one["start"] : one["end"]] for one in shown["message"]["citations"]]


def of_message(shown: Shown) -> list[str]:
    return [block["text"].strip() for block in shown["content"] if block.get("citations")]


LOCATED: dict[str, Located] = {
    "chat completions": of_chat,
    "responses": of_response,
    "gemini, events": of_gemini,
    "cohere": of_cohere,
    "messages": of_message,
}
HAVE_MARKERS = ("chat completions", "responses")  # the annotations of the others locate the cited text by definition


@pytest.fixture(scope="module")
def client_and_upstream(
    launch: Launch, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[HTTPConnection, Upstream]]:
    folder = tmp_path_factory.mktemp("spans")
    upstream = Upstream("openai")
    with serving(upstream) as server:
        providers: dict[str, Any] = {"openai": {"base_url": server.url, "api_key": "k", "responses": False}}
        config = folder / "config.yaml"
        config.write_text(yaml.safe_dump({"providers": providers, "log": {"access": False}}))
        command = [sys.executable, "-m", "citestream", "serve", "--port", "0", "--config", str(config)]
        with launch(command, folder / "log") as address:
            client = HTTPConnection(address.removeprefix("http://"))
            yield client, upstream
            client.close()


@pytest.mark.parametrize("annotation_span", ["marker", "claim"])
@pytest.mark.parametrize("api", LOCATED)
def test_annotations_locate_what_the_option_asks_for(
    client_and_upstream: tuple[HTTPConnection, Upstream], api: str, annotation_span: str
) -> None:
    client, upstream = client_and_upstream
    upstream.answer = Answer(tuple(("text", character) for character in TEXT), (), "stop", None)
    ours: Fields = {"evidence": EVIDENCE, "citations": {"annotation_span": annotation_span}}
    shown = []
    for (path, body), read in (
        (APIS[api].streamed, APIS[api].read_stream),
        (APIS[api].whole, APIS[api].read_whole),
    ):
        shown.append(read(send_request(client, path, {**body, **ours}, "openai/m")))
    assert normalized(shown[0]) == normalized(shown[1])
    expected = MARKERS if api in HAVE_MARKERS and annotation_span == "marker" else CLAIMS
    assert [located for one in shown for located in LOCATED[api](one)] == expected * 2
