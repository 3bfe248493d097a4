"""Whole answers that speak: OpenAI streams one format of audio only, so they are not requested as streams."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
from aiohttp.test_utils import TestClient, TestServer

from citestream.proxy.config import parse
from citestream.proxy.http.application import make_app
from tests.upstreams.wire import Request, Server, Step, sse, whole

AUDIO = {"id": "audio_1", "data": "UklGRg==", "expires_at": 7, "transcript": "Water boils at 100 °C."}
MESSAGE: dict[str, Any] = {"role": "assistant", "content": None, "refusal": None, "audio": AUDIO, "annotations": []}
CHOICE = {"index": 0, "message": MESSAGE, "finish_reason": "stop", "logprobs": None}
USAGE = {"prompt_tokens": 9, "completion_tokens": 7, "total_tokens": 16}
ANSWER = {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [CHOICE], "usage": USAGE}
REQUEST: dict[str, Any] = {
    "model": "up/m",
    "messages": [{"role": "user", "content": "When does water boil?"}],
    "modalities": ["text", "audio"],
    "audio": {"voice": "alloy", "format": "wav"},
}
EVIDENCE = {"evidence": [{"text": "Water boils at 100 °C."}]}
CHUNKS = (
    b'data: {"id":"c","choices":[{"index":0,"delta":{"audio":{"id":"audio_1","data":"AAAA"}}}]}\n\n',
    b'data: {"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n',
)


async def speaking(request: Request) -> AsyncIterator[Step]:
    """Answer like OpenAI, which streams pcm16 only."""
    if not request.json.get("stream"):
        yield whole("200 OK", json.dumps(ANSWER).encode(), "Content-Type: application/json")
    elif request.json["audio"]["format"] == "pcm16":
        async for step in sse(*CHUNKS)(request):
            yield step
    else:
        error = b'{"error": {"message": "Unsupported value: audio.format", "param": "audio.format"}}'
        yield whole("400 Bad Request", error, "Content-Type: application/json")


@pytest.mark.parametrize("extra", [{}, EVIDENCE], ids=["plain", "with evidence"])
async def test_a_whole_answer_with_audio_is_requested_as_a_whole(extra: dict[str, Any]) -> None:
    async with Server(speaking) as provider:
        settings = {"kind": "openai", "base_url": f"{provider.url}/v1"}
        async with TestClient(TestServer(make_app(parse({"providers": {"up": settings}})))) as client:
            answer = await client.post("/v1/chat/completions", json={**REQUEST, **extra})
            completion = await answer.json()
            streamed = {**REQUEST, **extra, "stream": True, "audio": {"voice": "alloy", "format": "pcm16"}}
            events = await (await client.post("/v1/chat/completions", json=streamed)).text()
    assert answer.status == 200, completion
    assert completion["choices"][0]["message"]["audio"] == AUDIO
    assert completion["usage"] == USAGE
    assert ("references" in completion) == bool(extra)
    assert "AAAA" in events
    assert [request.json.get("stream", False) for request in provider.requests] == [False, True]
    assert "stream_options" not in provider.requests[0].json
