"""relay: bytes pass unchanged, and a cut stream is told."""

from contextlib import aclosing
from typing import Any, cast

import pytest

from providers.errors import IncompleteAnswer, ProviderError, Rejected
from providers.events import Relays
from providers.relaying import ENDS, Ending
from tests.providers.asking import MODELS, made
from tests.upstreams.gemini import Gemini, spaced
from tests.upstreams.ollama import Ollama, line
from tests.upstreams.openai import OpenAI, error
from tests.upstreams.wire import Break, Server, Step, script, sse, whole

PATHS = {"openai": "/chat/completions", "ollama": "/api/chat", "gemini": ":streamGenerateContent?alt=sse"}
UPSTREAMS: dict[str, tuple[Any, bytes, bytes]] = {
    "openai": (OpenAI(), b'{"stream":true}', b"".join(b"data: %s\n\n" % data for data in OpenAI().events({}))),
    "ollama": (Ollama(), b'{"model": "llama3.2"}', b"".join(map(line, Ollama().lines()))),
    "gemini": (Gemini(), b'{"contents": []}', b"".join(b"data: %s\r\n\r\n" % spaced(one) for one in Gemini().events())),
}


async def relayed(kind: str, url: str, sent: bytes = b"{}") -> tuple[bytes, ProviderError | None]:
    asked = made(kind, url)
    received = b""
    try:
        answer = await cast("Relays", asked).relay(sent, PATHS[kind], model=MODELS[kind], key=None)
        async with aclosing(answer.body) as body:
            async for data in body:
                received += data
    except ProviderError as failure:
        return received, failure
    finally:
        await asked.aclose()
    return received, None


@pytest.mark.parametrize("kind", UPSTREAMS)
async def test_no_byte_changes_on_either_way(kind: str) -> None:
    upstream, sent, expected = UPSTREAMS[kind]
    async with Server(upstream) as server:
        assert await relayed(kind, server.url, sent) == (expected, None)
    assert server.requests[0].body == sent


CUTS: dict[str, list[Step]] = {
    "the end of the body": [],
    "a close": [Break.CLOSE],
    "a reset": [Break.RESET],
}


@pytest.mark.parametrize("how", CUTS)
@pytest.mark.parametrize("kind", UPSTREAMS)
async def test_a_stream_without_its_end_is_told(kind: str, how: str) -> None:
    _, _, body = UPSTREAMS[kind]
    lines = ("Content-Type: application/x-ndjson" if kind == "ollama" else "Content-Type: text/event-stream",)
    first = body[: len(body) // 3]
    async with Server(sse(first, *CUTS[how], lines=lines)) as server:
        received, failure = await relayed(kind, server.url)
    assert received == first or how == "a reset"
    assert isinstance(failure, IncompleteAnswer) or how == "a reset"


@pytest.mark.parametrize("kind", UPSTREAMS)
async def test_an_answer_in_one_piece_needs_no_sign_of_an_end(kind: str) -> None:
    async with Server(script(whole("200 OK", b'{"a": 1}', "Content-Type: application/json"))) as server:
        assert await relayed(kind, server.url) == (b'{"a": 1}', None)


@pytest.mark.parametrize("kind", UPSTREAMS)
async def test_an_error_status_is_told_before_anything_is_sent(kind: str) -> None:
    async with Server(script(error(429, "Slow down", "requests", None, "Retry-After: 7"))) as server:
        received, failure = await relayed(kind, server.url)
    assert received == b""
    assert isinstance(failure, Rejected)
    assert (failure.status, failure.retry_after) == (429, "7")


@pytest.mark.parametrize("kind", UPSTREAMS)
def test_the_sign_of_an_end_is_found_wherever_reads_cut_it(kind: str) -> None:
    body = UPSTREAMS[kind][2]
    for size in range(1, 60):
        ending = Ending(ENDS[kind])
        for at in range(0, len(body), size):
            ending.pass_by(body[at : at + size])
        assert ending.seen


def test_an_answer_that_talks_about_finish_reasons_does_not_end_by_it() -> None:
    ending = Ending(ENDS["openai"])
    ending.pass_by(b'data: {"choices":[{"delta":{"content":"{\\"finish_reason\\":\\"stop\\"}"},"finish_reason":null}]}')
    assert not ending.seen
