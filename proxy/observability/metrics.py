"""Metrics: what an operator watches, as Prometheus reads it at `GET /metrics`.

Labels are names from the configuration and from our own code: nothing that a request says becomes one, so that no key
and no text can get in and their number stays small.

prometheus_client decides at its import whether processes add up their numbers, by PROMETHEUS_MULTIPROC_DIR: with
several workers the parent sets it before anything imports this module.
"""

import os
from contextlib import AbstractContextManager
from functools import cache, partial
from time import perf_counter
from typing import TypeVar

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
from prometheus_client.metrics import MetricWrapperBase
from prometheus_client.multiprocess import MultiProcessCollector

from citestream.citation.grounding import Grounding

from ..http.auth import is_open
from .logs import LEFT
from .telemetry import WAIT_TIME, WaitTime

Labelled = TypeVar("Labelled", bound=MetricWrapperBase)

_SECONDS = (0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600)  # an answer takes from a moment to minutes
_OVERHEAD = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5)  # scoring: a millisecond a sentence
_OTHER = "other"  # a path that is none of ours
_LEFT = str(LEFT)


class Metrics:
    """The numbers of one server."""

    def __init__(self) -> None:
        """All at zero."""
        self._labelled = cache(_labelled)  # of these metrics only: they go with it
        own = CollectorRegistry()
        self._registry = own
        counter, gauge = partial(Counter, registry=own), partial(Gauge, registry=own, multiprocess_mode="livesum")
        seconds, moments = (
            partial(Histogram, registry=own, buckets=_SECONDS),
            partial(Histogram, registry=own, buckets=_OVERHEAD),
        )
        self._requests = counter(
            "citestream_requests", "Requests, by endpoint and HTTP status.", ("endpoint", "status")
        )
        self._duration = seconds("citestream_request_seconds", "To the last byte.", ("endpoint",))
        self._running = gauge("citestream_requests_in_flight", "Requests that are being answered.")
        self._streams = gauge("citestream_streams_in_flight", "Answers that are being streamed.")
        says = "What an answer took beyond waiting for provider, retriever and client."
        self._overhead = moments("citestream_overhead_seconds", says, ("endpoint",))
        says = "From asking the provider to the first it said."
        self._first = seconds("citestream_first_token_seconds", says, ("provider",))
        says = "From asking the provider to its end."
        self._provider = seconds("citestream_provider_seconds", says, ("provider", "outcome"))
        says = "A search for evidence."
        self._retrieval = moments("citestream_retrieval_seconds", says, ("retriever", "outcome"))
        says = "Spent on deciding citations, a whole answer."
        self._scoring = moments("citestream_scoring_seconds", says, ("scorer",))
        self._claims = counter("citestream_claims", "Sentences that make a claim.")
        self._supported = counter("citestream_claims_supported", "Of these, with a citation.")
        self._indirect = counter("citestream_claims_indirect", "Of these, supported by generated artifacts only.")
        says = "Citations: a sentence and evidence that supports it."
        self._supports = counter("citestream_supports", says, ("status",))
        says = "Citations of models that were taken out."
        self._rejected = counter("citestream_citations_rejected", says, ("reason",))
        says = "Answers whose scorer had to do without what it wants."
        self._degraded = counter("citestream_degraded", says, ("scorer",))
        self._shared = bool(os.environ.get("PROMETHEUS_MULTIPROC_DIR"))
        if not self._shared:
            ProcessCollector(registry=own)

    def middleware(self) -> Middleware:
        """To stand outside of everything that can refuse a request."""

        @web.middleware
        async def counted(request: web.Request, handler: Handler) -> web.StreamResponse:
            if is_open(request.path):
                return await handler(request)
            resource = request.match_info.route.resource
            endpoint = resource.canonical if resource else _OTHER
            began, status, spent = perf_counter(), _LEFT, WaitTime()
            told = WAIT_TIME.set(spent)
            self._running.inc()
            try:
                response = await handler(request)
                status = str(response.status)
                return response
            finally:
                self._running.dec()
                self._labelled(self._requests, endpoint, status).inc()
                passed = perf_counter() - began
                self._labelled(self._duration, endpoint).observe(passed)
                if spent.asked and status != _LEFT:
                    self._labelled(self._overhead, endpoint).observe(max(0.0, passed - spent.others))
                WAIT_TIME.reset(told)

        return counted

    def answered(self, grounding: Grounding) -> None:
        """Take in the report on a cited answer."""
        times = grounding.timings_ms
        self._labelled(self._scoring, grounding.scorer).observe(times.get("scoring", 0.0) / 1000)
        self._claims.inc(grounding.claims)
        self._supported.inc(grounding.supported)
        self._indirect.inc(grounding.indirect)
        for kind, count in grounding.supports.items():
            self._labelled(self._supports, kind.value).inc(count)
        for rejection in grounding.rejected:
            self._labelled(self._rejected, rejection["reason"]).inc()
        if grounding.degraded:
            self._labelled(self._degraded, grounding.scorer).inc()

    def called(self, provider: str, outcome: str, seconds: float, first: float | None) -> None:
        """Take in a call of a provider. `first`: seconds until it said something; None where it did not."""
        self._labelled(self._provider, provider, outcome).observe(seconds)
        if first is not None:
            self._labelled(self._first, provider).observe(first)

    def searched(self, retriever: str, outcome: str, seconds: float) -> None:
        """Take in a search."""
        self._labelled(self._retrieval, retriever, outcome).observe(seconds)

    def streaming(self) -> AbstractContextManager[object]:
        """A stream is open as long as this."""
        tracking: AbstractContextManager[object] = self._streams.track_inprogress()
        return tracking

    def labels(self) -> dict[str, tuple[str, ...]]:
        """The names of our own metrics, as the registry has them, each with its labels."""
        own = [made for made in vars(self).values() if isinstance(made, MetricWrapperBase)]
        return {made._name: made._labelnames for made in own}

    async def exposition(self, _: web.Request) -> web.Response:
        """`GET /metrics`: of all workers together, whichever of them is asked."""
        registry = self._registry
        if self._shared:
            registry = CollectorRegistry()
            MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        return web.Response(body=generate_latest(registry), headers={"Content-Type": CONTENT_TYPE_LATEST})


def _labelled(metric: Labelled, *labels: str) -> Labelled:
    """What a metric counts under these labels. prometheus_client looks for it under a lock, 5 µs at each count."""
    return metric.labels(*labels)
