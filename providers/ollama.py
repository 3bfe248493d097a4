"""Ollama's own API: `/api/chat`, newline-delimited JSON.

Its OpenAI-compatible route is not used, because it drops `think`, `keep_alive` and most options. Chat uses aiohttp, the
splitter of this package and orjson: 4 µs of CPU per chunk, where the official client takes 41.
"""

from collections.abc import AsyncGenerator, Sequence
from urllib.parse import urlsplit

from .events import ChatRequest, Embedded, Event, Relayed, RelayRequest
from .settings import Settings
from .streaming.http_provider import HttpProvider, named_models, request_body
from .streaming.relay import read_json
from .transport import Call, LineSplitter, Transport, check_reachable
from .wire.embeddings import from_ollama, openai_request
from .wire.ollama.chat_request import chat_body
from .wire.ollama.chat_response import OllamaReader
from .wire.stream_end import StreamEnd

HOST = "127.0.0.1"
PORT = 11434


class OllamaProvider(HttpProvider):
    """One Ollama server. `base_url` may be anything that OLLAMA_HOST may be."""

    native = "ollama"

    def __init__(self, settings: Settings | None = None, transport: Transport | None = None) -> None:
        """See HttpProvider."""
        super().__init__(settings, transport)
        self._base = address(self._settings.base_url)

    async def relay(self, request: RelayRequest) -> Relayed:
        """Pass a request and its answer through unchanged. Raises ProviderError. An empty body sends a GET request."""
        call = self._call(request.path, request.body, request.key)
        return await self._relay(call, StreamEnd("ollama") if request.path in {"/api/chat", "/api/generate"} else None)

    async def embeddings(
        self, texts: Sequence[str], *, model: str, dimensions: int | None = None, key: str | None = None
    ) -> Embedded:
        """Return embeddings of texts. Raises ProviderError."""
        request = RelayRequest(openai_request(texts, model, dimensions), "/api/embed", model, key)
        return from_ollama(await read_json(await self.relay(request)), len(texts))

    async def models(self) -> list[str]:
        """Return the names of its models. Raises ProviderError."""
        listed = await self._json(self._call("/api/tags", b"", None))
        return sorted(name for name, _ in named_models(listed.get("models"), "model"))

    async def reach(self) -> None:
        """Check that it can be used now. Raises ProviderError if not."""
        settings = self._settings
        call = Call("GET", f"{self._base}/api/version", None, self._headers(None), settings.ca_file)
        await check_reachable(self._transport, call, has_key=bool(settings.api_key))

    async def _answer(self, request: ChatRequest) -> AsyncGenerator[Event, None]:
        call = self._call("/api/chat", await request_body(chat_body, request), request.key)
        return self._stream(request, call, LineSplitter, OllamaReader(request.model))

    def _call(self, path: str, body: bytes, key: str | None) -> Call:
        headers = {"Content-Type": "application/json", **self._headers(key)}
        method, content = ("POST", body) if body else ("GET", None)
        return Call(method, f"{self._base}{path}", content, headers, self._settings.ca_file, self._settings.retries)

    def _headers(self, key: str | None) -> dict[str, str]:
        key = key or self._settings.api_key  # needed by ollama.com only
        return {**({"Authorization": f"Bearer {key}"} if key else {}), **self._settings.headers}


def address(host: str) -> str:
    """Return the URL of an OLLAMA_HOST value without a slash at the end.

    The value is `host`, `host:port`, `:port`, a URL, or empty. As in the official client, the default port is 11434,
    but 80 or 443 in a URL. The listening address 0.0.0.0 becomes the loopback address.
    """
    host = host.strip()
    has_scheme = "://" in host
    url = urlsplit(host if has_scheme else f"http://{host}")
    name = url.hostname or HOST
    name = HOST if name == "0.0.0.0" else name  # noqa: S104 # nosec B104 # the opposite of binding to it
    name = f"[{name}]" if ":" in name else name
    port = url.port or ({"http": 80, "https": 443}.get(url.scheme, PORT) if has_scheme else PORT)
    return f"{url.scheme}://{name}:{port}{url.path.rstrip('/')}"
