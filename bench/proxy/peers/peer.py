"""The proxies to compare, each in its own process: how to start them and how to build their requests."""

import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.proxy.cases import Case, cited, plain
from bench.proxy.load import Request
from bench.proxy.peers.processes import Process, module, started

_CONFIG = """
providers:
  openai: {{base_url: "http://127.0.0.1:{port}/v1", api_key: none}}
  ollama: {{base_url: "http://127.0.0.1:{port}"}}
  gemini: {{base_url: "http://127.0.0.1:{port}", api_key: none}}
"""


@dataclass(frozen=True, slots=True)
class Peer:
    """A running proxy."""

    name: str
    process: Process
    request: Callable[[Case, int, str], Request]
    cites: bool = False
    foreign: bool = False  # supports only the OpenAI API and no evidence
    slow: bool = False  # one stream for each client is enough

    def knows(self, case: Case) -> bool:
        """Return whether the proxy supports a case."""
        return not (self.foreign and (case.evidence or case.kind != "openai"))

    def total(self, case: Case) -> int:
        """Return the number of streams of one round."""
        return min(case.streams, case.total) if self.slow else case.total

    def ahead(self, case: Case) -> int:
        """Return the number of tokens after a sentence that are needed to detect its end."""
        return int(self.cites and case.evidence > 0)


@contextmanager
def passthrough(upstream: Process) -> Iterator[Peer]:
    """Start the bare aiohttp pass-through."""
    with module("bench.proxy.peers.passthrough", f"http://127.0.0.1:{upstream.port}") as process:
        yield Peer("pass-through", process, plain)


@contextmanager
def citestream(upstream: Process, *options: str) -> Iterator[Peer]:
    """Start `citestream serve` with the default configuration. Its log is discarded."""
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "bench.yaml"
        config.write_text(_CONFIG.format(port=upstream.port))
        command = [sys.executable, "-m", "citestream", "serve", "--config", str(config), "--port", "0", *options]
        with started(command) as process:
            yield Peer("Citestream", process, cited, cites=True)
