"""A real Redis without persistence. It can be killed and started again on the same port."""

import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from signal import SIGCONT, SIGSTOP
from typing import Any

import redis


class Redis:
    """A server. `url` is its first database."""

    def __init__(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self._port = free.getsockname()[1]
        self.url = f"redis://127.0.0.1:{self._port}/0"

    def start(self, *options: str) -> None:
        """Start without data. `options`: command-line options."""
        program = shutil.which("redis-server")
        assert program, "apt-get install redis-server"
        command = [
            program,
            "--port",
            str(self._port),
            "--bind",
            "127.0.0.1",
            "--save",
            "",
            "--dir",
            tempfile.gettempdir(),
        ]
        self._process = subprocess.Popen([*command, *options], stdout=subprocess.PIPE)
        assert self._process.stdout is not None
        assert any(b"Ready to accept connections" in line for line in iter(self._process.stdout.readline, b""))

    def kill(self) -> None:
        """Kill the process with SIGKILL."""
        self._process.kill()
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()

    def freeze(self, frozen: bool) -> None:
        """Stop the process with SIGSTOP, or continue it. Frozen, it neither answers nor closes connections."""
        self._process.send_signal(SIGSTOP if frozen else SIGCONT)

    @contextmanager
    def client(self, **settings: Any) -> Iterator[Any]:
        """A client that is independent of the code under test."""
        connection = redis.Redis.from_url(self.url, **settings)
        yield connection
        connection.close()


@contextmanager
def running(*options: str) -> Iterator[Redis]:
    """Start a server in 50 ms."""
    server = Redis()
    server.start(*options)
    try:
        yield server
    finally:
        server.kill()
