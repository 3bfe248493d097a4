"""One server process: its event loop, its socket and TLS, and its start and stop."""

import asyncio
import gc
import signal
import socket
import ssl
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from aiohttp import web

from citestream.providers.scheduler import scheduler

from ...config import Config, ConfigError, Tls
from ..application import make_app
from ..connection import Connection, with_body_tracking
from ..middleware.admission import ADMISSION, Admission
from . import garbage

BACKLOG = 1024  # connections that wait to be accepted; with aiohttp's 128, 125 of 1,000 simultaneous ones were reset
CLOSE_SECONDS = 1.0  # for the requests that still run after the drain


def serve_process(
    config: Config,
    started: Callable[[str], None] = print,
    listening: socket.socket | None = None,
    admission: Admission | None = None,
) -> None:
    """Serve in this process until SIGTERM or Ctrl-C. `started` is called with the address when requests are accepted.

    `listening`, `admission`: a socket and a count of requests that are shared with other workers. None: create them.
    """
    garbage.configure()
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        runner.run(_serve(config, started, listening, admission))


async def _serve(
    config: Config, started: Callable[[str], None], listening: socket.socket | None, admission: Admission | None
) -> None:
    app = make_app(config, admission)
    async with _running(app) as runner:
        tls = tls_context(config.server.tls)
        site: web.BaseSite = web.TCPSite(
            runner, config.server.host, config.server.port, ssl_context=tls, backlog=BACKLOG
        )
        if listening:
            site = web.SockSite(runner, listening, ssl_context=tls, backlog=BACKLOG)
        await site.start()
        gc.collect()
        gc.freeze()  # objects that live as long as the server are not scanned again: 80,000 objects, 60 ms each time
        host, port = runner.addresses[0][:2]
        scheme = "https" if config.server.tls.certificate else "http"
        started(f"citestream listening on {scheme}://{f'[{host}]' if ':' in host else host}:{port}")
        admitted = app[ADMISSION]
        released = (lambda bodies=admitted.bodies: bodies.released) if admitted.bodies else lambda: 0
        with garbage.collecting_when_idle(lambda: admitted.idle and scheduler().idle, released):
            await _stop_signal()
        await app[ADMISSION].drain(config.server.drain_seconds)


@asynccontextmanager
async def _running(app: web.Application) -> AsyncGenerator[web.ServerRunner, None]:
    """Run an application in a server whose own answers do not name the versions of aiohttp and Python."""
    application = web.AppRunner(app, handler_cancellation=True)  # a client that leaves ends the stream of its provider
    try:
        await application.setup()
        handlers = application.server
        assert handlers is not None  # noqa: S101 # nosec B101 # set by `setup`
        factory = with_body_tracking(handlers.request_factory)
        server = _Server(handlers.request_handler, request_factory=factory, handler_cancellation=True)
        runner = web.ServerRunner(server, shutdown_timeout=CLOSE_SECONDS)
        await runner.setup()
        try:
            yield runner
        finally:
            await runner.cleanup()
    finally:
        await application.cleanup()


class _Server(web.Server):
    """Creates the protocol of each connection."""

    def __call__(self) -> web.RequestHandler:
        return Connection(self, loop=asyncio.get_running_loop())


def stop_signals() -> set[signal.Signals]:
    """Return the signals that stop the server. A process in the background of a shell may have to ignore SIGINT."""
    return {signal.SIGTERM} | ({signal.SIGINT} if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN else set())


async def _stop_signal() -> None:
    stop = asyncio.Event()
    for name in stop_signals():
        asyncio.get_running_loop().add_signal_handler(name, stop.set)
    await stop.wait()


def tls_context(tls: Tls) -> ssl.SSLContext | None:
    """Return the context for HTTPS, None for HTTP. Raise ConfigError if a file cannot be used."""
    if not tls.certificate:
        return None
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    try:
        for file in filter(None, (tls.certificate, tls.private_key)):
            Path(file).read_bytes()  # the errors of OpenSSL do not name the file
        # Without this function, OpenSSL would ask for the password at the terminal
        context.load_cert_chain(tls.certificate, tls.private_key or None, password=_no_password)
    except OSError as error:
        reason = f"{error.filename}: {error.strerror}" if error.filename else str(error)
        raise ConfigError(f"server.tls: {reason}") from None
    return context


def _no_password() -> str:
    raise OSError("the private key must not be encrypted with a password")


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    try:
        import uvloop
    except ImportError:  # no wheel for this platform
        return None
    return uvloop.new_event_loop
