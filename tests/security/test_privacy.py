"""Keys, questions, evidence and answers are in no log, metric, error or database, apart from their purpose.

A real server receives a few hundred valid, broken and malicious requests. Its upstreams fail in every way and repeat
what they were sent. Each secret is a word that occurs nowhere else.
"""

import json
import socket
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from http.client import HTTPResponse, IncompleteRead
from pathlib import Path
from random import Random
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import Request as UrlRequest
from urllib.request import urlopen

import pytest

from tests.upstreams.wire import Break, Request, Server, Step, chunk, head, serving, whole

Start = Callable[..., str]

CLIENT_KEY = "ck-canaryclient7f3a9b2c"
PROVIDER_KEY = "canaryproviderkeyq8w7"  # not in the format of any vendor
SEARCH_KEY = "canarysearchkeyz4x6"
QUESTION = "canaryquestion"
EVIDENCE = "canaryevidence"
ANSWER = "canaryanswer"
INVALID = "canarywrong"  # the value of invalid fields
INTERNAL_HOST = "gpu-canaryhost.internal"
INTERNAL_FILE = "/srv/canaryfolder/model.gguf"
ALL = (CLIENT_KEY, PROVIDER_KEY, SEARCH_KEY, QUESTION, EVIDENCE, ANSWER, INVALID, "canaryhost", "canaryfolder")
KEYS = (CLIENT_KEY, PROVIDER_KEY, SEARCH_KEY)
NEVER_SENT = (*KEYS, "canaryhost", "canaryfolder")  # not even to the client that sent the request


def event(text: str, reason: str | None = None) -> bytes:
    choice = {"index": 0, "delta": {"content": text} if text else {}, "finish_reason": reason}
    return b"data: " + json.dumps({"id": "c1", "choices": [choice]}).encode() + b"\n\n"


def leaking_error(request: Request) -> bytes:
    """Return an error that repeats all secrets of the upstream."""
    place = f"http://{INTERNAL_HOST}:8000/v1, {INTERNAL_FILE}"
    message = f"Incorrect API key provided: {PROVIDER_KEY}. {request.headers} at {place}"
    if request.target in ("/v1/embeddings", "/search"):
        message += f" for {request.body.decode()}"
    return json.dumps(
        {"error": {"message": message, "type": "x", "param": PROVIDER_KEY, "code": PROVIDER_KEY}}
    ).encode()


async def upstream(request: Request) -> AsyncIterator[Step]:
    """Answer as the name of the model selects."""
    match request.json.get("model", "refused") if request.body else "":
        case "refused":
            yield whole("401 Unauthorized", leaking_error(request), "Content-Type: application/json")
        case "page":
            yield whole("500 Internal Server Error", f"<h1>{INTERNAL_HOST} {PROVIDER_KEY}</h1>".encode())
        case "elsewhere":
            yield whole("302 Found", b"", f"Location: http://{INTERNAL_HOST}/?key={PROVIDER_KEY}")
        case "gone":
            yield Break.RESET
        case name:
            yield head("200 OK", "Content-Type: text/event-stream", "Transfer-Encoding: chunked")
            yield chunk(event(f"The {ANSWER} says that {EVIDENCE} is red. "))
            if name == "cut":
                yield Break.RESET
            elif name == "broken":
                yield chunk(f"data: {{{PROVIDER_KEY} {QUESTION}\n\n".encode())
            elif name == "complains":
                yield chunk(b"data: " + leaking_error(request) + b"\n\n")
            yield chunk(event("", "stop") + b"data: [DONE]\n\n")
            yield chunk(b"")


@pytest.fixture(scope="module")
def provider() -> Iterator[Server]:
    with serving(upstream) as server:
        yield server


MESSAGES = [{"role": "user", "content": f"What does the {QUESTION} say?"}]
PASSAGES = [{"text": f"The {EVIDENCE} is red.", "title": f"{EVIDENCE} title", "id": f"{EVIDENCE}-1"}]
MODELS = ("good", "refused", "page", "elsewhere", "gone", "cut", "broken", "complains", "down/x", "none/x")


