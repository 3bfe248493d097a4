"""Watching: who tells that something in a folder changed."""

from collections.abc import AsyncIterator, Sequence
from importlib import import_module
from pathlib import Path

from ..errors import ProviderError


async def changes(folders: Sequence[Path]) -> AsyncIterator[None]:
    """One item for all changes of some moments, for ever. Raises ProviderError where the package is not installed."""
    try:
        watchfiles = import_module("watchfiles")
    except ImportError:
        raise ProviderError("--watch needs a package: pip install 'citestream[documents]'") from None
    async for _ in watchfiles.awatch(*folders):
        yield
