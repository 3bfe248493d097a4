"""Metrics: what an operator watches, as Prometheus reads it at `GET /metrics`.

Labels are names from the configuration and from our own code: nothing that a request says becomes one, so that no key
and no text can get in and their number stays small.

prometheus_client decides at its import whether processes add up their numbers, by PROMETHEUS_MULTIPROC_DIR: with
several workers the parent sets it before anything imports this module.
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

from citation.grounding import Grounding

from .auth import is_open

_SECONDS = (0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600)  # an answer takes from a moment to minutes
_OVERHEAD = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5)  # scoring: a millisecond a sentence
_OTHER = "other"  # a path that is none of ours
_LEFT = "499"  # the client went away before it had an answer


class Metrics:
    """The numbers of one server."""

    def __init__(self) -> None:
        """All at zero."""
        own = CollectorRegistry()
        self._registry = own
        self._requests = Counter(
            "citestream_requests", "Requests, by endpoint and HTTP status.", ("endpoint", "status"), registry=own
        )
        self._duration = Histogram(
            "citestream_request_seconds", "To the last byte.", ("endpoint",), buckets=_SECONDS, registry=own
        )
        self._running = Gauge(
            "citestream_requests_in_flight",
            "Requests that are being answered.",
            registry=own,
            multiprocess_mode="livesum",
        )
        self._first = Histogram(
            "citestream_first_token_seconds",
            "From asking the provider to the first it said, of cited answers.",
            ("provider",),
            buckets=_SECONDS,
            registry=own,
        )
        self._scoring = Histogram(
            "citestream_scoring_seconds",
            "Spent on deciding citations, a whole answer.",
            ("scorer",),
            buckets=_OVERHEAD,
            registry=own,
        )
        self._claims = Counter("citestream_claims", "Sentences that make a claim.", registry=own)
        self._supported = Counter("citestream_claims_supported", "Of these, with a citation.", registry=own)
        self._indirect = Counter(
            "citestream_claims_indirect", "Of these, supported by generated artifacts only.", registry=own
        )
        self._rejected = Counter(
            "citestream_citations_rejected", "Citations of models that were taken out.", ("reason",), registry=own
        )
        self._degraded = Counter(
            "citestream_degraded", "Answers whose scorer had to do without what it wants.", ("scorer",), registry=own
        )
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
            began, status = perf_counter(), _LEFT
            self._running.inc()
            try:
                response = await handler(request)
                status = str(response.status)
                return response
            finally:
                self._running.dec()
                self._requests.labels(endpoint, status).inc()
                self._duration.labels(endpoint).observe(perf_counter() - began)

        return counted

    def answered(self, provider: str, grounding: Grounding) -> None:
        """Take in the report on an answer. `provider`: its name in the configuration."""
        times = grounding.timings_ms
        if "first_token" in times:
            self._first.labels(provider).observe(times["first_token"] / 1000)
        self._scoring.labels(grounding.scorer).observe(times.get("scoring", 0.0) / 1000)
        self._claims.inc(grounding.claims)
        self._supported.inc(grounding.supported)
        self._indirect.inc(grounding.indirect)
        for rejection in grounding.rejected:
            self._rejected.labels(rejection["reason"]).inc()
        if grounding.degraded:
            self._degraded.labels(grounding.scorer).inc()

    async def exposition(self, _: web.Request) -> web.Response:
        """`GET /metrics`: of all workers together, whichever of them is asked."""
        registry = self._registry
        if self._shared:
            registry = CollectorRegistry()
            MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        return web.Response(body=generate_latest(registry), headers={"Content-Type": CONTENT_TYPE_LATEST})
