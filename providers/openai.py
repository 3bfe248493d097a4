"""OpenAI, Azure OpenAI, and every server that speaks OpenAI's API: vLLM, llama.cpp, LM Studio, OpenRouter, ...

Chat uses aiohttp, the splitter of this package and orjson, not the official SDK. CPU per streamed chunk in one process
of Python 3.11, with many chunks per read: 8 µs; the SDK's raw bytes on its aiohttp transport 28 µs; its parsed
dictionaries 63 µs; its typed stream 455 µs; its `.stream()` helper 910 µs.
"""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from time import monotonic
from typing import Any
from urllib.parse import quote

from .errors import NoSuchApi, Rejected
from .events import ChatRequest, Embedded, Event, Relayed, RelayRequest
from .settings import Settings
from .streaming.http_provider import MAX_MODELS, HttpProvider, named_models, request_body, requested_choices
from .streaming.relay import read_json
from .transport import Call, EventSplitter, Transport, check_reachable, model_path
from .wire.embeddings import from_openai, openai_request
from .wire.json_text import as_list, as_object
from .wire.openai_chunks import ChunkReader
from .wire.stream_end import StreamEnd

BASE_URL = "https://api.openai.com/v1"
AZURE_API_VERSION = "2024-10-21"  # the latest stable one
CHAT = "/chat/completions"
RESPONSES = "/responses"
STREAM_FORMATS = {CHAT: "openai"}
NO_SUCH_PATH = frozenset({404, 405})
USAGE_OPTIONS = "stream_options"
LIMIT = "max_tokens"
COMPLETION_LIMIT = "max_completion_tokens"  # the current name of the limit, unknown to many compatible servers
REFUSED_STATUS = frozenset({400, 422})
CHAT_ONLY_SECONDS = 600.0  # until a server without /responses is asked for it again; it may have been updated


class OpenAIProvider(HttpProvider):
    """One server. With `settings.azure` an Azure OpenAI resource, whose models are its deployments."""

    native = "openai"

    def __init__(self, settings: Settings | None = None, transport: Transport | None = None) -> None:
        """See HttpProvider."""
        super().__init__(settings, transport)
        self._asks_usage = True
        self._completion_limit_models: set[str] = set()  # models that refuse LIMIT
        self._chat_only_until = 0.0  # on the monotonic clock

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Event, None]:
        """Stream one answer. Raises ProviderError.

        A request is repeated if the server refuses a field that has another form, and later requests have that form:
        usage is not requested from a server that does not know it, and reasoning models of OpenAI get `max_tokens`,
        which clients of most APIs send, as `max_completion_tokens`.
        """
        adapted: set[str] = set()
        while True:
            try:
                async with aclosing(super().stream(request)) as events:
                    async for event in events:
                        yield event
                return
            except Rejected as error:
                field = _refused_field(error, request.params)
                if not field or field in adapted:
                    raise
                adapted.add(field)
                self._adapt(field, request.model)

    async def relay(self, request: RelayRequest) -> Relayed:
        """Pass a request and its answer through unchanged. Azure has the model in the address.

        Raises ProviderError; NoSuchApi if the server has no Responses API but may have chat.
        """
        path = request.path
        call = self._call(request.method, path, request.key, request.body or None, request.model, request.headers)
        is_responses = _is_responses(path)
        form = "responses" if is_responses else STREAM_FORMATS.get(path)
        end = StreamEnd(form, request.choices) if form else None
        if is_responses and not self._may_have_responses():
            raise NoSuchApi("This provider has no Responses API.", status=404)
        try:
            return await self._relay(call, end)
        except Rejected as error:
            if path != RESPONSES or self._settings.responses != "auto" or not _is_unknown_path(error):
                raise
            self._chat_only_until = monotonic() + CHAT_ONLY_SECONDS
            raise NoSuchApi(error.message, status=error.status) from None

    async def embeddings(
        self, texts: Sequence[str], *, model: str, dimensions: int | None = None, key: str | None = None
    ) -> Embedded:
        """Return embeddings of texts. Raises ProviderError."""
        request = RelayRequest(openai_request(texts, model, dimensions), "/embeddings", model, key)
        return from_openai(await read_json(await self.relay(request)), len(texts))

    async def models(self) -> list[str]:
        """Return the names of its models. Raises ProviderError."""
        listed = await self._json(self._call("GET", "/models", None))
        return sorted(name for name, _ in named_models(listed.get("data"), "id"))

    async def describe(self, model: str, *, key: str | None = None) -> dict[str, Any]:
        """Return the description of a model, {} for Azure's, which has another form. Raises ProviderError."""
        if self._settings.azure:
            return {}
        return await self._json(self._call("GET", f"/models/{model_path(model)}", key))

    async def reach(self) -> None:
        """Check that it can be used now. Raises ProviderError if not."""
        call = self._call("GET", "/models", None)
        await check_reachable(self._transport, call, has_key=bool(self._settings.api_key))

    def _may_have_responses(self) -> bool:
        setting = self._settings.responses
        return monotonic() >= self._chat_only_until if setting == "auto" else setting

    async def _answer(self, request: ChatRequest) -> AsyncGenerator[Event, None]:
        options = as_object(request.params.get("stream_options"))
        reader = ChunkReader(
            requested_choices(request.params), usage_on_every_chunk=options.get("continuous_usage_stats") is True
        )
        body = await request_body(self._body, request)
        call = self._call("POST", CHAT, request.key, body, request.model, request.headers)
        return self._stream(request, call, EventSplitter, reader)

    def _body(self, request: ChatRequest) -> dict[str, Any]:
        params = dict(request.params)
        if request.model in self._completion_limit_models and params.get(LIMIT) is not None:
            params.setdefault(COMPLETION_LIMIT, params.pop(LIMIT))
        # OpenAI streams audio in one format only, so that a client that wants a whole answer may use the others.
        is_stream = params.get("stream") is not False or "audio" not in as_list(params.get("modalities"))
        body = {**params, "model": request.model, "messages": request.messages, "stream": is_stream}
        if self._asks_usage and is_stream:
            body[USAGE_OPTIONS] = {**as_object(request.params.get(USAGE_OPTIONS)), "include_usage": True}
        return body

    def _adapt(self, field: str, model: str) -> None:
        """Send a field that was refused in its other form from now on."""
        if field == USAGE_OPTIONS:
            self._asks_usage = False
        elif len(self._completion_limit_models) < MAX_MODELS:
            self._completion_limit_models.add(model)

    def _call(
        self,
        method: str,
        path: str,
        key: str | None,
        body: bytes | None = None,
        model: str = "",
        more: Mapping[str, str] | None = None,
    ) -> Call:
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
        return Call(
            method, url, body, {**headers, **(more or {}), **settings.headers}, settings.ca_file, settings.retries
        )


