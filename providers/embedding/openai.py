"""Embeddings of OpenAI, Azure OpenAI and every server that speaks OpenAI's API, by the official client."""

import asyncio
import base64
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..openai import AZURE_API_VERSION, BASE_URL
from ..settings import Settings
from ..transport import Transport
from .model import Limits, importing

if TYPE_CHECKING:
    from openai import AsyncOpenAI

MODEL = "text-embedding-3-small"
# 8,191 tokens a text and 300,000 a request; a Chinese character may be more than one.
OPENAI = Limits(texts=2048, characters=200_000, text_characters=6_000)
# Other servers take less: text-embeddings-inference 32 texts, as it comes.
OTHERS = Limits(texts=32, characters=64_000, text_characters=2_000)


class OpenAIModel:
    """One model of one server."""

    def __init__(self, model: str = "", settings: Settings | None = None) -> None:
        """Nothing is connected yet; the client is being imported."""
        self._settings = settings or Settings()
        self._model = model or MODEL
        self._client: AsyncOpenAI | None = None
        self._sdk = importing("openai")
        self.name = f"openai {self._settings.base_url} {self._model}"
        self.limits = OTHERS if self._settings.base_url not in ("", BASE_URL) and not self._settings.azure else OPENAI

    async def vectors(self, texts: Sequence[str]) -> list[Any]:
        """As base64 where the server knows how: a quarter of the bytes, and nothing to parse."""
        if self._client is None:
            self._client = _client(await asyncio.wrap_future(self._sdk), self._settings)
        answer = await self._client.embeddings.create(model=self._model, input=list(texts), encoding_format="base64")
        rows: list[Any] = [item.embedding for item in sorted(answer.data, key=lambda item: item.index)]
        return [_decoded(row) for row in rows]

    async def aclose(self) -> None:
        """Let go of connections."""
        if self._client is not None:
            await self._client.close()


def _client(sdk: Any, settings: Settings) -> "AsyncOpenAI":
    """The official client, with our rules: no redirects, no proxy variables, no retries behind our back."""
    common: dict[str, Any] = {
        "api_key": settings.api_key or "none",  # local servers need none, the SDK insists
        "default_headers": dict(settings.headers),
        "max_retries": 0,
        "http_client": sdk.DefaultAsyncHttpxClient(
            follow_redirects=False, trust_env=False, verify=Transport().trust(settings.ca_file) or True
        ),
    }
    made: AsyncOpenAI
    if settings.azure:
        version = settings.api_version or AZURE_API_VERSION
        made = sdk.AsyncAzureOpenAI(
            azure_endpoint=settings.base_url.rstrip("/").removesuffix("/openai"), api_version=version, **common
        )
    else:
        made = sdk.AsyncOpenAI(base_url=settings.base_url or BASE_URL, **common)
    return made


def _decoded(row: Any) -> Any:
    """Little-endian float32 in base64, or a list of numbers."""
    if not isinstance(row, str):
        return row
    return np.frombuffer(base64.b64decode(row), dtype="<f4")
