"""A search service as the source of evidence: failures follow the policy, and the key can be in a file."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from aiohttp.test_utils import TestClient, TestServer

from citestream.proxy.config import ConfigError, load, parse
from citestream.proxy.http.application import make_app
from tests.proxy.load import WITH_SERVICE, WITHOUT_SERVICE, Load
from tests.upstreams.wire import Answer, Break, Server, script, whole

TEXT = "The Harlan bridge was opened on 4 May 1932 by the mayor."
REQUEST = {"model": "extractive", "messages": [{"role": "user", "content": "When was the Harlan bridge opened?"}]}
POINTS = [{"id": 1, "score": 0.9, "payload": {"text": TEXT}}, {"id": 2, "score": 0.1, "payload": {"text": "Bananas."}}]
HITS = json.dumps({"result": {"points": POINTS}, "status": "ok", "time": 0.001}).encode()
LONG_TIMEOUT_SECONDS = 100.0  # never reached
QDRANT = {"preset": "qdrant", "index": "docs", "body": {"query": {"text": "{query}", "model": "a/model"}}}


def configured(url: str, **settings: Any) -> Any:
    retrievers = {"docs": {"kind": "http", "url": url, **settings}}
    return {"providers": {"extractive": {}}, "retrievers": retrievers, "default_retriever": "docs"}


@asynccontextmanager
async def served(url: str, **settings: Any) -> AsyncIterator[Any]:
    """Yield a function (body) that returns the status and the body of the answer."""
    async with TestClient(TestServer(make_app(parse(configured(url, **settings))))) as client:

        async def ask(body: Any) -> tuple[int, Any]:
            async with client.post("/v1/chat/completions", json=body) as answer:
                return answer.status, await answer.json()

        yield ask


async def test_an_answer_is_cited_from_a_service_without_excerpts_below_the_minimum_score(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("sesame\n")
    settings = {**QDRANT, "api_key_file": str(tmp_path / "key"), "min_score": 0.5, "top_k": 3}
    async with Server(script(whole("200 OK", HITS))) as service, served(service.url, **settings) as ask:
        status, body = await ask(REQUEST)
    assert status == 200
    assert "4 May 1932" in body["choices"][0]["message"]["content"]
    assert [reference["id"] for reference in body["references"]] == ["1"]
    report = body["grounding"]["retrieval"]
    assert (report["found"], report["used"], report["dropped"], report["scores"]) == (2, 1, {"score": 1}, [0.9])
    (request,) = service.requests
    assert request.headers["api-key"] == "sesame"
    assert (request.json["limit"], request.json["query"]["text"]) == (3, REQUEST["messages"][0]["content"])  # type: ignore[index]


FAILURES: dict[str, tuple[Answer, int, str]] = {
    "the service rejects the key": (
        script(whole("401 Unauthorized", b'{"message":"Invalid key"}')),
        502,
        "The retriever answered 401: Invalid key",
    ),
    "the connection is reset": (script(Break.RESET), 502, "The retriever could not be reached"),
    "the service does not answer": (script(Break.STALL), 504, "did not answer in"),
}


@pytest.mark.parametrize(("answer", "status", "message"), FAILURES.values(), ids=FAILURES)
async def test_a_failed_search_follows_the_failure_policy(answer: Answer, status: int, message: str) -> None:
    timeout = 0.2 if status == 504 else LONG_TIMEOUT_SECONDS
    async with Server(answer) as service:
        async with served(service.url, **QDRANT, timeout=timeout) as ask:
            received_status, body = await ask(REQUEST)
            assert (received_status, body["error"]["code"]) == (status, "retrieval_failed")
            assert body["error"]["message"].startswith("The search in 'docs' failed: ")
            assert message in body["error"]["message"]
        async with served(service.url, **QDRANT, timeout=timeout, on_failure="answer") as ask:
            received_status, body = await ask(REQUEST)
            assert (received_status, body["references"]) == (200, [])
            assert message in body["grounding"]["retrieval"]["error"]


async def test_the_error_names_the_embedder_if_it_failed() -> None:
    async with Server(script(Break.RESET)) as embedder:
        raw = configured("http://127.0.0.1:1", body={"q": "{vector}"}, embedder="remote/model")
        raw["providers"]["remote"] = {"kind": "openai", "base_url": embedder.url}
        async with TestClient(TestServer(make_app(parse(raw)))) as client:
            body = await (await client.post("/v1/chat/completions", json=REQUEST)).json()
    assert body["error"]["message"].startswith("The search in 'docs' failed: The embedder could not be reached")


ECHO = """
import json, sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
class Service(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_POST(self):
        query = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["q"]
        body = json.dumps([{"text": f"Asked was: {query.rstrip('?')}.", "score": 1}]).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *_):
        pass
