"""Processes to measure: start them, read their CPU time and memory, and stop them with their children."""

import os
import signal
import subprocess  # nosec B404 # runs the measured servers
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[3]
START_SECONDS = 120.0  # LiteLLM takes 20 s


@dataclass(frozen=True, slots=True)
class Process:
    """A process that listens on a port."""

    pid: int
    port: int
    started_in: float = 0.0  # seconds until it listened

    def cpu(self) -> float:
        """Return the CPU seconds of a process and its children."""
        return sum(time.clock_gettime(_clock(pid)) for pid in self.family())

    def resident(self) -> float:
        """Return the memory of a process and its children in MB."""
        return sum(_resident(pid) for pid in self.family())

    def family(self) -> list[int]:
        """Return the process and its children."""
        found, seen = [self.pid], 0
        while seen < len(found):
            found += _children(found[seen])
            seen += 1
        return found


@contextmanager
def module(name: str, *arguments: str) -> Iterator[Process]:
    """Start a module of this project that prints its port."""
    with started([sys.executable, "-m", name, *arguments]) as process:
        yield process


@contextmanager
def started(command: Sequence[str], environment: Mapping[str, str] | None = None) -> Iterator[Process]:
    """Start a program whose first output line ends with its port."""
    began = time.monotonic()
    with running(command, environment) as process:
        assert process.stdout
        line = process.stdout.readline().decode().strip()
        if not line:
            raise RuntimeError(f"{' '.join(command)} did not start")
        yield Process(process.pid, int(line.rpartition(":")[2]), time.monotonic() - began)


@contextmanager
def running(
    command: Sequence[str], environment: Mapping[str, str] | None = None, *, silent: bool = False
) -> Iterator[subprocess.Popen[bytes]]:
    """Run a program and stop it with its children. `silent` discards its output."""
    process = subprocess.Popen(  # nosec B603 # commands of this project
        command,
        cwd=ROOT,
        env={**os.environ, **(environment or {})},
        stdout=subprocess.DEVNULL if silent else subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):  # it has already ended
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        if process.stdout:
            process.stdout.close()


def _clock(pid: int) -> int:
    """Return the clock id of the CPU time of another process, like clock_getcpuclockid(3) of Linux."""
    return (~pid << 3) | 2


def _resident(pid: int) -> float:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1000
    return 0.0


def _children(pid: int) -> list[int]:
    threads = Path(f"/proc/{pid}/task").iterdir()
    return [int(child) for thread in threads for child in (thread / "children").read_text().split()]
