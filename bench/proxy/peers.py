"""The proxies that are compared, each a process of its own: how it is started and what it is asked."""

import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.proxy.cases import Case, cited, plain
from bench.proxy.load import Request
from bench.proxy.processes import Process, module, started

_CONFIG = """
providers:
  openai: {{base_url: "http://127.0.0.1:{port}/v1", api_key: none}}
  ollama: {{base_url: "http://127.0.0.1:{port}"}}
  gemini: {{base_url: "http://127.0.0.1:{port}", api_key: none}}
"""


@dataclass(frozen=True, slots=True)
class Peer:
    """One proxy that runs."""

    name: str
    process: Process
    request: Callable[[Case, int, str], Request]
    cites: bool = False
    foreign: bool = False  # speaks OpenAI's API only and knows no evidence
    slow: bool = False  # one stream for each client is enough to measure it

    def knows(self, case: Case) -> bool:
        """Whether it can do that at all."""
        return not (self.foreign and (case.evidence or case.kind != "openai"))

    def total(self, case: Case) -> int:
        """Streams of one round, in all."""
        return min(case.streams, case.total) if self.slow else case.total

    def ahead(self, case: Case) -> int:
        """How many tokens behind its last it takes to know that a sentence is over."""
        return int(self.cites and case.evidence > 0)


@contextmanager
def passthrough(upstream: Process) -> Iterator[Peer]:
    """The bare aiohttp pass-through."""
    with module("bench.proxy.passthrough", f"http://127.0.0.1:{upstream.port}") as process:
        yield Peer("pass-through", process, plain)


@contextmanager
def citestream(upstream: Process, *options: str) -> Iterator[Peer]:
    """`citestream serve`, everything as it is configured by default; its log goes nowhere."""
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "bench.yaml"
        config.write_text(_CONFIG.format(port=upstream.port))
        command = [sys.executable, "-m", "citestream", "serve", "--config", str(config), "--port", "0", *options]
        with started(command) as process:
            yield Peer("Citestream", process, cited, cites=True)
