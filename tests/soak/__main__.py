"""`python -m tests.soak`: send mixed requests for a given time, and check that memory and open files do not grow.

Every client API and provider, with sent, retrieved and no evidence. Answers are complete, cut, reset, silent, slow,
huge or refused, and some clients disconnect. Only the loopback interface is used. Exits with status 1 if an answer is
wrong or something grows.
"""

import argparse
import asyncio
import signal
import sys
import time
from collections import Counter
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import aiohttp

from tests.soak.client import KEY, ask, random_case
from tests.soak.measuring import Sample, faults, plot, row, sample, table
from tests.soak.serving import PROVIDER_SECONDS, config, indexed, process, served

SAMPLE_SECONDS = 2.0  # between two samples
PRINT_EVERY = 30  # samples
FAULTS_SHOWN = 10
SETTLE_SECONDS = 6.0  # the server closes idle connections to providers after 4 s


async def load(url: str, pid: int, arguments: argparse.Namespace) -> tuple[list[Sample], Counter[str], list[str]]:
    """Send requests until the time or number is reached. Return samples, the number of answers by end, and faults."""
    began = time.monotonic()
    rng = Random(arguments.seed)
    counted: Counter[str] = Counter()
    wrong: list[str] = []
    samples = [sample(pid, 0.0, 0)]
    most = arguments.most or sys.maxsize

    def over() -> bool:
        return time.monotonic() - began > arguments.minutes * 60 or counted.total() >= most

    async def client() -> None:
        async with aiohttp.ClientSession() as session:
            while not over():
                case = random_case(rng)
                counted[case.end()] += 1
                fault, _ = await ask(session, url, case)
                if fault:
                    wrong.append(f"{time.monotonic() - began:.0f} s, {case}: {fault}")
                    print(wrong[-1], file=sys.stderr, flush=True)

    async def watch() -> None:
        while not over():
            await asyncio.sleep(SAMPLE_SECONDS)
            samples.append(sample(pid, time.monotonic() - began, counted.total()))
            if len(samples) % PRINT_EVERY == 0:
                print(row(samples[-1]), file=sys.stderr, flush=True)

    async with asyncio.TaskGroup() as tasks:
        for _ in range(arguments.clients):
            tasks.create_task(client())
        tasks.create_task(watch())
    return samples, counted, wrong


async def in_flight(url: str) -> str:
    """Return the number of running requests that the server reports, except this one."""
    headers = {"Authorization": f"Bearer {KEY}"}
    async with aiohttp.ClientSession() as session, session.get(f"{url}/metrics", headers=headers) as answer:
        lines = (await answer.text()).splitlines()
    running = next(line for line in lines if line.startswith("citestream_requests_in_flight "))
    left = float(running.rpartition(" ")[2]) - 1
    return f"{left:.0f} requests are still in flight" if left else ""


def main() -> int:
    """Run the test and print the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--most", type=int, default=0, help="maximum number of answers; 0: no maximum")
    parser.add_argument("--clients", type=int, default=24, help="number of simultaneous clients")
    parser.add_argument(
        "--provider-seconds",
        type=float,
        default=PROVIDER_SECONDS,
        help="seconds that the server waits for a silent provider; more on a machine with other load",
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--plot", type=Path, help="a PNG or SVG to write")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the child processes are stopped
    with TemporaryDirectory() as name:
        folder = Path(name)
        indexed(folder)
        with (
            process(["-m", "tests.soak.upstream"], folder / "upstream.log") as (_, upstream),
            served(folder, config(upstream, folder, seconds=arguments.provider_seconds)) as (server, url),
        ):
            before = sample(server.pid, 0.0, 0)
            samples, counted, wrong = asyncio.run(load(url, server.pid, arguments))
            time.sleep(SETTLE_SECONDS)
            after = sample(server.pid, samples[-1].seconds, samples[-1].answers)
            running = asyncio.run(in_flight(url))
    print(table(samples))
    print(f"at rest: {before.memory:.0f} MB, {before.files} files before; {after.memory:.0f} MB, {after.files} after")
    print(", ".join(f"{number} {end}" for end, number in counted.most_common()))
    if arguments.plot:
        plot(samples, arguments.plot)
    found = faults(samples) + wrong[:FAULTS_SHOWN] + ([running] if running else [])
    print("\n".join(found) if found else "nothing grew, no answer was wrong")
    return 1 if found or wrong else 0


if __name__ == "__main__":
    sys.exit(main())
