"""Several workers with one address: a killed one is replaced, all stop together, and they share the references."""

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
import trustme

Start = Callable[..., str]

ROOT = Path(__file__).parents[4]
CHILDREN = "/proc/{0}/task/{0}/children"
TIMEOUT_SECONDS = 100.0  # for a machine under load

pytestmark = pytest.mark.skipif(not Path(CHILDREN.format(os.getpid())).exists(), reason="looks for workers in /proc")


class Server:
    """A server process of two workers, on a free port."""

    def __init__(self, log: Path, *options: str) -> None:
        command = [sys.executable, "-m", "citestream", "serve", "--port", "0", "--workers", "2", *options]
        self.errors = log.open("w")
        self.process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=self.errors, text=True)
        assert self.process.stdout is not None
        self.first_line = self.process.stdout.readline()
        self.url = self.first_line.rpartition(" ")[2].strip()

    def workers(self) -> set[int]:
        return set(map(int, Path(CHILDREN.format(self.process.pid)).read_text().split()))

    def stop(self) -> int:
        self.process.terminate()
        code = self.process.wait(TIMEOUT_SECONDS)
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


def wait_until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def status(url: str, body: dict[str, Any]) -> int:
    """Return the status of the answer."""
    try:
        fetch(url, body)
    except HTTPError as error:
        return error.code
    return 200


def fetch(url: str, body: Any = None) -> Any:
    data = json.dumps(body).encode() if body else None
    request = Request(url, data, {"Content-Type": "application/json"})  # noqa: S310 - our own server
    with urlopen(request, timeout=TIMEOUT_SECONDS) as answer:  # noqa: S310
        return json.loads(answer.read())


def has_ended(number: int) -> bool:
    with suppress(ProcessLookupError, FileNotFoundError):
        os.kill(number, 0)
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    return True


def test_the_address_is_printed_once_and_all_workers_stop_together(server: Server) -> None:
    assert server.first_line.startswith("citestream listening on http://127.0.0.1:")
    workers = server.workers()
    assert len(workers) == 2
    assert fetch(f"{server.url}/healthz") == {"status": "ok"}
    assert server.stop() == 0
    assert all(map(has_ended, workers))


def test_a_killed_worker_is_replaced_and_the_others_continue(server: Server) -> None:
    before = server.workers()
    killed_worker = min(before)
    os.kill(killed_worker, signal.SIGKILL)
    wait_until(lambda: len(server.workers() - {killed_worker}) == 2)
    assert fetch(f"{server.url}/healthz") == {"status": "ok"}
    assert before - {killed_worker} <= server.workers()
    assert server.stop() == 0


def test_a_worker_that_is_killed_again_and_again_does_not_stop_the_others(server: Server) -> None:
    healthy, killed_worker = sorted(server.workers())
    for _ in range(6):
        os.kill(killed_worker, signal.SIGKILL)
        dead = killed_worker
        wait_until(lambda dead=dead: len(server.workers() - {dead, healthy}) == 1)  # type: ignore[misc]
        (killed_worker,) = server.workers() - {dead, healthy}
        assert healthy in server.workers()
    assert fetch(f"{server.url}/healthz") == {"status": "ok"}
    assert server.stop() == 0


def test_the_server_ends_only_if_no_worker_can_start(tmp_path: Path) -> None:
    issued = trustme.CA().issue_cert("127.0.0.1")
    certificate = tmp_path / "both.pem"
    issued.private_key_and_cert_chain_pem.write_to_path(str(certificate))
    (tmp_path / "c.yaml").write_text(f"server: {{tls: {{certificate: {certificate}}}}}\n")
    server, log = Server(tmp_path / "log", "--config", str(tmp_path / "c.yaml")), tmp_path / "log"
    killed_worker, healthy = server.workers()
    moved = certificate.rename(tmp_path / "moved.pem")
    os.kill(killed_worker, signal.SIGKILL)
    wait_until(lambda: log.read_text().count("a worker could not start") == 2)
    assert healthy in server.workers()
    moved.rename(certificate)
    wait_until(lambda: len(server.workers() - {killed_worker, healthy}) == 1)
    certificate.unlink()
    for worker in server.workers():
        with suppress(ProcessLookupError):  # one that could not start
            os.kill(worker, signal.SIGKILL)
    assert server.process.wait(TIMEOUT_SECONDS) == 2
    server.stop()
    assert "citestream: server.tls" in log.read_text()


