"""Gemini, with a key or on Vertex AI: `streamGenerateContent?alt=sse`.

Chat uses aiohttp, the splitter of this package and orjson: 9 µs of CPU per chunk, where the official SDK takes 795.
google-auth makes the access tokens of Vertex AI.
"""

from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any
from urllib.parse import quote, urlsplit

from .errors import Rejected
from .events import ChatRequest, Embedded, Event, Relayed, RelayRequest
from .google_credentials import AccessTokens
from .settings import Settings
from .streaming.http_provider import MAX_MODELS, HttpProvider, named_models, request_body, requested_choices
from .streaming.relay import read_json
from .transport import Call, EventSplitter, Transport, check_reachable, path_segment
from .wire.embeddings import GEMINI_BATCH, from_gemini, gemini_request
from .wire.gemini.candidates import GeminiReader
from .wire.gemini.generation_config import generate_content_body
from .wire.json_text import as_list
from .wire.openai_messages import unsupported
from .wire.stream_end import StreamEnd

BASE_URL = "https://generativelanguage.googleapis.com"
VERTEX_MODELS = "publishers/google/models"
API_VERSION = "v1beta"  # v1 has neither system instructions nor tools for every model
# The resources that generate content, with `*` for a name. A name of any other form could be a file, a batch or a
# cache of the account.
RESOURCES = (("models", "*"), ("tunedModels", "*"))
VERTEX_RESOURCES = (("models", "*"), ("endpoints", "*"), ("publishers", "*", "models", "*"))


class GeminiProvider(HttpProvider):
    """The Gemini API; with `settings.vertex` a Vertex AI address, up to and including its location."""

    native = "gemini"

    def __init__(self, settings: Settings | None = None, transport: Transport | None = None) -> None:
        """See HttpProvider."""
        super().__init__(settings, transport)
        self._tokens = AccessTokens()

    async def relay(self, request: RelayRequest) -> Relayed:
        """Pass a request and its answer through unchanged. Raises ProviderError.

        The path is `:generateContent` or `:streamGenerateContent?alt=sse`, which follows the model's address.
        """
        url = f"{self._model_url(request.model, request.version)}{request.path}"
        call = await self._call(url, request.body, request.key)
        is_stream = request.path.startswith(":streamGenerateContent")
        return await self._relay(call, StreamEnd("gemini", request.choices) if is_stream else None)

    async def embeddings(
        self, texts: Sequence[str], *, model: str, dimensions: int | None = None, key: str | None = None
    ) -> Embedded:
        """Return embeddings of texts. Raises ProviderError; Rejected on Vertex AI, which has another API."""
        if self._settings.vertex:
            raise unsupported("Embeddings of Vertex AI are not supported.", "model")
        embedded = Embedded([])
        for start in range(0, len(texts), GEMINI_BATCH):
            batch = texts[start : start + GEMINI_BATCH]
            request = RelayRequest(gemini_request(batch, model, dimensions), ":batchEmbedContents", model, key)
            answer = await read_json(await self.relay(request))
            embedded.vectors.extend(from_gemini(answer, len(batch)).vectors)
        return embedded

    async def models(self) -> list[str]:
        """Return the names of its models that write text. Raises ProviderError."""
        field, place = ("publisherModels", f"{VERTEX_MODELS}/") if self._settings.vertex else ("models", "models/")
        names: list[str] = []
        url = self._models_url()
        while url:
            page = await self._json(await self._call(url, None, None))
            page_models = [*named_models(page.get(field), "name")]
            names += [name.removeprefix(place) for name, model in page_models if _writes_text(model)]
            token = page.get("nextPageToken")
            more = isinstance(token, str) and token and page_models and len(names) < MAX_MODELS
            url = f"{self._models_url()}?pageToken={quote(str(token), safe='')}" if more else ""
        return sorted(names)[:MAX_MODELS]

    async def describe(self, model: str, *, key: str | None = None) -> dict[str, Any]:
        """Return the description of a model, {} for Vertex AI's, which has another form. Raises ProviderError."""
        if self._settings.vertex:
            return {}
        return await self._json(await self._call(self._model_url(model), None, key))

    async def reach(self) -> None:
        """Check that it can be used now. Raises ProviderError if not."""
        call = await self._call(self._models_url(), None, None)
        await check_reachable(self._transport, call, has_key=bool(self._settings.api_key) or self._settings.vertex)

    async def _answer(self, request: ChatRequest) -> AsyncGenerator[Event, None]:
        url = f"{self._model_url(request.model)}:streamGenerateContent?alt=sse"
        call = await self._call(url, await request_body(generate_content_body, request), request.key)
        reader = GeminiReader(request.model, requested_choices(request.params))
        return self._stream(request, call, EventSplitter, reader, server_closes=True)

    def _models_url(self) -> str:
        """Return the address of the list of models; on Vertex AI that of Google's own."""
        settings = self._settings
        if settings.vertex:
            parts = urlsplit(settings.base_url)
            return f"{parts.scheme}://{parts.netloc}/v1beta1/{VERTEX_MODELS}"
        return f"{settings.base_url.rstrip('/') or BASE_URL}/{settings.api_version or API_VERSION}/models"

    def _model_url(self, name: str, version: str = "") -> str:
        """Return the address of a model, up to the method. Raises Rejected for a name that changes the path.

        `version`: of the API, unless the configuration names one.
        """
        settings = self._settings
        base = settings.base_url.rstrip("/")
        if settings.vertex:
            return f"{base}/{_resource(name, VERTEX_RESOURCES, VERTEX_MODELS)}"
        version = settings.api_version or version or API_VERSION
        return f"{base or BASE_URL}/{version}/{_resource(name, RESOURCES, 'models')}"

    async def _call(self, url: str, body: bytes | None, key: str | None) -> Call:
        """Return a call with the key in a header. In the address it would appear in logs."""
        settings = self._settings
        key = key or settings.api_key
        if settings.vertex and not key:
            key = await self._tokens.current()
        is_token = key.startswith("ya29.") or (settings.vertex and not key.startswith(("AIza", "AQ.")))
        headers = {"Authorization": f"Bearer {key}"} if is_token else {"x-goog-api-key": key} if key else {}
        headers |= {"Content-Type": "application/json"} if body is not None else {}
        method = "GET" if body is None else "POST"
        return Call(method, url, body, {**headers, **settings.headers}, settings.ca_file, settings.retries)


def _resource(name: str, resources: Sequence[Sequence[str]], default: str) -> str:
    """Return the path of a model: one of these resources, or a plain name below the default.

    Raises Rejected for any other name.
    """
    parts = name.split("/")
    segments = "/".join(map(path_segment, parts))
    if len(parts) == 1:
        return f"{default}/{segments}"
    if any(_is_resource(parts, resource) for resource in resources):
        return segments
    raise Rejected(
        "The name of a model contains a slash only as models/NAME or another resource that generates content.",
        status=404,
        param="model",
        code="model_not_found",
    )


def _is_resource(parts: Sequence[str], resource: Sequence[str]) -> bool:
    return len(parts) == len(resource) and all(name in ("*", part) for part, name in zip(parts, resource, strict=True))


def _writes_text(model: Mapping[str, Any]) -> bool:
    """Return whether a model generates content. Servers that do not list the methods of a model have no others."""
    methods = as_list(model.get("supportedGenerationMethods"))
    return not methods or "generateContent" in methods
