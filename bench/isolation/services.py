"""The processes of one case: the measured server, and the provider and the retriever that it asks."""

import gzip
import json
import os
import subprocess  # nosec B404 # runs the measured server
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import yaml
from aiohttp import ClientSession, web

from bench.isolation.cases import Case, Fields

ROOT = Path(__file__).parents[2]


async def send(session: ClientSession, url: str, body: bytes) -> int:
    """Send a request, read its answer and return the status."""
    headers = {"Content-Type": "application/json"}
    async with session.post(url, data=BytesIO(body), headers=headers) as response:
        await response.read()
        return response.status


async def services(case: Case) -> tuple[web.AppRunner, int]:
    """Start the provider and the retriever of a case."""
    payload = gzip.compress(case.answer) if case.compressed else case.answer
    headers = {"Content-Type": "text/event-stream"} | ({"Content-Encoding": "gzip"} if case.compressed else {})

    async def chat(request: web.Request) -> web.Response:
        await request.read()
        return web.Response(body=payload, headers=headers)

    async def search(request: web.Request) -> web.Response:
        await request.read()
        return web.Response(body=case.results, content_type="application/json")

    application = web.Application(client_max_size=2**28)
    application.add_routes([web.post("/v1/chat/completions", chat), web.post("/search", search)])
    runner = web.AppRunner(application)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    return runner, runner.addresses[0][1]


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


def stop(process: subprocess.Popen[bytes]) -> list[dict[str, Any]]:
    """Stop a server and return its longest steps; see `bench.isolation.loop_steps.Step.report`."""
    process.terminate()
    assert process.stdout
    steps: list[dict[str, Any]] = json.loads(process.stdout.read())
    return steps
