"""Embeddings of Gemini (`:batchEmbedContents`), with the official client."""

import asyncio
from collections.abc import Sequence
from typing import Any

from ..gemini import API_VERSION, BASE_URL
from ..settings import Settings
from ..transport import Transport
from .model import Limits, import_in_thread

MODEL = "gemini-embedding-001"
# The API takes 100 texts per request and 2,048 tokens per text, and truncates longer texts silently.
LIMITS = Limits(texts=100, characters=200_000, text_characters=4_000)


class GeminiModel:
    """One model of Google."""

    def __init__(self, model: str = "", settings: Settings | None = None) -> None:
        """Nothing is connected yet. The SDK is imported in a thread."""
        self._settings = settings or Settings()
        self._model = model or MODEL
        self._transport = Transport("embedder")
        self._client: Any = None
        self._sdk = import_in_thread("google.genai")
        self.name = f"gemini {self._settings.base_url} {self._model}"
        self.limits = LIMITS

    async def vectors(self, texts: Sequence[str]) -> list[Any]:
        """Send each text as a content of its own. Multimodal models take plain strings as parts of one content."""
        if self._client is None:
            settings = self._settings
            sdk = await asyncio.wrap_future(self._sdk)
            options = sdk.types.HttpOptions(
                base_url=settings.base_url or BASE_URL,
                api_version=settings.api_version or API_VERSION,
                headers=dict(settings.headers),
                timeout=int(LIMITS.seconds * 1000),
                aiohttp_client=self._transport.session,  # without proxy variables and cookies
            )
            self._client = sdk.Client(api_key=settings.api_key or "none", http_options=options)
        answer = await self._client.aio.models.embed_content(
            model=self._model,
            contents=[{"parts": [{"text": text}]} for text in texts],
            config={"task_type": "SEMANTIC_SIMILARITY"},
        )
        return [item.values for item in answer.embeddings or ()]

    async def aclose(self) -> None:
        """Close connections."""
        await self._transport.aclose()
