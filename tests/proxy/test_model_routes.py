"""The `model` of a request selects a provider, the provider's name of the model, and the citation options."""

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any
from urllib.parse import unquote

import pytest
from aiohttp.test_utils import TestClient, TestServer
from anthropic import AsyncAnthropic
from google import genai
from google.genai.types import HttpOptions
from openai import AsyncOpenAI, NotFoundError

from citestream.citation.options import Options
from citestream.providers.events import ChatRequest, RelayRequest
from citestream.proxy.config import Config, parse
from citestream.proxy.http.application import make_app
from citestream.proxy.http.error_responses import RequestError
from citestream.proxy.model_routes import Routes
from tests.upstreams.wire import Request, Server, Step, whole

CONFIG = {
    "providers": {
        "extractive": None,
        "ollama": {"base_url": "http://127.0.0.1:9", "models": ["llama3.2", "qwen3:8b"]},
        "router": {"kind": "openai", "base_url": "http://127.0.0.1:9/v1"},
    },
    "models": {"fast": {"model": "ollama/llama3.2", "citations": {"release": "live"}}},
    "citations": {"marker": "link"},
}

NAMES = ["extractive", "fast", "ollama/qwen3:8b", "router/meta-llama/Llama-3"]
ROUTES = {
    "provider and model": ("ollama/llama3.2", "", ("ollama", "llama3.2")),
    "a model whose own name has a slash": ("router/meta-llama/Llama-3", "", ("router", "meta-llama/Llama-3")),
    "the embedded provider": ("extractive", "", ("extractive", "extractive")),
    "an alias": ("fast", "", ("ollama", "llama3.2")),
    "a bare name, with a default provider": ("gpt-4.1", "router", ("router", "gpt-4.1")),
    "a name with a slash, with a default provider": ("meta-llama/Llama-3", "router", ("router", "meta-llama/Llama-3")),
    "a provider has precedence over the default provider": ("ollama/x", "router", ("ollama", "x")),
    "an alias has precedence over the default provider": ("fast", "router", ("ollama", "llama3.2")),
}


@pytest.mark.parametrize(("model", "default", "expected"), ROUTES.values(), ids=ROUTES)
def test_a_model_name_selects_a_provider(model: str, default: str, expected: tuple[str, str]) -> None:
    route = Routes(parse({**CONFIG, "default_provider": default})).find(model)
    assert (route.name, route.model) == expected
    assert route.options == Options(marker="link", release="live" if model == "fast" else "sentence")


ROUTES_BY_API: dict[str, tuple[str, str, str, tuple[str, str]]] = {
    "any model in Ollama's API": ("ollama", "llama3.2", "local", ("local", "llama3.2")),
    "a model with a slash": ("ollama", "hf.co/acme/m:4b", "router", ("router", "hf.co/acme/m:4b")),
    "a model of Gemini": ("gemini", "gemini-2.5-flash", "router", ("google", "gemini-2.5-flash")),
    "a model of Anthropic": ("anthropic", "claude-sonnet-5", "router", ("claude", "claude-sonnet-5")),
    "another model in Gemini's API": ("gemini", "gpt-4.1", "router", ("router", "gpt-4.1")),
    "a model of Gemini in another API": ("openai", "gemini-2.5-flash", "router", ("router", "gemini-2.5-flash")),
    "an alias": ("ollama", "fast", "", ("local", "m")),
    "a name with a provider": ("ollama", "router/x", "", ("router", "x")),
}


@pytest.mark.parametrize(("api", "model", "default", "expected"), ROUTES_BY_API.values(), ids=ROUTES_BY_API)
def test_clients_of_a_provider_api_can_omit_the_provider(
    api: str, model: str, default: str, expected: tuple[str, str]
) -> None:
    kinds = {"router": "openai", "local": "ollama", "google": "gemini", "claude": "anthropic"}
    providers = {name: {"kind": kind, "api_key": "k"} for name, kind in kinds.items()}
    config = parse({"providers": providers, "models": {"fast": {"model": "local/m"}}, "default_provider": default})
    route = Routes(config).find(model, api)
    assert (route.name, route.model) == expected
    assert Routes(config).chain(model, api)[0] in {model, f"{expected[0]}/{model}"}


@pytest.mark.parametrize("model", ["gpt-4.1", "nobody/x", "", "/", "Fast"])
def test_an_unknown_model_is_404_and_lists_the_existing_models(model: str) -> None:
    with pytest.raises(RequestError) as caught:
        Routes(parse(CONFIG)).find(model)
    assert (caught.value.status, caught.value.code, caught.value.param) == (404, "model_not_found", "model")
    for name in ("fast", "extractive", "ollama/…", "router/…"):
        assert name in caught.value.message


ADVICE = {
    "a vendor without its key": ("anthropic/claude-sonnet-5", "needs an API key: set ANTHROPIC_API_KEY where"),
    "a vendor's model without its key": ("gemini-2.5-flash", "needs an API key: set GEMINI_API_KEY where"),
    "a model of a provider with another name": ("gpt-4.1", "needs the name of its provider: router/gpt-4.1; there"),
    "a provider with another name": ("openai/gpt-4.1", "needs the name of its provider: router/gpt-4.1; there"),
    "open weights": ("gpt-oss:20b", "the model 'gpt-oss:20b' does not exist; there are: "),
    "any other name": ("grok-4", "the model 'grok-4' does not exist; there are: "),
}


