"""Vectors in every vendor's answer, and answers without vectors."""

from collections.abc import Callable
from typing import Any

import pytest

from citestream.providers.errors import BrokenStream
from citestream.providers.events import Embedded
from citestream.providers.wire.embeddings import from_gemini, from_ollama, from_openai

Read = Callable[[dict[str, Any], int], Embedded]

WHOLE: dict[str, tuple[Read, dict[str, Any], Embedded]] = {
    "OpenAI's, in any order": (
        from_openai,
        {
            "data": [{"index": 1, "embedding": [2, 3.5]}, {"index": 0, "embedding": [1, 0]}],
            "usage": {"prompt_tokens": 4, "total_tokens": 4},
        },
        Embedded([[1, 0], [2, 3.5]], 4),
    ),
    "OpenAI's without usage": (
        from_openai,
        {"data": [{"embedding": [1.0]}, {"embedding": [2.0]}]},
        Embedded([[1.0], [2.0]]),
    ),
    "Ollama's": (from_ollama, {"embeddings": [[1.0], [2.0]], "prompt_eval_count": 9}, Embedded([[1.0], [2.0]], 9)),
    "Gemini's": (from_gemini, {"embeddings": [{"values": [1.0]}, {"values": [2.0]}]}, Embedded([[1.0], [2.0]])),
}
BROKEN: dict[str, tuple[Read, dict[str, Any]]] = {
    "no JSON object": (from_openai, {}),
    "one too few": (from_openai, {"data": [{"embedding": [1.0]}]}),
    "entries that are none": (from_openai, {"data": [1, None]}),
    "base64 that was not asked for": (from_openai, {"data": [{"embedding": "AAAA"}, {"embedding": "AAAA"}]}),
    "a vector of texts": (from_ollama, {"embeddings": [[1.0], ["a"]]}),
    "empty vectors": (from_ollama, {"embeddings": [[], []]}),
    "an object in the place of a list": (from_ollama, {"embeddings": {"0": [1.0]}}),
    "values that are null": (from_gemini, {"embeddings": [{"values": None}, {}]}),
}


@pytest.mark.parametrize(("read", "answer", "expected"), WHOLE.values(), ids=WHOLE)
def test_each_text_gets_its_vector(read: Read, answer: dict[str, Any], expected: Embedded) -> None:
    assert read(answer, 2) == expected


@pytest.mark.parametrize(("read", "answer"), BROKEN.values(), ids=BROKEN)
def test_an_answer_without_vectors_is_broken(read: Read, answer: dict[str, Any]) -> None:
    with pytest.raises(BrokenStream):
        read(answer, 2)
