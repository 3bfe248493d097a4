"""Azure OpenAI and Vertex AI behind a running server: addresses, keys and results."""

import json
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from http.client import HTTPConnection
from typing import Any

import pytest
import yaml

from tests.upstreams import gemini
from tests.upstreams.servers import STREAMS
from tests.upstreams.wire import Request, Server, Step, chunk, head, serving, whole

Launch = Callable[..., AbstractContextManager[str]]
EVIDENCE = [{"text": "Water boils at 100 °C."}]
QUESTION = "When does water boil?"
CHAT = {"messages": [{"role": "user", "content": QUESTION}]}
CONTENTS = {"contents": [{"role": "user", "parts": [{"text": QUESTION}]}]}
TOKEN = "ya29.token"
LOCATION = "/v1/projects/p/locations/europe-west1"
VERTEX = f"{LOCATION}/publishers/google/models/{gemini.MODEL}"
AZURE = "/openai/deployments/my%20gpt"
VERSION = "?api-version=2025-04-01-preview"


async def azure(request: Request) -> AsyncIterator[Step]:
    """An Azure resource: streams contain reports of content filters; other requests get a fixed answer."""
    if request.json.get("stream"):
        yield head("200 OK", "Content-Type: text/event-stream", "Transfer-Encoding: chunked")
        yield chunk(STREAMS["Azure OpenAI"])
        yield chunk(b"")
    else:
        yield whole("200 OK", b'{"text": "unchanged"}', "Content-Type: application/json")


@dataclass
class Proxy:
    client: HTTPConnection
    upstreams: dict[str, Server]

    def send(self, path: str, body: dict[str, Any], provider: str) -> tuple[bytes, Request]:
        """Return the body of the answer and the request that the provider received."""
        model = {"azure": "azure/my gpt", "vertex": f"vertex/{gemini.MODEL}"}[provider]
        if "/v1beta/" not in path:
            body = {"model": model, **body}
        self.upstreams[provider].requests.clear()
        self.client.request("POST", path.format(model=model.replace(" ", "%20")), json.dumps(body))
        with self.client.getresponse() as answer:
            answered = answer.read()
        assert answer.status == 200, answered
        [request] = self.upstreams[provider].requests
        return answered, request


@pytest.fixture(scope="module")
def proxy(launch: Launch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    folder = tmp_path_factory.mktemp("clouds")
    with ExitStack() as stack:
        servers = {
            "azure": stack.enter_context(serving(azure)),
            "vertex": stack.enter_context(serving(gemini.Gemini())),
        }
        providers: dict[str, Any] = {
            "azure": {
                "kind": "openai",
                "azure": True,
                "base_url": servers["azure"].url,
                "api_key": "azure-key",
                "api_version": "2025-04-01-preview",
            },
            "vertex": {
                "kind": "gemini",
                "vertex": True,
                "base_url": f"{servers['vertex'].url}{LOCATION}",
                "api_key": TOKEN,
            },
        }
        config = folder / "config.yaml"
        config.write_text(yaml.safe_dump({"providers": providers}))
        command = [sys.executable, "-m", "citestream", "serve", "--port", "0", "--config", str(config)]
        client = HTTPConnection(stack.enter_context(launch(command, folder / "log")).removeprefix("http://"))
        yield Proxy(client, servers)
        client.close()


STREAMED = {**CHAT, "stream": True}
ADDRESSES: dict[str, tuple[str, dict[str, Any], str, str]] = {
    "chat with evidence": (
        "/v1/chat/completions",
        {**CHAT, "evidence": EVIDENCE},
        "azure",
        f"{AZURE}/chat/completions{VERSION}",
    ),
    "chat that passes through": ("/v1/chat/completions", STREAMED, "azure", f"{AZURE}/chat/completions{VERSION}"),
    "responses with evidence, sent as chat": (
        "/v1/responses",
        {"input": QUESTION, "evidence": EVIDENCE},
        "azure",
        f"{AZURE}/chat/completions{VERSION}",
    ),
    "responses that pass through": ("/v1/responses", {"input": QUESTION}, "azure", f"/openai/responses{VERSION}"),
    "clients of Ollama at Azure": (
        "/api/chat",
        {**CHAT, "evidence": EVIDENCE},
        "azure",
        f"{AZURE}/chat/completions{VERSION}",
    ),
    "clients of Gemini at Azure": (
        "/v1beta/models/{model}:generateContent",
        {**CONTENTS, "evidence": EVIDENCE},
        "azure",
        f"{AZURE}/chat/completions{VERSION}",
    ),
    "clients of Gemini with evidence": (
        "/v1beta/models/{model}:streamGenerateContent",
        {**CONTENTS, "evidence": EVIDENCE},
        "vertex",
        f"{VERTEX}:streamGenerateContent?alt=sse",
    ),
    "clients of Gemini that pass through": (
        "/v1beta/models/{model}:generateContent",
        CONTENTS,
        "vertex",
        f"{VERTEX}:generateContent",
    ),
    "clients of OpenAI at Vertex": (
        "/v1/chat/completions",
        {**CHAT, "evidence": EVIDENCE},
        "vertex",
        f"{VERTEX}:streamGenerateContent?alt=sse",
    ),
}


@pytest.mark.parametrize(("path", "body", "provider", "target"), ADDRESSES.values(), ids=ADDRESSES)
def test_requests_use_the_address_and_key_of_the_cloud(
    proxy: Proxy, path: str, body: dict[str, Any], provider: str, target: str
) -> None:
    _, request = proxy.send(path, body, provider)
    assert request.target == target
    keys = {name: request.headers.get(name) for name in ("api-key", "authorization", "x-goog-api-key")}
    assert {name: value for name, value in keys.items() if value} == {
        "azure": {"api-key": "azure-key"},
        "vertex": {"authorization": f"Bearer {TOKEN}"},
    }[provider]


def test_content_filter_reports_of_azure_pass_through_and_its_answer_is_cited(proxy: Proxy) -> None:
    answer, _ = proxy.send("/v1/chat/completions", {**STREAMED, "evidence": EVIDENCE}, "azure")
    chunks = [json.loads(line[6:]) for line in answer.decode().split("\n\n") if line.startswith("data: {")]
    assert "prompt_filter_results" in chunks[0]
    reports = [choice.get("content_filter_results") for one in chunks for choice in one["choices"]]
    assert {"self_harm": {"filtered": False, "severity": "low"}} in reports
    [references] = [one["references"] for one in chunks if "references" in one]
    assert [one["snippet"] for one in references] == ["Water boils at 100 °C."]


def test_a_stream_of_azure_without_evidence_passes_through(proxy: Proxy) -> None:
    answer, _ = proxy.send("/v1/chat/completions", STREAMED, "azure")
    assert answer == STREAMS["Azure OpenAI"]
