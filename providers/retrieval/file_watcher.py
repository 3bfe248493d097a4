"""Watch folders for changes."""

from collections.abc import AsyncIterator, Sequence
from importlib import import_module
from pathlib import Path

from ..errors import ProviderError


async def changes(folders: Sequence[Path]) -> AsyncIterator[None]:
    """Yield once for all changes of a short time, without end. Raises ProviderError if the package is missing."""
    try:
        watchfiles = import_module("watchfiles")
    except ImportError:
        raise ProviderError("--watch needs a package: pip install 'citestream[documents]'") from None
    async for _ in watchfiles.awatch(*folders):
        yield
