"""Caches do not tell a client what another client has sent: each client causes its own work and sees its own counts."""

from collections.abc import AsyncIterator
from typing import Any

from aiohttp.test_utils import TestClient, TestServer

from citestream.citation.evidence import Evidence
from citestream.citation.support.features.excerpts import ExcerptCache
from citestream.providers.cache_owner import CACHE_OWNER
from citestream.proxy.app import App
from citestream.proxy.config import parse
from citestream.proxy.http.application import make_app
from tests.upstreams.embeddings import Embeddings, words
from tests.upstreams.wire import Request, Server, Step, sse

KEYS = {"a": "the client key of a", "b": "the client key of b"}
TEXT = "Jane Roe earns 52000 euros."
REQUEST = {"text": TEXT, "evidence": [{"text": f"{TEXT} She lives in Harlan and walks to work."}]}
CONFIRMED = (
    b'data: {"id":"c","choices":[{"index":0,"delta":{"content":"1"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
)


class Services:
    """An embedder and a judge that confirms the first excerpt."""

    def __init__(self) -> None:
        self.embeddings = Embeddings(of=words)

    async def __call__(self, request: Request) -> AsyncIterator[Step]:
        answer = self.embeddings(request) if request.target.endswith("/embeddings") else sse(CONFIRMED)(request)
        async for step in answer:
            yield step


async def test_each_client_asks_the_judge_and_the_embedder_itself() -> None:
    async with Server(Services()) as services:
        config: dict[str, Any] = {
            "server": {"keys": [{"key": key} for key in KEYS.values()]},
            "providers": {"up": {"kind": "openai", "base_url": f"{services.url}/v1"}},
            "citations": {"scorer": "hybrid"},
            "scoring": {"judge": "up/judge", "judge_band": "all", "embedder": "up/m"},
        }
        seen = []
        async with TestClient(TestServer(make_app(parse(config)))) as client:
            for name in ("a", "a", "b", "b"):
                del services.requests[:]
                headers = {"Authorization": f"Bearer {KEYS[name]}"}
                answer = await (await client.post("/v1/cite", json=REQUEST, headers=headers)).json()
                judge = answer["grounding"]["judge"]
                paths = {request.target for request in services.requests}
                seen.append((judge["calls"], judge["cached"], sorted(paths)))
    work = (1, 0, ["/v1/chat/completions", "/v1/embeddings"])
    assert seen == [work, (0, 1, []), work, (0, 1, [])]


def test_the_analysis_of_an_excerpt_belongs_to_one_client() -> None:
    cache, evidence = ExcerptCache(100_000), Evidence(1, TEXT, "e1")
    a, b = cache.of_client("a"), cache.of_client("b")
    assert a.analyze(evidence) is cache.of_client("a").analyze(evidence)
    assert a.analyze(evidence) is not b.analyze(evidence)


def test_the_scorers_use_the_cache_of_the_client() -> None:
    scorers = App(parse({"providers": {"extractive": None}})).scorers
    evidence, prepared = [Evidence(1, TEXT, "e1")], {}
    for name in ("a", "b", "a again"):
        token = CACHE_OWNER.set(name[0])
        prepared[name] = scorers.scorer("lexical")._excerpts.analyze(evidence[0])  # type: ignore[attr-defined]
        CACHE_OWNER.reset(token)
    assert prepared["a"] is prepared["a again"]
    assert prepared["a"] is not prepared["b"]
