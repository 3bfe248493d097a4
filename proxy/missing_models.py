"""Messages about models that no provider of the configuration has. A missing key is named with its variable."""

from .config import Config

# Environment variables that add a vendor's provider if the configuration file names no providers
KEYS = {"openai": "OPENAI_API_KEY", "gemini": "GEMINI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}
# How the names of each vendor's models begin
MODELS = {"openai": ("gpt-", "chatgpt-", "o1", "o3", "o4"), "gemini": ("gemini-",), "anthropic": ("claude-",)}
MAX_NAME_CHARACTERS = 200  # characters of an unknown model in a message


def missing_model(model: str, config: Config) -> str:
    """Return why there is no provider for this model, what to do, and the models that exist."""
    name, shown = model.partition("/")[0], model[:MAX_NAME_CHARACTERS]
    vendor = name if name in KEYS else _vendor(name)
    if same_kind := [provider for provider, settings in config.providers.items() if vendor and settings.kind == vendor]:
        reason = (
            f"the model {shown!r} needs the name of its provider: {same_kind[0]}/{shown.removeprefix(f'{vendor}/')}"
        )
    elif vendor:
        reason = (
            f"the model {shown!r} needs an API key: set {KEYS[vendor]} where Citestream runs, "
            f"or add providers.{vendor} if a configuration file names the providers"
        )
    else:
        reason = f"the model {shown!r} does not exist"
    return f"{reason}; there are: {', '.join(model_names(config))}"


def _vendor(model: str) -> str:
    """Return the vendor whose models have such a name, or "". Models with open weights run anywhere."""
    if model.lower().startswith("gpt-oss"):
        return ""
    return next((vendor for vendor, prefixes in MODELS.items() if model.lower().startswith(prefixes)), "")


def model_names(config: Config) -> list[str]:
    """Return the names that a request may use. Models of a provider are not listed, but its name with "/…"."""
    plain = [name for name, settings in config.providers.items() if settings.kind == "extractive"]
    return [*config.models, *plain, *(f"{name}/…" for name in config.providers if name not in plain)]
