"""Processes under measurement: started, asked for their CPU time and memory, and ended, with all their children."""

import os
import signal
import subprocess  # nosec B404 # to run the servers that are measured
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
START_SECONDS = 120.0  # LiteLLM takes twenty


@dataclass(frozen=True, slots=True)
class Process:
    """One that listens."""

    pid: int
    port: int
    started_in: float = 0.0  # seconds until it said so

    def cpu(self) -> float:
        """Seconds of CPU that it and its children have used."""
        return sum(time.clock_gettime(_clock(pid)) for pid in self.family())

    def resident(self) -> float:
        """MB of memory, its children's too."""
        return sum(_resident(pid) for pid in self.family())

    def family(self) -> list[int]:
        """Itself and everything it started."""
        found, seen = [self.pid], 0
        while seen < len(found):
            found += _children(found[seen])
            seen += 1
        return found


@contextmanager
def module(name: str, *arguments: str) -> Iterator[Process]:
    """A module of ours that prints its port."""
    with started([sys.executable, "-m", name, *arguments]) as process:
        yield process


@contextmanager
def started(command: Sequence[str], environment: Mapping[str, str] | None = None) -> Iterator[Process]:
    """A program whose first line ends in its port."""
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
    """Any program, ended with all that it started. `silent`: nobody reads what it prints."""
    process = subprocess.Popen(  # nosec B603 # our own commands
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
        with suppress(ProcessLookupError):  # it has ended by itself
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        if process.stdout:
            process.stdout.close()


def _clock(pid: int) -> int:
    """The CPU clock of another process, in nanoseconds: what clock_getcpuclockid(3) of Linux returns."""
    return (~pid << 3) | 2


def _resident(pid: int) -> float:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1000
    return 0.0


def _children(pid: int) -> list[int]:
    threads = Path(f"/proc/{pid}/task").iterdir()
    return [int(child) for thread in threads for child in (thread / "children").read_text().split()]