ThreadingHTTPServer.request_queue_size = 128
server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Service)
print(server.server_port, flush=True)
server.serve_forever()
"""


class Process:
    """The service as a process that can be killed and restarted on the same port."""

    port = 0

    async def start(self) -> None:
        self._process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", ECHO, str(self.port), stdout=asyncio.subprocess.PIPE
        )
        assert self._process.stdout is not None
        self.port = int(await self._process.stdout.readline())

    async def kill(self) -> None:
        self._process.kill()
        await self._process.wait()


@pytest.mark.parametrize("policy", ["answer", "fail"])
async def test_killing_the_service_under_load_follows_the_policy_and_answers_recover(policy: str) -> None:
    service = Process()
    await service.start()
    settings = {"body": {"q": "{query}", "n": "{top_k}"}, "on_failure": policy, "timeout": LONG_TIMEOUT_SECONDS}
    async with served(f"http://127.0.0.1:{service.port}", **settings) as ask:

        async def send_question(conversation: int) -> str:
            question = f"What about station number {conversation}00 of the line?"
            status, body = await ask({**REQUEST, "messages": [{"role": "user", "content": question}]})
            if status != 200:
                assert (policy, status) == ("fail", 502)
                return WITHOUT_SERVICE
            report = body["grounding"]["retrieval"]
            assert report["query"] == question
            if report["error"]:
                assert (policy, body["references"]) == ("answer", [])
                return WITHOUT_SERVICE
            content = body["choices"][0]["message"]["content"]
            assert f"Asked was: {question.rstrip('?')}." in content, "the evidence of another conversation"
            return WITH_SERVICE

        seen = await Load(send_question).run(service.kill, service.start)
    await service.kill()
    assert set(seen) == {WITH_SERVICE, WITHOUT_SERVICE}


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "no address": ({"url": ""}, "url is missing"),
    "a password in the address": ({"url": "https://a:b@host/"}, "must not hold a password"),
    "a missing index": ({"preset": "qdrant"}, "index is missing: qdrant requires one"),
    "a missing embedder": ({"preset": "qdrant", "index": "a"}, "embedder is missing: the embedding model for"),
    "no body": ({}, "body is missing"),
    "an unknown field of evidence": ({"body": {"q": 1}, "fields": {"txt": "a"}}, "fields.txt: evidence has no such"),
    "two sources of the key": ({"body": {"q": 1}, "api_key": "a", "api_key_env": "B"}, "give only one of api_key"),
    "an unknown provider of the embedder": (
        {"body": {"q": 1}, "embedder": "nobody/model"},
        "'nobody' is neither local nor a provider",
    ),
}


@pytest.mark.parametrize(("settings", "message"), WRONG.values(), ids=WRONG)
def test_an_invalid_configuration_is_explained(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match="retrievers") as error:
        parse(configured(settings.pop("url", "http://127.0.0.1:1"), **settings))
    assert message in str(error.value)


def test_a_missing_key_is_reported_at_the_start(tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_text(json.dumps(configured("http://127.0.0.1:1", body={"q": 1}, api_key_env="NONE")))
    with pytest.raises(ConfigError, match=r"retrievers\.docs: the variable NONE is not set"):
        load(str(tmp_path / "c.yaml"), {})