def bodies(model: str) -> dict[str, dict[str, Any]]:
    """Return a request for every API."""
    request = {"model": model if "/" in model else f"up/{model}", "evidence": PASSAGES}
    text = MESSAGES[0]["content"]
    return {
        "/v1/chat/completions": {**request, "messages": MESSAGES},
        "/v1/responses": {**request, "input": text},
        "/api/chat": {**request, "messages": MESSAGES},
        "/api/generate": {**request, "prompt": text},
        "/v1/embeddings": {"model": request["model"], "input": text},
        "/api/embed": {"model": request["model"], "input": [text]},
        f"/v1beta/models/{request['model']}:generateContent": {
            "contents": [{"role": "user", "parts": [{"text": text}]}],
            "evidence": PASSAGES,
        },
    }


@dataclass
class Response:
    status: int
    body: str
    headers: str


def ask(url: str, body: bytes | None, **headers: str) -> Response:
    request = UrlRequest(url, body, {"Authorization": f"Bearer {CLIENT_KEY}", **headers})  # noqa: S310 - our own server
    try:
        with urlopen(request) as answer:  # noqa: S310
            return Response(answer.status, _all(answer).decode("utf-8", "replace"), str(answer.headers))
    except HTTPError as error:
        with error:
            return Response(error.code, error.read().decode("utf-8", "replace"), str(error.headers))
    except (URLError, ConnectionError) as error:
        return Response(0, "", str(error))


def _all(answer: HTTPResponse) -> bytes:
    try:
        return answer.read()
    except IncompleteRead as cut:  # a passed-through answer of a provider may break off
        return cut.partial


def failures(response: Response) -> str:
    """Return the parts of an answer that report errors."""
    if response.status >= 400:
        return response.body
    return "\n".join(line for line in response.body.splitlines() if line.startswith(('data: {"error"', '{"error"')))


def mutated(value: Any, rng: Random) -> Any:
    """Return the value with one random invalid change."""
    if isinstance(value, dict) and value and rng.random() < 0.85:
        key = rng.choice(list(value))
        if rng.random() < 0.15:
            return {**value, f"{INVALID}{key}": value[key]}
        return {**value, key: mutated(value[key], rng)}
    if isinstance(value, list) and value and rng.random() < 0.85:
        at = rng.randrange(len(value))
        return [*value[:at], mutated(value[at], rng), *value[at + 1 :]]
    return rng.choice([None, True, -1, 1e300, f"{INVALID} x", "", [], {}, [INVALID], {INVALID: INVALID}, "\ud800"])


def requests(url: str) -> Iterator[tuple[str, Response]]:
    """Send all requests. Yield the name and the response of each."""
    for model in MODELS:
        for path, body in bodies(model).items():
            for more in ({}, {"stream": True}, {"citations": {"enabled": False}}):
                yield f"{model} {path} {more}", ask(f"{url}{path}", json.dumps({**body, **more}).encode())
    for path, body in bodies("good").items():
        for name, option in (("citations", {"scorer": "hybrid"}), ("retrieval", {"source": "search"})):
            yield f"{path} {option}", ask(f"{url}{path}", json.dumps({**body, name: option}).encode())
    rng = Random(5)
    for _ in range(150):
        path, body = rng.choice(list(bodies("good").items()))
        wrong = mutated(body, rng)
        yield f"{path} {wrong}", ask(f"{url}{path}", json.dumps(wrong).encode())
    for wrong_body in (
        b"{" + QUESTION.encode(),
        f'["{QUESTION}"]'.encode(),
        b"\xff" + EVIDENCE.encode(),
        b"[" * 90_000,
    ):
        yield str(wrong_body[:50]), ask(f"{url}/v1/chat/completions", wrong_body)
    for path in (
        "/v1/models",
        "/metrics",
        "/v1/nothing",
        f"/v1/references/{QUESTION[:6]}",
        "/api/tags",
        "/api/version",
    ):
        yield path, ask(f"{url}{path}?key={CLIENT_KEY}&q={QUESTION}", None)
    wrong_key = {"Authorization": f"Bearer {CLIENT_KEY}x", "Cookie": QUESTION, "X-Y": EVIDENCE}
    yield "a wrong key", ask(f"{url}/v1/models", None, **wrong_key)


