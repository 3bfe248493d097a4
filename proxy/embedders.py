"""Embedders: each configured embedder is created once and shared."""

import logging
from collections import defaultdict

from citestream.providers.embedding import Backoff, Embedder, embedder
from citestream.providers.errors import ProviderError
from citestream.providers.settings import Settings

from .config import Config, ConfigError
from .model_routes import SETTINGS

log = logging.getLogger("citestream")


class Embedders:
    """The embedders of a configuration, by option: `local`, or provider/model."""

    def __init__(self, config: Config) -> None:
        """Create no embedder yet."""
        self._config = config
        self._embedders: dict[str, Embedder] = {}
        self._backoffs: defaultdict[str, Backoff] = defaultdict(Backoff)

    def find(self, option: str) -> Embedder:
        """Return the embedder of that name. Raise ProviderError if it is unknown, ConfigError if its key is missing."""
        if option not in self._embedders:
            self._embedders[option] = self._create(option)
        return self._embedders[option]

    def find_available(self, option: str) -> Embedder | None:
        """Return the embedder of that name, None if it cannot be created.

        A failure is logged. Another attempt is made a second later, then two, and at most a minute: its package may be
        installed meanwhile, or the file with its key written.
        """
        if option in self._embedders or self._backoffs[option].is_over():
            try:
                return self.find(option)
            except (ProviderError, ConfigError) as error:
                self._backoffs[option].fail()
                log.warning("evidence is searched without the embedder %s: %s", option, error)
        return None

    async def load(self) -> None:
        """Wait for the models on this machine that have been found. A failure is logged."""
        for option, model in list(self._embedders.items()):
            if option == "local":
                log.info("loading the embedder %s", option)
            try:
                await model.load()
            except ProviderError as error:
                log.warning("the embedder %s cannot be loaded: %s", option, error)

    async def aclose(self) -> None:
        """Close connections and threads."""
        for running in self._embedders.values():
            await running.aclose()

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
