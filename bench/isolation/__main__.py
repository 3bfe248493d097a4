"""Measure how long one hostile client, provider or retriever delays the other clients of a server.

python -m bench.isolation [--python PYTHON --folder CHECKOUT] [CASE ...]

Each case starts a server process, sends its request, and meanwhile asks `GET /healthz` every 2 ms on one connection.
The slowest of these answers is the delay that other clients see, on this machine and with its other processes. The
longest step of the event loop is measured in CPU time; see `bench.isolation.loop_steps`. `--python` and `--folder`
measure another checkout, the baseline of a change. Takes a few seconds for each of the cases, several minutes in all.
"""

import argparse
import asyncio
import http.client
import json
import sys
import threading
import time
from pathlib import Path

from aiohttp import ClientSession, ClientTimeout

from bench.isolation.cases import CASES as DIVIDED
from bench.isolation.cases import Case
from bench.isolation.extreme import EXTREME
from bench.isolation.services import ROOT, Services, send_case, server, stop
from bench.isolation.tools import TOOLS
from bench.isolation.varied import VARIED

CASES = DIVIDED | EXTREME | VARIED | TOOLS
PROBE_SECONDS = 0.002  # between two probes
STARTED_SECONDS = 0.3  # probes before the request, while the server is idle


def main() -> None:
    """Print the delay and the duration of each case."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="*", choices=[[], *CASES], metavar="CASE")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--folder", type=Path, default=ROOT)
    parser.add_argument("--lines", action="store_true", help="print what the longest steps execute")
    arguments = parser.parse_args()
    print(f"{'case':32}{'request':>10}{'others wait':>14}{'longest step':>16}  status")
    for name in arguments.cases or CASES:
        asyncio.run(_measure(name, CASES[name](), arguments.python, arguments.folder, lines=arguments.lines))


async def _measure(name: str, case: Case, python: str, folder: Path, *, lines: bool) -> None:
    async with Services(case) as services:
        config = {
            "providers": {
                "fake": {"kind": "openai", "base_url": f"{services.url}/v1", "api_key": "none"},
                "extractive": None,
            },
            "retrievers": {"search": services.retriever},
            **case.config,
        }
        with server(config, python, folder) as (url, process), _Probe(url) as probe:
            await asyncio.sleep(STARTED_SECONDS)
            began = time.perf_counter()
            async with ClientSession(timeout=ClientTimeout(total=300)) as session:
                statuses = await asyncio.gather(*[send_case(session, url, case) for _ in range(case.times)])
            taken = time.perf_counter() - began
            await asyncio.sleep(STARTED_SECONDS)
            probe.stop()
            steps = await asyncio.to_thread(stop, process)
        longest = f"{steps[0]['ms']:.1f} ms"
        print(
            f"{name:32}{taken:8.2f} s{1000 * probe.slowest:11.0f} ms{longest:>16}  {sorted(set(statuses))}", flush=True
        )
        for step in steps if lines else ():
            print(f"    {json.dumps(step)}", flush=True)


class _Probe:
    """Another client, in a thread of its own."""

    def __init__(self, url: str) -> None:
        self.slowest = 0.0
        self._address = url.removeprefix("http://")
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> "_Probe":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Ask no more."""
        self._stopped.set()
        self._thread.join()

    def _run(self) -> None:
        connection = http.client.HTTPConnection(self._address, timeout=300)
        self._ask(connection)  # the first request also connects
        self.slowest = 0.0
        while not self._stopped.wait(PROBE_SECONDS):
            self._ask(connection)
        connection.close()

    def _ask(self, connection: http.client.HTTPConnection) -> None:
        began = time.perf_counter()
        connection.request("GET", "/healthz")
        connection.getresponse().read()
        self.slowest = max(self.slowest, time.perf_counter() - began)


if __name__ == "__main__":
    main()
