"""The lists of models in Ollama's API, with every field that strict clients require."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime

import ollama
import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer
from pydantic import BaseModel, ConfigDict

from citestream.proxy.config import parse
from citestream.proxy.http.application import make_app
from tests.upstreams.ollama import Ollama
from tests.upstreams.wire import Server


class StrictDetails(BaseModel):
    """Every field is required, as in the types of parllama and of clients in Go, Rust and Kotlin."""

    model_config = ConfigDict(extra="forbid", strict=True)

    parent_model: str
    format: str
    family: str
    families: list[str]
    parameter_size: str
    quantization_level: str


class StrictModel(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: str
    model: str
    modified_at: datetime
    size: int
    digest: str
    details: StrictDetails


class StrictRunningModel(StrictModel):
    expires_at: datetime
    size_vram: int
    context_length: int


CLOSED_PORT = "http://127.0.0.1:9"
ALIASES = {"house": {"model": "ollama/llama3.2"}, "quotes": {"model": "extractive"}}


@pytest.fixture
async def server() -> AsyncIterator[TestClient[web.Request, web.Application]]:
    async with Server(Ollama()) as upstream:
        providers = {
            "extractive": {},
            "ollama": {"base_url": upstream.url},
            "listed": {"kind": "ollama", "base_url": upstream.url, "models": ["qwen3:4b", "new"]},
            "down": {"kind": "ollama", "base_url": CLOSED_PORT},
        }
        config = parse({"providers": providers, "models": ALIASES})
        async with TestClient(TestServer(make_app(config))) as client:
            yield client


async def test_every_model_has_every_documented_field(server: TestClient[web.Request, web.Application]) -> None:
    listed = (await (await server.get("/api/tags")).json())["models"]
    models = {model["name"]: StrictModel.model_validate(model) for model in listed}
    assert list(models) == [
        *ALIASES,
        "extractive",
        "ollama/llama3.2:latest",
        "ollama/qwen3:4b",
        "listed/qwen3:4b",
        "listed/new",
    ]
    assert all(name == model.model for name, model in models.items())
    for name in ("house", "ollama/llama3.2:latest", "listed/qwen3:4b"):  # as the Ollama provider reports them
        assert (models[name].size, models[name].digest) == (2019393189, "a80c4f17"), name
        assert models[name].details.quantization_level == "Q4_K_M", name
    for name in ("quotes", "extractive", "listed/new"):
        assert models[name].size == 0, name
        assert models[name].modified_at == datetime(1970, 1, 1, tzinfo=UTC), name
    assert len({models[name].digest for name in ("quotes", "extractive", "listed/new")}) == 3
    assert models["quotes"].details.family == "extractive"


async def test_running_models_are_those_of_ollama_providers(server: TestClient[web.Request, web.Application]) -> None:
    listed = (await (await server.get("/api/ps")).json())["models"]
    models = [StrictRunningModel.model_validate(model) for model in listed]
    assert [model.name for model in models] == ["ollama/llama3.2:latest", "listed/llama3.2:latest"]
    assert models[0].context_length == 4096


async def test_the_official_client_reads_all_answers_that_it_requests_at_its_start(
    server: TestClient[web.Request, web.Application],
) -> None:
    client = ollama.AsyncClient(str(server.make_url("/")))
    async with client:
        sizes = {model.model: model.size for model in (await client.list()).models}
        loaded = [model.model for model in (await client.ps()).models]
        shown = await client.show("quotes")
    assert sizes["house"] == 2019393189
    assert loaded == ["ollama/llama3.2:latest", "listed/llama3.2:latest"]
    assert (shown.modelfile, shown.template) == ("", "")
    assert shown.details
    assert StrictDetails.model_validate(shown.details.model_dump()).family == "extractive"


async def test_a_server_without_an_ollama_provider_has_no_running_models() -> None:
    async with TestClient(TestServer(make_app(parse({"providers": {"extractive": {}}})))) as client:
        assert await (await client.get("/api/ps")).json() == {"models": []}
        version = (await (await client.get("/api/version")).json())["version"]
        assert tuple(map(int, version.split("."))) >= (0, 6, 4)  # the minimum of GitHub Copilot
        assert (await client.head("/")).status == 200  # Ollama's own command line checks this first
