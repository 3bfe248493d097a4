"""OpenAI, Azure OpenAI, and every server that speaks OpenAI's API: vLLM, llama.cpp, LM Studio, OpenRouter, ...

Chat goes over aiohttp with our own splitter and orjson, not over the official SDK. CPU per streamed chunk, one process,
Python 3.11, many chunks a read: aiohttp + splitter + orjson 8 µs; the SDK's raw bytes on its aiohttp transport 28 µs;
its parsed dictionaries 63 µs; its typed stream 455 µs; its `.stream()` helper 910 µs. The SDK is used where it is good:
the list of models, with its authentication and its errors. It is imported then, since that takes a second.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from importlib import import_module
from time import monotonic
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from .addresses import path_of
from .errors import NoSuchApi, ProviderError, Rejected, translate
from .events import ChatRequest, Embedded, Event, Relayed
from .reachability import reach
from .relay import Ending, answered, relay
from .settings import Settings
from .streaming import stream
from .transport import Call, EventSplitter, Transport
from .wire.embeddings import from_openai, openai_request
from .wire.json_text import dumps
from .wire.openai_chunks import ChunkReader

if TYPE_CHECKING:
    from openai import AsyncOpenAI

BASE_URL = "https://api.openai.com/v1"
AZURE_API_VERSION = "2024-10-21"  # the latest of Azure's stable ones
CHAT = "/chat/completions"
RESPONSES = "/responses"
ENDINGS = {CHAT: "openai", RESPONSES: "responses"}
NO_SUCH_PATH = frozenset({404, 405})
CHAT_ONLY_SECONDS = 600.0  # that a server which did not know /responses is not asked again; it may be updated
MODELS_SECONDS = 30.0  # for the list of models, which servers answer from memory


class OpenAIProvider:
    """One server. `settings.azure` makes it an Azure OpenAI resource, whose models are its deployments."""

    native = "openai"

    def __init__(self, settings: Settings | None = None, transport: Transport | None = None) -> None:
        """Nothing is connected yet."""
        self._settings = settings or Settings()
        self._own = Transport() if transport is None else None
        self._transport = transport or self._own or Transport()
        self._asks_usage = True
        self._chat_only_until = 0.0  # on the monotonic clock

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Event, None]:
        """Stream one answer. Raises ProviderError.

        Usage is always asked for. A server that refuses to be asked is asked again without, and remembered.
        """
        try:
            async with aclosing(self._answer(request)) as events:
                async for event in events:
                    yield event
        except Rejected as error:
            if not self._refuses_usage(error) or "stream_options" in request.params:
                raise
            self._asks_usage = False
            async with aclosing(self._answer(request)) as events:
                async for event in events:
                    yield event

    async def relay(
        self, body: bytes, path: str = CHAT, *, model: str = "", key: str | None = None, choices: int = 1
    ) -> Relayed:
        """Pass a request and its answer through, bytes unchanged. `path` follows the base address.

        `model` is needed for Azure, whose addresses hold it. Raises ProviderError; NoSuchApi where the server has no
        Responses API but may have chat.
        """
        call = self._call("POST", path, key, body, model)
        ending = Ending(ENDINGS[path], choices) if path in ENDINGS else None
        if path == RESPONSES and not self._may_have_responses():
            raise NoSuchApi("This provider has no Responses API.", status=404)
        try:
            return await relay(self._transport, call, self._settings.timeouts, ending, self._settings.max_event_bytes)
        except Rejected as error:
            if path != RESPONSES or self._settings.responses != "auto" or not _names_no_model(error):
                raise
            self._chat_only_until = monotonic() + CHAT_ONLY_SECONDS
            raise NoSuchApi(error.message, status=error.status) from None

    async def embeddings(
        self, texts: Sequence[str], *, model: str, dimensions: int | None = None, key: str | None = None
    ) -> Embedded:
        """The vectors of these texts. Raises ProviderError."""
        sent = openai_request(texts, model, dimensions)
        found = await answered(await self.relay(sent, "/embeddings", model=model, key=key))
        return from_openai(found, len(texts))

    async def models(self) -> list[str]:
        """The names of its models. Raises ProviderError."""
        try:
            async with self._sdk() as client:
                return sorted([model.id async for model in client.models.list()])
        except ProviderError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever the SDK raises is the provider's failure
            raise translate(error) from None

    async def reach(self) -> None:
        """Raises ProviderError where it cannot be asked now."""
        await reach(self._transport, self._call("GET", "/models", None), keyed=bool(self._settings.api_key))

    async def aclose(self) -> None:
        """Let go of connections."""
        if self._own:
            await self._own.aclose()

    def _may_have_responses(self) -> bool:
        known = self._settings.responses
        return monotonic() >= self._chat_only_until if known == "auto" else known

    def _answer(self, request: ChatRequest) -> AsyncGenerator[Event, None]:
        body = {**request.params, "model": request.model, "messages": request.messages, "stream": True}
        options = request.params.get("stream_options")
        if self._asks_usage:
            body["stream_options"] = {**(options if isinstance(options, Mapping) else {}), "include_usage": True}
        expected = request.params.get("n")
        reader = ChunkReader(
            expected if isinstance(expected, int) else 1,
            running_usage=isinstance(options, Mapping) and options.get("continuous_usage_stats") is True,
        )
        call = self._call("POST", "/chat/completions", request.key, dumps(body), request.model)
        return stream(self._transport, call, self._settings, EventSplitter(self._settings.max_event_bytes), reader)

    def _refuses_usage(self, error: Rejected) -> bool:
        named = f"{error.message} {error.param}"
        return self._asks_usage and error.status in {400, 422} and "stream_options" in named

    def _call(self, method: str, path: str, key: str | None, body: bytes | None = None, model: str = "") -> Call:
        settings = self._settings
        key = key or settings.api_key
        headers = {"Accept": "text/event-stream, application/json"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        if key:
            headers |= {"api-key": key} if settings.azure else {"Authorization": f"Bearer {key}"}
        url = f"{settings.base_url.rstrip('/') or BASE_URL}{path}"
        if settings.azure:
            url = azure_url(settings.base_url, path, model, settings.api_version)
        return Call(method, url, body, {**headers, **settings.headers}, settings.ca_file, settings.retries)

    @asynccontextmanager
    async def _sdk(self) -> AsyncIterator["AsyncOpenAI"]:
        """The official client, with our rules: no redirects, no proxy variables, no retries behind our back."""
        sdk: Any = await asyncio.to_thread(import_module, "openai")
        settings = self._settings
        common: dict[str, Any] = {
            "api_key": settings.api_key or "none",  # local servers need none, the SDK insists
            "default_headers": dict(settings.headers),
            "max_retries": 0,
            "timeout": MODELS_SECONDS,
            "http_client": sdk.DefaultAsyncHttpxClient(
                follow_redirects=False, trust_env=False, verify=self._transport.trust(settings.ca_file) or True
            ),
        }
        if settings.azure:
            version = settings.api_version or AZURE_API_VERSION
            made = sdk.AsyncAzureOpenAI(azure_endpoint=_resource(settings.base_url), api_version=version, **common)
        else:
            made = sdk.AsyncOpenAI(base_url=settings.base_url or BASE_URL, **common)
        async with made as client:
            yield client


def _names_no_model(error: Rejected) -> bool:
    """Whether a refusal is about the address (vLLM's "Not Found", llama.cpp's "File Not Found"), not about a model."""
    said = f"{error.message} {error.code} {error.param}".lower()
    return error.status in NO_SUCH_PATH and "model" not in said and "deployment" not in said


def azure_url(base_url: str, path: str, deployment: str, api_version: str) -> str:
    """`https://RESOURCE/openai/deployments/NAME/chat/completions?api-version=V`; `.../openai/v1` is as OpenAI's own."""
    if base_url.rstrip("/").endswith("/v1"):
        return f"{base_url.rstrip('/')}{path}" + (f"?api-version={quote(api_version)}" if api_version else "")
    if path == RESPONSES:  # the one API of Azure's whose body names the deployment
        deployment = ""
    place = f"/deployments/{path_of(deployment).replace('/', '%2F')}" if deployment else ""
    return f"{_resource(base_url)}/openai{place}{path}?api-version={quote(api_version or AZURE_API_VERSION)}"


def _resource(base_url: str) -> str:
    return base_url.rstrip("/").removesuffix("/openai")
