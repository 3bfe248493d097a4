"""The stream helper of OpenAI's client joins the deltas of all providers into one message."""

import json
from typing import Any

import pytest
from aiohttp.test_utils import TestServer
from openai import AsyncOpenAI

from citestream.proxy.config import parse
from citestream.proxy.http.application import make_app
from tests.upstreams.wire import Server, sse

TEXT = "Water boils at 100 °C."
CODE = {"executableCode": {"language": "PYTHON", "code": "1"}}
RESULT = {"codeExecutionResult": {"outcome": "OUTCOME_OK", "output": "1"}}
IMAGES = [{"inlineData": {"mimeType": "image/png", "data": data}} for data in ("aGk=", "aG8=")]


def gemini(*parts: dict[str, Any]) -> list[bytes]:
    """Return the events of an answer with one part each."""
    candidates: list[dict[str, Any]] = [{"content": {"role": "model", "parts": [part]}, "index": 0} for part in parts]
    candidates[-1]["finishReason"] = "STOP"
    return [b"data: " + json.dumps({"candidates": [one]}).encode() + b"\n\n" for one in candidates]


@pytest.mark.parametrize("evidence", [[], [{"text": TEXT}]], ids=["uncited", "cited"])
async def test_images_and_parts_in_several_deltas_are_joined(evidence: list[Any]) -> None:
    async with Server(sse(*gemini(*IMAGES, CODE, RESULT, {"text": TEXT}))) as upstream:
        app = make_app(parse({"providers": {"gemini": {"base_url": upstream.url, "api_key": "k"}}}))
        async with (
            TestServer(app) as server,
            AsyncOpenAI(base_url=str(server.make_url("/v1")), api_key="none", max_retries=0) as client,
        ):
            request: dict[str, Any] = {"model": "gemini/m", "messages": [{"role": "user", "content": "When?"}]}
            async with client.chat.completions.stream(**request, extra_body={"evidence": evidence}) as events:
                (choice,) = (await events.get_final_completion()).choices
            whole = await client.chat.completions.create(**request, extra_body={"evidence": evidence})
    found = choice.message.model_extra or {}
    assert [one["image_url"]["url"] for one in found["images"]] == [
        "data:image/png;base64,aGk=",
        "data:image/png;base64,aG8=",
    ]
    assert found["content_parts"] == [{"index": 0, **CODE}, {"index": 1, **RESULT}]
    complete = whole.choices[0].message.model_extra or {}
    for name in ("images", "content_parts"):
        assert complete[name] == found[name]
