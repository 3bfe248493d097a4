"""Questions: what retrievers that search by meaning too make of one before they look."""

from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..embedding import Embedder
from ..errors import ProviderError


async def question_vector(embedder: Embedder | None, query: str) -> tuple[NDArray[np.float32] | None, dict[str, Any]]:
    """The query's vector, and what a report says of making it; None where nobody makes one, or its maker fails."""
    if embedder is None:
        return None, {}
    began = perf_counter()
    try:
        (vector,) = await embedder.embed([query])
    except ProviderError as error:
        return None, {"degraded": f"by words only: {error.message}"}
    return vector, {"embedding_ms": round((perf_counter() - began) * 1000, 3)}
