"""Another client of a measured server, which asks `GET /healthz` and notes its slowest answer."""

import http.client
import time
from multiprocessing import get_context
from multiprocessing.sharedctypes import Synchronized
from multiprocessing.synchronize import Event

PROBE_SECONDS = 0.002  # between two probes


class Probe:
    """Another client, in a process of its own, which does not wait for those of the case."""

    def __init__(self, url: str) -> None:
        context = get_context("spawn")
        self._slowest = context.Value("d", 0.0)
        self._stopped = context.Event()
        address = url.removeprefix("http://")
        self._process = context.Process(target=_probe, args=(address, self._slowest, self._stopped))

    def __enter__(self) -> "Probe":
        self._process.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def slowest(self) -> float:
        """Seconds of the slowest answer."""
        return float(self._slowest.value)

    def stop(self) -> None:
        """Ask no more."""
        self._stopped.set()
        self._process.join()


def _probe(address: str, slowest: "Synchronized[float]", stopped: Event) -> None:
    """Ask until `stopped`, and store the seconds of the slowest answer."""
    connection = http.client.HTTPConnection(address, timeout=300)
    _ask(connection)  # the first request also connects
    while not stopped.wait(PROBE_SECONDS):
        slowest.value = max(slowest.value, _ask(connection))
    connection.close()


def _ask(connection: http.client.HTTPConnection) -> float:
    """Return the seconds of an answer."""
    began = time.perf_counter()
    connection.request("GET", "/healthz")
    connection.getresponse().read()
    return time.perf_counter() - began
