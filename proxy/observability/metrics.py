"""Prometheus metrics, served at `GET /metrics`.

Labels are names from the configuration and from the code. They never contain text of a request, so that no key leaks
and the number of series stays small.

prometheus_client decides when it is imported whether several processes share their values, by PROMETHEUS_MULTIPROC_DIR.
With several workers, the parent process sets it before anything imports this module.
"""

import os
from time import perf_counter

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.multiprocess import MultiProcessCollector

from citestream.citation.grounding import Grounding
from citestream.providers.events import ChatRequest

from ..http.middleware.auth import is_open
from .logs import CLIENT_CLOSED
from .telemetry import WAIT_TIME, CallObserver, CallTarget, Observer, SearchObserver, SearchResult, WaitTime

_SECONDS = (0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600)  # buckets for answers of up to 10 minutes
_MILLISECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5)  # scoring takes 1 ms per sentence
# Buckets for stalls of the event loop. The aim is 20 ms; the scheduler reports steps from 5 ms.
_STALLS = (0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10)
_OTHER = "other"  # the endpoint label of unknown paths
_CLIENT_CLOSED = str(CLIENT_CLOSED)


class Metrics(Observer):
    """The metrics of one server."""

    def __init__(self) -> None:
        """Register all metrics with the value 0."""
        self._registry = CollectorRegistry()
        self._labels: dict[str, tuple[str, ...]] = {}
        self._shared = bool(os.environ.get("PROMETHEUS_MULTIPROC_DIR"))
        if not self._shared:
            ProcessCollector(registry=self._registry)
        self._requests = self._counter("requests", "Requests by endpoint and HTTP status.", "endpoint", "status")
        self._duration = self._histogram("request_seconds", "Duration of requests.", _SECONDS, "endpoint")
        self._running = self._gauge("requests_in_flight", "Requests in progress.")
        self._streams = self._gauge("streams_in_flight", "Streamed answers in progress.")
        self._overhead = self._histogram(
            "overhead_seconds",
            "Duration of requests without the time waiting for the provider, the retriever and the client.",
            _MILLISECONDS,
            "endpoint",
        )
        self._first_token = self._histogram(
            "first_token_seconds", "Time from the request to a provider until its first output.", _SECONDS, "provider"
        )
        self._provider = self._histogram(
            "provider_seconds", "Duration of provider calls.", _SECONDS, "provider", "outcome"
        )
        self._retrieval = self._histogram(
            "retrieval_seconds", "Duration of searches for evidence.", _MILLISECONDS, "retriever", "outcome"
        )
        self._stalls = self._histogram(
            "loop_stall_seconds", "Work that blocked other requests for 5 ms or more.", _STALLS, "cause"
        )
        self._scoring = self._histogram("scoring_seconds", "Scoring time per answer.", _MILLISECONDS, "scorer")
        self._claims = self._counter("claims", "Sentences that make a claim.")
        self._supported = self._counter("claims_supported", "Claims with a citation.")
        self._indirect = self._counter("claims_indirect", "Claims that only generated artifacts support.")
        self._supports = self._counter("supports", "Citations: pairs of a sentence and its evidence.", "status")
        self._rejected = self._counter("citations_rejected", "Removed citations of models.", "reason")
        self._judge_verdicts = self._counter("judge_verdicts", "Verdicts of the judge.", "verdict")
        self._judge_calls = self._counter("judge_calls", "Calls of the judge; cached verdicts need none.")
        self._judge_tokens = self._counter("judge_tokens", "Tokens of the judge's prompts and replies.")
        self._degraded = self._counter("degraded", "Answers scored without the preferred scorer.", "scorer")

    def _counter(self, name: str, documentation: str, *labels: str) -> Counter:
        return Counter(self._register(name, labels), documentation, labels, registry=self._registry)

    def _gauge(self, name: str, documentation: str) -> Gauge:
        return Gauge(self._register(name, ()), documentation, registry=self._registry, multiprocess_mode="livesum")

    def _histogram(self, name: str, documentation: str, buckets: tuple[float, ...], *labels: str) -> Histogram:
        return Histogram(self._register(name, labels), documentation, labels, registry=self._registry, buckets=buckets)

    def _register(self, name: str, labels: tuple[str, ...]) -> str:
        self._labels[f"citestream_{name}"] = labels
        return f"citestream_{name}"

    def labels(self) -> dict[str, tuple[str, ...]]:
        """Return the names of the metrics with their labels. Counters are named without "_total"."""
        return dict(self._labels)

    def middleware(self) -> Middleware:
        """Return a middleware that counts requests. It must enclose everything that can refuse a request."""

        @web.middleware
        async def count_request(request: web.Request, handler: Handler) -> web.StreamResponse:
            if is_open(request.path):
                return await handler(request)
            resource = request.match_info.route.resource
            endpoint = resource.canonical if resource else _OTHER
            began, status, wait_time = perf_counter(), _CLIENT_CLOSED, WaitTime()
            token = WAIT_TIME.set(wait_time)
            self._running.inc()
            try:
                response = await handler(request)
                status = str(response.status)
                return response
            finally:
                self._running.dec()
                self._requests.labels(endpoint, status).inc()
                seconds = perf_counter() - began
                self._duration.labels(endpoint).observe(seconds)
                if wait_time.asked and status != _CLIENT_CLOSED:
                    self._overhead.labels(endpoint).observe(max(0.0, seconds - wait_time.waited_seconds))
                WAIT_TIME.reset(token)

        return count_request

    def answer_cited(self, grounding: Grounding) -> None:
        """Count the claims and citations of an answer."""
        self._scoring.labels(grounding.scorer).observe(grounding.timings_ms.get("scoring", 0.0) / 1000)
        self._claims.inc(grounding.claims)
        self._supported.inc(grounding.supported)
        self._indirect.inc(grounding.indirect)
        for kind, count in grounding.supports.items():
            self._supports.labels(kind.value).inc(count)
        for reason, count in grounding.rejections.items():
            self._rejected.labels(reason.value).inc(count)
        if judging := grounding.judging:
            for verdict in ("confirmed", "refused", "late", "failed", "unreadable"):
                self._judge_verdicts.labels(verdict).inc(getattr(judging, verdict))
            self._judge_calls.inc(judging.calls)
            self._judge_tokens.inc(judging.tokens)
        if grounding.degraded:
            self._degraded.labels(grounding.scorer).inc()

    def loop_stalled(self, cause: str, seconds: float) -> None:
        """Record work that blocked the event loop. `cause`: a name from the code."""
        self._stalls.labels(cause).observe(seconds)

    def call_started(self, target: CallTarget, request: ChatRequest | None) -> CallObserver:
        """Return an observer that records the duration of a call."""
        return _CallMetrics(target.provider, self._provider, self._first_token)

    def search_started(self, retriever: str, query: str) -> SearchObserver:
        """Return an observer that records the duration of a search."""
        return _SearchMetrics(retriever, self._retrieval)

    def stream_opened(self) -> None:
        """Count a stream."""
        self._streams.inc()

    def stream_closed(self) -> None:
        """Stop counting a stream."""
        self._streams.dec()

    async def exposition(self, _: web.Request) -> web.Response:
        """Handle `GET /metrics`. Any worker returns the metrics of all workers together."""
        registry = self._registry
        if self._shared:
            registry = CollectorRegistry()
            MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        return web.Response(body=generate_latest(registry), headers={"Content-Type": CONTENT_TYPE_LATEST})


class _CallMetrics(CallObserver):
    def __init__(self, provider: str, duration: Histogram, first_token: Histogram) -> None:
        self._provider = provider
        self._duration = duration
        self._first_token = first_token

    def ended(self, outcome: str, seconds: float, first: float | None) -> None:
        self._duration.labels(self._provider, outcome).observe(seconds)
        if first is not None:
            self._first_token.labels(self._provider).observe(first)


class _SearchMetrics(SearchObserver):
    def __init__(self, retriever: str, duration: Histogram) -> None:
        self._retriever = retriever
        self._duration = duration

    def ended(self, result: SearchResult, seconds: float) -> None:
        self._duration.labels(self._retriever, result.outcome).observe(seconds)
