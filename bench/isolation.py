"""Measure how long one hostile client, provider or retriever delays the other clients of a server.

python -m bench.isolation [--python PYTHON --folder CHECKOUT] [CASE ...]

Each case starts a server process, sends its request, and meanwhile asks `GET /healthz` every 2 ms on one connection.
The slowest of these answers is the delay that other clients see, on this machine and with its other processes. The
longest step of the event loop is measured in CPU time; see `bench.loop_steps`. `--python` and `--folder` measure
another checkout.
"""

import argparse
import asyncio
import gzip
import http.client
import json
import os
import subprocess  # nosec B404 # runs the measured server
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from io import BytesIO
from pathlib import Path
from typing import Any

import yaml
from aiohttp import ClientSession, ClientTimeout, web

from bench.proxy.sample_text import excerpts

ROOT = Path(__file__).parent.parent
PROBE_SECONDS = 0.002  # between two probes
STARTED_SECONDS = 0.3  # probes before the request, while the server is idle
SENTENCE = "The harbour was not opened in March 1932 because the pumps of the town failed. "
CHINESE = "solar-terms.md"

Fields = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Case:
    """A request, and what the provider and the retriever answer."""

    body: Fields
    path: str = "/v1/chat/completions"
    answer: bytes = b""  # body of the provider before compression
    compressed: bool = False
    results: bytes = b"[]"  # body of the retriever
    config: Fields = field(default_factory=dict)
    times: int = 1


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
    runner, port = await services(case)
    try:
        config = {
            "providers": {"fake": {"kind": "openai", "base_url": f"http://127.0.0.1:{port}/v1", "api_key": "none"}},
            "retrievers": {
                "search": {"kind": "http", "url": f"http://127.0.0.1:{port}/search", "body": {"q": "{query}"}}
            },
            **case.config,
        }
        with server(config, python, folder) as (url, process), _Probe(url) as probe:
            await asyncio.sleep(STARTED_SECONDS)
            body = json.dumps(case.body).encode()
            began = time.perf_counter()
            async with ClientSession(timeout=ClientTimeout(total=300)) as session:
                statuses = await asyncio.gather(*[send(session, url + case.path, body) for _ in range(case.times)])
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
    finally:
        await runner.cleanup()


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
    """Stop a server and return its longest steps; see `bench.loop_steps.Step.report`."""
    process.terminate()
    assert process.stdout
    steps: list[dict[str, Any]] = json.loads(process.stdout.read())
    return steps


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


def _chat(evidence: list[str], *, stream: bool = True, **fields: Any) -> Fields:
    body: Fields = {"model": "fake/m", "messages": [{"role": "user", "content": "What happened?"}], "stream": stream}
    return body | {"evidence": [{"text": text} for text in evidence]} | fields


def _events(text: str, count: int) -> bytes:
    """Return the events of an answer that repeats a text."""
    one = {"choices": [{"index": 0, "delta": {"content": text}}]}
    end = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    return (f"data: {json.dumps(one)}\n\n" * count + f"data: {json.dumps(end)}\n\ndata: [DONE]\n\n").encode()


def flood(megabytes: float, *, stream: bool, evidence: bool = True, text: str = SENTENCE) -> Case:
    """Return the case of a provider that sends many events at once, compressed."""
    count = int(megabytes * 2**20) // len(_events(text, 1))
    body = _chat([SENTENCE] if evidence else [], stream=stream)
    return Case(body, answer=_events(text, count), compressed=True)


def _event(count: int, *, evidence: bool = True, **delta: Any) -> Case:
    """Return the case of a provider that sends one large event. `delta`: a field whose value is repeated."""
    repeated = {name: value * count for name, value in delta.items()}
    one = {"choices": [{"index": 0, "delta": repeated, "finish_reason": None if evidence else "stop"}]}
    return _payload(json.dumps(one).encode(), evidence=evidence)


def _payload(data: bytes, *, evidence: bool = True) -> Case:
    """Return the case of a provider that sends an event with this data before its answer."""
    answer = b"data: %b\n\n%b" % (data, _events("It rose. ", 1))
    return Case(_chat([SENTENCE] if evidence else []), answer=answer, compressed=True)


