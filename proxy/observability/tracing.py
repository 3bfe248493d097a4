"""Tracing: what happens with a request as OpenTelemetry spans, by its conventions for HTTP and for generative AI.

    POST /v1/chat/completions   the request: route, status, its id
      retrieval docs            a search for evidence
      chat gpt-4.1              a call of a provider: model, tokens, why it ended
      score lexical             deciding citations, from the first sentence to the last

Imported only where `traces.endpoint` is set, since the packages are an extra and take a while. What was asked, found
and answered stands in spans only where it may stand in the log.
"""

import asyncio
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware
from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import SERVICE_NAME, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.sampling import ParentBased, TraceIdRatioBased
from opentelemetry.trace import Span, SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from citestream.citation.grounding import Grounding
from citestream.providers.events import ChatRequest, Event, Finish, Idle, TextDelta, Usage

from ..config import Traces
from ..http.auth import is_open
from ..http.encoding import dumps
from ..pipeline.job import text_of
from .logs import CLIENT, CURRENT, MAX_PATH, REQUEST_ID
from .telemetry import COMPLETE, LEFT, Asked, Found

NAME = "citestream"
EXPORT_PATH = "/v1/traces"  # of a collector, where only its address is given
CLOSE_SECONDS = 2.0  # that the last spans may take when the server stops
MAX_NAME = 200  # characters of a model's name, which a client may have made up

Attributes = dict[str, Any]

# Of a request's parameters, those that the conventions have a name for, each with the type it must be of.
_PARAMETERS: dict[str, tuple[str, type | tuple[type, ...]]] = {
    "temperature": ("temperature", (int, float)),
    "top_p": ("top_p", (int, float)),
    "frequency_penalty": ("frequency_penalty", (int, float)),
    "presence_penalty": ("presence_penalty", (int, float)),
    "max_tokens": ("max_tokens", int),
    "max_completion_tokens": ("max_tokens", int),
    "seed": ("seed", int),
    "n": ("choice.count", int),
}


class Tracing:
    """Makes spans and sends them to a collector, from a thread of its own."""

    def __init__(self, config: Traces, *, content: bool) -> None:
        """`content`: whether what is asked, found and answered may stand in them."""
        self._content = content
        resource = Resource.create({} if os.environ.get("OTEL_SERVICE_NAME") else {SERVICE_NAME: NAME})
        self._provider = TracerProvider(sampler=ParentBased(TraceIdRatioBased(config.sample)), resource=resource)
        address = config.endpoint.rstrip("/")
        endpoint = address if urlsplit(address).path else f"{address}{EXPORT_PATH}"
        self._provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint, headers=config.headers)))
        self._tracer = self._provider.get_tracer(NAME)
        self._propagation = TraceContextTextMapPropagator()

    def middleware(self) -> Middleware:
        """A span for every request, inside of what gives it an id."""

        @web.middleware
        async def traced(request: web.Request, handler: Handler) -> web.StreamResponse:
            if is_open(request.path) or request.path == "/metrics":
                return await handler(request)
            with self._request(request) as span:
                response = await handler(request)
                span.set_attribute("http.response.status_code", response.status)
                if response.status >= 500:
                    _failed(span, str(response.status))
            return response

        return traced

    def call(self, asked: Asked, request: ChatRequest | None) -> "CallSpan":
        """A call of a provider, which has just begun. `request`: None where its bytes pass through unread."""
        span = self._begun(f"chat {asked.model[:MAX_NAME]}", SpanKind.CLIENT, _asked(asked, request))
        if request and self._content and span.is_recording():
            span.set_attribute("gen_ai.input.messages", _messages(request.messages))
        return CallSpan(span, content=self._content)

    @contextmanager
    def searching(self, retriever: str, query: str) -> Iterator[Found]:
        """A search, as long as this; its finder fills `Found`."""
        found = Found()
        attributes: Attributes = {"gen_ai.operation.name": "retrieval", "gen_ai.data_source.id": retriever}
        if self._content:
            attributes["gen_ai.retrieval.query.text"] = query
        span = self._begun(f"retrieval {retriever}", SpanKind.CLIENT, attributes)
        try:
            yield found
        finally:
            span.set_attribute("citestream.retrieval.found", len(found.entries))
            if self._content:
                span.set_attribute("gen_ai.retrieval.documents", _documents(found.entries))
            _end(span, found.outcome)

    def scored(self, grounding: Grounding) -> None:
        """The decisions about one answer, from the first sentence to the last."""
        began, ended = grounding.decided
        span = self._tracer.start_span(
            f"score {grounding.scorer}",
            start_time=began,
            attributes={
                "citestream.scoring.ms": grounding.timings_ms.get("scoring", 0.0),
                "citestream.claims": grounding.claims,
                "citestream.claims.supported": grounding.supported,
                "citestream.supports": grounding.supports.total(),
                "citestream.rejected": len(grounding.rejected),
                "citestream.degraded": grounding.degraded,
            },
        )
        span.end(ended)

    async def aclose(self) -> None:
        """Send what is left, as long as that takes no longer than a stopping server may."""
        closing = Thread(target=self._provider.shutdown, daemon=True)  # a collector that hangs must not hold us
        closing.start()
        await asyncio.to_thread(closing.join, CLOSE_SECONDS)

    @contextmanager
    def _request(self, request: web.Request) -> Iterator[Span]:
        resource = request.match_info.route.resource
        route = resource.canonical if resource else ""
        attributes: Attributes = {
            "http.request.method": request.method,
            "url.scheme": request.scheme,
            "url.path": request.rel_url.raw_path[:MAX_PATH],  # without the query, which may hold a key
            "citestream.request_id": request[REQUEST_ID],
        }
        if route:
            attributes["http.route"] = route
        came_with = self._propagation.extract(request.headers)
        span = self._begun(f"{request.method} {route}".strip(), SpanKind.SERVER, attributes, came_with)
        trace_id = trace.format_trace_id(span.get_span_context().trace_id)
        told = CURRENT.set({**CURRENT.get(), "trace_id": trace_id})
        try:
            with trace.use_span(span, record_exception=False, set_status_on_exception=False):
                yield span
        except asyncio.CancelledError:
            span.set_attribute("error.type", LEFT)
            raise
        finally:
            if name := request.get(CLIENT):
                span.set_attribute("citestream.client", name)
            span.end()
            CURRENT.reset(told)

    def _begun(self, name: str, kind: SpanKind, attributes: Attributes, context: Context | None = None) -> Span:
        return self._tracer.start_span(
            encodable(name), context, kind, {key: encodable(value) for key, value in attributes.items()}
        )


