"""Run several worker processes for one address. If one dies, only its own streams break, and it is replaced."""

import logging
import os
import resource
import secrets
import select
import signal
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread

from ...config import Config, ConfigError, Server
from ..application import make_admission
from ..middleware.auth import tenants_of
from ..middleware.shared_counts import SharedCounts
from .server import BACKLOG, serve_process, stop_signals

QUICK_SECONDS = 5.0  # a worker that dies sooner may die again at once, so its next start is delayed
FIRST_DELAY, MAX_DELAY = 0.1, 30.0  # seconds until it is started again; doubled after each quick death in a row
FAILED_STARTS = 5  # in a row, of every worker, after which the server gives up: no worker can start
# Until a worker that does not start is killed, such as one that waits for a file of another machine. No other worker is
# replaced meanwhile.
START_SECONDS = 60.0
POLL_SECONDS = 0.2  # between looking for a signal to stop while a worker starts
GRACE_SECONDS = 10.0  # after the drain, before a worker that still runs is killed

_READ_BYTES = 4096  # at a time
_FAILED = "!"  # prefix of the message of a worker that could not start

log = logging.getLogger("citestream")

Started = Callable[[str], None]


def serve(config: Config, started: Started = print) -> None:
    """Serve until SIGTERM or Ctrl-C, in `server.workers` processes.

    `started` is called with the address when all of them accept requests. Raise ConfigError and OSError.
    """
    allow_open_files()
    if config.server.workers == 1:
        serve_process(config, started)
        return
    with _listening(config.server) as listening, TemporaryDirectory(prefix="citestream-") as folder:
        # Must be set before prometheus_client is imported. The folder is removed with the context.
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = folder
        before = signal.pthread_sigmask(signal.SIG_BLOCK, _signals())  # the parent waits for them instead
        try:
            _Workers(_shared(config, Path(folder)), listening, before).run(started)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _signals() -> set[signal.Signals]:
    """Return the signals for which the parent waits."""
    return {*stop_signals(), signal.SIGCHLD}


def allow_open_files() -> None:
    """Allow as many open files as the system permits. Each stream has two: the client's connection and the provider's.

    Shells often allow 1,024, which 500 streams use up.
    """
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):  # macOS refuses some values
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def _listening(server: Server) -> socket.socket:
    family = socket.AF_INET6 if ":" in server.host else socket.AF_INET
    return socket.create_server((server.host, server.port), family=family, backlog=BACKLOG)


def _shared(config: Config, folder: Path) -> Config:
    """Return the configuration of the workers, with what all of them share."""
    link_secret = config.server.link_secret or secrets.token_urlsafe()
    server = config.server.model_copy(update={"link_secret": link_secret})
    if config.store.url:
        return config.model_copy(update={"server": server})
    file = config.references.file or str(folder / "references.sqlite")
    kept = "file" if config.references.keeps_conversations else "none"
    references = config.references.model_copy(update={"file": file, "conversations": kept})
    return config.model_copy(update={"server": server, "references": references})


