"""The server process of a host, which listens on a free port."""

import os
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from socket import socket

import httpx

START_SECONDS = 180  # Open WebUI takes 30 s on an idle machine


@contextmanager
def host_server(command: Sequence[str], path: str, folder: Path, environment: Mapping[str, str]) -> Iterator[str]:
    """Run `command --port N` in a folder, with its log there, until `path` answers. Yield the address of the server."""
    with socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    with (folder / "host.log").open("wb") as log:
        process = subprocess.Popen(
            [*command, "--port", str(port)], stdout=log, stderr=log, cwd=folder, env={**os.environ, **environment}
        )
        try:
            _wait(f"{url}{path}", process)
            yield url
        finally:
            process.terminate()
            process.wait()


def _wait(url: str, process: "subprocess.Popen[bytes]") -> None:
    """Return when the server answers. Raise RuntimeError if it ends or takes too long."""
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end and process.poll() is None:
        try:
            if httpx.get(url, timeout=5).status_code == 200:
                return
        except httpx.TransportError:
            time.sleep(0.5)  # there is no signal for readiness
    raise RuntimeError(f"{url} did not answer: see host.log")
