"""Workers: several processes behind one address. One that dies takes only its own streams with it and is replaced."""

import logging
import os
import signal
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from math import ceil
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread

from ..config import Config, ConfigError, Server
from .application import serve as serve_here

BACKLOG = 1024  # connections that may wait while all workers are busy
QUICK_SECONDS = 5.0  # a worker that dies sooner than this has something wrong with it
QUICK_DEATHS = 5  # in a row, after which replacing them would go on for ever
GRACE_SECONDS = 10.0  # after the drain, before a worker that does not end is killed

_HEARD = {signal.SIGTERM, signal.SIGINT, signal.SIGCHLD}
_FAILED = "!"  # what a worker's message begins with that could not start

log = logging.getLogger("citestream")

Started = Callable[[str], None]


def serve(config: Config, started: Started = print) -> None:
    """Serve until SIGTERM or Ctrl-C, in as many processes as `server.workers` says.

    `started` is told the address once all of them accept requests. Raises ConfigError and OSError.
    """
    if config.server.workers == 1:
        serve_here(config, started)
        return
    with _listening(config.server) as listening, TemporaryDirectory(prefix="citestream-") as folder:
        # Set before anything imports prometheus_client; the folder goes with this one.
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = folder
        before = signal.pthread_sigmask(signal.SIG_BLOCK, _HEARD)  # they are waited for instead
        try:
            _Workers(_shared(config, Path(folder)), listening, before).run(started)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _listening(server: Server) -> socket.socket:
    family = socket.AF_INET6 if ":" in server.host else socket.AF_INET
    return socket.create_server((server.host, server.port), family=family, backlog=BACKLOG)


def _shared(config: Config, folder: Path) -> Config:
    """What each worker is told: its part of the streams, and where all of them keep references."""
    server = config.server.model_copy(update={"max_streams": ceil(config.server.max_streams / config.server.workers)})
    if config.store.url:
        return config.model_copy(update={"server": server})
    file = config.references.file or str(folder / "references.sqlite")
    kept = "file" if config.references.keeps_conversations else "none"
    references = config.references.model_copy(update={"file": file, "conversations": kept})
    return config.model_copy(update={"server": server, "references": references})


class _Workers:
    """The parent: starts, replaces and stops."""

    def __init__(self, config: Config, listening: socket.socket, mask: set[signal.Signals | int]) -> None:
        """`mask`: the signals that were blocked before the parent began to wait for its own."""
        self._config = config
        self._listening = listening
        self._mask = mask
        self._born: dict[int, float] = {}  # process id -> when
        self._quick = 0
        self._alive, self._held = os.pipe()  # held by the parent alone: its end tells the workers of the parent's

    def run(self, started: Started) -> None:
        """Until told to stop. Raises ConfigError where a worker cannot start."""
        try:
            addresses = [self._start() for _ in range(self._config.server.workers)]
            started(addresses[0])
            while signal.sigwait(_HEARD) == signal.SIGCHLD:
                for number, status in self._ended():
                    self._replace(number, status)
        finally:
            self._stop()

    def _start(self) -> str:
        """Start a worker; what it says once it accepts requests."""
        reading, writing = os.pipe()
        number = os.fork()
        if number == 0:
            os.close(reading)
            self._work(writing)
        os.close(writing)
        self._born[number] = time.monotonic()
        with open(reading, encoding="utf-8") as told:
            said = told.read()
        if not said or said.startswith(_FAILED):
            raise ConfigError(said.removeprefix(_FAILED) or "a worker could not start; its error stands above")
        return said

    def _work(self, writing: int) -> None:
        """The whole life of a worker; does not return."""
        code = 1
        try:
            os.close(self._held)
            signal.pthread_sigmask(signal.SIG_SETMASK, self._mask)
            Thread(target=_end_with_parent, args=(self._alive,), daemon=True).start()
            with open(writing, "w", encoding="utf-8") as telling:
                try:
                    serve_here(self._config, lambda said: _tell(telling.fileno(), said), self._listening)
                    code = 0
                except ConfigError as error:
                    _tell(telling.fileno(), f"{_FAILED}{error}")
        except Exception:
            log.exception("a worker failed")
        finally:
            os._exit(code)  # nothing of what the parent has to clean up is the worker's

    def _ended(self) -> list[tuple[int, int]]:
        """Process ids and wait statuses of the workers that have ended. One signal may stand for several."""
        found = []
        for number in list(self._born):
            ended, status = os.waitpid(number, os.WNOHANG)
            if ended:
                found.append((number, status))
        return found

    def _replace(self, number: int, status: int) -> None:
        lived = time.monotonic() - self._born.pop(number)
        self._quick = self._quick + 1 if lived < QUICK_SECONDS else 0
        _forgotten(number)
        log.warning("worker %s ended with %s after %.0f s", number, os.waitstatus_to_exitcode(status), lived)
        if self._quick >= QUICK_DEATHS:
            raise ConfigError(f"{QUICK_DEATHS} workers in a row ended as soon as they had started")
        try:
            self._start()
        except ConfigError as error:  # its end is still to come, and counts as a quick one
            log.error("a worker could not start: %s", error)

    def _stop(self) -> None:
        """Tell all to finish their streams, wait, and end those that do not."""
        self._signal(signal.SIGTERM)
        deadline = time.monotonic() + self._config.server.drain_seconds + GRACE_SECONDS
        while self._born:
            for number, _ in self._ended():
                del self._born[number]
            left = deadline - time.monotonic()
            if self._born and left > 0:
                signal.sigtimedwait(_HEARD, left)
            elif self._born:
                self._signal(signal.SIGKILL)
                signal.sigtimedwait(_HEARD, 1)
        os.close(self._held)
        os.close(self._alive)

    def _signal(self, which: signal.Signals) -> None:
        for number in self._born:
            with suppress(ProcessLookupError):
                os.kill(number, which)


def _forgotten(number: int) -> None:
    """Let what a worker had in flight count no more."""
    from prometheus_client.multiprocess import mark_process_dead as forget

    forget(number)  # type: ignore[no-untyped-call]


def _tell(pipe: int, said: str) -> None:
    """Say it and close; the parent reads until then."""
    os.write(pipe, said.encode())
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, pipe)
    os.close(null)


def _end_with_parent(alive: int) -> None:
    """Stop when the parent is gone: nobody would stop or replace this worker any more."""
    os.read(alive, 1)
    os.kill(os.getpid(), signal.SIGTERM)
