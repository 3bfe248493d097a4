"""What a person at a terminal can do about an error: half a sentence, or nothing where the message says it all."""

from citestream.providers.errors import ProviderError, Unreachable
from citestream.providers.ollama import address as ollama

from ..config import Config
from ..http.error_responses import RequestError

# What the environment may say in place of a configuration file.
KEYS = {"openai": "OPENAI_API_KEY", "gemini": "GEMINI_API_KEY"}
ADDRESSES = {"ollama": "OLLAMA_HOST", "openai": "OPENAI_BASE_URL", "gemini": "GOOGLE_GEMINI_BASE_URL"}


def advice(error: Exception, model: str, config: Config) -> str:
    """For a question to `model`, which may be an alias."""
    alias = config.models.get(model)
    name, _, rest = (alias.model if alias else model).partition("/")
    match error:
        case RequestError(code="model_not_found") if name in KEYS:
            return f"{name}/… needs {KEYS[name]} in the environment"
        case ProviderError() if name in config.providers:
            return _about_provider(error, name, rest, config)
        case _:
            return ""


def _about_provider(error: ProviderError, name: str, rest: str, config: Config) -> str:
    settings = config.providers[name]
    if isinstance(error, Unreachable):
        address = ollama(settings.base_url) if settings.kind == "ollama" else settings.base_url
        place = f"does it run at {address}?" if address else "is there a network?"
        return f"{place} providers.{name}.base_url says where it is{_or(ADDRESSES.get(name))}"
    if error.fault == "operator":
        return f"check the key: providers.{name}.api_key{_or(KEYS.get(name))}"
    if error.status == 404 and settings.kind == "ollama":
        return f"fetch it with: ollama pull {rest}"
    return ""


def _or(variable: str | None) -> str:
    return f"; {variable}, where no file names providers" if variable else ""
