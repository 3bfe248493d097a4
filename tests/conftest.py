"""Fixtures of all tests: real servers, ways to split a stream, and profiles of Hypothesis."""

import ast
import gc
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from random import Random
from threading import RLock
from typing import Any

import pytest
import yaml
from hypothesis import settings

ROOT = Path(__file__).parent.parent
STOP_SECONDS = 60  # a server with no open stream stops at once; the rest is for a machine under load
RANDOM_SPLITS = 3

Chunkings = Callable[[str, Random], Iterator[list[str]]]
Launch = Callable[..., AbstractContextManager[str]]
Start = Callable[..., str]

# No deadline: a shared machine may pause any example. CI draws the same examples every time, for reproducible results.
settings.register_profile("dev", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "dev")

# A shell starts background jobs with SIGINT ignored, and their processes inherit that. The tests of interruptions and
# the servers of the tests need the default.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def serialized(parse: Callable[..., ast.AST]) -> Callable[..., ast.AST]:
    """Return `ast.parse` with a lock and without garbage collection during a call.

    CPython before 3.11.8 and 3.12.2 has one counter of the recursion depth for all threads (gh-106905). Callbacks of
    the garbage collector (Hypothesis has one) and finalizers can switch to another thread. If that thread formats a
    traceback, which calls `ast.parse` too, the first call fails with "SystemError: AST constructor recursion depth
    mismatch". In pytest's own code, this ends the whole run.
    """
    lock = RLock()

    def parsed(*args: Any, **named: Any) -> ast.AST:
        with lock:
            collecting = gc.isenabled()
            gc.disable()
            try:
                return parse(*args, **named)
            finally:
                if collecting:
                    gc.enable()

    return parsed


if sys.version_info < (3, 11, 8) or (3, 12) <= sys.version_info < (3, 12, 2):
    ast.parse = serialized(ast.parse)  # type: ignore[assignment]


@pytest.fixture(scope="session")
def chunkings() -> Chunkings:
    """Return a function (text, rng) that yields ways to split a text: whole, at random, one character at a time."""

    def cut(text: str, rng: Random) -> Iterator[list[str]]:
        yield [text]
        for _ in range(RANDOM_SPLITS):
            cuts = sorted(rng.choices(range(len(text) + 1), k=rng.randint(1, 1 + len(text) // 4)))
            yield [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
        yield list(text)

    return cut


@pytest.fixture(scope="session")
def launch() -> Launch:
    """Return a context manager (command, log file, **environment) that runs a server and yields its URL."""
    return launched


@pytest.fixture
def citestream_server(tmp_path: Path) -> Iterator[Start]:
    """Yield a function (config, **environment) that starts `citestream serve` on a free port and returns its URL.

    Every server is stopped at the end of the test, and must exit with status 0.
    """
    with ExitStack() as servers:

        def start(config: dict[str, Any] | None = None, **environment: str) -> str:
            number = len(list(tmp_path.glob("citestream-*.yaml")))
            written = tmp_path / f"citestream-{number}.yaml"
            written.write_text(yaml.safe_dump(config or {}), "utf-8")
            command = [sys.executable, "-m", "citestream", "serve", "--port", "0", "--config", str(written)]
            return servers.enter_context(launched(command, written.with_suffix(".log"), cwd=ROOT, **environment))

        yield start


@contextmanager
def launched(command: list[str], log: Path, *, cwd: Path = ROOT, **environment: str) -> Iterator[str]:
    """Start a server, read its `... listening on URL` line, stop it with SIGTERM and expect a clean exit."""
    with (
        log.open("w") as errors,
        subprocess.Popen(
            command,
            cwd=cwd,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            env={**os.environ, **environment},
        ) as process,
    ):
        try:
            yield address(process, log)
        finally:
            process.terminate()
            try:
                process.communicate(timeout=STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                raise


def address(process: subprocess.Popen[str], log: Path) -> str:
    """Return the URL in the line `... listening on URL`. If the server ends without this line, fail with its log."""
    assert process.stdout is not None
    for line in process.stdout:
        if " listening on " in line:
            return line.split(" listening on ")[1].strip()
    pytest.fail(f"{' '.join(map(str, process.args))} did not start:\n{log.read_text()}")  # type: ignore[arg-type]
