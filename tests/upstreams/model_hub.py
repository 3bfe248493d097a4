"""A model hub on this machine: the part of the API of huggingface.co that its Python client uses for downloads."""

import asyncio
import hashlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum, auto

from aiohttp import web

COMMIT = "0123456789abcdef0123456789abcdef01234567"
NEXT_COMMIT = "fedcba9876543210fedcba9876543210fedcba98"


class Fault(Enum):
    """Failure of the first download of a file."""

    HALF = auto()  # the connection ends after half of it
    STALL = auto()  # half of it is sent, then nothing
    BOUNDLESS = auto()  # its size is announced as more than any disk has


@dataclass
class Hub:
    """The content of the hub, and what clients asked for."""

    files: dict[str, dict[str, bytes]]  # by model and path
    url: str = ""
    commit: str = COMMIT
    token: str = ""  # token that clients must have; empty: none
    faults: dict[str, Fault] = field(default_factory=dict)  # by path
    downloads: list[tuple[str, str]] = field(default_factory=list)  # path and Range header
    stalled: threading.Event = field(default_factory=threading.Event)

    def application(self) -> web.Application:
        app = web.Application()
        app.router.add_get("/{owner}/{name}/resolve/{revision}/{path:.+}", self.resolve)
        app.router.add_get("/api/models/{owner}/{name}/tree/{revision}", self.tree)
        return app

    async def tree(self, request: web.Request) -> web.Response:
        files = self._model(request)
        entries = [{"type": "file", "path": path, "oid": "0", "size": len(data)} for path, data in files.items()]
        return web.json_response(entries)

    async def resolve(self, request: web.Request) -> web.StreamResponse:
        path = request.match_info["path"]
        files = self._model(request)
        if path not in files:
            raise error("EntryNotFound")
        data = files[path]
        headers = {
            "X-Repo-Commit": self.commit,
            "ETag": f'"{hashlib.sha256(data).hexdigest()}"',
            "Accept-Ranges": "bytes",
        }
        fault = self.faults.get(path)
        if request.method == "HEAD":
            size = 10**18 if fault is Fault.BOUNDLESS else len(data)
            return web.Response(headers={**headers, "X-Linked-Size": str(size), "Content-Length": str(len(data))})
        self.downloads.append((path, request.headers.get("Range", "")))
        start = request.http_range.start or 0
        if start:
            headers["Content-Range"] = f"bytes {start}-{len(data) - 1}/{len(data)}"
        response = web.StreamResponse(status=206 if start else 200, headers=headers)
        response.content_length = len(data) - start
        await response.prepare(request)
        self.faults.pop(path, None)
        if fault in (Fault.HALF, Fault.STALL):
            await response.write(data[start : start + (len(data) - start) // 2])
            if fault is Fault.STALL:
                self.stalled.set()
                await asyncio.Event().wait()
            assert request.transport is not None
            request.transport.close()
            return response
        await response.write(data[start:])
        return response

    def _model(self, request: web.Request) -> dict[str, bytes]:
        if self.token and request.headers.get("Authorization") != f"Bearer {self.token}":
            raise error("RepoNotFound", 401)
        match = request.match_info
        files = self.files.get(f"{match['owner']}/{match['name']}")
        if files is None:
            raise error("RepoNotFound")
        if match["revision"] == "missing":
            raise error("RevisionNotFound")
        return files


def error(code: str, status: int = 404) -> web.HTTPException:
    kind = web.HTTPUnauthorized if status == 401 else web.HTTPNotFound
    return kind(headers={"X-Error-Code": code, "X-Error-Message": code})


@contextmanager
def running_hub(files: dict[str, dict[str, bytes]]) -> Iterator[Hub]:
    """Run a hub in a thread of its own, because its clients wait for it."""
    hub, ready, loop = Hub(files), threading.Event(), asyncio.new_event_loop()
    runner = web.AppRunner(hub.application(), handler_cancellation=True, shutdown_timeout=0)

    async def start() -> None:
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        host, port = runner.addresses[0]
        hub.url = f"http://{host}:{port}"
        ready.set()

    def serve() -> None:
        loop.run_until_complete(start())
        loop.run_forever()
        loop.run_until_complete(runner.cleanup())
        loop.close()

    thread = threading.Thread(target=serve)
    thread.start()
    ready.wait()
    try:
        yield hub
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
