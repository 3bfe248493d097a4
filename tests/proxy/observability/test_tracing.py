"""Traces at a collector: real OTLP over a socket, without content unless the log contains it."""

import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from aiohttp.test_utils import TestClient, TestServer
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.semconv._incubating.attributes import gen_ai_attributes

from citestream.proxy.config import parse
from citestream.proxy.http.application import make_app
from tests.proxy.observability.test_metrics import EVIDENCE
from tests.proxy.pipeline.test_retrieval import TEXTS, fill
from tests.upstreams.wire import Break, Request, Server, Step, head, whole

TEXT = "The Harlan bridge was opened on 4 May 1932 [1]."
ENVELOPE = '"id":"chatcmpl-7","object":"chat.completion.chunk","created":1,"model":"m-2026"'
USAGE = '{"prompt_tokens":19,"completion_tokens":24,"prompt_tokens_details":{"cached_tokens":16}}'
CHUNKS = (
    f'data: {{{ENVELOPE},"choices":[{{"index":0,"delta":{{"content":"{TEXT}"}},"finish_reason":null}}]}}\n\n'
    f'data: {{{ENVELOPE},"choices":[{{"index":0,"delta":{{}},"finish_reason":"stop"}}]}}\n\n'
    f'data: {{{ENVELOPE},"choices":[],"usage":{USAGE}}}\n\ndata: [DONE]\n\n'
).encode()
ANSWER = head("200 OK", "Content-Type: text/event-stream", "Connection: close") + CHUNKS
REFUSAL = whole("500 No", b'{"error":{"message":"canary-words"}}', "Content-Type: application/json")
REQUEST: dict[str, Any] = {
    "model": "up/m",
    "temperature": 0.5,
    "messages": [{"role": "user", "content": "When was the Harlan bridge opened, canary-question?"}],
    "evidence": EVIDENCE,
    "stream": True,
}
TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
SECRETS = ("canary", "Harlan", "sk-", "May 1932")  # no bare number, which may be a part of a port or a time


@dataclass(frozen=True)
class Span:
    """A span as it was sent."""

    name: str
    attributes: dict[str, Any]
    trace: str
    id: str
    parent: str
    began: int
    ended: int
    failed: bool


def value(attribute: Any) -> Any:
    kind = attribute.WhichOneof("value")
    return [value(one) for one in attribute.array_value.values] if kind == "array_value" else getattr(attribute, kind)


def spans(requests: list[Request]) -> list[Span]:
    """Return the spans in the order in which they started."""
    found = []
    for request in requests:
        for resource in ExportTraceServiceRequest.FromString(request.body).resource_spans:
            about = {one.key: value(one.value) for one in resource.resource.attributes}
            assert about["service.name"] == "citestream"
            for one in (span for scope in resource.scope_spans for span in scope.spans):
                attributes = {attribute.key: value(attribute.value) for attribute in one.attributes}
                ids = (one.trace_id.hex(), one.span_id.hex(), one.parent_span_id.hex())
                times = (one.start_time_unix_nano, one.end_time_unix_nano)
                found.append(Span(one.name, attributes, *ids, *times, failed=one.status.code == 2))
    return sorted(found, key=lambda span: span.began)


@asynccontextmanager
async def collecting(*steps: Step, **config: Any) -> AsyncIterator[tuple[TestClient[Any, Any], list[Request]]]:
    """Run a server with a scripted provider, and yield the list of spans, which is complete after the block."""

    async def collect(_: Request) -> AsyncIterator[Step]:
        yield whole("200 OK", b"")

    async def answer(_: Request) -> AsyncIterator[Step]:
        for step in steps:
            yield step

    async with Server(collect) as collector, Server(answer) as upstream:
        provider = {"kind": "openai", "base_url": f"{upstream.url}/v1", "api_key": "sk-x", "retries": {"most": 0}}
        traces = {"endpoint": collector.url, "headers": {"x-key": "sesame"}, **config.pop("traces", {})}
        raw = {"providers": {"up": provider, "extractive": {}}, "traces": traces, **config}
        async with TestClient(TestServer(make_app(parse(raw)))) as client:
            yield client, collector.requests
    assert all((one.target, one.headers["x-key"]) == ("/v1/traces", "sesame") for one in collector.requests)


