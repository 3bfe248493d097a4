"""The processes of one case: the measured server, and the provider and the retriever that it asks."""

import asyncio
import gzip
import json
import os
import re
import signal
import subprocess  # nosec B404 # runs the measured server
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any, Self

import yaml
from aiohttp import ClientSession, web

from bench.isolation.cases import Case, Fields

ROOT = Path(__file__).parents[2]


_ERROR = re.compile(rb'"error"\s*:\s*["{]')
_JSON = {"Content-Type": "application/json"}
_TAIL_BYTES = 4096  # at the end of an answer, where an error would be


async def send_case(session: ClientSession, url: str, case: Case) -> str:
    """Send the request of a case and the one that follows it; see `send`. `url`: of the server."""
    if case.then is None:
        return await send(session, url + case.path, case.content, case.headers)
    headers = _JSON | case.headers
    async with session.post(url + case.path, data=BytesIO(case.content or b""), headers=headers) as response:
        answer: Fields = await response.json(content_type=None)
    return await send_case(session, url, case.then(answer))


async def send(session: ClientSession, url: str, body: bytes | None, headers: Mapping[str, str] | None = None) -> str:
    """Send a request, with GET if it has no body, and read its answer.

    Return the status, followed by "broken" if the answer ends with an error.
    """
    headers, tail = _JSON | dict(headers or {}), b""
    sent = session.get(url) if body is None else session.post(url, data=BytesIO(body), headers=headers)
    async with sent as response:
        async for data in response.content.iter_any():
            tail = (tail + data)[-_TAIL_BYTES:]
        is_broken = response.ok and _ERROR.search(tail)
        return f"{response.status}, broken" if is_broken else str(response.status)


class Services:
    """The provider and the retriever of a case, which can be replaced by another case."""

    def __init__(self, case: Case) -> None:
        """Serve nothing yet; enter the context."""
        self.case = case
        self.streams = 0  # silent ones
        self.all_open = asyncio.Event()  # all of them
        application = web.Application(client_max_size=2**28)
        application.add_routes([web.post("/search", self._search), web.route("*", "/{path:.*}", self._answer)])
        self._runner = web.AppRunner(application, handler_cancellation=True)

    async def __aenter__(self) -> Self:
        """Listen on a free port."""
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._runner.cleanup()

    @property
    def url(self) -> str:
        """The address of both."""
        return f"http://127.0.0.1:{self._runner.addresses[0][1]}"

    @property
    def retriever(self) -> Fields:
        """The configuration of the retriever."""
        return {"kind": "http", "url": f"{self.url}/search", "body": {"q": "{query}"}}

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        await request.read()
        case, headers = self.case, {"Content-Type": self.case.content_type}
        if case.silent_seconds:
            return await self._stay_silent(request)
        if not case.compressed:
            return web.Response(body=case.answer, status=case.status, headers=headers)
        return web.Response(body=gzip.compress(case.answer, 1), headers=headers | {"Content-Encoding": "gzip"})

    async def _stay_silent(self, request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": self.case.content_type})
        await response.prepare(request)
        self.streams += 1
        if self.streams == self.case.times:
            self.all_open.set()
        await asyncio.Event().wait()  # until the server closes the connection
        return response

    async def _search(self, request: web.Request) -> web.Response:
        await request.read()
        return web.Response(body=self.case.results, content_type="application/json")


@contextmanager
def server(
    config: Fields, python: str = sys.executable, folder: Path = ROOT
) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """Start a server whose steps are measured. Yield its address and its process."""
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "citestream.yaml"
        file.write_text(yaml.safe_dump(config), "utf-8")
        command = [python, str(Path(__file__).with_name("loop_steps.py")), str(file)]
        environment = {**os.environ, "PYTHONPATH": str(folder)}
        with subprocess.Popen(  # nosec B603 # the command of this benchmark
            command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment
        ) as process:
            try:
                assert process.stdout
                line = process.stdout.readline().decode()
                yield line.split(" listening on ")[1].strip(), process
            finally:
                process.kill()


def report(process: subprocess.Popen[bytes]) -> dict[str, Any]:
    """Return the `cpu` seconds of a server, and its longest `steps` since the last report."""
    process.send_signal(signal.SIGUSR1)
    assert process.stdout
    found: dict[str, Any] = json.loads(process.stdout.readline())
    return found


def stop(process: subprocess.Popen[bytes]) -> list[dict[str, Any]]:
    """Stop a server and return its longest steps; see `bench.isolation.loop_steps.Step.report`."""
    process.terminate()
    assert process.stdout
    steps: list[dict[str, Any]] = json.loads(process.stdout.read())
    return steps