def _cite(sentences: list[str], evidence: list[str]) -> Case:
    return Case({"sentences": sentences, "evidence": [{"text": text} for text in evidence]}, "/v1/cite")


def _numbers(count: int, before: str = "") -> Case:
    """Return sentences of `count` numbers, each with a word `before` it, which are compared with 500 other numbers."""
    lists = [", ".join(f"{before}{n + at}" for n in range(1000, 1000 + count)) for at in range(3)]
    return _cite([f"It was {one}." for one in lists], [f"It was {', '.join(map(str, range(100, 600)))}."])


def _answered(**fields: Any) -> Case:
    return Case(_chat([], **fields), answer=_events("It rose. ", 1))


def _repeated_sentences() -> Case:
    """Return 200 excerpts of one sentence repeated 430 times, and 40 claims: 1.9 MB, just below the limit."""
    claims = [f"It closed in {1900 + n} because the pump failed." for n in range(40)]
    return _cite(claims, [f"Pump {n} not shut. " * 430 for n in range(200)])


def _table(size: int) -> Case:
    """Return a table of `size` rows and columns, which is cited to itself."""
    rows = [" | ".join(str(7 * column + row) for column in range(size)) for row in range(size)]
    text = "\n".join([rows[0], "|".join(["---"] * size), *rows])
    return Case({"text": text, "evidence": [{"text": text}]}, "/v1/cite")


def _nested_list(depth: int) -> Case:
    text = "".join(f"{'  ' * level}- It rose.\n" for level in range(depth))
    return Case({"text": text, "evidence": [{"text": SENTENCE}]}, "/v1/cite")


def _chinese() -> Case:
    text = (ROOT / "examples" / "documents" / CHINESE).read_text("utf-8") * 20
    return Case(_chat([text[at * 800 : (at + 1) * 800] for at in range(20)]), answer=_events("冬至。", 1))


def retrieved(count: int) -> Case:
    """Return the case of a retriever that returns `count` results."""
    results = json.dumps([{"text": f"The harbour opened in {n}.", "id": str(n)} for n in range(count)]).encode()
    return Case(_chat([], retrieval={"source": "search"}), answer=_events("It rose. ", 1), results=results)


def _long_history() -> Case:
    turns = [{"role": ("user", "assistant")[n % 2], "content": f"{n} {'word ' * 200} [1]"} for n in range(10_000)]
    return _answered(messages=[*turns, {"role": "user", "content": "What happened?"}])


def _anthropic_blocks() -> Case:
    blocks = [{"type": "text", "text": "What happened?"}] * 200_000
    body = {"model": "fake/m", "max_tokens": 9, "messages": [{"role": "user", "content": blocks}]}
    return Case(body, "/v1/messages", _events("It rose. ", 1))


def _counted_blocks() -> Case:
    return replace(_anthropic_blocks(), path="/v1/messages/count_tokens")


def _wrong_parts() -> Case:
    """Return the case of a request in which a million parts have the wrong type."""
    return _answered(messages=[{"role": "user", "content": [0] * 1_000} for _ in range(1_000)])


def _tool_fields() -> Case:
    return _answered(tools=[{"type": "function", **{str(n): n for n in range(500_000)}}])


def _batch_of_texts() -> Case:
    requests = [{"content": {"parts": [{"text": "a"}]}} for n in range(100_000)]
    return Case({"requests": requests}, "/v1beta/models/fake/m:batchEmbedContents")


def _gemini_contents() -> Case:
    contents = [{"role": ("user", "model")[n % 2], "parts": [{"text": "a"}]} for n in range(100_001)]
    return Case({"contents": contents}, "/v1beta/models/fake/m:generateContent", _events("It rose. ", 1))


def _earlier_markers() -> Case:
    answer = {"role": "assistant", "content": "It rose in 1932 [1]. " * 100_000}
    user = {"role": "user", "content": "What happened?"}
    return Case(_chat([SENTENCE], messages=[user, answer, user]), answer=_events("It rose. ", 1))