class CallSpan:
    """The span of one call of a provider."""

    def __init__(self, span: Span, *, content: bool) -> None:
        """It has begun."""
        self._span = span
        self._told = False
        self._reasons: dict[int, str] = {}
        self._texts: dict[int, list[str]] | None = {} if content else None

    def heard(self, event: Event) -> None:
        """Take in what the provider sends."""
        if isinstance(event, Idle):
            return
        if not self._told:
            self._told = True
            for name in ("id", "model"):
                if isinstance(value := event.chunk.get(name), str) and value:
                    self._span.set_attribute(f"gen_ai.response.{name}", encodable(value[:MAX_NAME]))
        if isinstance(event, Finish):
            self._reasons[event.choice] = event.reason
        elif isinstance(event, TextDelta) and self._texts is not None:
            self._texts.setdefault(event.choice, []).append(event.text)
        if isinstance(event, Usage | Finish):
            self._span.set_attributes(_usage(event.chunk.get("usage")))

    def end(self, outcome: str, first: float | None) -> None:
        """It is over. `first`: seconds until it said something."""
        if first is not None:
            self._span.set_attribute("gen_ai.response.time_to_first_chunk", first)
        if self._reasons:
            self._span.set_attribute(
                "gen_ai.response.finish_reasons", [encodable(self._reasons[at]) for at in sorted(self._reasons)]
            )
        if self._texts:
            answers = [
                _message("assistant", "".join(text)) | {"finish_reason": self._reasons.get(at, "error")}
                for at, text in sorted(self._texts.items())
            ]
            self._span.set_attribute("gen_ai.output.messages", dumps(answers).decode())
        _end(self._span, outcome)


def encodable(value: Any) -> Any:
    """A text as UTF-8 can hold it, with "?" for half characters: for one in a name the exporter drops all its spans.

    What is no text, unchanged.
    """
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


def _asked(asked: Asked, request: ChatRequest | None) -> Attributes:
    attributes: Attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": asked.vendor,
        "gen_ai.request.model": asked.model[:MAX_NAME],
        "citestream.provider": asked.provider,
    }
    address = urlsplit(asked.address)
    if address.hostname:
        attributes["server.address"] = address.hostname
        attributes["server.port"] = address.port or (80 if address.scheme == "http" else 443)
    for name, value in (request.params if request else {}).items():
        known = _PARAMETERS.get(name)
        if known and isinstance(value, known[1]) and not isinstance(value, bool):
            attributes[f"gen_ai.request.{known[0]}"] = value
    return attributes


def _usage(usage: object) -> Attributes:
    found = usage if isinstance(usage, Mapping) else {}
    named = {
        "gen_ai.usage.input_tokens": found.get("prompt_tokens"),
        "gen_ai.usage.output_tokens": found.get("completion_tokens"),
        "gen_ai.usage.cache_read.input_tokens": (found.get("prompt_tokens_details") or {}).get("cached_tokens"),
        "gen_ai.usage.reasoning.output_tokens": (found.get("completion_tokens_details") or {}).get("reasoning_tokens"),
    }
    return {name: value for name, value in named.items() if isinstance(value, int)}


def _messages(messages: Sequence[Mapping[str, Any]]) -> str:
    return dumps([_message(str(one.get("role")), text_of(one.get("content"))) for one in messages]).decode()


def _message(role: str, text: str) -> Attributes:
    """As the conventions write one down."""
    return {"role": role, "parts": [{"type": "text", "content": text}]}


def _documents(entries: Sequence[Mapping[str, Any]]) -> str:
    return dumps([{"id": str(one.get("id")), "score": one.get("score")} for one in entries]).decode()


def _end(span: Span, outcome: str) -> None:
    if outcome not in (COMPLETE, LEFT):
        _failed(span, outcome)
    elif outcome == LEFT:
        span.set_attribute("error.type", LEFT)
    span.end()


def _failed(span: Span, kind: str) -> None:
    """Without the words of the error, which may quote what was asked."""
    span.set_attribute("error.type", kind)
    span.set_status(Status(StatusCode.ERROR))