async def ask(client: TestClient[Any, Any], body: dict[str, Any], **headers: str) -> tuple[int, str]:
    async with client.post("/v1/chat/completions", json=body, headers=headers) as answered:
        return answered.status, await answered.text()


async def test_a_request_is_a_span_with_its_call_and_its_scoring_inside(tmp_path: Path) -> None:
    store = str(await fill(tmp_path, TEXTS))
    retrievers = {"docs": {"kind": "folder", "store": store}}
    async with collecting(ANSWER, Break.CLOSE, retrievers=retrievers) as (client, sent):
        body = {**REQUEST, "retrieval": {"source": "docs"}}
        headers = {"x-request-id": "mine", "traceparent": f"00-{TRACE}-{PARENT}-01"}
        assert "references" in (await ask(client, body, **headers))[1]
        await client.get("/healthz")
    request, retrieval, chat, score = found = spans(sent)
    assert [one.name for one in found] == ["POST /v1/chat/completions", "retrieval docs", "chat m", "score lexical"]
    assert {one.trace for one in found} == {TRACE}
    assert [one.parent for one in found] == [PARENT, request.id, request.id, request.id]
    assert all(request.began <= one.began <= one.ended <= request.ended for one in found)
    assert request.attributes["http.response.status_code"] == 200
    assert (request.attributes["http.route"], request.attributes["citestream.request_id"]) == (
        "/v1/chat/completions",
        "mine",
    )
    assert retrieval.attributes == {
        "gen_ai.operation.name": "retrieval",
        "gen_ai.data_source.id": "docs",
        "citestream.retrieval.found": 1,
    }
    first = chat.attributes.pop("gen_ai.response.time_to_first_chunk")
    assert 0 < first < (chat.ended - chat.began) / 1e9
    assert chat.attributes.pop("server.port") > 0
    assert chat.attributes == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "m",
        "gen_ai.request.temperature": 0.5,
        "gen_ai.response.id": "chatcmpl-7",
        "gen_ai.response.model": "m-2026",
        "gen_ai.response.finish_reasons": ["stop"],
        "gen_ai.usage.input_tokens": 19,
        "gen_ai.usage.output_tokens": 24,
        "gen_ai.usage.cache_read.input_tokens": 16,
        "citestream.provider": "up",
        "server.address": "127.0.0.1",
    }
    assert (score.attributes["citestream.claims"], score.attributes["citestream.supports"]) == (1, 1)
    assert not any(one.failed for one in found)
    assert not any(secret in repr(found) for secret in SECRETS)


async def test_spans_contain_content_only_if_the_log_does(tmp_path: Path) -> None:
    store = str(await fill(tmp_path, TEXTS))
    retrievers = {"docs": {"kind": "folder", "store": store}}
    async with collecting(ANSWER, Break.CLOSE, retrievers=retrievers, log={"content": True}) as (client, sent):
        await ask(client, {**REQUEST, "retrieval": {"source": "docs"}})
    _, retrieval, chat, _ = spans(sent)
    assert "canary-question" in retrieval.attributes["gen_ai.retrieval.query.text"]
    assert "docs/bridge.md#0" in retrieval.attributes["gen_ai.retrieval.documents"]
    assert "canary-question" in chat.attributes["gen_ai.input.messages"]
    assert TEXT in chat.attributes["gen_ai.output.messages"]
    assert '"finish_reason":"stop"' in chat.attributes["gen_ai.output.messages"]
    known = {name for key, name in vars(gen_ai_attributes).items() if key.startswith("GEN_AI_")}
    used = {name for one in (retrieval, chat) for name in one.attributes if name.startswith("gen_ai.")}
    assert used <= known, "names of the OpenTelemetry conventions"


