"""Embedders: each configured embedder is created once and shared."""

from citestream.providers.embedding import Embedder, embedder
from citestream.providers.errors import ProviderError
from citestream.providers.settings import Settings

from .config import Config
from .model_routes import SETTINGS


class Embedders:
    """The embedders of a configuration, by option: `local`, or provider/model."""

    def __init__(self, config: Config) -> None:
        """Create no embedder yet."""
        self._config = config
        self._embedders: dict[str, Embedder] = {}

    def find(self, option: str) -> Embedder:
        """Return the embedder of that name. Raise ProviderError if it is unknown, ConfigError if its key is missing."""
        if option not in self._embedders:
            self._embedders[option] = self._create(option)
        return self._embedders[option]

    async def aclose(self) -> None:
        """Close connections and threads."""
        for one in self._embedders.values():
            await one.aclose()

    def _create(self, option: str) -> Embedder:
        name, _, model = option.partition("/")
        bytes_ = self._config.scoring.cache_bytes
        if name == "local":
            return embedder("local", cache_bytes=bytes_)
        provider = self._config.providers.get(name)
        if provider is None or provider.kind == "extractive":
            raise ProviderError(f"{name!r} is neither local nor a provider that embeds.")
        settings = Settings(**provider.model_dump(include=SETTINGS), api_key=provider.secret())
        return embedder(provider.kind, model, settings, cache_bytes=bytes_)
