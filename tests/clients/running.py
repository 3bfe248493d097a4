"""Run the server and the scripts of the clients, each in a process of its own."""

import asyncio
import json
import os
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from secrets import token_urlsafe
from types import MappingProxyType
from typing import Any
from urllib.request import Request, urlopen

import yaml

from tests.clients import environments, upstreams
from tests.clients.litellm_proxy import LiteLLM

HERE = Path(__file__).parent
CASE = HERE / "case.json"
RETRIEVING = HERE / "retrieving.yaml"  # for clients that send no evidence; a search service replaces its folder
CONCURRENT_SCRIPTS = 2  # a small machine has two cores
SCRIPT_SECONDS = 120  # the slowest takes 5 s on an idle machine
SDKS, FRAMEWORKS, ON_DEMAND = HERE / "python", HERE / "frameworks", HERE / "on_demand"
AGENTS = HERE / "agents"
COMMANDS = HERE / "commands"  # programs for the terminal, packages of npm
MASTRA = HERE / "mastra"  # 80 MB, on demand
# Beginning of the name of a script -> the environment in which it runs instead of the common one.
ENVIRONMENTS = {"litellm": "litellm", "langchain_chat_cohere": "langchain_cohere"}
# Environments with older major versions of an SDK, which are tested too -> the script of this SDK.
OLDER_SDKS = {"litellm": "openai_python", "langchain_cohere": "cohere_python"}

PROXY = "litellm_proxy"  # the script that needs a running LiteLLM proxy

Report = dict[str, Any]


def commands(names: Sequence[str], *, node: bool, on_demand: bool) -> list[list[str]]:
    """Create the environments. Return all scripts, or those whose name contains one of `names`. Raises InstallError.

    Scripts in `on_demand` need large packages. They run if `on_demand` is set or if one of `names` is their whole name.
    """
    found = [[str(environments.python(file)), str(path)] for path, file in _python_scripts(names, on_demand=on_demand)]
    if node:
        found += [
            ["node", str(environments.node() / path.name)]
            for path in sorted((HERE / "node").glob("*.mjs"))
            if reports(path, names)
        ]
        scripts = [path for path in sorted(COMMANDS.glob("*.py")) if reports(path, names)]
        if scripts:
            environments.node(COMMANDS)
        found += [[sys.executable, str(path)] for path in scripts]
        script = MASTRA / "mastra.mjs"
        if on_demand or script.stem in names:
            found.append(["node", str(environments.node(MASTRA) / script.name)])
    return found


def _python_scripts(names: Sequence[str], *, on_demand: bool) -> list[tuple[Path, Path]]:
    """Return the scripts, each with the file that lists its packages."""
    found = []
    for path in sorted(SDKS.glob("*.py")):
        environment = next((own for start, own in ENVIRONMENTS.items() if path.stem.startswith(start)), "requirements")
        found.append((path, SDKS / f"{environment}.txt"))
    found += [(SDKS / f"{script}.py", SDKS / f"{environment}.txt") for environment, script in OLDER_SDKS.items()]
    for folder in (FRAMEWORKS, AGENTS):
        found += [(path, folder / f"{folder.name}.txt") for path in sorted(folder.glob("*.py"))]
    found = [(path, file) for path, file in found if reports(path, names)]
    for path in sorted(ON_DEMAND.glob("*.py")):
        if path.stem in names or (on_demand and reports(path, names)):
            found.append((path, path.with_suffix(".txt")))
    return found


def reports(path: Path, names: Sequence[str]) -> bool:
    """Return whether a file is a selected script, and not a module that scripts import."""
    wanted = not names or any(name in path.stem for name in names)
    return wanted and any(line.startswith("report(") for line in path.read_text("utf-8").splitlines())


def is_on_demand(script: str) -> bool:
    """Return whether a script, by its file name, runs only on demand."""
    return (ON_DEMAND / script).exists() or (MASTRA / script).exists()


