"""Vectors in the answers of every vendor, and answers without vectors."""

from collections.abc import Callable
from typing import Any

import pytest

from citestream.providers.errors import BrokenStream
from citestream.providers.events import Embedded
from citestream.providers.wire.embeddings import from_gemini, from_ollama, from_openai

Read = Callable[[dict[str, Any], int], Embedded]

COMPLETE: dict[str, tuple[Read, dict[str, Any], Embedded]] = {
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
    "an empty object": (from_openai, {}),
    "one vector too few": (from_openai, {"data": [{"embedding": [1.0]}]}),
    "entries that are not objects": (from_openai, {"data": [1, None]}),
    "unrequested base64": (from_openai, {"data": [{"embedding": "AAAA"}, {"embedding": "AAAA"}]}),
    "a vector with a string": (from_ollama, {"embeddings": [[1.0], ["a"]]}),
    "empty vectors": (from_ollama, {"embeddings": [[], []]}),
    "an object instead of a list": (from_ollama, {"embeddings": {"0": [1.0]}}),
    "values that are null": (from_gemini, {"embeddings": [{"values": None}, {}]}),
}


@pytest.mark.parametrize(("read", "answer", "expected"), COMPLETE.values(), ids=COMPLETE)
def test_each_text_gets_its_vector(read: Read, answer: dict[str, Any], expected: Embedded) -> None:
    assert read(answer, 2) == expected


@pytest.mark.parametrize(("read", "answer"), BROKEN.values(), ids=BROKEN)
def test_an_answer_without_vectors_is_broken(read: Read, answer: dict[str, Any]) -> None:
    with pytest.raises(BrokenStream):
        read(answer, 2)
