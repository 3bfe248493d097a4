"""The routes of the server, and the error format of each path."""

import re
from functools import partial
from importlib.resources import files
from typing import TYPE_CHECKING

from aiohttp import web

from .. import component, playground
from ..apis import anthropic, cohere, gemini, interactions, mcp, ollama, responses
from ..apis.citation_endpoints import cite, references
from ..apis.document_endpoint import read_indexed, send_file
from ..apis.embeddings_endpoint import embeddings
from ..apis.evidence_endpoint import read_evidence
from ..apis.guardrail_endpoint import guardrail
from ..apis.models_endpoint import model, models
from ..apis.openai_chat import OpenAIChatApi
from ..app import App
from ..observability.logs import PASSAGE_PREFIX
from ..observability.readiness import FAILING, Readiness
from ..passages.passage_route import passage
from .encoding import json_response
from .error_responses import ErrorFormat
from .exchange import answer
from .middleware.admission import Admission
from .middleware.auth import Keys, presented_key

if TYPE_CHECKING:
    from ..observability.metrics import Metrics

DESCRIPTION = files("citestream.proxy") / "openapi.yaml"
VERSIONS = ("v1beta", "v1", "v1beta1")  # Gemini's: the defaults of its Python client 1.x and 3.x, and of Vertex AI

RESPONSE_ID = "{id:(?!(?:compact|input_tokens)$)[^{}/]+}"  # two paths have the place of an id

# A path of OpenAI's API. With a method at its end, it is one of Gemini's.
MODEL_PATH = re.compile(f"/v1/models/{gemini.MODEL_PATTERN}", re.DOTALL)
INTERACTIONS_PATH = re.compile("/(?:v1beta1|v1beta|v1)/interactions(?:/|$)")


def client_routes(app: App) -> list[web.AbstractRouteDef]:
    """Return the routes for clients."""
    return [
        web.post("/v1/chat/completions", partial(answer, api=OpenAIChatApi(), app=app)),
        web.post("/v1/embeddings", partial(embeddings, app=app)),
        web.post("/v1/responses", partial(responses.respond, app=app)),
        web.get("/v1/responses", responses.Sockets(app).connect, allow_head=False),
        web.post("/v1/responses/input_tokens", partial(responses.input_tokens, app=app)),
        web.post("/v1/responses/compact", partial(responses.compact, app=app)),
        web.get(f"/v1/responses/{RESPONSE_ID}", partial(responses.get_response, app=app)),
        web.delete(f"/v1/responses/{RESPONSE_ID}", partial(responses.delete_response, app=app)),
        web.post("/v1/responses/{id}/cancel", partial(responses.cancel_response, app=app)),
        web.get("/v1/responses/{id}/input_items", partial(responses.input_items, app=app)),
        web.post("/v1/messages", partial(anthropic.messages, app=app)),
        web.post("/v1/messages/count_tokens", partial(anthropic.count_tokens, app=app)),
        web.post("/api/chat", partial(answer, api=ollama.CHAT, app=app)),
        web.post("/api/generate", partial(answer, api=ollama.GENERATE, app=app)),
        web.get("/api/tags", partial(ollama.tags, app=app)),
        web.get("/api/ps", partial(ollama.running, app=app)),
        web.post("/api/show", partial(ollama.show, app=app)),
        web.post("/api/embed", partial(ollama.embed, app=app)),
        web.post("/api/embeddings", partial(ollama.embeddings, app=app)),
        web.get("/api/version", ollama.version),
        web.post("/v2/chat", partial(answer, api=cohere.CohereApi(), app=app)),
        *[web.post(f"/{version}/models/{{call:.+:.+}}", partial(gemini.generate, app=app)) for version in VERSIONS],
        *[route for version in VERSIONS for route in _interaction_routes(f"/{version}/interactions", app)],
        web.get("/v1beta/models", partial(gemini.list_models, app=app)),
        web.get(f"/v1beta/models/{{model:{gemini.MODEL_PATTERN}}}", partial(gemini.get_model, app=app)),
        web.post("/v1/cite", partial(cite, app=app)),
        web.post("/v1/evidence/read", read_evidence),
        web.post("/beta/litellm_basic_guardrail_api", partial(guardrail, app=app)),
        web.post("/v1/evidence/document", partial(read_indexed, app=app)),
        web.post("/v1/evidence/file", partial(send_file, app=app)),
        web.post("/mcp", partial(mcp.receive, app=app)),
        web.get("/v1/references/{id}", partial(references, app=app)),
        web.get("/v1/models", partial(_models, app=app)),
        web.get(f"/v1/models/{{model:{gemini.MODEL_PATTERN}}}", partial(_model, app=app)),
        *component.routes(),
        web.get(f"{PASSAGE_PREFIX}{{id:[\\s\\S]+}}", partial(passage, app=app)),
        *playground.routes(app),
    ]