FAILURES: dict[str, tuple[tuple[Step, ...], str, int]] = {
    "error response of the provider": ((REFUSAL, Break.CLOSE), "rejected", 502),
    "incomplete response of the provider": (
        (ANSWER.partition(b'"finish_reason":"stop"')[0], Break.CLOSE),
        "incomplete_answer",
        200,
    ),
}


@pytest.mark.parametrize("evidence", [EVIDENCE, []], ids=["cited", "passed through"])
@pytest.mark.parametrize(("steps", "kind", "status"), FAILURES.values(), ids=FAILURES)
async def test_a_failure_is_recorded_with_its_type_without_its_message(
    steps: tuple[Step, ...], kind: str, status: int, evidence: list[Any]
) -> None:
    async with collecting(*steps) as (client, sent):
        assert (await ask(client, {**REQUEST, "evidence": evidence}))[0] == status
    found = spans(sent)
    chat = next(one for one in found if one.name == "chat m")
    assert (chat.attributes["error.type"], chat.failed) == (kind, True)
    assert found[0].failed == (status >= 500)
    assert not any(secret in repr(found) for secret in SECRETS)


@pytest.mark.parametrize("evidence", [EVIDENCE, []], ids=["cited", "passed through"])
async def test_a_lone_surrogate_does_not_lose_spans(evidence: list[Any], caplog: pytest.LogCaptureFixture) -> None:
    answer = ANSWER.replace(b"chatcmpl-7", b"chatcmpl-\\ud83d").replace(b'"stop"', b'"st\\udfffop"')
    request = {
        "model": "up/m\udfff",
        "messages": [{"role": "user", "content": "When \ud83d was the bridge opened?"}],
        "evidence": evidence,
    }
    async with collecting(answer, Break.CLOSE, log={"content": True}) as (client, sent):
        async with client.get("/v1/models/%ED%A0%80\udfff", headers={"x-request-id": "\udfff"}):
            pass
        await ask(client, {**REQUEST, **request})
    chat = next(one for one in spans(sent) if one.name.startswith("chat"))
    assert (chat.name, chat.attributes["gen_ai.request.model"]) == ("chat m?", "m?")
    assert ("When" in chat.attributes.get("gen_ai.input.messages", "")) == bool(evidence)
    assert {"POST /v1/chat/completions", "GET /v1/models/{model}"} <= {one.name for one in spans(sent)}
    assert not [one for one in caplog.records if one.name.startswith("opentelemetry")]


async def test_the_configured_share_of_requests_is_traced_and_none_without_a_collector() -> None:
    async with collecting(ANSWER, Break.CLOSE, traces={"sample": 0.0}) as (client, sent):
        await ask(client, REQUEST)
    assert sent == []
    async with collecting(ANSWER, Break.CLOSE, traces={"endpoint": ""}) as (client, sent):
        assert (await ask(client, REQUEST))[0] == 200
    assert sent == []


async def test_the_variables_of_opentelemetry_apply(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_SERVICE_NAME", "answers")
    monkeypatch.setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=lab")
    async with collecting(ANSWER, Break.CLOSE) as (client, sent):
        await ask(client, REQUEST)
    (resource,) = {
        (about["service.name"], about["deployment.environment.name"])
        for request in sent
        for spans_of in ExportTraceServiceRequest.FromString(request.body).resource_spans
        if (about := {one.key: value(one.value) for one in spans_of.resource.attributes})
    }
    assert resource == ("answers", "lab")


def test_without_an_endpoint_opentelemetry_is_not_imported() -> None:
    program = (
        "import sys; from citestream.proxy.config import parse; "
        "from citestream.proxy.http.application import make_app; "
        "make_app(parse({'providers': {'extractive': {}}})); assert 'aiohttp' in sys.modules; "
        "print(*[name for name in sys.modules if name.startswith('opentelemetry')])"
    )
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert done.stdout.split() == []


async def test_a_collector_that_is_down_affects_neither_answers_nor_the_exit() -> None:
    async with collecting(ANSWER, Break.CLOSE, traces={"endpoint": "http://127.0.0.1:9"}) as (client, _):
        assert (await ask(client, REQUEST))[1].endswith("data: [DONE]\n\n")
