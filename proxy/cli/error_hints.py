"""Hints for users of the command line about errors of providers."""

from citestream.providers.errors import ProviderError, Unreachable
from citestream.providers.ollama import address as ollama

from ..config import Config
from ..missing_models import KEYS

# Environment variables that can replace a configuration file.
ADDRESSES = {
    "ollama": "OLLAMA_HOST",
    "openai": "OPENAI_BASE_URL",
    "gemini": "GOOGLE_GEMINI_BASE_URL",
    "anthropic": "ANTHROPIC_BASE_URL",
}


def hint(error: Exception, model: str, config: Config) -> str:
    """Return a hint about an error of a request to `model`, which can be an alias, or ""."""
    alias = config.models.get(model)
    name, _, model_name = (alias.model if alias else model).partition("/")
    if isinstance(error, ProviderError) and name in config.providers:
        return _provider_hint(error, name, model_name, config)
    return ""


def _provider_hint(error: ProviderError, name: str, model_name: str, config: Config) -> str:
    settings = config.providers[name]
    if isinstance(error, Unreachable):
        address = ollama(settings.base_url) if settings.kind == "ollama" else settings.base_url
        question = f"does it run at {address}?" if address else "is the network available?"
        return f"{question} Set its address with providers.{name}.base_url{_or(ADDRESSES.get(name))}"
    if error.fault == "operator":
        return f"check the API key: providers.{name}.api_key{_or(KEYS.get(name))}"
    if error.status == 404 and settings.kind == "ollama":
        return f"download it with: ollama pull {model_name}"
    return f"the provider is {name}"


def _or(variable: str | None) -> str:
    return f", or with {variable} if there is no configuration file" if variable else ""
