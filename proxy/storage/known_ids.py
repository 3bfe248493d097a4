"""KnownIds: the ids that each client has received from providers. Other clients cannot refer to them."""

from collections.abc import Callable, Iterable

from ..config import ReferencesConfig, StoreConfig
from .recent_references import RecentReferences

MAX_IDS = 50_000  # maximum of all clients together, about 15 MB in memory; shared fairly
KEEP_SECONDS = 30 * 24 * 3600.0  # OpenAI stores responses for 30 days
MAX_ID_CHARACTERS = 512  # characters of an id; those of providers have at most 100
FILE_SUFFIX = ".ids"  # added to references.file

Record = Callable[[Iterable[str]], None]


class KnownIds:
    """Ids by client and provider, in memory, in a file next to `references.file`, or in Redis."""

    def __init__(self, config: ReferencesConfig, store: StoreConfig) -> None:
        """Open the store. Raise ConfigError if it cannot be used."""
        file = f"{config.file}{FILE_SUFFIX}" if config.file else ""
        limits = {"keep": MAX_IDS, "keep_seconds": KEEP_SECONDS, "max_bytes": MAX_IDS * MAX_ID_CHARACTERS, "file": file}
        self.recent = RecentReferences(config.model_copy(update=limits), store=store, space="ids:")

    def record(self, client: str, provider: str) -> Record:
        """Return a function that records ids as received by a client."""

        def record(ids: Iterable[str]) -> None:
            for received in ids:
                if len(received) <= MAX_ID_CHARACTERS:
                    self.recent.put(client, f"{provider}:{received}", {})

        return record

    async def is_known(self, client: str, provider: str, stored_id: str) -> bool:
        """Return whether a client has received an id from a provider."""
        return (
            len(stored_id) <= MAX_ID_CHARACTERS
            and await self.recent.get_data(client, f"{provider}:{stored_id}") is not None
        )
