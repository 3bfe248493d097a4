"""`POST /v1/embeddings` with the official client, in front of servers of three providers."""

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import pytest
import yaml
from openai import BadRequestError, NotFoundError, OpenAI

from tests.upstreams.embeddings import Embeddings, vector
from tests.upstreams.wire import Server, serving

Launch = Callable[..., AbstractContextManager[str]]

TEXTS = ["Water boils.", "At 100 °C", "日本"]
PATHS = {"openai": "/v1/embeddings", "ollama": "/api/embed", "gemini": "/v1beta/models/m:batchEmbedContents"}
TOKENS: dict[str, Any] = {"openai": 8, "ollama": 8, "gemini": None}


@pytest.fixture(scope="module")
def upstream() -> Iterator[Server]:
    with serving(Embeddings()) as server:
        yield server


@pytest.fixture(scope="module")
def sdk(launch: Launch, tmp_path_factory: pytest.TempPathFactory, upstream: Server) -> Iterator[OpenAI]:
    folder = tmp_path_factory.mktemp("server")
    providers: dict[str, Any] = {kind: {"base_url": upstream.url} for kind in ("ollama", "gemini")}
    providers["openai"] = {"base_url": f"{upstream.url}/v1"}
    providers["vertex"] = {"kind": "gemini", "vertex": True, "base_url": upstream.url, "api_key": "ya29.x"}
    providers["extractive"] = None
    config = folder / "config.yaml"
    config.write_text(yaml.safe_dump({"providers": providers}))
    command = [sys.executable, "-m", "citestream", "serve", "--port", "0", "--config", str(config)]
    with launch(command, folder / "log") as url, OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0) as client:
        yield client


@pytest.mark.parametrize("encoding", ["float", "base64"])
@pytest.mark.parametrize("kind", PATHS)
def test_every_text_gets_its_vector(sdk: OpenAI, upstream: Server, kind: str, encoding: Any) -> None:
    answer = sdk.embeddings.create(model=f"{kind}/m", input=TEXTS, encoding_format=encoding, dimensions=3)
    rows = {row.index: row.embedding for row in answer.data}
    if encoding == "float":
        assert [rows[index] for index in range(len(TEXTS))] == [vector(text) for text in TEXTS]
    else:  # the client does not decode base64 if its user requested it
        assert all(isinstance(row, str) for row in rows.values())
        plain = sdk.embeddings.create(model=f"{kind}/m", input=TEXTS)  # the client requests base64 and decodes it
        assert [row.embedding for row in sorted(plain.data, key=lambda row: row.index)] == [vector(t) for t in TEXTS]
    assert (answer.usage and answer.usage.total_tokens) == TOKENS[kind]
    assert upstream.requests[-1].target == PATHS[kind]


def test_dimensions_are_sent_in_the_field_of_each_api(sdk: OpenAI, upstream: Server) -> None:
    for kind in PATHS:
        sdk.embeddings.create(model=f"{kind}/m", input="one", dimensions=256)
        sent = upstream.requests[-1].json
        assert 256 in (sent.get("dimensions"), sent.get("requests", [{}])[0].get("outputDimensionality"))


def test_texts_above_the_limit_of_gemini_are_sent_in_batches(sdk: OpenAI, upstream: Server) -> None:
    texts = [f"text {number}" for number in range(205)]
    before = len(upstream.requests)
    answer = sdk.embeddings.create(model="gemini/m", input=texts, encoding_format="float")
    assert [row.embedding for row in answer.data] == [vector(text) for text in texts]
    assert [len(request.json["requests"]) for request in upstream.requests[before:]] == [100, 100, 5]


def test_requests_to_openai_pass_through_unchanged(sdk: OpenAI, upstream: Server) -> None:
    sdk.embeddings.create(model="openai/m", input=["one"], user="me", encoding_format="float", extra_body={"new": 1})
    assert upstream.requests[-1].json == {
        "model": "m",
        "input": ["one"],
        "user": "me",
        "encoding_format": "float",
        "new": 1,
    }


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "tokens of a model of another provider": ({"input": [1, 2]}, "input[0]"),
    "lists of tokens": ({"input": [[1, 2]]}, "input[0]"),
    "a text that is null": ({"input": ["a", None]}, "input[1]"),
    "no text": ({"input": []}, "input"),
    "no input": ({}, "input"),
    "an unknown encoding": ({"input": "a", "encoding_format": "hex"}, "encoding_format"),
    "zero dimensions": ({"input": "a", "dimensions": 0}, "dimensions"),
    "a model that does not embed": ({"input": "a", "model": "extractive"}, "model"),
    "a server without this API": ({"input": "a", "model": "vertex/m"}, "model"),
}


@pytest.mark.parametrize(("body", "param"), WRONG.values(), ids=WRONG)
def test_the_error_names_the_wrong_field(sdk: OpenAI, body: dict[str, Any], param: str) -> None:
    with pytest.raises(BadRequestError) as caught:
        sdk.post("/embeddings", body={"model": "ollama/m", **body}, cast_to=object)
    assert caught.value.param == param


def test_an_unknown_model_is_not_found(sdk: OpenAI) -> None:
    with pytest.raises(NotFoundError):
        sdk.embeddings.create(model="nobody/m", input="a")
