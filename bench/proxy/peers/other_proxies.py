"""Other proxies to compare with on request: LiteLLM and Portkey, each in its own environment.

Portkey is pinned with what it needs: with later versions of its web framework every call fails ("immutable").
"""

import os
import shutil
import socket
import subprocess  # nosec B404 # installs and runs the other proxies
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex
from urllib.error import HTTPError
from urllib.request import urlopen

from bench.proxy.cases import Case, plain
from bench.proxy.load import Request
from bench.proxy.peers.peer import Peer
from bench.proxy.peers.processes import ROOT, START_SECONDS, Process, running
from tests.clients import environments

HERE = Path(__file__).parent
LITELLM = ROOT / "tests" / "clients" / "python" / "litellm_proxy.txt"
PORTKEY = HERE / "portkey"
PLACE = ROOT / ".clients" / "portkey"

_MODELS = """
model_list:
  - model_name: "*"
    litellm_params: {{model: "openai/*", api_base: "http://127.0.0.1:{port}/v1", api_key: none}}
"""


@contextmanager
def litellm(upstream: Process) -> Iterator[Peer]:
    """Start the LiteLLM proxy with one worker in production mode, without a database and callbacks."""
    program = environments.python(LITELLM).with_name("litellm")
    key = f"sk-{token_hex(16)}"
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "litellm.yaml"
        config.write_text(_MODELS.format(port=upstream.port))
        command = [str(program), "--config", str(config), "--host", "127.0.0.1", "--port", str(port)]
        environment = {"LITELLM_MASTER_KEY": key, "LITELLM_MODE": "PRODUCTION", "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
        with reached([*command, "--num_workers", "1"], port, "/health/liveliness", environment) as process:
            yield Peer("LiteLLM", process, asking({"Authorization": f"Bearer {key}"}), foreign=True, slow=True)


@contextmanager
def portkey(upstream: Process) -> Iterator[Peer]:
    """Start the Portkey gateway."""
    if not (PLACE / "node_modules").exists():
        PLACE.mkdir(parents=True, exist_ok=True)
        for name in ("package.json", "package-lock.json"):
            shutil.copy(PORTKEY / name, PLACE)
        npm = shutil.which("npm") or "npm"
        install = [npm, "ci", "--no-audit", "--no-fund", "--ignore-scripts"]
        subprocess.run(install, cwd=PLACE, check=True)  # nosec B603 # command from the PATH
    server = PLACE / "node_modules" / "@portkey-ai" / "gateway" / "build" / "start-server.js"
    port = free_port()
    host = f"http://127.0.0.1:{upstream.port}/v1"
    headers = {"x-portkey-provider": "openai", "x-portkey-custom-host": host, "Authorization": "Bearer none"}
    with reached(["node", str(server), f"--port={port}", "--headless"], port, "/", {}) as process:
        yield Peer("Portkey", process, asking(headers), foreign=True, slow=True)


def asking(headers: Mapping[str, str]) -> "Asking":
    """Return a request like that for the pass-through, with additional headers."""
    return Asking(tuple(headers.items()))


class Asking:
    """Builds requests with additional headers."""

    def __init__(self, headers: tuple[tuple[str, str], ...]) -> None:
        """Add headers with these names and values."""
        self._headers = headers

    def __call__(self, case: Case, number: int, run: str) -> Request:
        """Return one request."""
        request = plain(case, number, run)
        return Request(request.kind, request.path, request.body, self._headers)


def free_port() -> int:
    """Return an unused port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    return port


@contextmanager
def reached(command: Sequence[str], port: int, path: str, environment: Mapping[str, str]) -> Iterator[Process]:
    """Wait until a program that does not report its port accepts requests."""
    began = time.monotonic()
    with running(command, environment, silent=True) as process:
        while not _answers(f"http://127.0.0.1:{port}{path}"):
            if process.poll() is not None or time.monotonic() - began > START_SECONDS:
                raise RuntimeError(f"{os.path.basename(command[0])} did not start")
            time.sleep(0.2)
        yield Process(process.pid, port, time.monotonic() - began)


def _answers(url: str) -> bool:
    try:
        with urlopen(url, timeout=5):  # noqa: S310 # nosec B310 # address of this machine
            return True
    except HTTPError:
        return True
    except OSError:
        return False
