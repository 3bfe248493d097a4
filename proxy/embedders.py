"""Embedders: those that a configuration names, each made once, whoever asks for it."""

from citestream.providers.embedding import Embedder, embedder
from citestream.providers.errors import ProviderError
from citestream.providers.settings import Settings

from .config import Config
from .model_routes import SETTINGS


class Embedders:
    """By what an option says: `local`, or provider/model."""

    def __init__(self, config: Config) -> None:
        """Nothing is made yet."""
        self._config = config
        self._made: dict[str, Embedder] = {}

    def find(self, option: str) -> Embedder:
        """The embedder of that name. Raises ProviderError where it cannot be made, ConfigError for a missing key."""
        if option not in self._made:
            self._made[option] = self._make(option)
        return self._made[option]

    async def aclose(self) -> None:
        """Let go of connections and threads."""
        for made in self._made.values():
            await made.aclose()

    def _make(self, option: str) -> Embedder:
        name, _, model = option.partition("/")
        bytes_ = self._config.scoring.cache_bytes
        if name == "local":
            return embedder("local", cache_bytes=bytes_)
        provider = self._config.providers.get(name)
        if provider is None or provider.kind == "extractive":
            raise ProviderError(f"{name!r} is neither local nor a provider that embeds.")
        settings = Settings(**provider.model_dump(include=SETTINGS), api_key=provider.secret())
        return embedder(provider.kind, model, settings, cache_bytes=bytes_)
