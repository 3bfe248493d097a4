"""Embedders: vectors of unit length for texts, by OpenAI, Ollama, Gemini or a model on this machine.

    local = embedder("local")
    vectors = await local.embed(["one text", "another"])       # float32, (2, D)

A kind of embedder is one file with a `Model` and one line in EMBEDDERS. Cache, batches, deadlines and the sharing of
work between concurrent callers are the same for all (`Embedder`, embedder.py).
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .backoff import Backoff
from .embedder import CACHE_BYTES, Embedder
from .model import Limits, Model, Vectors

if TYPE_CHECKING:
    from ..settings import Settings

__all__ = ["CACHE_BYTES", "EMBEDDERS", "Backoff", "Embedder", "Limits", "Model", "Vectors", "embedder"]

# kind -> "module:Class", imported at the first use.
EMBEDDERS = {
    "gemini": "citestream.providers.embedding.gemini:GeminiModel",
    "local": "citestream.providers.embedding.local:LocalModel",
    "ollama": "citestream.providers.embedding.ollama:OllamaModel",
    "openai": "citestream.providers.embedding.openai:OpenAIModel",
}


def embedder(
    kind: str, model: str = "", settings: "Settings | None" = None, *, cache_bytes: int = CACHE_BYTES
) -> Embedder:
    """Create an embedder of a kind. Raises ValueError with the known kinds for an unknown one.

    `settings`: address and key of the server, for kinds with a server. Raises ProviderError if the package of a local
    model is not installed.
    """
    if kind not in EMBEDDERS:
        raise ValueError(f"unknown embedder {kind!r}; there are: {', '.join(EMBEDDERS)}")
    module, _, name = EMBEDDERS[kind].partition(":")
    made: Any = getattr(import_module(module), name)
    if settings:
        from ..masking import register_secrets

        register_secrets(settings.api_key, *settings.headers.values())
    return Embedder(made(model, settings), cache_bytes=cache_bytes)