@pytest.mark.parametrize(("model", "advice"), ADVICE.values(), ids=ADVICE)
def test_an_unknown_model_says_what_it_needs(model: str, advice: str) -> None:
    with pytest.raises(RequestError) as caught:
        Routes(parse(CONFIG)).find(model)
    assert advice in caught.value.message


@pytest.mark.filterwarnings("ignore:Inheritance class:DeprecationWarning")  # caused by google-genai
async def test_official_clients_retrieve_a_model_by_its_name() -> None:
    async with TestServer(make_app(parse(CONFIG))) as server:
        url = str(server.make_url("")).rstrip("/")
        async with AsyncOpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0) as client:
            assert [(await client.models.retrieve(name)).id for name in NAMES] == NAMES
            with pytest.raises(NotFoundError, match="gpt-9"):
                await client.models.retrieve("gpt-9/x")
        for version in ("v1", "v1beta"):
            google = genai.Client(api_key="k", http_options=HttpOptions(base_url=url, api_version=version))
            assert [(await google.aio.models.get(model=name)).name for name in NAMES] == [
                f"models/{name}" for name in NAMES
            ]


DESCRIPTIONS: dict[str, dict[str, Any]] = {
    "/v1/models/m:4b": {"id": "m:4b", "object": "model", "created": 7, "owned_by": "acme", "max_model_len": 9},
    "/claude/v1/models/m:4b": {"type": "model", "id": "m:4b", "display_name": "M", "max_input_tokens": 9},
    "/v1beta/models/m:4b": {"name": "models/m:4b", "displayName": "M", "inputTokenLimit": 9},
}


async def describe(request: Request) -> AsyncIterator[Step]:
    if found := DESCRIPTIONS.get(unquote(request.target)):
        yield whole("200 OK", json.dumps(found).encode(), "Content-Type: application/json")
    else:
        yield whole("404 Not Found", b'{"detail": "Not Found"}', "Content-Type: application/json")


@pytest.mark.filterwarnings("ignore:Inheritance class:DeprecationWarning")  # caused by google-genai
async def test_official_clients_read_the_description_of_a_model_from_its_provider() -> None:
    async with Server(describe) as upstream:
        bases = {"openai": "/v1", "anthropic": "/claude", "gemini": ""}
        providers = {name: {"base_url": f"{upstream.url}{path}", "api_key": "k"} for name, path in bases.items()}
        async with TestServer(make_app(parse({"providers": providers}))) as server:
            url = str(server.make_url("")).rstrip("/")
            async with AsyncOpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0) as client:
                model = await client.models.retrieve("openai/m:4b")
                assert model.to_dict() == DESCRIPTIONS["/v1/models/m:4b"] | {"id": "openai/m:4b"}
                assert (await client.models.retrieve("openai/x")).owned_by == "openai"  # the server has no such path
                assert (await client.models.retrieve("gemini/m:4b")).owned_by == "gemini"
            async with AsyncAnthropic(base_url=url, api_key="none", max_retries=0) as claude:
                described = await claude.models.retrieve("anthropic/m:4b")
                assert (described.id, described.display_name, described.max_input_tokens) == ("anthropic/m:4b", "M", 9)
            google = genai.Client(api_key="k", http_options=HttpOptions(base_url=url, api_version="v1beta"))
            found = await google.aio.models.get(model="gemini/m:4b")
            assert (found.name, found.display_name, found.input_token_limit) == ("models/gemini/m:4b", "M", 9)


async def test_the_list_has_aliases_and_configured_models_but_no_unreachable_provider() -> None:
    async with TestClient(TestServer(make_app(parse(CONFIG)))) as client:
        body = await (await client.get("/v1/models")).json()
    assert [model["id"] for model in body["data"]] == ["fast", "extractive", "ollama/llama3.2", "ollama/qwen3:8b"]


def test_a_key_from_a_variable_reaches_the_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROUTER_KEY", "sk-from-a-variable")
    config: Config = parse({"providers": {"router": {"kind": "openai", "api_key_env": "ROUTER_KEY"}}})
    assert config.providers["router"].secret() == "sk-from-a-variable"
    assert Routes(config).find("router/x").model == "x"


def test_keys_and_headers_of_a_client_are_not_in_a_repr() -> None:
    key, headers = "sk-mine", {"openai-organization": "org-mine"}
    shown = [
        replace(Routes(parse({"providers": {"ollama": None}})).find("ollama/m"), key=key, headers=headers),
        ChatRequest("m", [], key=key, headers=headers),
        RelayRequest(b"", "/chat", key=key, headers=headers),
    ]
    assert "mine" not in repr(shown)


async def test_a_line_of_a_provider_above_the_limit_is_a_502() -> None:
    async def endless(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: " + b"x" * 5000)
        await writer.drain()
        await reader.read()
        writer.close()

    async with await asyncio.start_server(endless, "127.0.0.1", 0) as upstream:
        port = upstream.sockets[0].getsockname()[1]
        provider = {"kind": "openai", "base_url": f"http://127.0.0.1:{port}/v1"}
        config = parse({"providers": {"p": provider}, "limits": {"event_bytes": 2000}})
        request = {"model": "p/x", "messages": [{"role": "user", "content": "q"}], "evidence": [{"text": "It is red."}]}
        async with TestClient(TestServer(make_app(config))) as client:
            answer = await client.post("/v1/chat/completions", json=request)
            body = await answer.json()
    assert answer.status == 502
    assert "2000 bytes" in body["error"]["message"]
