"""Gemini's API in front of any provider, through the official client and as plain JSON."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any
from urllib.request import Request, urlopen

import pytest
from google import genai
from google.genai import errors, types

Launch = Callable[..., AbstractContextManager[str]]

EVIDENCE = [
    {"text": "The Görlitz bridge was opened on 4 May 1932 by the mayor."},
    {"text": "Bananas grow in the tropics."},
]
QUESTION = "When was the Görlitz bridge opened?"
CITED = "The Görlitz bridge was opened on 4 May 1932 by the mayor. [1]"


@pytest.fixture(scope="module")
def server(launch: Launch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    log = tmp_path_factory.mktemp("server") / "log"
    with launch([sys.executable, "-m", "citestream", "serve", "--port", "0"], log) as url:
        yield url


@pytest.fixture(params=["v1", "v1beta"])
def client(server: str, request: pytest.FixtureRequest) -> Iterator[genai.Client]:
    options = types.HttpOptions(base_url=server, api_version=request.param, extra_body={"evidence": EVIDENCE})
    client = genai.Client(api_key="none", http_options=options)
    yield client
    client.close()


def cited_bytes(metadata: types.GroundingMetadata | None, text: str) -> list[str]:
    assert metadata is not None
    segments = [support.segment for support in metadata.grounding_supports or []]
    encoded = text.encode()
    return [encoded[s.start_index or 0 : s.end_index].decode() for s in segments if s is not None]


def test_the_streamed_and_the_complete_answer_are_equal(client: genai.Client) -> None:
    whole = client.models.generate_content(model="extractive", contents=QUESTION)
    parts = list(client.models.generate_content_stream(model="extractive", contents=QUESTION))
    assert "".join(part.text or "" for part in parts) == whole.text == CITED
    assert whole.candidates
    last = parts[-1].candidates
    assert last
    assert last[0].finish_reason == whole.candidates[0].finish_reason == types.FinishReason.STOP
    assert last[0].grounding_metadata == whole.candidates[0].grounding_metadata
    assert cited_bytes(whole.candidates[0].grounding_metadata, CITED) == [CITED.removesuffix(" [1]")]
    assert parts[-1].usage_metadata == whole.usage_metadata


def test_errors_have_the_format_of_google(client: genai.Client) -> None:
    with pytest.raises(errors.ClientError) as caught:
        client.models.generate_content(model="nobody", contents=QUESTION)
    assert (caught.value.code, caught.value.status) == (404, "NOT_FOUND")


def test_without_events_the_stream_is_one_json_array(server: str) -> None:
    body: dict[str, Any] = {"contents": [{"parts": [{"text": QUESTION}]}], "evidence": EVIDENCE}
    address = f"{server}/v1beta/models/extractive:streamGenerateContent"
    with urlopen(Request(address, json.dumps(body).encode())) as answer:  # noqa: S310 - our own address
        responses = json.loads(answer.read())
    text = "".join(r["candidates"][0]["content"]["parts"][0]["text"] for r in responses)
    assert text == CITED
    assert responses[-1]["candidates"][0]["finishReason"] == "STOP"
