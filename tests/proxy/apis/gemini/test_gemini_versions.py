"""Gemini's API has versions. A request without evidence stays in the version of its address."""

import json
from typing import Any

import pytest
from aiohttp.test_utils import TestClient, TestServer

from citestream.proxy.config import parse
from citestream.proxy.http.application import make_app
from tests.upstreams.wire import Server, script, whole

REQUEST: dict[str, Any] = {"contents": [{"role": "user", "parts": [{"text": "When does water boil?"}]}]}
ANSWER = {"candidates": [{"content": {"role": "model", "parts": [{"text": "At 100 °C."}]}, "finishReason": "STOP"}]}
EVIDENCE = {"evidence": [{"text": "Water boils at 100 °C."}]}
# version in the client's address, configured version, evidence -> version in the provider's address
VERSIONS: dict[str, tuple[str, str, dict[str, Any], str]] = {
    "the stable version": ("v1", "", {}, "v1"),
    "the beta": ("v1beta", "", {}, "v1beta"),
    "the version of Vertex AI, which Google's own server does not have": ("v1beta1", "", {}, "v1beta"),
    "a configured version": ("v1", "v1alpha", {}, "v1alpha"),
    "evidence, whose rules need a system instruction": ("v1", "", EVIDENCE, "v1beta"),
}


@pytest.mark.parametrize("name", VERSIONS)
@pytest.mark.parametrize("method", ["generateContent", "countTokens"])
async def test_a_request_stays_in_its_version(name: str, method: str) -> None:
    version, configured, extra, expected = VERSIONS[name]
    if extra and method == "countTokens":
        expected = version  # evidence is only removed
    upstream = script(whole("200 OK", json.dumps(ANSWER).encode(), "Content-Type: application/json"))
    async with Server(upstream) as provider:
        settings = {"kind": "gemini", "base_url": provider.url, "api_key": "k", "api_version": configured}
        async with TestClient(TestServer(make_app(parse({"providers": {"up": settings}})))) as client:
            answer = await client.post(f"/{version}/models/up/m:{method}", json={**REQUEST, **extra})
            assert answer.status == 200, await answer.text()
    (request,) = provider.requests
    assert request.target.startswith(f"/{expected}/models/m:")
