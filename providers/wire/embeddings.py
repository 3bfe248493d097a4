"""The JSON of embedding requests and answers of each vendor, for clients that ask for embeddings.

Nothing is cached, truncated, batched with other requests or normalized here, unlike in `providers.embedding`, which
embeds texts for scoring and retrieval.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from ..errors import BrokenStream
from ..events import Embedded
from .json_text import as_list, as_object, dumps

Fields = dict[str, Any]

GEMINI_BATCH = 100  # texts that Gemini's API takes in one request


def openai_request(texts: Sequence[str], model: str, dimensions: int | None) -> bytes:
    """Return the body for `/embeddings`. Ollama's `/api/embed` has the same fields."""
    return dumps({"model": model, "input": list(texts), **({"dimensions": dimensions} if dimensions else {})})


def gemini_request(texts: Sequence[str], model: str, dimensions: int | None) -> bytes:
    """Return the body for `:batchEmbedContents`, in which every text repeats the model."""
    size = {"outputDimensionality": dimensions} if dimensions else {}
    name = gemini_model_name(model)
    return dumps({"requests": [{"model": name, "content": {"parts": [{"text": text}]}, **size} for text in texts]})


def gemini_model_name(model: str) -> str:
    """Return the name of a model as Gemini's bodies contain it."""
    return model if "/" in model else f"models/{model}"


def from_openai(answer: Fields, count: int) -> Embedded:
    """Return the embeddings in the order of the texts, which may differ from the order of the answer."""
    rows = [row for row in as_list(answer.get("data")) if isinstance(row, dict)]
    rows.sort(key=lambda row: index if isinstance(index := row.get("index"), int) else 0)
    tokens = as_object(answer.get("usage")).get("prompt_tokens")
    return _embedded((row.get("embedding") for row in rows), count, tokens)


def from_ollama(answer: Fields, count: int) -> Embedded:
    """Return the embeddings."""
    return _embedded(as_list(answer.get("embeddings")), count, answer.get("prompt_eval_count"))


def from_gemini(answer: Fields, count: int) -> Embedded:
    """Return the embeddings. Gemini does not count tokens."""
    return _embedded((as_object(row).get("values") for row in as_list(answer.get("embeddings"))), count, None)


def _embedded(rows: Iterable[object], count: int, tokens: object) -> Embedded:
    """Return the embeddings. Raises BrokenStream unless there is a list of numbers for each text."""
    vectors = [
        row for row in rows if isinstance(row, list) and row and all(isinstance(number, int | float) for number in row)
    ]
    if len(vectors) != count:
        raise BrokenStream("The provider did not send one vector for each text.", code="broken_embeddings")
    return Embedded(vectors, tokens if isinstance(tokens, int) else None)