def _interaction_routes(path: str, app: App) -> list[web.AbstractRouteDef]:
    return [
        web.post(path, partial(interactions.create_interaction, app=app)),
        web.get(f"{path}/{{id}}", partial(interactions.get_interaction, app=app)),
        web.delete(f"{path}/{{id}}", partial(interactions.delete_interaction, app=app)),
        web.post(f"{path}/{{id}}/cancel", partial(interactions.cancel_interaction, app=app)),
    ]


def operator_routes(
    metrics: "Metrics", admission: Admission, readiness: Readiness, keys: Keys
) -> list[web.AbstractRouteDef]:
    """Return the routes for operators and their machines."""
    return [
        web.get("/metrics", metrics.exposition),
        web.get("/openapi.yaml", partial(openapi, document=DESCRIPTION.read_bytes())),
        web.get("/healthz", alive),
        web.get("/readyz", partial(ready, admission=admission, readiness=readiness, keys=keys)),
    ]


async def _models(request: web.Request, app: App) -> web.Response:
    """`GET /v1/models` belongs to the APIs of OpenAI, Gemini and Anthropic. Other clients than OpenAI's are known."""
    if _is_anthropic_client(request):
        return await anthropic.list_models(request, app)
    return await (gemini.list_models if _is_google_client(request) else models)(request, app)


async def _model(request: web.Request, app: App) -> web.Response:
    """`GET /v1/models/{model}` belongs to all three APIs too."""
    if _is_anthropic_client(request):
        return await anthropic.get_model(request, app)
    return await (gemini.get_model if _is_google_client(request) else model)(request, app)


def _is_google_client(request: web.Request) -> bool:
    return "x-goog-api-client" in request.headers or "x-goog-api-key" in request.headers


def _is_anthropic_client(request: web.Request) -> bool:
    return "anthropic-version" in request.headers


def error_format(path: str) -> ErrorFormat:
    """Return the error format of the API at this path."""
    if path.startswith("/api/"):
        return ollama.error_body
    if path == "/v1/messages" or path.startswith("/v1/messages/"):
        return anthropic.error_body
    if path == "/mcp":
        return mcp.error_body
    if path.startswith("/v2/"):
        return cohere.error_body
    if INTERACTIONS_PATH.match(path):
        return interactions.error_body
    is_method = path.startswith("/v1/models/") and not MODEL_PATH.fullmatch(path)
    return gemini.error_body if is_method or path.startswith("/v1beta/") else lambda error, _status: error


async def openapi(_: web.Request, document: bytes) -> web.Response:
    """Return the OpenAPI document."""
    return web.Response(body=document, content_type="application/yaml", charset="utf-8")


async def alive(_: web.Request) -> web.Response:
    """Liveness check: the process answers."""
    return json_response({"status": "ok"})


async def ready(request: web.Request, admission: Admission, readiness: Readiness, keys: Keys) -> web.Response:
    """Readiness check: 200, or 503 if the server stops or lacks a required service.

    A client without a valid key does not see the single checks.
    """
    if not admission.open:
        return json_response({"status": "stopping"}, 503)
    status, checks = await readiness.report()
    is_client = keys.name_of(presented_key(request)) is not None
    return json_response(
        {"status": status, **({"checks": checks} if is_client else {})}, 503 if status == FAILING else 200
    )