def _tools() -> Case:
    tools = [{"type": "function", "function": {"name": f"f{n}", "parameters": {}}} for n in range(100_000)]
    return Case(_chat([SENTENCE], tools=tools), answer=_events("It rose. ", 1))


def _tool_results() -> Case:
    results = json.dumps([{"text": f"{SENTENCE} {n}"} for n in range(10_000)])
    call = {"id": "c", "type": "function", "function": {"name": "search", "arguments": "{}"}}
    messages = [
        {"role": "user", "content": "What happened?"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": results},
    ]
    case = _answered(messages=messages)
    return Case(case.body, answer=case.answer, config={"evidence": {"from_tools": True}})


CASES: dict[str, Callable[[], Case]] = {
    "gzip 5 MB, streamed": lambda: flood(5, stream=True),
    "gzip 5 MB, complete": lambda: flood(5, stream=False),
    "gzip 20 MB, streamed": lambda: flood(20, stream=True),
    "gzip 20 MB, complete": lambda: flood(20, stream=False),
    "gzip 20 MB, no evidence": lambda: flood(20, stream=True, evidence=False),
    "gzip 20 MB of letters": lambda: flood(20, stream=True, text="a"),
    "event with an image of 15 MB": lambda: _event(15 * 2**20, images="a"),
    "event with 5,000,000 numbers": lambda: _event(5_000_000, numbers=[0]),
    "event with 3,000,000 objects": lambda: _event(3_000_000, objects=[{}]),
    "event with 700,000 tool calls": lambda: _event(700_000, tool_calls=[{"index": 0}]),
    "event with 3,000,000 choices": lambda: _payload(json.dumps({"choices": [{}] * 3_000_000}).encode()),
    "event with 2,500,000 lines": lambda: _payload(b"data:\n" * 2_500_000),
    "large event, no evidence": lambda: _event(5_000_000, evidence=False, numbers=[0]),
    "cite one long sentence": lambda: _cite(["The pumps not " + "pumps " * 73_000], [SENTENCE]),
    "cite 200 repeated sentences": _repeated_sentences,
    "cite 40 numbers to 500": lambda: _numbers(40, "more than "),
    "cite 250 numbers to 500": lambda: _numbers(250),
    "cite 100,000 sentences": lambda: _cite([f"It rose in {1900 + n}." for n in range(100_000)], [SENTENCE]),
    "cite to 100,000 texts": lambda: _cite([SENTENCE], ["It rose."] * 100_000),
    "cite a table of 40,000 cells": lambda: _table(200),
    "cite a list of 1,000 levels": lambda: _nested_list(1_000),
    "200,000 search results": lambda: retrieved(200_000),
    "10,000 messages": _long_history,
    "2 MB of one-letter lines": lambda: Case(_chat(["a\nb\n" * 500_000]), answer=_events("It rose. ", 1)),
    "2 MB of invisible characters": lambda: Case(_chat(["\u202eabc " * 380_000]), answer=_events("It rose. ", 1)),
    "first marker": lambda: Case(_chat([SENTENCE]), answer=_events("It rose [1], or 【1】, or (see [1]).", 1)),
    "20 English excerpts": lambda: Case(_chat(list(excerpts(20))), answer=_events("It rose. ", 1)),
    "20 Chinese excerpts": _chinese,
    "tool results": _tool_results,
    "100,000 tools": _tools,
    "100,000 Gemini contents": _gemini_contents,
    "200,000 Anthropic blocks": _anthropic_blocks,
    "count 200,000 Anthropic blocks": _counted_blocks,
    "batch of 100,000 Gemini texts": _batch_of_texts,
    "1,000,000 wrong parts": _wrong_parts,
    "500,000 fields of a tool": _tool_fields,
    "earlier answer of 2 MB": _earlier_markers,
    "200,000 Cohere documents": lambda: Case(_chat([], documents=["a"] * 200_000), "/v2/chat"),
    "dense JSON": lambda: _answered(metadata=[0] * 5_000_000),
    "one long string": lambda: _answered(metadata="a\n" * 10_000_000),
    "dense JSON objects": lambda: _answered(metadata=[{}] * 1_000_000),
}

if __name__ == "__main__":
    main()
