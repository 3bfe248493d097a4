"""Anthropic, and every server that speaks its Messages API: `/v1/messages`, always streamed.

Chat uses aiohttp, the splitter of this package and orjson, like the other providers. The official SDK takes 96 µs of
CPU per chunk. It is not needed for the list of models either.
"""

from collections.abc import AsyncGenerator, Mapping
from typing import Any
from urllib.parse import quote

from .events import ChatRequest, Event, Relayed, RelayRequest
from .settings import Settings
from .streaming.http_provider import MAX_MODELS, HttpProvider, named_models, request_body
from .transport import Call, EventSplitter, Transport, check_reachable, model_path
from .wire.anthropic.message_events import AnthropicReader
from .wire.anthropic.messages_request import messages_body
from .wire.stream_end import StreamEnd

BASE_URL = "https://api.anthropic.com"
API_VERSION = "2023-06-01"  # the only one; later changes are announced by the header anthropic-beta
MESSAGES = "/v1/messages"
PAGE_SIZE = 1_000  # models per page, the maximum of the API
OAUTH_TOKEN = "sk-ant-oat"  # noqa: S105 # nosec B105 # the prefix of keys that are bearer tokens


class AnthropicProvider(HttpProvider):
    """One server with Anthropic's API. `base_url` is its address without `/v1`, as in the official SDK."""

    native = "anthropic"

    def __init__(self, settings: Settings | None = None, transport: Transport | None = None) -> None:
        """See HttpProvider."""
        super().__init__(settings, transport)
        self._base = (self._settings.base_url.rstrip("/") or BASE_URL).removesuffix("/v1")

    async def relay(self, request: RelayRequest) -> Relayed:
        """Pass a request and its answer through unchanged. Raises ProviderError."""
        call = self._call("POST", request.path, request.key, request.body, request.headers)
        return await self._relay(call, StreamEnd("anthropic") if request.path == MESSAGES else None)

    async def models(self) -> list[str]:
        """Return the names of its models. Raises ProviderError."""
        names: list[str] = []
        path = f"/v1/models?limit={PAGE_SIZE}"
        while path:
            page = await self._json(self._call("GET", path, None))
            page_names = [name for name, _ in named_models(page.get("data"), "id")]
            names += page_names
            more = page.get("has_more") is True and page_names and len(names) < MAX_MODELS
            path = f"/v1/models?limit={PAGE_SIZE}&after_id={quote(page_names[-1], safe='')}" if more else ""
        return sorted(names)[:MAX_MODELS]

    async def describe(self, model: str, *, key: str | None = None) -> dict[str, Any]:
        """Return the description of a model. Raises ProviderError."""
        return await self._json(self._call("GET", f"/v1/models/{model_path(model)}", key))

    async def reach(self) -> None:
        """Check that it can be used now. Raises ProviderError if not."""
        call = self._call("GET", "/v1/models?limit=1", None)
        await check_reachable(self._transport, call, has_key=bool(self._settings.api_key))

    async def _answer(self, request: ChatRequest) -> AsyncGenerator[Event, None]:
        body = await request_body(messages_body, request)
        call = self._call("POST", MESSAGES, request.key, body, request.headers)
        return self._stream(request, call, EventSplitter, AnthropicReader(request.model))

    def _call(
        self, method: str, path: str, key: str | None, body: bytes | None = None, more: Mapping[str, str] | None = None
    ) -> Call:
        settings = self._settings
        key = key or settings.api_key
        is_token = key.startswith(OAUTH_TOKEN)
        headers = {"Authorization": f"Bearer {key}"} if is_token else {"x-api-key": key} if key else {}
        headers |= {"anthropic-version": API_VERSION, **(more or {}), **settings.headers}
        headers |= {"Content-Type": "application/json"} if body is not None else {}
        return Call(method, f"{self._base}{path}", body, headers, settings.ca_file, settings.retries)
