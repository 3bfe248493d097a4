"""`POST /v1/responses` with servers that support it, that support only chat, and that lack the requested model."""

import json
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest
import yaml
from openai import BadRequestError, NotFoundError, OpenAI

from tests.upstreams.openai import VLLM
from tests.upstreams.wire import Request, Server, Step, serving, whole

Launch = Callable[..., AbstractContextManager[str]]

TEXT = "Water boils at 100 °C [1]."
NATIVE = {
    "id": "resp_of_the_provider",
    "object": "response",
    "created_at": 1,
    "model": "m",
    "status": "completed",
    "output": [],
    "parallel_tool_calls": True,
    "tool_choice": "auto",
    "tools": [],
}
UNKNOWN_PATH = {
    "vLLM": ("404 Not Found", b'{"detail":"Not Found"}'),
    "llama.cpp": ("404 Not Found", b'{"error":{"code":404,"message":"File Not Found","type":"not_found_error"}}'),
    "a web server": ("405 Method Not Allowed", b"<html><h1>405</h1></html>"),
    "the error of OpenAI": (
        "404 Not Found",
        b'{"error":{"message":"Invalid URL (POST /v1/responses)","type":"invalid_request_error","param":null}}',
    ),
}


class Upstream(VLLM):
    """A server with vLLM's chat API and a configurable Responses API."""

    def __init__(self, status: str, body: bytes) -> None:
        super().__init__()
        self.status, self.body = status, body

    async def __call__(self, request: Request) -> AsyncIterator[Step]:
        if request.target.endswith("/responses"):
            yield whole(self.status, self.body, "Content-Type: application/json")
        else:
            async for step in super().__call__(request):
                yield step


@contextmanager
def running_proxy(launch: Launch, folder: Path, answer: Upstream, **settings: Any) -> Iterator[tuple[OpenAI, Server]]:
    with serving(answer) as server:
        config = folder / "config.yaml"
        provider = {"kind": "openai", "base_url": f"{server.url}/v1", **settings}
        config.write_text(yaml.safe_dump({"providers": {"up": provider}}))
        command = [sys.executable, "-m", "citestream", "serve", "--port", "0", "--config", str(config)]
        with (
            launch(command, folder / "log") as url,
            OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0) as client,
        ):
            yield client, server


def targets(server: Server) -> list[str]:
    return [request.target.removeprefix("/v1") for request in server.requests]


@pytest.mark.parametrize(("status", "body"), UNKNOWN_PATH.values(), ids=UNKNOWN_PATH)
def test_a_server_without_the_responses_api_is_remembered_and_gets_chat_requests(
    launch: Launch, tmp_path: Path, status: str, body: bytes
) -> None:
    with running_proxy(launch, tmp_path, Upstream(status, body)) as (client, server):
        complete = client.responses.create(model="up/m", input="When?")
        with client.responses.stream(model="up/m", input="When?") as stream:
            streamed = stream.get_final_response()
        with pytest.raises(BadRequestError, match="previous_response_id"):
            client.responses.create(model="up/m", input="When?", previous_response_id="resp_1")
        assert complete.output_text == streamed.output_text == TEXT
        assert targets(server) == ["/responses", "/chat/completions", "/chat/completions"]
        assert server.requests[1].json["messages"] == [{"role": "user", "content": "When?"}]


def test_a_server_with_the_responses_api_gets_all_fields(launch: Launch, tmp_path: Path) -> None:
    with running_proxy(launch, tmp_path, Upstream("200 OK", json.dumps(NATIVE).encode())) as (client, server):
        fields: dict[str, Any] = {"tools": [{"type": "web_search"}], "previous_response_id": "resp_1"}
        answer = client.responses.create(model="up/m", input="When?", **fields)
        assert answer.id == NATIVE["id"]
        assert server.requests[0].json == {"model": "m", "input": "When?", **fields}


def test_an_unknown_model_is_not_requested_as_chat(launch: Launch, tmp_path: Path) -> None:
    error = b'{"error":{"message":"The model `m` does not exist.","type":"NotFoundError","param":"model","code":404}}'
    with running_proxy(launch, tmp_path, Upstream("404 Not Found", error)) as (client, server):
        for _ in range(2):
            with pytest.raises(NotFoundError, match="The model `m` does not exist"):
                client.responses.create(model="up/m", input="When?")
        assert targets(server) == ["/responses", "/responses"]


def test_the_configuration_overrides_the_detection(launch: Launch, tmp_path: Path) -> None:
    refusing = Upstream(*UNKNOWN_PATH["vLLM"])
    with running_proxy(launch, tmp_path, refusing, responses=False) as (client, server):
        assert client.responses.create(model="up/m", input="When?").output_text == TEXT
        assert targets(server) == ["/chat/completions"]
    with running_proxy(launch, tmp_path, refusing, responses=True) as (client, _), pytest.raises(NotFoundError):
        client.responses.create(model="up/m", input="When?")