async def reported(commands: Sequence[Sequence[str]]) -> tuple[list[Report], dict[str, int]]:
    """Run the scripts. Return their reports and the usage of a request without a client."""
    async with AsyncExitStack() as stack:
        providers = await upstreams.started(stack)
        litellm = LiteLLM()
        providers["litellm"] = litellm.provider()
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        key = token_urlsafe()  # so that every client must send it
        url = await stack.enter_async_context(citestream(providers, key, folder))
        search = await upstreams.search(stack, json.loads(CASE.read_text("utf-8"))["evidence"])
        retrieving = {**yaml.safe_load(RETRIEVING.read_text("utf-8")), **search}
        retriever = await stack.enter_async_context(citestream(providers, key, folder, retrieving))
        silent = providers["silent"]["base_url"].removesuffix("/v1")
        environment = {
            **os.environ,
            "CITESTREAM": url,
            "CITESTREAM_KEY": key,
            "CITESTREAM_RETRIEVING": retriever,
            "SILENT": silent,
            "CASE": str(CASE),
            "COMMANDS": str(environments.CACHE / COMMANDS.name),
            "PYTHONPATH": str(SDKS),  # for report.py and reference_list.py
        }
        if any(PROXY in command[-1] for command in commands):
            await stack.enter_async_context(litellm.running(url, key, providers["openai"], folder))
            environment |= {"LITELLM": litellm.url, "LITELLM_MASTER_KEY": litellm.key}
        usage = await asyncio.to_thread(plain_usage, url, key)
        slots = asyncio.Semaphore(CONCURRENT_SCRIPTS)
        async with asyncio.TaskGroup() as group:
            runs = [group.create_task(run_script(command, environment, slots)) for command in commands]
    return [run.result() for run in runs], usage


@asynccontextmanager
async def citestream(
    providers: upstreams.Providers, key: str | None, folder: Path, options: Mapping[str, Any] = MappingProxyType({})
) -> AsyncIterator[str]:
    """Run `citestream serve` with these providers, for this client key or for every client. Yield its address."""
    config_file = folder / f"{token_urlsafe(4)}.yaml"
    server = {"keys": [{"name": "clients", "key": key}]} if key else {}
    config = {"server": server, "providers": providers, "evidence": {"from_tools": True}, "log": {"access": False}}
    config |= options
    config_file.write_text(yaml.safe_dump(config), "utf-8")
    command = [sys.executable, "-m", "citestream", "serve", "--port", "0", "--config", str(config_file)]
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    assert process.stdout is not None
    while " listening on " not in (line := (await process.stdout.readline()).decode()):
        if not line:
            raise RuntimeError(f"citestream serve ended with {await process.wait()}: its error is printed above")
    try:
        yield line.split(" listening on ")[1].strip()
    finally:
        process.terminate()
        await process.wait()


async def run_script(command: Sequence[str], environment: Mapping[str, str], slots: asyncio.Semaphore) -> Report:
    """Return the report of a script, or a report of its failure."""
    script = Path(command[-1]).name
    async with slots:
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(*command, stdout=pipe, stderr=pipe, env=environment)
        try:
            async with asyncio.timeout(SCRIPT_SECONDS):
                printed, errors = await process.communicate()
        except TimeoutError:
            process.kill()
            printed, errors = b"", f"took longer than {SCRIPT_SECONDS} s".encode()
    lines = [
        line for line in printed.decode().splitlines() if line.startswith('{"client"')
    ]  # some libraries print more
    if process.returncode == 0 and lines:
        return {"script": script, **json.loads(lines[-1])}
    reason = (errors.decode().strip().splitlines() or ["no output"])[-1]
    nothing = {"way": script, "via": "", "seen": {"extractive": {"failed": reason}}}
    return {"script": script, "client": script, "version": "", "ways": [nothing], "shown": {}}


def plain_usage(url: str, key: str) -> dict[str, int]:
    """Return the usage that the extractive provider reports for the case without any client."""
    case = json.loads(CASE.read_text("utf-8"))
    messages = [{"role": "user", "content": case["question"]}]
    body = {"model": "extractive", "messages": messages, "evidence": case["evidence"]}
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    request = Request(f"{url}/v1/chat/completions", json.dumps(body).encode(), headers)
    with urlopen(request) as answer:
        usage = json.load(answer)["usage"]
    return {"input": usage["prompt_tokens"], "output": usage["completion_tokens"]}
