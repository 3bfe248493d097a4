"""Several workers behind one address: a dead one is replaced, all stop together, and they share the references."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

import pytest

Start = Callable[..., str]

ROOT = Path(__file__).parents[4]
CHILDREN = "/proc/{0}/task/{0}/children"
PATIENCE = 100.0  # seconds; a machine under load starts processes slowly

pytestmark = pytest.mark.skipif(not Path(CHILDREN.format(os.getpid())).exists(), reason="looks for workers in /proc")


class Server:
    """A server process of two workers, on a free port."""

    def __init__(self, log: Path, *options: str) -> None:
        command = [sys.executable, "-m", "citestream", "serve", "--port", "0", "--workers", "2", *options]
        self.errors = log.open("w")
        self.process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=self.errors, text=True)
        assert self.process.stdout is not None
        self.said = self.process.stdout.readline()
        self.url = self.said.rpartition(" ")[2].strip()

    def workers(self) -> set[int]:
        return set(map(int, Path(CHILDREN.format(self.process.pid)).read_text().split()))

    def stop(self) -> int:
        self.process.terminate()
        code = self.process.wait(PATIENCE)
        assert self.process.stdout is not None
        self.process.stdout.close()
        self.errors.close()
        return code


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    running = Server(tmp_path / "log")
    yield running
    if running.process.poll() is None:
        running.stop()


def until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def status(url: str, body: dict[str, Any]) -> int:
    """Return the status of the answer."""
    try:
        answered(url, body)
    except HTTPError as error:
        return error.code
    return 200


def answered(url: str, body: Any = None) -> Any:
    data = json.dumps(body).encode() if body else None
    request = Request(url, data, {"Content-Type": "application/json"})  # noqa: S310 - our own server
    with urlopen(request, timeout=PATIENCE) as answer:  # noqa: S310
        return json.loads(answer.read())


def has_ended(number: int) -> bool:
    with suppress(ProcessLookupError, FileNotFoundError):
        os.kill(number, 0)
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    return True


def test_the_address_is_told_once_and_all_stop_together(server: Server) -> None:
    assert server.said.startswith("citestream listening on http://127.0.0.1:")
    workers = server.workers()
    assert len(workers) == 2
    assert answered(f"{server.url}/healthz") == {"status": "ok"}
    assert server.stop() == 0
    assert all(map(has_ended, workers))


def test_a_worker_that_dies_is_replaced_and_the_others_go_on(server: Server) -> None:
    before = server.workers()
    victim = min(before)
    os.kill(victim, signal.SIGKILL)
    until(lambda: len(server.workers() - {victim}) == 2)
    assert answered(f"{server.url}/healthz") == {"status": "ok"}
    assert before - {victim} <= server.workers()
    assert server.stop() == 0


def test_workers_end_with_their_parent(server: Server) -> None:
    workers = server.workers()
    server.process.kill()
    until(lambda: all(map(has_ended, workers)))
    with pytest.raises(URLError):
        answered(f"{server.url}/healthz")
    server.stop()


def test_every_worker_finds_the_references_of_the_others(server: Server) -> None:
    asked = {
        "model": "extractive",
        "messages": [{"role": "user", "content": "What colour is the house?"}],
        "evidence": [{"text": "The colour of the house is red.", "id": "house"}],
    }
    for _ in range(10):
        name = answered(f"{server.url}/v1/chat/completions", asked)["id"]
        found = answered(f"{server.url}/v1/references/{name}")
        assert [reference["id"] for reference in found["references"]] == ["house"]


def test_every_worker_knows_the_conversations_of_the_others(server: Server) -> None:
    asked = {"model": "extractive", "input": "What colour is the house?", "evidence": [{"text": "The house is red."}]}
    for _ in range(10):
        first = answered(f"{server.url}/v1/responses", asked)
        again = answered(f"{server.url}/v1/responses", {**asked, "previous_response_id": first["id"]})
        assert again["usage"]["input_tokens"] > first["usage"]["input_tokens"]


def test_the_limit_of_requests_is_that_of_all_workers_together(tmp_path: Path) -> None:
    asked = {"model": "silent/m", "messages": [{"role": "user", "content": "What colour is the house?"}]}
    with socket.create_server(("127.0.0.1", 0)) as silent, ThreadPoolExecutor() as threads:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        (tmp_path / "c.yaml").write_text(
            f"server: {{max_streams: 1}}\nproviders: {{silent: {{kind: openai, base_url: '{address}'}}}}\n"
        )
        server = Server(tmp_path / "log", "--config", str(tmp_path / "c.yaml"))
        running = threads.submit(status, f"{server.url}/v1/chat/completions", asked)
        provider, _ = silent.accept()  # the first request is with the provider, which does not answer
        statuses = [status(f"{server.url}/v1/chat/completions", asked) for _ in range(10)]
        provider.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
        assert statuses == [503] * 10
        assert running.result(PATIENCE) == 400
        assert server.stop() == 0
        provider.close()


def test_a_worker_that_cannot_start_is_an_error_of_the_configuration(tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_text(f"server: {{tls: {{certificate: {tmp_path / 'none.pem'}}}}}\n")
    failed = Server(tmp_path / "log", "--config", str(tmp_path / "c.yaml"))
    assert failed.process.wait(PATIENCE) == 2
    failed.stop()
    said = (tmp_path / "log").read_text()
    assert "citestream: server.tls" in said
    assert "Traceback" not in said


def test_a_port_that_is_taken_is_said(server: Server, tmp_path: Path) -> None:
    port = server.url.rpartition(":")[2]
    other = Server(tmp_path / "other", "--port", port)
    assert other.process.wait(PATIENCE) == 1
    other.stop()
    assert (
        (tmp_path / "other").read_text().startswith(f"citestream: cannot listen on 127.0.0.1:{port}: Address already")
    )


def test_metrics_are_those_of_all_workers_and_outlive_one(server: Server) -> None:
    def counted() -> str:
        with urlopen(f"{server.url}/metrics") as answer:  # noqa: S310 - our own address
            text: str = answer.read().decode()
        return next((line for line in text.splitlines() if '/v1/models",status="200"' in line and "_total" in line), "")

    for asked in range(1, 9):  # whichever workers get them
        with urlopen(f"{server.url}/v1/models") as answer:  # noqa: S310
            answer.read()
        assert counted().endswith(f" {asked}.0")
    first = min(server.workers())
    os.kill(first, signal.SIGKILL)
    until(lambda: len(server.workers() - {first}) == 2)
    assert counted().endswith(" 8.0")
