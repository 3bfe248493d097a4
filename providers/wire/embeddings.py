"""Vectors for clients: what each vendor's API is asked for vectors of texts, and how its answer is read.

Unlike the Embedder, which embeds for our own scores: here nothing is cached, cut, batched with others or normalized.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from ..errors import BrokenStream
from ..events import Embedded
from .json_text import dumps

Fields = dict[str, Any]

GEMINI_BATCH = 100  # texts that its API takes at once


def openai_request(texts: Sequence[str], model: str, dimensions: int | None) -> bytes:
    """The body for `/embeddings`, and, with the same words, for Ollama's `/api/embed`."""
    return dumps({"model": model, "input": list(texts), **({"dimensions": dimensions} if dimensions else {})})


def gemini_request(texts: Sequence[str], model: str, dimensions: int | None) -> bytes:
    """The body for `:batchEmbedContents`, which names the model once more with every text."""
    more = {"outputDimensionality": dimensions} if dimensions else {}
    name = model if "/" in model else f"models/{model}"
    return dumps({"requests": [{"model": name, "content": {"parts": [{"text": text}]}, **more} for text in texts]})


def from_openai(answer: Fields, count: int) -> Embedded:
    """Its vectors in the order of the texts, which need not be that of the answer."""
    rows = [row for row in _list(answer.get("data")) if isinstance(row, dict)]
    rows.sort(key=lambda row: index if isinstance(index := row.get("index"), int) else 0)
    return _checked((row.get("embedding") for row in rows), count, _object(answer.get("usage")).get("prompt_tokens"))


def from_ollama(answer: Fields, count: int) -> Embedded:
    """Its vectors."""
    return _checked(_list(answer.get("embeddings")), count, answer.get("prompt_eval_count"))


def from_gemini(answer: Fields, count: int) -> Embedded:
    """Its vectors; it does not count tokens."""
    return _checked((_object(row).get("values") for row in _list(answer.get("embeddings"))), count, None)


def _checked(rows: Iterable[object], count: int, tokens: object) -> Embedded:
    """Raises BrokenStream where there is not a list of numbers for each text."""
    vectors = [
        row for row in rows if isinstance(row, list) and row and all(isinstance(one, int | float) for one in row)
    ]
    if len(vectors) != count:
        raise BrokenStream("The provider did not send one vector for each text.", code="broken_embeddings")
    return Embedded(vectors, tokens if isinstance(tokens, int) else None)


def _list(value: object) -> list[Any]:
    return value if isinstance(value, list) else []


def _object(value: object) -> Fields:
    return value if isinstance(value, dict) else {}
