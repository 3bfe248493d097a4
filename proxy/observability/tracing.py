"""OpenTelemetry spans of requests, with the semantic conventions for HTTP and generative AI.

    POST /v1/chat/completions   the request: route, status, id
      retrieval docs            a search for evidence
      chat gpt-4.1              a provider call: model, tokens, finish reason
      score lexical             the citation decisions, from the first sentence to the last

This module is imported only if `traces.endpoint` is set, because its packages are an optional extra. Spans contain
questions, search results and answers only if `log.content` is on.
"""

import asyncio
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
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
from ..http.encoding import dumps
from ..http.middleware.auth import is_open
from ..pipeline.request.questions import text_of
from .logs import CLIENT, LOG_FIELDS, MAX_PATH_CHARACTERS, REQUEST_ID
from .telemetry import COMPLETE, LEFT, CallObserver, CallTarget, Observer, SearchObserver, SearchResult

NAME = "citestream"
EXPORT_PATH = "/v1/traces"  # default path of a collector
CLOSE_SECONDS = 2.0  # time to export the last spans when the server stops
MAX_NAME_CHARACTERS = 200  # characters of a model name, which clients choose

Attributes = dict[str, Any]

# Request parameters in the conventions, with their attribute name and type.
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


class Tracing(Observer):
    """Creates spans and exports them to a collector in a background thread."""

    def __init__(self, config: Traces, *, content: bool) -> None:
        """`content` adds questions, search results and answers to the spans."""
        self._content = content
        resource = Resource.create({} if os.environ.get("OTEL_SERVICE_NAME") else {SERVICE_NAME: NAME})
        self._provider = TracerProvider(sampler=ParentBased(TraceIdRatioBased(config.sample)), resource=resource)
        address = config.endpoint.rstrip("/")
        endpoint = address if urlsplit(address).path else f"{address}{EXPORT_PATH}"
        self._provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint, headers=config.headers)))
        self._tracer = self._provider.get_tracer(NAME)
        self._propagation = TraceContextTextMapPropagator()

    def middleware(self) -> Middleware:
        """Return a middleware that creates a span for each request. The request id must already be set."""

        @web.middleware
        async def trace_request(request: web.Request, handler: Handler) -> web.StreamResponse:
            if is_open(request.path) or request.path == "/metrics":
                return await handler(request)
            with self._request(request) as span:
                response = await handler(request)
                span.set_attribute("http.response.status_code", response.status)
                if response.status >= 500:
                    _set_error(span, str(response.status))
            return response

        return trace_request

    def call_started(self, target: CallTarget, request: ChatRequest | None) -> CallObserver:
        """Start a span for a provider call."""
        span = self._start(
            f"chat {target.model[:MAX_NAME_CHARACTERS]}", SpanKind.CLIENT, _call_attributes(target, request)
        )
        if request and self._content and span.is_recording():
            span.set_attribute("gen_ai.input.messages", _messages(request.messages))
        return _CallSpan(span, content=self._content)

    def search_started(self, retriever: str, query: str) -> SearchObserver:
        """Start a span for a search."""
        attributes: Attributes = {"gen_ai.operation.name": "retrieval", "gen_ai.data_source.id": retriever}
        if self._content:
            attributes["gen_ai.retrieval.query.text"] = query
        span = self._start(f"retrieval {retriever}", SpanKind.CLIENT, attributes)
        return _SearchSpan(span, content=self._content)

    def answer_cited(self, grounding: Grounding) -> None:
        """Create a span for the citation decisions of an answer, from the first sentence to the last."""
        began, ended = grounding.decision_times_ns
        if not began:
            return
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
                **_judge_attributes(grounding),
            },
        )
        span.end(ended)

    async def aclose(self) -> None:
        """Export the remaining spans, for at most CLOSE_SECONDS."""
        closing = Thread(
            target=self._provider.shutdown, daemon=True
        )  # daemon: a collector that hangs must not block the exit
        closing.start()
        await asyncio.to_thread(closing.join, CLOSE_SECONDS)

    @contextmanager
    def _request(self, request: web.Request) -> Iterator[Span]:
        resource = request.match_info.route.resource
        route = resource.canonical if resource else ""
        attributes: Attributes = {
            "http.request.method": request.method,
            "url.scheme": request.scheme,
            "url.path": request.rel_url.raw_path[:MAX_PATH_CHARACTERS],  # without the query, which can contain a key
            "citestream.request_id": request[REQUEST_ID],
        }
        if route:
            attributes["http.route"] = route
        parent = self._propagation.extract(request.headers)
        span = self._start(f"{request.method} {route}".strip(), SpanKind.SERVER, attributes, parent)
        trace_id = trace.format_trace_id(span.get_span_context().trace_id)
        token = LOG_FIELDS.set({**LOG_FIELDS.get(), "trace_id": trace_id})
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
            LOG_FIELDS.reset(token)

    def _start(self, name: str, kind: SpanKind, attributes: Attributes, context: Context | None = None) -> Span:
        return self._tracer.start_span(
            encodable(name), context, kind, {key: encodable(value) for key, value in attributes.items()}
        )


