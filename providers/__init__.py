"""External services: LLM providers, embedders, retrievers. SDKs are imported only here.

A provider is one file (or folder) and one line in PROVIDERS. Importing this package loads neither an SDK nor aiohttp.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from .events import Provider
    from .transport import Transport

# kind -> "module:Class", imported at the first use.
PROVIDERS = {
    "anthropic": "citestream.providers.anthropic:AnthropicProvider",
    "extractive": "citestream.providers.extractive:ExtractiveProvider",
    "gemini": "citestream.providers.gemini:GeminiProvider",
    "ollama": "citestream.providers.ollama:OllamaProvider",
    "openai": "citestream.providers.openai:OpenAIProvider",
    "scripted": "citestream.providers.scripted:ScriptedProvider",
}
LOCAL = frozenset({"extractive", "scripted"})  # without a server, so they do not take Settings


def provider(kind: str, *, transport: "Transport | None" = None, **settings: Any) -> "Provider":
    """Create a provider of a kind. Raises ValueError with the known kinds for an unknown one.

    `settings`: the fields of providers.settings.Settings. `transport`: the app's, which the app closes. Without one the
    provider creates its own and closes it.
    """
    if kind not in PROVIDERS:
        raise ValueError(f"unknown provider {kind!r}; there are: {', '.join(PROVIDERS)}")
    module, _, name = PROVIDERS[kind].partition(":")
    make = getattr(import_module(module), name)
    if kind in LOCAL:
        return cast("Provider", make(**settings))
    from .masking import register_secrets
    from .settings import Settings

    made = Settings(**settings)
    register_secrets(made.api_key, *made.headers.values())
    return cast("Provider", make(made, transport))
