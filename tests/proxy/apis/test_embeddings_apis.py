"""Embeddings, token counts and descriptions in Ollama's and Gemini's API, through the official clients."""

import json
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from http.client import HTTPConnection
from typing import Any

import ollama
import pytest
import yaml
from google import genai
from google.genai import errors, types

from citestream.proxy.apis.token_estimate import MEDIA_TOKENS
from tests.upstreams.embeddings import Embeddings, vector
from tests.upstreams.wire import Request, Server, Step, serving, whole

Launch = Callable[..., AbstractContextManager[str]]

TEXTS = ["Water boils.", "At 100 °C", "日本"]
VECTORS = [vector(text) for text in TEXTS]
ANSWER = b'{"text" : "unchanged",\n "embedding": [1], "totalTokens": 7, "embeddings": [{"values": [1]}]}\n'


async def fixed_answer(_: Request) -> AsyncIterator[Step]:
    yield whole("200 OK", ANSWER, "Content-Type: application/json; charset=utf-8")


@dataclass
class Proxy:
    url: str
    upstream: Server  # sends the same answer to every request


@pytest.fixture(scope="module")
def proxy_and_provider(launch: Launch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    folder = tmp_path_factory.mktemp("server")
    with ExitStack() as stack:
        embedding, plain = (stack.enter_context(serving(answer)) for answer in (Embeddings(), fixed_answer))
        providers: dict[str, Any] = {
            "openai": {"base_url": f"{embedding.url}/v1"},
            "ollama": {"base_url": embedding.url},
            "gemini": {"base_url": embedding.url},
            "extractive": None,
            "own-ollama": {"kind": "ollama", "base_url": plain.url},
            "own-gemini": {"kind": "gemini", "base_url": plain.url, "api_key": "k"},
        }
        config = folder / "config.yaml"
        config.write_text(yaml.safe_dump({"providers": providers}))
        command = [sys.executable, "-m", "citestream", "serve", "--port", "0", "--config", str(config)]
        yield Proxy(stack.enter_context(launch(command, folder / "log")), plain)


@pytest.fixture
def ollama_client(proxy_and_provider: Proxy) -> Iterator[ollama.Client]:
    client = ollama.Client(proxy_and_provider.url)
    yield client
    client._client.close()


@pytest.fixture
def genai_client(proxy_and_provider: Proxy) -> Iterator[genai.Client]:
    options = types.HttpOptions(base_url=proxy_and_provider.url, api_version="v1beta")
    client = genai.Client(api_key="none", http_options=options)
    yield client
    client.close()


def post(proxy_and_provider: Proxy, path: str, body: dict[str, Any]) -> tuple[int, bytes, Any]:
    """Return the status, the answer, and the path and body that the provider received, or None."""
    proxy_and_provider.upstream.requests.clear()
    connection = HTTPConnection(proxy_and_provider.url.removeprefix("http://"))
    connection.request("POST", path, json.dumps(body))
    with connection.getresponse() as answer:
        received = answer.read()
    connection.close()
    sent = [(request.target, request.json) for request in proxy_and_provider.upstream.requests]
    return answer.status, received, sent[0] if sent else None


@pytest.mark.parametrize("provider", ["openai", "ollama", "gemini"])
def test_clients_of_ollama_get_vectors_of_any_provider(ollama_client: ollama.Client, provider: str) -> None:
    answer = ollama_client.embed(f"{provider}/m", TEXTS)
    assert answer.embeddings == VECTORS
    assert answer.prompt_eval_count == (None if provider == "gemini" else 8)
    assert ollama_client.embed(f"{provider}/m", TEXTS[0]).embeddings == VECTORS[:1]


@pytest.mark.parametrize("provider", ["openai", "gemini"])
def test_the_older_endpoint_of_ollama_returns_vectors_of_any_provider(
    ollama_client: ollama.Client, provider: str
) -> None:
    assert ollama_client.embeddings(f"{provider}/m", TEXTS[0]).embedding == VECTORS[0]


@pytest.mark.parametrize("provider", ["openai", "ollama", "gemini"])
def test_clients_of_gemini_get_vectors_of_any_provider(genai_client: genai.Client, provider: str) -> None:
    contents: list[types.ContentUnion] = [*TEXTS]
    sized = types.EmbedContentConfig(output_dimensionality=3)
    answer = genai_client.models.embed_content(model=f"{provider}/m", contents=contents, config=sized)
    assert [one.values for one in answer.embeddings or ()] == VECTORS


PASSED_THROUGH: dict[str, tuple[str, dict[str, Any], str, dict[str, Any]]] = {
    "embeddings of Ollama": (
        "/api/embed",
        {"model": "own-ollama/m:4b", "input": "a", "truncate": False, "options": {"num_ctx": 9}, "unknown": 1},
        "/api/embed",
        {"model": "m:4b", "input": "a", "truncate": False, "options": {"num_ctx": 9}, "unknown": 1},
    ),
    "embeddings of the older endpoint of Ollama": (
        "/api/embeddings",
        {"model": "own-ollama/m", "prompt": "a", "keep_alive": 0},
        "/api/embeddings",
        {"model": "m", "prompt": "a", "keep_alive": 0},
    ),
    "the description of a model of Ollama": (
        "/api/show",
        {"model": "own-ollama/m", "verbose": True},
        "/api/show",
        {"model": "m", "verbose": True},
    ),
    "an embedding of Gemini": (
        "/v1beta/models/own-gemini/m:embedContent",
        {"model": "models/own-gemini/m", "content": {"parts": [{"text": "a"}]}, "taskType": "SEMANTIC_SIMILARITY"},
        "/v1beta/models/m:embedContent",
        {"model": "models/m", "content": {"parts": [{"text": "a"}]}, "taskType": "SEMANTIC_SIMILARITY"},
    ),
    "several embeddings of Gemini": (
        "/v1/models/own-gemini/m:batchEmbedContents",
        {"requests": [{"model": "models/own-gemini/m", "content": {"parts": [{"text": "a"}]}, "title": "t"}]},
        "/v1/models/m:batchEmbedContents",
        {"requests": [{"model": "models/m", "content": {"parts": [{"text": "a"}]}, "title": "t"}]},
    ),
    "tokens of Gemini": (
        "/v1beta/models/own-gemini/m:countTokens",
        {"contents": [{"parts": [{"text": "a"}]}]},
        "/v1beta/models/m:countTokens",
        {"contents": [{"parts": [{"text": "a"}]}]},
    ),
    "tokens of Gemini without the fields of Citestream": (
        "/v1beta/models/own-gemini/m:countTokens",
        {"contents": [], "evidence": [], "generateContentRequest": {"contents": [], "citations": {}}},
        "/v1beta/models/m:countTokens",
        {"contents": [], "generateContentRequest": {"contents": []}},
    ),
    "tokens of a complete request of Gemini": (
        "/v1beta/models/own-gemini/m:countTokens",
        {"generateContentRequest": {"model": "models/own-gemini/m", "contents": []}},
        "/v1beta/models/m:countTokens",
        {"generateContentRequest": {"model": "models/m", "contents": []}},
    ),
}


@pytest.mark.parametrize(("path", "body", "target", "sent"), PASSED_THROUGH.values(), ids=PASSED_THROUGH)
def test_requests_to_a_provider_with_the_same_api_pass_through_unchanged(
    proxy_and_provider: Proxy, path: str, body: dict[str, Any], target: str, sent: dict[str, Any]
) -> None:
    assert post(proxy_and_provider, path, body) == (200, ANSWER, (target, sent))


REFUSED: dict[str, tuple[str, dict[str, Any], int, str]] = {
    "a model without embeddings, for clients of Ollama": (
        "/api/embed",
        {"model": "extractive", "input": "a"},
        400,
        "no embeddings",
    ),
    "texts that are numbers": ("/api/embed", {"model": "openai/m", "input": [1]}, 400, "input"),
    "no text": ("/api/embeddings", {"model": "openai/m"}, 400, "prompt"),
    "a model without embeddings, for clients of Gemini": (
        "/v1beta/models/extractive:embedContent",
        {"content": {"parts": [{"text": "a"}]}},
        400,
        "no embeddings",
    ),
    "an image": (
        "/v1beta/models/openai/m:embedContent",
        {"content": {"parts": [{"text": "a"}, {"inlineData": {"data": "aGk="}}]}},
        400,
        "content.parts[1]",
    ),
    "different dimensions": (
        "/v1beta/models/openai/m:batchEmbedContents",
        {"requests": [{"content": {"parts": []}, "outputDimensionality": size} for size in (1, 2)]},
        400,
        "outputDimensionality",
    ),
    "tokens without contents": (
        "/v1beta/models/openai/m:countTokens",
        {"contents": []},
        400,
        "contents: must not be empty",
    ),
    "an unknown method": ("/v1beta/models/openai/m:sing", {}, 404, "batchEmbedContents"),
}


@pytest.mark.parametrize(("path", "body", "status", "message"), REFUSED.values(), ids=REFUSED)
def test_an_unsupported_request_is_an_error(
    proxy_and_provider: Proxy, path: str, body: dict[str, Any], status: int, message: str
) -> None:
    code, received, _ = post(proxy_and_provider, path, body)
    error = json.loads(received)["error"]
    assert code == status
    assert message in (error if path.startswith("/api/") else error["message"])


def test_the_tokens_of_other_models_are_estimated_for_clients_of_gemini(genai_client: genai.Client) -> None:
    def count(*contents: types.PartUnion, **options: Any) -> int:
        config = types.CountTokensConfig(**options)
        return genai_client.models.count_tokens(model="openai/m", contents=[*contents], config=config).total_tokens or 0

    text = "How tall was the Saturn V, and how often did it fly?"
    image = types.Part.from_bytes(data=b"hello", mime_type="image/png")
    document = types.Part.from_bytes(data=bytes(200_000), mime_type="application/pdf")
    evidence = types.HttpOptions(extra_body={"evidence": [{"text": text}]})
    assert len(text) / 6 < count(text) < len(text)
    assert len(text) / 6 < count(text, http_options=evidence) - count(text) < len(text)
    assert MEDIA_TOKENS < count(image) < 2 * MEDIA_TOKENS
    assert 4 * MEDIA_TOKENS < count(document) < 5 * MEDIA_TOKENS


def test_the_estimate_includes_instructions_and_tools(proxy_and_provider: Proxy) -> None:
    contents = {"contents": {"parts": {"text": "How tall was the Saturn V?"}}}
    tool = {"functionDeclarations": [{"name": "height", "parameters": {"type": "OBJECT"}}]}
    instructed = contents | {"system_instruction": {"parts": [{"text": "Be brief."}]}, "tools": [tool]}
    counts = []
    for body in (contents, {"generateContentRequest": contents}, instructed):
        status, received, sent = post(proxy_and_provider, "/v1beta/models/openai/m:countTokens", body)
        assert (status, sent) == (200, None)
        counts.append(json.loads(received)["totalTokens"])
    assert counts[0] == counts[1] < counts[2]


@pytest.fixture(params=["v1", "v1beta"])
def versioned_client(proxy_and_provider: Proxy, request: pytest.FixtureRequest) -> Iterator[genai.Client]:
    client = genai.Client(
        api_key="none", http_options=types.HttpOptions(base_url=proxy_and_provider.url, api_version=request.param)
    )
    yield client
    client.close()


def test_clients_of_gemini_can_list_the_models(versioned_client: genai.Client) -> None:
    assert "models/extractive" in [model.name for model in versioned_client.models.list()]


def test_clients_of_gemini_can_retrieve_a_model(genai_client: genai.Client) -> None:
    found = genai_client.models.get(model="extractive")
    assert (found.name, found.supported_actions) == ("models/extractive", ["generateContent", "streamGenerateContent"])
    with pytest.raises(errors.ClientError) as caught:
        genai_client.models.get(model="nobody/nothing")
    assert caught.value.code == 404