class _SearchSpan(SearchObserver):
    """The span of a search."""

    def __init__(self, span: Span, *, content: bool) -> None:
        self._span = span
        self._content = content

    def ended(self, result: SearchResult, seconds: float) -> None:
        """Add the results and end the span."""
        self._span.set_attribute("citestream.retrieval.found", len(result.entries))
        if self._content:
            self._span.set_attribute("gen_ai.retrieval.documents", _documents(result.entries))
        _end(self._span, result.outcome)


class _CallSpan(CallObserver):
    """The span of a provider call."""

    def __init__(self, span: Span, *, content: bool) -> None:
        self._span = span
        self._identified = False  # the id and the model of the response are set
        self._reasons: dict[int, str] = {}
        self._texts: dict[int, list[str]] | None = {} if content else None

    def received(self, event: Event) -> None:
        """Add the data of an event to the span."""
        if isinstance(event, Idle):
            return
        if not self._identified:
            self._identified = True
            for name in ("id", "model"):
                if isinstance(value := event.chunk.get(name), str) and value:
                    self._span.set_attribute(f"gen_ai.response.{name}", encodable(value[:MAX_NAME_CHARACTERS]))
        if isinstance(event, Finish):
            self._reasons[event.choice] = event.reason
        elif isinstance(event, TextDelta) and self._texts is not None:
            self._texts.setdefault(event.choice, []).append(event.text)
        if isinstance(event, Usage | Finish):
            self._span.set_attributes(_usage(event.chunk.get("usage")))

    def ended(self, outcome: str, seconds: float, first: float | None) -> None:
        """Add the finish reasons and the answers, and end the span."""
        if first is not None:
            self._span.set_attribute("gen_ai.response.time_to_first_chunk", first)
        if self._reasons:
            self._span.set_attribute(
                "gen_ai.response.finish_reasons", [encodable(self._reasons[choice]) for choice in sorted(self._reasons)]
            )
        if self._texts:
            answers = [
                _message("assistant", "".join(text)) | {"finish_reason": self._reasons.get(choice, "error")}
                for choice, text in sorted(self._texts.items())
            ]
            self._span.set_attribute("gen_ai.output.messages", dumps(answers).decode())
        _end(self._span, outcome)


def encodable(value: Any) -> Any:
    """Return a string with "?" in place of lone surrogates, and other values unchanged.

    The exporter drops a whole batch of spans if a name contains a lone surrogate.
    """
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


def _call_attributes(target: CallTarget, request: ChatRequest | None) -> Attributes:
    attributes: Attributes = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": target.vendor,
        "gen_ai.request.model": target.model[:MAX_NAME_CHARACTERS],
        "citestream.provider": target.provider,
    }
    address = urlsplit(target.address)
    if address.hostname:
        attributes["server.address"] = address.hostname
        attributes["server.port"] = address.port or (80 if address.scheme == "http" else 443)
    for name, value in (request.params if request else {}).items():
        attribute = _PARAMETERS.get(name)
        if attribute and isinstance(value, attribute[1]) and not isinstance(value, bool):
            attributes[f"gen_ai.request.{attribute[0]}"] = value
    return attributes


def _usage(usage: object) -> Attributes:
    counts = usage if isinstance(usage, Mapping) else {}
    named = {
        "gen_ai.usage.input_tokens": counts.get("prompt_tokens"),
        "gen_ai.usage.output_tokens": counts.get("completion_tokens"),
        "gen_ai.usage.cache_read.input_tokens": (counts.get("prompt_tokens_details") or {}).get("cached_tokens"),
        "gen_ai.usage.reasoning.output_tokens": (counts.get("completion_tokens_details") or {}).get("reasoning_tokens"),
    }
    return {name: value for name, value in named.items() if isinstance(value, int)}


def _messages(messages: Sequence[Mapping[str, Any]]) -> str:
    return dumps([_message(str(message.get("role")), text_of(message.get("content"))) for message in messages]).decode()


def _message(role: str, text: str) -> Attributes:
    """Return a message in the format of the conventions."""
    return {"role": role, "parts": [{"type": "text", "content": text}]}


def _documents(entries: Sequence[Mapping[str, Any]]) -> str:
    return dumps([{"id": str(entry.get("id")), "score": entry.get("score")} for entry in entries]).decode()


def _end(span: Span, outcome: str) -> None:
    if outcome not in (COMPLETE, LEFT):
        _set_error(span, outcome)
    elif outcome == LEFT:
        span.set_attribute("error.type", LEFT)
    span.end()


def _set_error(span: Span, kind: str) -> None:
    """Set the type of an error. Its message may quote the request."""
    span.set_attribute("error.type", kind)
    span.set_status(Status(StatusCode.ERROR))


def _judge_attributes(grounding: Grounding) -> dict[str, float]:
    if grounding.judging is None:
        return {}
    return {f"citestream.judge.{name}": value for name, value in asdict(grounding.judging).items()}