def test_a_worker_that_does_not_start_prevents_neither_answers_nor_the_stop(tmp_path: Path) -> None:
    issued = trustme.CA().issue_cert("127.0.0.1")
    certificate = tmp_path / "both.pem"
    issued.private_key_and_cert_chain_pem.write_to_path(str(certificate))
    (tmp_path / "c.yaml").write_text(f"server: {{tls: {{certificate: {certificate}}}}}\n")
    server = Server(tmp_path / "log", "--config", str(tmp_path / "c.yaml"))
    killed_worker, healthy = server.workers()
    certificate.unlink()
    os.mkfifo(certificate)  # whoever opens it waits for a writer
    os.kill(killed_worker, signal.SIGKILL)
    wait_until(lambda: len(server.workers() - {killed_worker, healthy}) == 1)
    assert healthy in server.workers()
    assert server.stop() == 0
    assert "does not start, and is killed" in (tmp_path / "log").read_text()


def test_workers_end_with_their_parent(server: Server) -> None:
    workers = server.workers()
    server.process.kill()
    wait_until(lambda: all(map(has_ended, workers)))
    with pytest.raises(URLError):
        fetch(f"{server.url}/healthz")
    server.stop()


def test_every_worker_finds_the_references_of_the_others(server: Server) -> None:
    body = {
        "model": "extractive",
        "messages": [{"role": "user", "content": "What colour is the house?"}],
        "evidence": [{"text": "The colour of the house is red.", "id": "house"}],
    }
    for _ in range(10):
        name = fetch(f"{server.url}/v1/chat/completions", body)["id"]
        found = fetch(f"{server.url}/v1/references/{name}")
        assert [reference["id"] for reference in found["references"]] == ["house"]


def test_every_worker_continues_the_conversations_of_the_others(server: Server) -> None:
    body = {"model": "extractive", "input": "What colour is the house?", "evidence": [{"text": "The house is red."}]}
    for _ in range(10):
        first = fetch(f"{server.url}/v1/responses", body)
        second = fetch(f"{server.url}/v1/responses", {**body, "previous_response_id": first["id"]})
        assert second["usage"]["input_tokens"] > first["usage"]["input_tokens"]


def test_all_workers_share_the_limit_of_requests(tmp_path: Path) -> None:
    body = {"model": "silent/m", "messages": [{"role": "user", "content": "What colour is the house?"}]}
    with socket.create_server(("127.0.0.1", 0)) as silent, ThreadPoolExecutor() as threads:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        (tmp_path / "c.yaml").write_text(
            f"server: {{max_streams: 1}}\nproviders: {{silent: {{kind: openai, base_url: '{address}'}}}}\n"
        )
        server = Server(tmp_path / "log", "--config", str(tmp_path / "c.yaml"))
        running = threads.submit(status, f"{server.url}/v1/chat/completions", body)
        provider, _ = silent.accept()  # the provider has received the first request and does not answer
        statuses = [status(f"{server.url}/v1/chat/completions", body) for _ in range(10)]
        provider.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
        assert statuses == [503] * 10
        assert running.result(TIMEOUT_SECONDS) == 400
        assert server.stop() == 0
        provider.close()


def test_a_worker_that_cannot_start_is_a_configuration_error(tmp_path: Path) -> None:
    (tmp_path / "c.yaml").write_text(f"server: {{tls: {{certificate: {tmp_path / 'none.pem'}}}}}\n")
    failed = Server(tmp_path / "log", "--config", str(tmp_path / "c.yaml"))
    assert failed.process.wait(TIMEOUT_SECONDS) == 2
    failed.stop()
    log = (tmp_path / "log").read_text()
    assert "citestream: server.tls" in log
    assert "Traceback" not in log


def test_a_port_that_is_in_use_is_reported(server: Server, tmp_path: Path) -> None:
    port = server.url.rpartition(":")[2]
    other = Server(tmp_path / "other", "--port", port)
    assert other.process.wait(TIMEOUT_SECONDS) == 1
    other.stop()
    assert (
        (tmp_path / "other").read_text().startswith(f"citestream: cannot listen on 127.0.0.1:{port}: Address already")
    )


def test_metrics_are_summed_over_workers_and_survive_one(server: Server) -> None:
    def request_count() -> str:
        with urlopen(f"{server.url}/metrics") as answer:  # noqa: S310 - our own address
            text: str = answer.read().decode()
        return next((line for line in text.splitlines() if '/v1/models",status="200"' in line and "_total" in line), "")

    for count in range(1, 9):  # any worker can receive them
        with urlopen(f"{server.url}/v1/models") as answer:  # noqa: S310
            answer.read()
        assert request_count().endswith(f" {count}.0")
    first = min(server.workers())
    os.kill(first, signal.SIGKILL)
    wait_until(lambda: len(server.workers() - {first}) == 2)
    assert request_count().endswith(" 8.0")
