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
from tests.proxy.load import Load
from tests.upstreams.wire import Answer, Break, Server, script, whole

TEXT = "The Harlan bridge was opened on 4 May 1932 by the mayor."
ASKED = {"model": "extractive", "messages": [{"role": "user", "content": "When was the Harlan bridge opened?"}]}
FOUND = [{"id": 1, "score": 0.9, "payload": {"text": TEXT}}, {"id": 2, "score": 0.1, "payload": {"text": "Bananas."}}]
HITS = json.dumps({"result": {"points": FOUND}, "status": "ok", "time": 0.001}).encode()
QDRANT = {"preset": "qdrant", "index": "docs", "body": {"query": {"text": "{query}", "model": "a/model"}}}


def configured(url: str, **settings: Any) -> Any:
    retrievers = {"docs": {"kind": "http", "url": url, **settings}}
    return {"providers": {"extractive": {}}, "retrievers": retrievers, "default_retriever": "docs"}


@asynccontextmanager
async def served(url: str, **settings: Any) -> AsyncIterator[Any]:
    """(a body) -> the answer's status and body."""
    async with TestClient(TestServer(make_app(parse(configured(url, **settings))))) as client:

        async def ask(body: Any) -> tuple[int, Any]:
            async with client.post("/v1/chat/completions", json=body) as answer:
                return answer.status, await answer.json()

        yield ask


async def test_an_answer_is_cited_from_a_service_and_what_scores_too_low_is_dropped(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("sesame\n")
    settings = {**QDRANT, "api_key_file": str(tmp_path / "key"), "min_score": 0.5, "top_k": 3}
    async with Server(script(whole("200 OK", HITS))) as service, served(service.url, **settings) as ask:
        status, body = await ask(ASKED)
    assert status == 200
    assert "4 May 1932" in body["choices"][0]["message"]["content"]
    assert [reference["id"] for reference in body["references"]] == ["1"]
    report = body["grounding"]["retrieval"]
    assert (report["found"], report["used"], report["dropped"], report["scores"]) == (2, 1, {"score": 1}, [0.9])
    (request,) = service.requests
    assert request.headers["api-key"] == "sesame"
    assert (request.json["limit"], request.json["query"]["text"]) == (3, ASKED["messages"][0]["content"])  # type: ignore[index]


FAILURES: dict[str, tuple[Answer, int, str]] = {
    "it refuses": (
        script(whole("401 Unauthorized", b'{"message":"Invalid key"}')),
        502,
        "The retriever answered 401: Invalid key",
    ),
    "it breaks": (script(Break.RESET), 502, "The retriever could not be reached"),
    "it is silent": (script(Break.STALL), 504, "did not answer in"),
}


@pytest.mark.parametrize(("answer", "status", "said"), FAILURES.values(), ids=FAILURES)
async def test_a_failure_is_one_or_an_answer_without_evidence_as_the_policy_says(
    answer: Answer, status: int, said: str
) -> None:
    async with Server(answer) as service:
        async with served(service.url, **QDRANT, timeout=0.2) as ask:
            got, body = await ask(ASKED)
            assert (got, body["error"]["code"]) == (status, "retrieval_failed")
            assert body["error"]["message"].startswith("The search in 'docs' failed: ")
            assert said in body["error"]["message"]
        async with served(service.url, **QDRANT, timeout=0.2, on_failure="answer") as ask:
            got, body = await ask(ASKED)
            assert (got, body["references"]) == (200, [])
            assert said in body["grounding"]["retrieval"]["error"]


async def test_the_error_names_the_embedder_if_that_failed() -> None:
    async with Server(script(Break.RESET)) as embedder:
        raw = configured("http://127.0.0.1:1", body={"q": "{vector}"}, embedder="remote/model")
        raw["providers"]["remote"] = {"kind": "openai", "base_url": embedder.url}
        async with TestClient(TestServer(make_app(parse(raw)))) as client:
            body = await (await client.post("/v1/chat/completions", json=ASKED)).json()
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


NEVER = 100.0  # seconds; a killed service refuses connections at once, and a timeout would be another failure (504)


class Process:
    """The service as a process, which can be killed and started again where it was."""

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
async def test_killed_under_load_answers_go_on_as_the_policy_says_and_recover(policy: str) -> None:
    service = Process()
    await service.start()
    settings = {"body": {"q": "{query}", "n": "{top_k}"}, "on_failure": policy, "timeout": NEVER}
    async with served(f"http://127.0.0.1:{service.port}", **settings) as ask:

        async def send_question(conversation: int) -> str:
            question = f"What about station number {conversation}00 of the line?"
            status, body = await ask({**ASKED, "messages": [{"role": "user", "content": question}]})
            if status != 200:
                assert (policy, status) == ("fail", 502)
                return "without"
            report = body["grounding"]["retrieval"]
            assert report["query"] == question
            if report["error"]:
                assert (policy, body["references"]) == ("answer", [])
                return "without"
            assert f"Asked was: {question.rstrip('?')}." in body["choices"][0]["message"]["content"]  # nobody else's
            return "well"

        seen = await Load(send_question).killed(service.kill, service.start)
    await service.kill()
    assert set(seen) == {"well", "without"}


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "no address": ({"url": ""}, "url is missing"),
    "a password in the address": ({"url": "https://a:b@host/"}, "must not hold a password"),
    "an index that the service wants": ({"preset": "qdrant"}, "index is missing: qdrant requires one"),
    "nobody who makes its vector": ({"preset": "qdrant", "index": "a"}, "embedder is missing: the embedding model for"),
    "nothing to ask": ({}, "body is missing"),
    "a field that evidence has not": ({"body": {"q": 1}, "fields": {"txt": "a"}}, "fields.txt: evidence has no such"),
    "two keys": ({"body": {"q": 1}, "api_key": "a", "api_key_env": "B"}, "give only one of api_key"),
    "nobody who embeds": ({"body": {"q": 1}, "embedder": "nobody/model"}, "'nobody' is neither local nor a provider"),
}


@pytest.mark.parametrize(("settings", "said"), WRONG.values(), ids=WRONG)
def test_a_configuration_that_cannot_work_says_why(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError, match="retrievers") as error:
        parse(configured(settings.pop("url", "http://127.0.0.1:1"), **settings))
    assert said in str(error.value)


def test_a_key_that_is_not_there_is_told_at_the_start(tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_text(json.dumps(configured("http://127.0.0.1:1", body={"q": 1}, api_key_env="NONE")))
    with pytest.raises(ConfigError, match=r"retrievers\.docs: the variable NONE is not set"):
        load(str(tmp_path / "c.yaml"), {})
