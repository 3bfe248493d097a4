"""Processes of the endurance test: an upstream, and a server in front of it whose caches are full within minutes."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.soak.client import BRIDGE, KEY

ROOT = Path(__file__).parents[2]
STOP_SECONDS = 20.0
PROVIDER_SECONDS = 5.0  # timeouts of providers; longer than a machine under load pauses
# Small enough to be full before the second half of the test begins. Growth in the second half is then a leak.
CACHES: dict[str, Any] = {
    "scoring": {"cache_bytes": 2**20, "kept_characters": 100_000},
    "references": {"keep": 500, "max_bytes": 2**22},
}


@contextmanager
def process(command: list[str], log: Path, **environment: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Start a process. Yield it and the URL that it prints, then stop it with SIGTERM."""
    with log.open("a") as errors:
        started = subprocess.Popen(
            [sys.executable, *command],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            env={**os.environ, **environment},
        )
    assert started.stdout is not None
    try:
        line = started.stdout.readline()
        if " listening on " not in line:
            raise RuntimeError(f"{command} did not start:\n{log.read_text('utf-8')}")
        yield started, line.split(" listening on ")[1].strip()
    finally:
        started.terminate()
        try:
            started.wait(STOP_SECONDS)
        finally:
            started.kill()
            started.stdout.close()


def config(
    upstream: str, folder: Path, embedder: str = "", seconds: float = PROVIDER_SECONDS, **more: Any
) -> dict[str, Any]:
    """The configuration of the server. `embedder`: a URL, by default `upstream`; `seconds`: timeouts of providers."""
    timeouts = {"connect": seconds, "first_token": seconds, "idle": seconds}
    common = {"timeouts": timeouts, "retries": {"most": 0}, "models": ["any"]}
    return {
        "server": {"keys": [{"name": "soak", "key": KEY}]},
        "providers": {
            "openai": {"base_url": f"{upstream}/v1", "api_key": "sk-none-0123456789", **common},
            "ollama": {"base_url": upstream, **common},
            "gemini": {"base_url": upstream, "api_key": "none-0123456789", **common},
            "vectors": {"kind": "openai", "base_url": f"{embedder or upstream}/v1", **common},
            "extractive": None,
        },
        "retrievers": {
            "docs": {"kind": "folder", "store": str(folder / "evidence.db"), "timeout": seconds, "min_score": 0}
        },
        **CACHES,
        "scoring": {**CACHES["scoring"], "embedder": "vectors/any", "deadline_seconds": 1.0},
        "log": {"access": False, "level": "error"},
        **more,
    }


def indexed(folder: Path) -> None:
    """Index documents into the store that `config` names."""
    (folder / "docs").mkdir()
    (folder / "docs/bridge.md").write_text(f"# Bridge\n\n{BRIDGE} by the mayor.\n", "utf-8")
    for number in range(50):
        text = f"Harlan line, stop {number}: trains leave every {number + 3} minutes.\n"
        (folder / f"docs/stop{number}.txt").write_text(text, "utf-8")
    store = str(folder / "evidence.db")
    command = [
        sys.executable,
        "-m",
        "citestream",
        "index",
        str(folder / "docs"),
        "--store",
        store,
        "--embedder",
        "none",
    ]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)


@contextmanager
def served(folder: Path, configured: dict[str, Any]) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Start the server under test."""
    file = folder / "citestream.yaml"
    file.write_text(json.dumps(configured), "utf-8")
    command = ["-m", "citestream", "serve", "--port", "0", "--config", str(file)]
    with process(command, folder / "server.log") as started:
        yield started
