"""Vectors of the local embedder, cached in a file because they take minutes to compute."""

import asyncio
import hashlib
import tempfile
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from citestream.citation.support.scorers import Vectors
from citestream.providers.embedding import embedder

Table = dict[str, Vectors]


def table(texts: Iterable[str]) -> Table:
    """Return the vector of each text."""
    asked = sorted(set(texts))
    digest = hashlib.sha256("\0".join(asked).encode()).hexdigest()[:16]
    kept = Path(tempfile.gettempdir()) / f"citestream-vectors-{digest}.npy"
    if kept.exists():
        vectors = np.load(kept).astype(np.float32)
    else:
        vectors = asyncio.run(_embedded(asked))
        np.save(kept, vectors.astype(np.float16))
    return dict(zip(asked, vectors, strict=True))


async def _embedded(texts: list[str]) -> Vectors:
    local = embedder("local")
    vectors = await local.embed(texts)
    await local.aclose()
    return vectors
