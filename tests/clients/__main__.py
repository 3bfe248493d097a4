"""`make test-clients`: real, unmodified, pinned clients against a running server, and the matrix of what they saw."""

import argparse
import asyncio
import json
import os
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import yaml

from . import environments, upstreams
from .judging import Row, judged
from .matrix import markdown

AT_ONCE = 2  # scripts; a small machine has two cores
SCRIPT_SECONDS = 60  # the slowest takes 10 here
HERE = Path(__file__).parent


def main() -> int:
    """The exit code: 0 where every client saw everything."""
    arguments = parsed()
    try:
        commands = list(scripts(arguments))
    except environments.InstallError as error:
        print(f"make test-clients: {error}", file=sys.stderr)
        return 2
    rows = asyncio.run(matrix(commands))
    print(markdown(rows))
    for row in rows:
        for fault in row.faults:
            print(f"{row.client}, {row.way}: {fault}", file=sys.stderr)
    failed = sum(bool(row.faults) for row in rows)
    print(f"{len(rows) - failed} passed, {failed} failed")
    return int(bool(failed) or not rows)


def parsed() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="make test-clients ARGS=...", description=__doc__)
    parser.add_argument("names", nargs="*", help="only scripts with such a word in their name")
    parser.add_argument("--python", action="store_true", help="leave Node's clients out")
    return parser.parse_args()


def scripts(arguments: argparse.Namespace) -> list[list[str]]:
    """The command of every script, its environment made."""
    found = []
    for requirements in sorted((HERE / "python").glob("*.txt")):
        listed = requirements.read_text("utf-8").splitlines()[0].removeprefix("# for ").split(", ")
        interpreter = environments.python(requirements)
        found += [[str(interpreter), str(HERE / "python" / name)] for name in listed]
    if not arguments.python:
        folder = environments.node()
        reporting = [path for path in sorted((HERE / "node").glob("*.mjs")) if "\nreport(" in path.read_text("utf-8")]
        found += [["node", str(folder / path.name)] for path in reporting]
    names = arguments.names or [""]
    return [one for one in found if any(name in Path(one[-1]).stem for name in names)]


async def matrix(commands: list[list[str]]) -> list[Row]:
    """Start providers and server, run the scripts, judge what they say."""
    async with AsyncExitStack() as stack:
        providers = await upstreams.started(stack)
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        url = await stack.enter_async_context(citestream(providers, folder))
        silent = providers["silent"]["base_url"].removesuffix("/v1")
        environment = {**os.environ, "CITESTREAM": url, "SILENT": silent, "CASE": str(HERE / "case.json")}
        usage = await asyncio.to_thread(plain_usage, url)
        turns = asyncio.Semaphore(AT_ONCE)
        async with asyncio.TaskGroup() as group:
            runs = [group.create_task(ran(command, environment, turns)) for command in commands]
    return [row for run in runs for row in judged(run.result(), usage)]


@asynccontextmanager
async def citestream(providers: upstreams.Providers, folder: Path) -> AsyncIterator[str]:
    """The address of a real `citestream serve` with these providers."""
    written = folder / "citestream.yaml"
    written.write_text(yaml.safe_dump({"providers": providers, "log": {"access": False}}), "utf-8")
    command = [sys.executable, "-m", "proxy", "serve", "--port", "0", "--config", str(written)]
    server = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    assert server.stdout is not None
    try:
        while line := (await server.stdout.readline()).decode():
            if " listening on " in line:
                yield line.split(" listening on ")[1].strip()
                break
    finally:
        server.terminate()
        await server.wait()


async def ran(command: list[str], environment: Mapping[str, str], turns: asyncio.Semaphore) -> dict[str, Any]:
    """What a script reports; a report of nothing but its failure where it does not."""
    async with turns:
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(*command, stdout=pipe, stderr=pipe, env=environment)
        try:
            async with asyncio.timeout(SCRIPT_SECONDS):
                printed, errors = await process.communicate()
        except TimeoutError:
            process.kill()
            printed, errors = b"", f"took longer than {SCRIPT_SECONDS} s".encode()
    lines = printed.decode().strip().splitlines()
    if process.returncode == 0 and lines:
        return dict(json.loads(lines[-1]))
    reason = (errors.decode().strip().splitlines() or ["says nothing"])[-1]
    nothing = {"way": Path(command[-1]).stem, "via": "", "seen": {"extractive": {"failed": reason}}}
    return {"client": Path(command[-1]).stem, "version": "", "ways": [nothing], "shown": {}}


def plain_usage(url: str) -> dict[str, int]:
    """What the extractive provider counts for the case, asked without any client."""
    case = json.loads((HERE / "case.json").read_text("utf-8"))
    messages = [{"role": "user", "content": case["question"]}]
    body = {"model": "extractive", "messages": messages, "evidence": case["evidence"]}
    asked = Request(f"{url}/v1/chat/completions", json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urlopen(asked) as answer:
        usage = json.load(answer)["usage"]
    return {"input": usage["prompt_tokens"], "output": usage["completion_tokens"]}


if __name__ == "__main__":
    sys.exit(main())