def _refused_field(error: Rejected, params: Mapping[str, Any]) -> str:
    """Return the field that a server refuses although its other form may be accepted; empty for any other error."""
    if error.status not in REFUSED_STATUS:
        return ""
    text = f"{error.message} {error.param}"
    if USAGE_OPTIONS in text and USAGE_OPTIONS not in params:
        return USAGE_OPTIONS
    # OpenAI: "Unsupported parameter: 'max_tokens' ... Use 'max_completion_tokens' instead."
    return LIMIT if COMPLETION_LIMIT in text and params.get(LIMIT) is not None else ""


def _is_unknown_path(error: Rejected) -> bool:
    """Return whether the server does not have the path (vLLM's "Not Found"), rather than the model."""
    text = f"{error.message} {error.code} {error.param}".lower()
    return error.status in NO_SUCH_PATH and "model" not in text and "deployment" not in text


def azure_url(base_url: str, path: str, deployment: str, api_version: str) -> str:
    """Return `https://RESOURCE/openai/deployments/NAME/chat/completions?api-version=V`.

    An address that ends in `/v1` takes the same paths as OpenAI's own.
    """
    if base_url.rstrip("/").endswith("/v1"):
        separator = "&" if "?" in path else "?"
        return f"{base_url.rstrip('/')}{path}" + (f"{separator}api-version={quote(api_version)}" if api_version else "")
    if _is_responses(path):  # the deployment is in the body of this API only
        deployment = ""
    place = f"/deployments/{model_path(deployment)}" if deployment else ""
    version = f"api-version={quote(api_version or AZURE_API_VERSION)}"
    return f"{azure_resource(base_url)}/openai{place}{path}{'&' if '?' in path else '?'}{version}"


def _is_responses(path: str) -> bool:
    """Return whether a path belongs to the Responses API."""
    return path == RESPONSES or path.startswith(f"{RESPONSES}/")


def azure_resource(base_url: str) -> str:
    """Return the address of an Azure OpenAI resource without the part that all its paths begin with."""
    return base_url.rstrip("/").removesuffix("/openai")
