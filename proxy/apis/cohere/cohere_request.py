"""CohereApi: parses requests of Cohere's chat API."""

from dataclasses import replace
from typing import Annotated

from pydantic import Field

from citestream.citation.evidence import EvidenceLimits, FieldError
from citestream.citation.options import Options
from citestream.providers.wire.cohere.chat_request import (
    chat_messages,
    chat_params,
    cites_at_once,
    provider_params,
    wants_citations,
    wants_json,
)
from citestream.providers.wire.json_text import WrongField

from ...http.client_api import Citations, ClientApi
from ...pipeline.request.job import Job
from ..extensions import Body, parse_extensions
from ..field_types import Items, JsonObject, Shape, Text, Whole, check
from .cohere_documents import collect_documents
from .cohere_encoder import CohereEncoder

Number = int | float


class CohereApi(ClientApi):
    """`POST /v2/chat`."""

    native = "cohere"
    path = "/v2/chat"

    def parse(self, body: Body, defaults: Options, limits: EvidenceLimits) -> Job:
        """Parse a request. Raise FieldError with the path of a wrong field."""
        check(body, _Request)
        documents = body.get("documents")
        without_documents = {key: value for key, value in body.items() if key != "documents"}
        remaining, extensions = parse_extensions(without_documents, defaults, limits)
        try:
            evidence, by_call = collect_documents(documents, body["messages"], extensions.evidence, limits)
            messages = chat_messages(body["messages"], by_call if extensions.options.enabled else ())
            options = _options(body, extensions.options)
        except WrongField as error:
            raise FieldError(error.path, error.message) from None
        return Job(
            model=self.model(body),
            messages=messages,
            params=chat_params(body),
            native_params=provider_params(body),
            body=remaining,
            evidence=evidence,
            evidence_by_call=by_call,
            retrieval=extensions.retrieval,
            options=options,
            stream=bool(body.get("stream")),
            usage=True,
            json=wants_json(body),
        )

    def encoder(self, job: Job, citations: Citations) -> CohereEncoder:
        """Return the encoder of the answer."""
        return CohereEncoder(job, citations, cites=wants_citations(job.body))


def _options(body: Body, options: Options) -> Options:
    """Return the options for this API. The text has no markers, so the mode of citations decides when it is sent.

    A `release` in the request has priority, and so have `unsupported: drop` and `release: whole`, which hold the text.
    """
    requested = body.get("citations") or {}
    at_once = cites_at_once(body) or not wants_citations(body)
    changes: Body = {"marker": "none", "dialect": "openai"}
    must_hold = options.unsupported == "drop" or options.release == "whole"
    if at_once and requested.get("release") is None and not must_hold:
        changes["release"] = "live"
    return replace(options, **changes)


class _Function(Shape):
    name: Text
    description: Text | None = None
    parameters: JsonObject | None = None


class _Tool(Shape):
    type: Text | None = None
    function: _Function


class _CalledFunction(Shape):
    name: Text
    arguments: Text | JsonObject | None = None


class _Call(Shape):
    id: Text | None = None
    function: _CalledFunction


class _Part(Shape):
    type: Text | None = None
    text: Text | None = None
    thinking: Text | None = None


class _Message(Shape):
    role: Text
    content: Text | Items[Text | _Part] | None = None
    tool_plan: Text | None = None
    tool_calls: Items[_Call] | None = None
    tool_call_id: Text | None = None


class _Format(Shape):
    type: Text | None = None
    json_schema: JsonObject | None = None


class _CitationOptions(Shape):
    mode: Text | None = None


class _Thinking(Shape):
    type: Text | None = None
    token_budget: Whole | None = None


class _Request(Shape):
    """The fields that are read here or translated. Other fields are not checked."""

    messages: Annotated[Items[_Message], Field(min_length=1)]
    stream: bool | None = None
    citation_options: _CitationOptions | None = None
    response_format: _Format | None = None
    tools: Items[_Tool] | None = None
    strict_tools: bool | None = None
    tool_choice: Text | None = None
    temperature: Number | None = None
    p: Number | None = None
    k: Whole | None = None
    max_tokens: Whole | None = None
    stop_sequences: Items[Text] | None = None
    seed: Whole | None = None
    frequency_penalty: Number | None = None
    presence_penalty: Number | None = None
    logprobs: bool | None = None
    thinking: _Thinking | None = None
