"""One client, provider or retriever does not block the others: no callback of the event loop takes long.

The watchdog is `bench.isolation.loop_steps`: it measures each callback of a real server in CPU time of its thread,
which does not depend on other processes. The inputs are those of `python -m bench.isolation`, the longest ones shorter.
On an idle machine the steps take at most 20 ms; if they are not divided, most of these inputs take 0.1 to 20 s.
"""

import asyncio
import json
from io import BytesIO

from aiohttp import ClientSession

from bench.isolation.cases import CASES, Case, flood, retrieved
from bench.isolation.extreme import EXTREME
from bench.isolation.services import Services, send_case, server, stop
from bench.isolation.varied import VARIED

LIMIT_MS = 150  # CPU time; it is two to three times as long if all cores are busy

LIMITS = {"max_bodies_bytes": 2**33}  # the next large request is sent while the memory of the last one is freed

INPUTS: dict[str, Case] = {
    "first marker": CASES["first marker"](),
    "gzip, streamed": flood(0.5, stream=True),
    "gzip, complete": flood(0.5, stream=False),
    "gzip, no evidence": flood(20, stream=True, evidence=False),
    "search results": retrieved(200_000),
    **{
        name: CASES[name]()
        for name in (
            "cite one long sentence",
            "10,000 messages",
            "2 MB of one-letter lines",
            "2 MB of invisible characters",
            "20 Chinese excerpts",
            "dense JSON",
            "one long string",
            "100,000 Gemini contents",
            "200,000 Anthropic blocks",
            "count 200,000 Anthropic blocks",
            "500,000 fields of a tool",
            "event with an image of 15 MB",
            "event with 3,000,000 choices",
            "event with 2,500,000 lines",
            "large event, no evidence",
            "60,000 events with a tool call",
            "1,000 choices",
        )
    },
    **{
        name: EXTREME[name]()
        for name in (
            "accents in question",
            "accents in title",
            "accents in evidence",
            "Tibetan vowels in evidence",
            "question of 200,000 words",
            "arguments of 3 MB of quoted JSON",
            "arguments without an end",
            "fenced JSON of one string",
            "error of hours",
        )
    },
    **{
        name: VARIED[name]()
        for name in (
            "one Thai word of 600,000 letters",
            "question with contexts that do not close",
            "question with 100,000 fences",
            "300,000 messages of contexts",
            "2 MB of CSV",
            "30 kB of gzip",
            "300,000 items and a reference",
            "text of 3,900,000 control characters",
        )
    },
}


async def test_no_step_of_the_event_loop_is_long() -> None:
    statuses = {}
    async with Services(Case({})) as services, ClientSession() as client:
        fake = {"kind": "openai", "base_url": f"{services.url}/v1", "api_key": "none"}
        config = {
            "server": LIMITS,
            "providers": {"extractive": None, "fake": fake},
            "retrievers": {"search": services.retriever},
        }
        with server(config) as (url, process):
            for name, case in INPUTS.items():
                services.case = case
                statuses[name] = await send_case(client, url, case)
            steps = await asyncio.to_thread(stop, process)
    refused = {name for name, case in INPUTS.items() if case.status != 200}
    assert statuses == {name: "400" if name in refused else "200" for name in INPUTS}
    assert [step for step in steps if step["ms"] > LIMIT_MS] == []


async def test_a_small_request_that_refers_to_a_long_conversation_blocks_no_step() -> None:
    items = [{"role": "user", "content": f"{number}"} for number in range(200_000)]  # 8 MB
    stored = BytesIO(json.dumps({"model": "extractive", "input": items}).encode())
    with server({"providers": {"extractive": {"kind": "extractive"}}}) as (url, process):
        async with ClientSession() as client:
            async with client.post(f"{url}/v1/responses", data=stored) as answer:
                response_id = (await answer.json())["id"]
            for _ in range(2):
                async with client.get(f"{url}/v1/references/conversation:{response_id}") as found:
                    assert found.status == 404
                more = {"model": "extractive", "input": "Hi", "previous_response_id": response_id}
                async with client.post(f"{url}/v1/responses", json=more) as answer:
                    assert answer.status == 200
        steps = await asyncio.to_thread(stop, process)
    assert [step for step in steps if step["ms"] > LIMIT_MS] == []
