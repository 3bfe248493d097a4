"""The fields of a chunk: those of its envelope, and those that belong to its text."""

from typing import Any

from citestream.providers.events import Chunk

Fields = dict[str, Any]

# Fields with the same meaning in every chunk: the latest chunk replaces the earlier ones. Any other field belongs to
# the text it arrived with, and is sent with that text.
SHARED_FIELDS = frozenset(
    {"id", "object", "created", "model", "choices", "service_tier", "system_fingerprint", "usage"}
)
SHARED_CHOICE_FIELDS = frozenset({"index", "delta", "logprobs", "finish_reason"})


def has_own_fields(chunk: Chunk) -> bool:
    """Return whether a chunk of one choice has fields that belong to its text."""
    return not (SHARED_FIELDS.issuperset(chunk) and SHARED_CHOICE_FIELDS.issuperset(chunk["choices"][0]))


def separate_fields(chunk: Chunk) -> tuple[Chunk, Fields, Fields]:
    """Return the chunk with its shared fields only, its other fields, and the other fields of its choice."""
    (choice,) = chunk["choices"]
    shared = {key: value for key, value in choice.items() if key in SHARED_CHOICE_FIELDS}
    return (
        {**{key: value for key, value in chunk.items() if key in SHARED_FIELDS}, "choices": [shared]},
        {key: value for key, value in chunk.items() if key not in SHARED_FIELDS},
        {key: value for key, value in choice.items() if key not in SHARED_CHOICE_FIELDS},
    )


def empty_chunk(chunk: Chunk, index: int) -> Chunk:
    """Return a chunk of this choice without text. The fields that belong to the text of `chunk` are not repeated."""
    envelope = {key: value for key, value in chunk.items() if key in SHARED_FIELDS and key != "usage"}
    return envelope | {"choices": [{"index": index, "delta": {}, "logprobs": None, "finish_reason": None}]}
