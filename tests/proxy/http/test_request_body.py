"""Large requests are freed in steps after they have ended."""

import asyncio
import sys
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer

from citestream.citation.evidence import EvidenceLimits
from citestream.citation.options import Options
from citestream.providers.scheduler import scheduler
from citestream.providers.wire.json_steps import release_in_steps
from citestream.proxy.apis import cohere, ollama
from citestream.proxy.apis.anthropic.anthropic_request import AnthropicApi
from citestream.proxy.apis.anthropic.document_reader import DocumentReader
from citestream.proxy.apis.gemini.gemini_request import GeminiApi
from citestream.proxy.apis.openai_chat import OpenAIChatApi
from citestream.proxy.apis.responses.responses_request import ResponsesApi
from citestream.proxy.http.client_api import ClientApi
from citestream.proxy.http.document_queue import DocumentQueue
from citestream.proxy.http.middleware.admission import Admission
from citestream.proxy.http.request_body import LARGE_BODY_BYTES, hold, release_held

MESSAGES = 20_000
STEP_BLOCKS = 15_000  # memory blocks that are freed in about 1 ms


class Counted(list[int]):
    """A list that is counted while it exists."""

    existing = 0

    def __init__(self) -> None:
        super().__init__([1])
        Counted.existing += 1

    def __del__(self) -> None:
        Counted.existing -= 1


@pytest.mark.parametrize(("size", "after_answer"), [(LARGE_BODY_BYTES + 1, 10_000), (LARGE_BODY_BYTES, 0)])
async def test_held_values_outlive_a_large_request(size: int, after_answer: int) -> None:
    at_end: list[int] = []

    @web.middleware
    async def observed(request: web.Request, handler: Callable[[web.Request], Any]) -> Any:
        response = await handler(request)
        at_end.append(Counted.existing)
        return response

    async def handle(request: web.Request) -> web.Response:
        await request.read()
        hold(request, [Counted() for _ in range(10_000)])
        return web.Response()

    application = web.Application(client_max_size=2 * LARGE_BODY_BYTES, middlewares=[observed, release_held])
    application.add_routes([web.post("/", handle)])
    async with TestClient(TestServer(application)) as client:
        response = await client.post("/", data=b"a" * size)
        assert response.status == 200
        assert at_end == [after_answer]
        while not scheduler().idle:  # noqa: ASYNC110 # it has no event
            await asyncio.sleep(0)
    assert Counted.existing == 0


def _turns(role: str, content: str, text: Any) -> list[dict[str, Any]]:
    return [{"role": ("user", role)[n % 2], content: text(n)} for n in range(MESSAGES + 1)]


def _parts(n: int) -> list[dict[str, str]]:
    return [{"type": "text", "text": f"It rose in {n}."}]


REQUESTS: dict[str, tuple[Callable[[], ClientApi], Callable[[], dict[str, Any]]]] = {
    "openai": (OpenAIChatApi, lambda: {"model": "m", "messages": _turns("assistant", "content", _parts)}),
    "responses": (ResponsesApi, lambda: {"model": "m", "input": _turns("assistant", "content", str)}),
    "anthropic": (
        lambda: AnthropicApi({}, DocumentReader(DocumentQueue(Admission(1)))),
        lambda: {"model": "m", "max_tokens": 9, "messages": _turns("assistant", "content", _parts)},
    ),
    "gemini": (
        lambda: GeminiApi("m", False, False),
        lambda: {"contents": _turns("model", "parts", lambda n: [{"text": f"It rose in {n}."}])},
    ),
    "cohere": (cohere.CohereApi, lambda: {"model": "m", "messages": _turns("assistant", "content", _parts)}),
    "ollama": (lambda: ollama.CHAT, lambda: {"model": "m", "messages": _turns("assistant", "content", str)}),
}


@pytest.mark.parametrize(("make_api", "make_body"), REQUESTS.values(), ids=REQUESTS)
def test_no_part_of_a_parsed_request_is_freed_at_once(
    make_api: Callable[[], ClientApi], make_body: Callable[[], dict[str, Any]]
) -> None:
    api, body = make_api(), make_body()
    job = api.parse(body, Options(), EvidenceLimits(items=200, characters=10**6))
    steps = release_in_steps([body], body, job)  # as `read_json` and `answer` hold them
    allocated = [sys.getallocatedblocks()]
    del api, body, job
    allocated.append(sys.getallocatedblocks())
    allocated += [sys.getallocatedblocks() for _ in steps]
    del steps
    allocated.append(sys.getallocatedblocks())
    freed = [before - after for before, after in pairwise(allocated)]
    assert max(freed) <= STEP_BLOCKS
    assert sum(one for one in freed if one > 0) > 2 * MESSAGES
