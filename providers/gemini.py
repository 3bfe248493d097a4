"""Gemini, with a key or on Vertex AI: `streamGenerateContent?alt=sse`.

Chat goes over aiohttp with our own splitter and orjson: 9 µs a chunk, where the official SDK takes 795. The SDK is used
for the list of models, and google-auth for the access tokens of Vertex AI.
"""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from importlib import import_module
from typing import Any
from urllib.parse import urlsplit

from .addresses import path_of
from .errors import ProviderError, translate
from .events import ChatRequest, Embedded, Event, Relayed
from .google_credentials import AccessTokens
from .reachability import reach
from .relay import Ending, answered, relay
from .settings import Settings
from .streaming import stream
from .transport import MAX_EVENT_BYTES, Call, EventSplitter, Transport, body, refuse
from .wire.embeddings import GEMINI_BATCH, from_gemini, gemini_request
from .wire.gemini.candidates import GeminiReader
from .wire.gemini.generation_config import generate_content_body
from .wire.json_text import dumps, loads
from .wire.openai_messages import unsupported

BASE_URL = "https://generativelanguage.googleapis.com"
API_VERSION = "v1beta"  # v1 knows neither system instructions nor tools on every model
MODELS_SECONDS = 30.0  # for the list of models


class GeminiProvider:
    """The Gemini API; with `settings.vertex` a Vertex AI address, up to and including its location."""

    native = "gemini"

    def __init__(self, settings: Settings | None = None, transport: Transport | None = None) -> None:
        """Nothing is connected yet."""
        self._settings = settings or Settings()
        self._own = Transport() if transport is None else None
        self._transport = transport or self._own or Transport()
        self._tokens = AccessTokens()

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Event, None]:
        """Stream one answer. Raises ProviderError."""
        path = f"{self._model(request.model)}:streamGenerateContent?alt=sse"
        call = await self._call(path, dumps(generate_content_body(request)), request.key)
        reader = GeminiReader(request.model, _expected(request))
        events = stream(
            self._transport,
            call,
            self._settings,
            EventSplitter(self._settings.max_event_bytes),
            reader,
            closes=True,
        )
        async with aclosing(events):
            async for event in events:
                yield event

    async def relay(
        self, body: bytes, path: str, *, model: str = "", key: str | None = None, choices: int = 1
    ) -> Relayed:
        """Pass a request and its answer through, bytes unchanged. Raises ProviderError.

        `path`: `:generateContent` or `:streamGenerateContent?alt=sse`, which follows the model's address.
        """
        call = await self._call(f"{self._model(model)}{path}", body, key)
        ending = Ending("gemini", choices) if path.startswith(":streamGenerateContent") else None
        return await relay(self._transport, call, self._settings.timeouts, ending, self._settings.max_event_bytes)

    async def embeddings(
        self, texts: Sequence[str], *, model: str, dimensions: int | None = None, key: str | None = None
    ) -> Embedded:
        """The vectors of these texts. Raises ProviderError; Rejected on Vertex AI, which has another API."""
        if self._settings.vertex:
            raise unsupported("Embeddings of Vertex AI are not translated.", "model")
        found = Embedded([])
        for start in range(0, len(texts), GEMINI_BATCH):
            batch = texts[start : start + GEMINI_BATCH]
            sent = gemini_request(batch, model, dimensions)
            answer = await answered(await self.relay(sent, ":batchEmbedContents", model=model, key=key))
            found.vectors.extend(from_gemini(answer, len(batch)).vectors)
        return found

    async def models(self) -> list[str]:
        """The names of its models that write text. Raises ProviderError."""
        try:
            if self._settings.vertex:
                return await self._publisher_models()
            sdk: Any = await asyncio.to_thread(import_module, "google.genai")
            settings = self._settings
            options = sdk.types.HttpOptions(
                base_url=settings.base_url or BASE_URL,
                api_version=settings.api_version or API_VERSION,
                headers=dict(settings.headers),
                timeout=int(MODELS_SECONDS * 1000),
                aiohttp_client=self._transport.session,
                # With each request; the key would travel along with a redirect.
                async_client_args={"allow_redirects": False, "ssl": self._transport.trust(settings.ca_file) or True},
            )
            client = sdk.Client(api_key=settings.api_key or "none", http_options=options)
            found = [model async for model in await client.aio.models.list()]
            return sorted(
                model.name.removeprefix("models/")
                for model in found
                if model.name and "generateContent" in (model.supported_actions or ["generateContent"])
            )
        except ProviderError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever the SDK raises is the provider's failure
            raise translate(error) from None

    async def reach(self) -> None:
        """Raises ProviderError where it cannot be asked now."""
        settings = self._settings
        models = f"{settings.base_url.rstrip('/') or BASE_URL}/{settings.api_version or API_VERSION}/models"
        call = await self._call(self._publishers() if settings.vertex else models, None, None)
        await reach(self._transport, call, keyed=bool(settings.api_key) or settings.vertex)

    async def aclose(self) -> None:
        """Let go of connections."""
        if self._own:
            await self._own.aclose()

    async def _publisher_models(self) -> list[str]:
        """Google's own models on Vertex AI, which the SDK only lists for addresses of Google's."""
        call = await self._call(self._publishers(), None, None)
        async with self._transport.open(call, self._settings.timeouts) as response:
            await refuse(response)
            listed, _ = loads(await body(response, MAX_EVENT_BYTES, MODELS_SECONDS))
        found = listed.get("publisherModels") if isinstance(listed, dict) else None
        return sorted(model["name"].rpartition("/")[2] for model in found or ())

    def _publishers(self) -> str:
        parts = urlsplit(self._settings.base_url)
        return f"{parts.scheme}://{parts.netloc}/v1beta1/publishers/google/models"

    def _model(self, name: str) -> str:
        """The address of a model, up to the verb. Raises Rejected for a name that would be another address."""
        settings = self._settings
        base = settings.base_url.rstrip("/")
        path = path_of(name)
        if settings.vertex:
            return f"{base}/{path if '/' in name else f'publishers/google/models/{path}'}"
        place = path if "/" in name else f"models/{path}"
        return f"{base or BASE_URL}/{settings.api_version or API_VERSION}/{place}"

    async def _call(self, url: str, sent: bytes | None, key: str | None) -> Call:
        """A key goes in a header: one in the address would end up in every log on the way."""
        settings = self._settings
        key = key or settings.api_key
        if settings.vertex and not key:
            key = await self._tokens.current()
        token = key.startswith("ya29.") or (settings.vertex and not key.startswith(("AIza", "AQ.")))
        headers = {"Authorization": f"Bearer {key}"} if token else {"x-goog-api-key": key} if key else {}
        headers |= {"Content-Type": "application/json"} if sent is not None else {}
        return Call(
            "GET" if sent is None else "POST",
            url,
            sent,
            {**headers, **settings.headers},
            settings.ca_file,
            settings.retries,
        )


def _expected(request: ChatRequest) -> int:
    count = request.params.get("n")
    return count if isinstance(count, int) else 1