class _Workers:
    """The parent process: starts, replaces and stops the workers."""

    def __init__(self, config: Config, listening: socket.socket, mask: set[signal.Signals | int]) -> None:
        """`mask`: the signals that were blocked before the parent blocked its own."""
        self._config = config
        self._listening = listening
        self._mask = mask
        self._started_at: dict[int, float] = {}  # by process id
        self._index_of: dict[int, int] = {}  # the number of each worker, by process id
        # The system spreads connections unevenly, so a fixed share of the streams for each worker would refuse some.
        self._counts = SharedCounts(config.server.workers, len(tenants_of(config.server)))
        self._quick_deaths = [0] * config.server.workers  # in a row, by index
        self._failed_starts = [0] * config.server.workers  # the same
        self._restart_at: dict[int, float] = {}  # when a worker is started again, by index
        self._alive, self._held_open = os.pipe()  # the parent alone holds one end: it closes when the parent dies

    def run(self, started: Started) -> None:
        """Run until a signal to stop. Raise ConfigError if a worker cannot start at first, or later none can."""
        try:
            addresses = [self._start(index) for index in range(self._config.server.workers)]
            started(addresses[0])
            while self._wait() in (None, signal.SIGCHLD):
                for pid, status in self._ended():
                    self._plan_restart(pid, status)
                self._restart()
        except ConfigError:
            if signal.sigtimedwait(stop_signals(), 0) is None:  # otherwise the worker was killed to stop the server
                raise
        finally:
            self._stop()

    def _wait(self) -> int | None:
        """Wait for a signal, and return it; None if a worker must be started again before one arrives."""
        if not self._restart_at:
            return signal.sigwait(_signals())
        left = min(self._restart_at.values()) - time.monotonic()
        received = signal.sigtimedwait(_signals(), max(0.0, left))
        return received.si_signo if received else None

    def _start(self, index: int) -> str:
        """Start a worker and return its message, once it accepts requests."""
        self._counts.reset(index)
        reading, writing = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(reading)
            self._work(writing, index)
        os.close(writing)
        self._started_at[pid], self._index_of[pid] = time.monotonic(), index
        message = self._message(reading, pid)
        if not message or message.startswith(_FAILED):
            raise ConfigError(message.removeprefix(_FAILED) or "a worker could not start; see the error above")
        return message

    def _message(self, reading: int, pid: int) -> str:
        """Return the message of a worker that starts. Kill it if none comes in time, or before the server must stop."""
        deadline, received = time.monotonic() + START_SECONDS, bytearray()
        with open(reading, "rb", buffering=0) as pipe:
            while time.monotonic() < deadline and stop_signals().isdisjoint(signal.sigpending()):
                if not select.select([pipe], [], [], POLL_SECONDS)[0]:
                    continue
                if not (data := pipe.read(_READ_BYTES)):
                    return received.decode()
                received += data
        log.warning("worker %s does not start, and is killed", pid)
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        return ""

    def _work(self, writing: int, index: int) -> None:
        """Serve in a worker process. Does not return."""
        code = 1
        try:
            os.close(self._held_open)
            signal.pthread_sigmask(signal.SIG_SETMASK, self._mask)
            Thread(target=_end_with_parent, args=(self._alive,), daemon=True).start()
            with open(writing, "w", encoding="utf-8") as pipe:
                try:
                    admission = make_admission(self._config.server, self._counts, index)
                    serve_process(
                        self._config, lambda message: _send(pipe.fileno(), message), self._listening, admission
                    )
                    code = 0
                except ConfigError as error:
                    _send(pipe.fileno(), f"{_FAILED}{error}")
        except Exception:
            log.exception("a worker failed")
        finally:
            os._exit(code)  # skip the parent's cleanup

    def _ended(self) -> list[tuple[int, int]]:
        """Return process ids and statuses of the workers that have ended: one signal may stand for several."""
        found = []
        for pid in list(self._started_at):
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                found.append((pid, status))
        return found

    def _plan_restart(self, pid: int, status: int) -> None:
        """Determine when a worker that has ended is started again. The others continue."""
        lived, index = time.monotonic() - self._started_at.pop(pid), self._index_of.pop(pid)
        quick_deaths = self._quick_deaths[index] + 1 if lived < QUICK_SECONDS else 0
        delay = min(MAX_DELAY, FIRST_DELAY * 2 ** (quick_deaths - 1)) if quick_deaths else 0.0
        self._quick_deaths[index], self._restart_at[index] = quick_deaths, time.monotonic() + delay
        _remove_gauges(pid)
        code = os.waitstatus_to_exitcode(status)
        log.warning("worker %s ended with %s after %.0f s, and is replaced in %.1f s", pid, code, lived, delay)

    def _restart(self) -> None:
        """Start the workers whose time has come. Raise ConfigError if no worker runs and none can start."""
        for index in [index for index, due in self._restart_at.items() if due <= time.monotonic()]:
            del self._restart_at[index]
            try:
                self._start(index)
                self._failed_starts[index] = 0
            except ConfigError as error:  # its end is still to come, and counts as a quick death
                self._failed_starts[index] += 1
                log.error("a worker could not start: %s", error)
                if min(self._failed_starts) >= FAILED_STARTS:
                    raise

    def _stop(self) -> None:
        """Ask all workers to finish their streams, wait, and kill those that do not end."""
        self._signal(signal.SIGTERM)
        deadline = time.monotonic() + self._config.server.drain_seconds + GRACE_SECONDS
        while self._started_at:
            for pid, _ in self._ended():
                del self._started_at[pid]
            left = deadline - time.monotonic()
            if self._started_at and left > 0:
                signal.sigtimedwait(_signals(), left)
            elif self._started_at:
                self._signal(signal.SIGKILL)
                signal.sigtimedwait(_signals(), 1)
        os.close(self._held_open)
        os.close(self._alive)

    def _signal(self, which: signal.Signals) -> None:
        for pid in self._started_at:
            with suppress(ProcessLookupError):
                os.kill(pid, which)


def _remove_gauges(pid: int) -> None:
    """Remove the gauges of a dead worker, such as its streams, from the metrics."""
    from prometheus_client.multiprocess import mark_process_dead

    mark_process_dead(pid)  # type: ignore[no-untyped-call]


def _send(pipe: int, message: str) -> None:
    """Write a message and close the pipe: the parent reads until its end."""
    os.write(pipe, message.encode())
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, pipe)
    os.close(null)


def _end_with_parent(alive: int) -> None:
    """Stop when the parent has died: no process would stop or replace this worker."""
    os.read(alive, 1)
    os.kill(os.getpid(), signal.SIGTERM)
