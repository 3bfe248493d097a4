"""Measure how long one hostile client, provider or retriever delays the other clients of a server.

python -m bench.isolation [--python PYTHON --folder CHECKOUT] [CASE ...]

Each case starts a server process, sends its request, and meanwhile asks `GET /healthz` every 2 ms on one connection.
The slowest of these answers is the delay that other clients see, on this machine and with its other processes. The
longest step of the event loop is measured in CPU time; see `bench.isolation.loop_steps`. `--python` and `--folder`
measure another checkout, the baseline of a change. Takes a few seconds for each of the cases, several minutes in all.
"""

import argparse
import asyncio
import json
import sys
import time
from pathlib import Path

from aiohttp import ClientSession, ClientTimeout, TCPConnector

from bench.isolation.cases import CASES as DIVIDED
from bench.isolation.cases import Case
from bench.isolation.extreme import EXTREME
from bench.isolation.probe import Probe
from bench.isolation.services import ROOT, Services, send_case, server, stop
from bench.isolation.tools import TOOLS
from bench.isolation.varied import VARIED
from citestream.proxy.http.serving.workers import allow_open_files

CASES = DIVIDED | EXTREME | VARIED | TOOLS
STARTED_SECONDS = 2.0  # until the probe has started, and for its answers before the request and after it


def main() -> None:
    """Print the delay and the duration of each case."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="*", choices=[[], *CASES], metavar="CASE")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--folder", type=Path, default=ROOT)
    parser.add_argument("--lines", action="store_true", help="print what the longest steps execute")
    arguments = parser.parse_args()
    allow_open_files()
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
        with server(config, python, folder) as (url, process), Probe(url) as probe:
            await asyncio.sleep(STARTED_SECONDS)
            began = time.perf_counter()
            statuses = await _statuses(services, url, case)
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


async def _statuses(services: Services, url: str, case: Case) -> list[str]:
    """Send the requests of a case and return their statuses. The clients of a silent provider leave together."""
    connector = TCPConnector(limit=0)
    async with ClientSession(timeout=ClientTimeout(total=300), connector=connector) as session:
        if not case.silent_seconds:
            return await asyncio.gather(*[send_case(session, url, case) for _ in range(case.times)])
        async with asyncio.TaskGroup() as tasks:
            streams = [tasks.create_task(send_case(session, url, case)) for _ in range(case.times)]
            await services.all_open.wait()
            await asyncio.sleep(case.silent_seconds)
            for stream in streams:
                stream.cancel()
    return ["left"]


if __name__ == "__main__":
    main()
