"""What a person at a terminal can do about an error: half a sentence, or nothing where the message says it all."""

from providers.errors import ProviderError, Unreachable

from .config import Config
from .errors import RequestError

KEYS = {"openai": "OPENAI_API_KEY", "gemini": "GEMINI_API_KEY"}  # what the environment holds for a vendor
ADDRESSES = {"ollama": "OLLAMA_HOST", "openai": "OPENAI_BASE_URL", "gemini": "GOOGLE_GEMINI_BASE_URL"}
LOCAL = {"ollama": "http://127.0.0.1:11434"}  # where a provider is looked for without an address


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
    address = settings.base_url or LOCAL.get(settings.kind, "")
    if isinstance(error, Unreachable):
        place = f"does it run at {address}?" if address else "is there a network?"
        variable = ADDRESSES.get(name)
        return f"{place} {f'{variable} or ' if variable else ''}providers.{name}.base_url says where it is"
    if error.fault == "operator":
        variable = KEYS.get(name)
        return f"check the key: {f'{variable} or ' if variable else ''}providers.{name}.api_key"
    if error.status == 404 and settings.kind == "ollama":
        return f"fetch it with: ollama pull {rest}"
    return ""
