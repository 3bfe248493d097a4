"""Embeddings of Ollama's own API (`/api/embed`), with the official client."""

import asyncio
from collections.abc import Sequence
from typing import Any

from ..ollama import address
from ..settings import Settings
from ..transport import Transport
from .model import Limits, import_in_thread

MODEL = "nomic-embed-text"
# Ollama embeds one text after the other, so requests are small to not delay the sentences of other requests.
LIMITS = Limits(texts=32, characters=64_000, text_characters=2_000, requests=2, seconds=60.0)


class OllamaModel:
    """One model of one Ollama server."""

    def __init__(self, model: str = "", settings: Settings | None = None) -> None:
        """Nothing is connected yet. `base_url` may be anything that OLLAMA_HOST may be."""
        self._settings = settings or Settings()
        self._model = model or MODEL
        self._client: Any = None
        self._sdk = import_in_thread("ollama")
        self.name = f"ollama {self._settings.base_url} {self._model}"
        self.limits = LIMITS

    async def vectors(self, texts: Sequence[str]) -> list[Any]:
        """Send one batch. The server truncates texts that exceed the model's context."""
        if self._client is None:
            sdk = await asyncio.wrap_future(self._sdk)
            settings = self._settings
            key = {"Authorization": f"Bearer {settings.api_key}"} if settings.api_key else {}
            self._client = sdk.AsyncClient(
                address(settings.base_url),
                headers={**key, **settings.headers},
                timeout=LIMITS.seconds,
                follow_redirects=False,
                trust_env=False,
                verify=Transport("embedder").trust(settings.ca_file) or True,
            )
        answer = await self._client.embed(model=self._model, input=list(texts), truncate=True)
        return list(answer.embeddings)

    async def aclose(self) -> None:
        """Close connections."""
        if self._client is not None:
            await self._client.close()
