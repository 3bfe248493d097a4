"""Scorers that need an embedder, over HTTP: a failing embedder neither stalls nor breaks an answer."""

from typing import Any

import pytest
from aiohttp.test_utils import TestClient, TestServer

from citestream.proxy.config import Config, ProviderConfig, ScoringConfig
from citestream.proxy.http.application import make_app
from tests.upstreams.embeddings import Embeddings, words
from tests.upstreams.openai import KEY, OpenAI
from tests.upstreams.wire import Answer, Break, Server, script

ANSWER = (
    "The bridge was",
    " opened in 1932.",
    " The bridge",
    " carries eight lanes of traffic.",
    " I like it",
    " a lot.",
)
EVIDENCE = [{"text": "The bridge was opened in 1932."}, {"text": "The bridge carries eight lanes of traffic."}]
EMBEDDERS: dict[str, Answer] = {
    "works": Embeddings(of=words),
    "hangs": script(Break.STALL),
    "breaks": script(Break.RESET),
}


@pytest.mark.parametrize("embedder", EMBEDDERS)
@pytest.mark.parametrize("scorer", ["hybrid", "ragflow", "checker"])
async def test_an_answer_is_cited_even_if_the_embedder_fails(embedder: str, scorer: str) -> None:
    async with Server(OpenAI(ANSWER)) as chat, Server(EMBEDDERS[embedder]) as vectors:
        config = Config(
            providers={
                "chat": ProviderConfig(kind="openai", base_url=f"{chat.url}/v1", api_key=KEY),
                "vectors": ProviderConfig(kind="openai", base_url=f"{vectors.url}/v1"),
            },
            scoring=ScoringConfig(embedder="vectors/a-model", deadline_seconds=10 if embedder == "works" else 0.2),
        )
        async with TestClient(TestServer(make_app(config))) as client:
            body = await send_request(client, scorer)
    content = body["choices"][0]["message"]["content"]
    assert content.startswith(
        "The bridge was opened in 1932. [1] The bridge carries eight lanes of traffic. [2] I like it a lot."
    )
    grounding = body["grounding"]
    assert grounding["scorer"] == scorer
    assert grounding["degraded"] == (embedder != "works" or scorer == "checker")  # no cross-encoder is configured


async def send_request(client: TestClient[Any, Any], scorer: str) -> dict[str, Any]:
    question = {"role": "user", "content": "When was the bridge opened?"}
    request = {"model": "chat/gpt-4.1", "messages": [question], "evidence": EVIDENCE, "citations": {"scorer": scorer}}
    async with client.post("/v1/chat/completions", json=request) as response:
        assert response.status == 200
        found: dict[str, Any] = await response.json()
        return found
