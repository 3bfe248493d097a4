"""Search hostile requests and answers for long steps of the event loop, and for costs that grow faster than their size.

python -m bench.isolation.matrix [NAME ...] [--sizes 1 4] [--all]

Every answer of each kind of provider is sent to each client API, streamed and complete, and then every hostile request.
All are sent to one server at increasing sizes. The command prints steps of more than 20 ms of CPU time, costs that grow
much faster than the size, server errors, and answers that end with an error. The exit status says whether there is any.
NAME: a part of the name of a case. `--all` prints every measurement. The baseline of a case is the same case at the
size before. Takes hours; with `--sizes 0.1` some minutes.
"""

import argparse
import asyncio
import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from aiohttp import ClientSession, ClientTimeout

from bench.isolation.answers import PROVIDERS, TYPES, Answer
from bench.isolation.cases import Case, Fields
from bench.isolation.requests import APIS, EVIDENCE, HOSTILE
from bench.isolation.services import Services, report, send, server

MAX_STEP_MS = 20
MAX_GROWTH = 1.6  # CPU time may grow by this factor more than the size
NEGLIGIBLE_SECONDS = 0.3  # CPU time whose growth does not matter
SETTLED_SECONDS = 0.2  # after an answer, for the work that follows it
MAX_SECONDS = 300  # for an answer
TIMED_OUT = "504"  # a retriever has five seconds, whatever the load is


@dataclass(frozen=True, slots=True)
class Measurement:
    """One case at one size."""

    name: str
    size: float
    status: str
    cpu: float  # seconds
    step: Fields  # the longest

    def faults(self, before: "Measurement | None") -> Iterator[str]:
        """Yield the faults. `before`: the same case at a smaller size."""
        if (self.status.startswith("5") and self.status != TIMED_OUT) or "," in self.status:
            yield "the answer failed"
        if self.step["ms"] > MAX_STEP_MS:
            yield f"a long step: {json.dumps(self.step)}"
        if before and self.cpu > max(NEGLIGIBLE_SECONDS, MAX_GROWTH * self.size / before.size * before.cpu):
            yield f"the cost grew from {before.cpu:.2f} s"

    def __str__(self) -> str:
        """Return a line for people."""
        return f"{self.name:64} ×{self.size:<5g}{self.cpu:8.2f} s{self.step['ms']:8.1f} ms  {self.status}"


def main() -> None:
    """Print the faults of the chosen cases."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--sizes", nargs="+", type=float, default=[1, 4])
    parser.add_argument("--all", action="store_true")
    arguments = parser.parse_args()
    chosen = {
        name: case for name, case in CASES.items() if not arguments.names or any(one in name for one in arguments.names)
    }
    sys.exit(asyncio.run(_search(chosen, arguments.sizes, every=arguments.all)))


async def _search(cases: dict[str, Callable[[float], Case]], sizes: list[float], *, every: bool) -> bool:
    found = False
    async with Services(Case({})) as services, ClientSession(timeout=ClientTimeout(total=MAX_SECONDS)) as session:
        config = {
            "providers": {kind: _provider(kind, services.url) for kind in PROVIDERS},
            "retrievers": {"search": services.retriever},
            "evidence": {"from_tools": True},
        }
        with server(config) as (url, process):
            cpu = 0.0
            for name, make in cases.items():
                before: Measurement | None = None
                for size in sizes:
                    case = services.case = replace(make(size), compressed=True)
                    status = await send(session, url + case.path, json.dumps(case.body).encode())
                    await asyncio.sleep(SETTLED_SECONDS)
                    reported = await asyncio.to_thread(report, process)
                    now = Measurement(name, size, status, reported["cpu"] - cpu, reported["steps"][0])
                    faults = [*now.faults(before)]
                    found = found or bool(faults)
                    if faults or every:
                        print("\n    ".join([str(now), *faults]), flush=True)
                    cpu, before = reported["cpu"], now
    print(f"{len(cases)} cases")
    return found


def _provider(kind: str, url: str) -> Fields:
    if kind == "openai":
        return {"kind": kind, "base_url": f"{url}/v1", "api_key": "none", "responses": False}
    return {"kind": kind, "base_url": url} | ({} if kind == "ollama" else {"api_key": "none"})


def _answered(api: str, kind: str, stream: bool, answer: Answer, content_type: str, size: float) -> Case:
    path, body = APIS[api](f"{kind}/m", stream=stream)
    return Case(body | {"evidence": EVIDENCE}, path, answer(size), content_type)


CASES: dict[str, Callable[[float], Case]] = {
    **{
        f"{kind} to {api}, {'streamed' if stream else 'complete'}: {name}": partial(
            _answered,
            api,
            kind,
            stream,
            answer,
            "application/json" if name == "whole" else TYPES.get(kind, "text/event-stream"),
        )
        for kind, answers in PROVIDERS.items()
        for api in APIS
        for stream in (True, False)
        for name, answer in answers.items()
    },
    **{f"request: {name}": make for name, make in HOSTILE.items()},
}


if __name__ == "__main__":
    main()
