"""Embeddings of OpenAI, Azure OpenAI and every server with OpenAI's API, with the official client."""

import asyncio
import base64
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..openai import AZURE_API_VERSION, BASE_URL, azure_resource
from ..settings import Settings
from ..transport import Transport
from .model import Limits, import_in_thread

if TYPE_CHECKING:
    from openai import AsyncOpenAI

MODEL = "text-embedding-3-small"
# The API takes 8,191 tokens per text and 300,000 per request. A Chinese character may be several tokens.
OPENAI_LIMITS = Limits(texts=2048, characters=200_000, text_characters=6_000)
# Other servers take less: text-embeddings-inference 32 texts by default.
OTHER_LIMITS = Limits(texts=32, characters=64_000, text_characters=2_000)


class OpenAIModel:
    """One model of one server."""

    def __init__(self, model: str = "", settings: Settings | None = None) -> None:
        """Nothing is connected yet. The SDK is imported in a thread."""
        self._settings = settings or Settings()
        self._model = model or MODEL
        self._client: AsyncOpenAI | None = None
        self._sdk = import_in_thread("openai")
        self.name = f"openai {self._settings.base_url} {self._model}"
        is_openai = self._settings.base_url in ("", BASE_URL) or self._settings.azure
        self.limits = OPENAI_LIMITS if is_openai else OTHER_LIMITS

    async def vectors(self, texts: Sequence[str]) -> list[Any]:
        """Send one batch. Servers that support base64 answer with a quarter of the bytes, without numbers to parse."""
        if self._client is None:
            verify = Transport("embedder").trust(self._settings.ca_file) or True
            self._client = _make_client(await asyncio.wrap_future(self._sdk), self._settings, verify)
        answer = await self._client.embeddings.create(model=self._model, input=list(texts), encoding_format="base64")
        rows: list[Any] = [item.embedding for item in sorted(answer.data, key=lambda item: item.index)]
        return [_decode(row) for row in rows]

    async def aclose(self) -> None:
        """Close connections."""
        if self._client is not None:
            await self._client.close()


def _make_client(sdk: Any, settings: Settings, verify: Any) -> "AsyncOpenAI":
    """Return the official client without redirects, proxy variables and retries. `sdk`: the module `openai`."""
    common: dict[str, Any] = {
        "api_key": settings.api_key or "none",  # local servers need none, but the SDK requires one
        "default_headers": dict(settings.headers),
        "max_retries": 0,
        "http_client": sdk.DefaultAsyncHttpxClient(follow_redirects=False, trust_env=False, verify=verify),
    }
    client: AsyncOpenAI
    if settings.azure:
        version = settings.api_version or AZURE_API_VERSION
        client = sdk.AsyncAzureOpenAI(azure_endpoint=azure_resource(settings.base_url), api_version=version, **common)
    else:
        client = sdk.AsyncOpenAI(base_url=settings.base_url or BASE_URL, **common)
    return client


def _decode(row: Any) -> Any:
    """Decode little-endian float32 numbers in base64. Other servers send a list of numbers."""
    if not isinstance(row, str):
        return row
    return np.frombuffer(base64.b64decode(row), dtype="<f4")
