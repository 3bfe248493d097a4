"""Metrics of one process and of several, without text of requests."""

from typing import Any

from aiohttp import web
from aiohttp.test_utils import TestClient, TestServer
from prometheus_client.parser import text_string_to_metric_families

from citestream.citation.grounding import Grounding
from citestream.citation.support.decision import Reason
from citestream.proxy.config import parse
from citestream.proxy.http.application import make_app
from citestream.proxy.observability.metrics import Metrics

EVIDENCE = [{"text": "The Harlan bridge was opened on 4 May 1932."}]
REQUEST: dict[str, Any] = {
    "model": "extractive",
    "messages": [{"role": "user", "content": "When was the Harlan bridge opened, canary-question?"}],
    "evidence": EVIDENCE,
}


def read(text: str) -> dict[str, float]:
    """Return the samples that are not zero, by name and labels."""
    return {
        " ".join([sample.name, *(f"{key}={value}" for key, value in sorted(sample.labels.items()))]): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
        if sample.value and not sample.name.endswith(("_created", "_bucket"))
    }


async def test_an_answer_is_counted_with_its_claims_and_times() -> None:
    async with TestClient(TestServer(make_app(parse({"providers": {"extractive": {}}})))) as client:
        for _ in range(2):
            assert (await client.post("/v1/chat/completions", json=REQUEST)).status == 200
        text = "The Harlan bridge was opened on 4 May 1932. [9] It was opened in 1999. [1]"
        assert (await client.post("/v1/cite", json={"text": text, "evidence": EVIDENCE})).status == 200
        assert (await client.post("/v1/chat/completions", json={"model": "canary-model"})).status == 404
        assert (await client.get("/canary-path")).status == 404
        answer = await client.get("/metrics")
        text = await answer.text()
    found = read(text)
    assert answer.content_type == "text/plain"
    assert found["citestream_requests_total endpoint=/v1/chat/completions status=200"] == 2
    assert found["citestream_requests_total endpoint=/v1/chat/completions status=404"] == 1
    assert found["citestream_requests_total endpoint=other status=404"] == 1
    assert found["citestream_request_seconds_count endpoint=/v1/cite"] == 1
    assert found["citestream_first_token_seconds_count provider=extractive"] == 2
    assert found["citestream_provider_seconds_count outcome=complete provider=extractive"] == 2
    assert found["citestream_scoring_seconds_count scorer=lexical"] == 2
    assert found["citestream_overhead_seconds_count endpoint=/v1/chat/completions"] == 2
    took = found["citestream_request_seconds_sum endpoint=/v1/chat/completions"]
    assert 0 < found["citestream_overhead_seconds_sum endpoint=/v1/chat/completions"] < took
    assert found["citestream_supports_total status=verified"] == 2
    assert found["citestream_claims_total"] == found["citestream_claims_supported_total"] == 2
    assert found["citestream_requests_in_flight"] == 1, "the request for the metrics"
    assert "canary" not in text


async def test_rejected_requests_are_counted_and_metrics_require_a_key() -> None:
    config = parse({"providers": {"extractive": {}}, "server": {"keys": [{"key": "sesame-open-0123"}]}})
    async with TestClient(TestServer(make_app(config))) as client:
        assert (await client.get("/metrics")).status == 401
        text = await (await client.get("/metrics", headers={"Authorization": "Bearer sesame-open-0123"})).text()
    assert read(text)["citestream_requests_total endpoint=/metrics status=401"] == 1


async def test_removed_citations_are_counted_by_reason() -> None:
    metrics = Metrics()
    grounding = Grounding("hybrid", degraded=True, timings_ms={"scoring": 1.5})
    grounding.reject(0, 9, Reason.UNKNOWN_NUMBER)
    metrics.answer_cited(grounding)
    app = web.Application()
    app.router.add_get("/metrics", metrics.exposition)
    async with TestClient(TestServer(app)) as client:
        found = read(await (await client.get("/metrics")).text())
    assert found["citestream_citations_rejected_total reason=unknown_number"] == 1
    assert found["citestream_degraded_total scorer=hybrid"] == 1
    assert found["citestream_scoring_seconds_sum scorer=hybrid"] == 0.0015