def malformed(url: str) -> Iterator[bytes]:
    """Send malformed HTTP with secrets in the headers. Yield the answers of the server."""
    address = urlsplit(url)
    secret = f"Authorization: Bearer {CLIENT_KEY}".encode()
    for request in (
        b"GET / HTTP/1.1\r\n" + secret + b"\x00\r\n\r\n",
        b"GET / HTTP/9.9\r\n" + secret + b"\r\n\r\n",
        b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n"
        + secret
        + b"\r\n\r\n"
        + QUESTION.encode(),
        b"POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n"
        + secret
        + b"\r\n\r\nzz"
        + QUESTION.encode()
        + b"\r\n",
        b"GET /" + QUESTION.encode() * 2000 + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n" + secret + b"\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + CLIENT_KEY.encode() * 2000 + b"\r\n\r\n",
        QUESTION.encode() + b"\r\n\r\n",
    ):
        with socket.create_connection((address.hostname or "", address.port or 0), timeout=100) as connection:
            connection.sendall(request)
            connection.shutdown(socket.SHUT_WR)
            answer = b""
            while data := connection.recv(65536):
                answer += data
        yield answer


@pytest.mark.slow
def test_no_secret_is_in_logs_errors_or_metrics_and_only_evidence_is_stored(
    citestream_server: Start, provider: Server, tmp_path: Path
) -> None:
    database = tmp_path / "references.sqlite"
    url = citestream_server(
        {
            "server": {"keys": [{"name": "app", "key": CLIENT_KEY}]},
            "providers": {
                "up": {
                    "kind": "openai",
                    "base_url": f"{provider.url}/v1",
                    "api_key": PROVIDER_KEY,
                    "retries": {"most": 0},
                },
                "down": {
                    "kind": "openai",
                    "base_url": "http://127.0.0.1:9/v1",
                    "api_key": PROVIDER_KEY,
                    "retries": {"most": 1},
                },
            },
            "scoring": {"embedder": "up/refused"},
            "retrievers": {
                "search": {
                    "kind": "http",
                    "url": f"{provider.url}/search",
                    "body": {"q": "{query}"},
                    "headers": {"X-Key": f"Token {SEARCH_KEY}"},
                }
            },
            "references": {"file": str(database)},
            "log": {"level": "debug"},
        },
        PYTHONASYNCIODEBUG="1",
    )
    statuses: dict[int, int] = {}
    for name, response in requests(url):
        statuses[response.status] = statuses.get(response.status, 0) + 1
        assert response.status != 500, (name, response.body)
        # Such answers pass unchanged, except for keys.
        passed_through = response.status == 200 and ("'enabled': False" in name or "/v1/embeddings" in name)
        for secret in KEYS if passed_through else NEVER_SENT:
            assert secret not in response.body + response.headers, name
        for secret in (EVIDENCE, ANSWER):
            sent_by_client = EVIDENCE in name and secret == EVIDENCE  # the error names the invalid field
            assert sent_by_client or secret not in failures(response), name
    assert {200, 400, 401, 404, 502} <= statuses.keys()
    assert 0 not in statuses
    for answer in malformed(url):
        assert PROVIDER_KEY.encode() not in answer
        assert b"aiohttp" not in answer
        assert b"Python/" not in answer
    metrics = ask(f"{url}/metrics", None)
    assert metrics.status == 200
    assert "citestream_requests" in metrics.body
    (log,) = tmp_path.glob("*.log")
    written = {"the log": log.read_text("utf-8", "replace"), "the metrics": metrics.body}
    assert written["the log"].count(" citestream.access: ") > 250
    for place, text in written.items():
        for secret in ALL:
            assert secret not in text, f"{secret} is in {place}: {text[max(0, text.find(secret) - 500) :][:700]}"
    stored = str(sqlite3.connect(database).execute("SELECT client, id, CAST(fields AS TEXT) FROM answers").fetchall())
    assert EVIDENCE in stored  # the database exists to store it
    for secret in (*KEYS, QUESTION, ANSWER):
        assert secret not in stored
    assert database.stat().st_mode & 0o077 == 0
