"""Ollama's own API: `/api/chat`, newline-delimited JSON.

Not its OpenAI-compatible route, which drops `think`, `keep_alive` and most options. Chat goes over aiohttp with our own
splitter and orjson: 4 µs a chunk, where the official client takes 41; the client is used for the list of models.
"""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from importlib import import_module
from typing import Any
from urllib.parse import urlsplit

from .errors import translate
from .events import ChatRequest, Embedded, Event, Relayed
from .reachability import reach
from .relay import Ending, answered, relay
from .settings import Settings
from .streaming import stream
from .transport import Call, LineSplitter, Transport
from .wire.embeddings import from_ollama, openai_request
from .wire.json_text import dumps
from .wire.ollama.chat_request import chat_body
from .wire.ollama.chat_response import OllamaReader

HOST = "127.0.0.1"
PORT = 11434
MODELS_SECONDS = 30.0  # for the list of models, which it reads from a directory


class OllamaProvider:
    """One Ollama server."""

    native = "ollama"

    def __init__(self, settings: Settings | None = None, transport: Transport | None = None) -> None:
        """Nothing is connected yet. `base_url` may be anything that OLLAMA_HOST may be."""
        self._settings = settings or Settings()
        self._own = Transport() if transport is None else None
        self._transport = transport or self._own or Transport()
        self._base = address(self._settings.base_url)

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Event, None]:
        """Stream one answer. Raises ProviderError."""
        call = self._call("/api/chat", dumps(chat_body(request)), request.key)
        reader = OllamaReader(request.model)
        events = stream(self._transport, call, self._settings, LineSplitter(self._settings.max_event_bytes), reader)
        async with aclosing(events):
            async for event in events:
                yield event

    async def relay(
        self, body: bytes, path: str = "/api/chat", *, model: str = "", key: str | None = None, choices: int = 1
    ) -> Relayed:
        """Pass a request and its answer through, bytes unchanged. `path` follows the host. Raises ProviderError."""
        ending = Ending("ollama", choices) if path in {"/api/chat", "/api/generate"} else None
        call = self._call(path, body, key)
        return await relay(self._transport, call, self._settings.timeouts, ending, self._settings.max_event_bytes)

    async def embeddings(
        self, texts: Sequence[str], *, model: str, dimensions: int | None = None, key: str | None = None
    ) -> Embedded:
        """The vectors of these texts. Raises ProviderError."""
        sent = openai_request(texts, model, dimensions)
        return from_ollama(await answered(await self.relay(sent, "/api/embed", key=key)), len(texts))

    async def models(self) -> list[str]:
        """The names of its models. Raises ProviderError."""
        sdk: Any = await asyncio.to_thread(import_module, "ollama")
        settings = self._settings
        client = sdk.AsyncClient(
            self._base,
            headers=self._headers(None),
            timeout=MODELS_SECONDS,
            follow_redirects=False,
            trust_env=False,
            verify=self._transport.trust(settings.ca_file) or True,
        )
        try:
            async with client:
                return sorted(model.model for model in (await client.list()).models if model.model)
        except Exception as error:  # noqa: BLE001 - whatever the SDK raises is the provider's failure
            raise translate(error) from None

    async def reach(self) -> None:
        """Raises ProviderError where it cannot be asked now."""
        settings = self._settings
        call = Call("GET", f"{self._base}/api/version", None, self._headers(None), settings.ca_file)
        await reach(self._transport, call, keyed=bool(settings.api_key))

    async def aclose(self) -> None:
        """Let go of connections."""
        if self._own:
            await self._own.aclose()

    def _call(self, path: str, body: bytes, key: str | None) -> Call:
        headers = {"Content-Type": "application/json", **self._headers(key)}
        return Call("POST", f"{self._base}{path}", body, headers, self._settings.ca_file, self._settings.retries)

    def _headers(self, key: str | None) -> dict[str, str]:
        key = key or self._settings.api_key  # a server of one's own needs none, ollama.com does
        return {**({"Authorization": f"Bearer {key}"} if key else {}), **self._settings.headers}


def address(host: str) -> str:
    """The URL that OLLAMA_HOST means: `host`, `host:port`, `:port`, a URL, or nothing; without a slash at the end.

    As the official client reads it: no port means 11434, but 80 or 443 in a URL. 0.0.0.0 is where it listens, not
    where it is reached.
    """
    host = host.strip()
    given = "://" in host
    url = urlsplit(host if given else f"http://{host}")
    name = url.hostname or HOST
    name = HOST if name == "0.0.0.0" else name  # noqa: S104 # nosec B104 # the opposite of binding to it
    name = f"[{name}]" if ":" in name else name
    port = url.port or ({"http": 80, "https": 443}.get(url.scheme, PORT) if given else PORT)
    return f"{url.scheme}://{name}:{port}{url.path.rstrip('/')}"
