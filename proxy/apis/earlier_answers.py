"""Earlier answers that come back as messages: what Citestream added to them is taken off again.

Clients send back what they were given, fields and all; strict servers (Groq, Mistral) refuse fields that they do not
know.
"""

from typing import Any

from citestream.providers.events import Message

# Of every dialect; LiteLLM's SDK gathers in provider_specific_fields those that it does not know.
OURS = frozenset({"references", "annotations", "reference", "graph_data", "provider_specific_fields"})


def without_ours(messages: list[Message]) -> list[Message]:
    """The messages as a provider may see them. Annotations that a provider made stay."""
    return [_cleaned(message) if message["role"] == "assistant" else message for message in messages]


def items_without_ours(items: list[Any]) -> list[Any]:
    """The same for items of the Responses API, whose parts carry the annotations."""
    return [
        {**item, "content": [_plain_part(part) for part in item["content"]]}
        if isinstance(item, dict) and item.get("role") == "assistant" and isinstance(item.get("content"), list)
        else item
        for item in items
    ]


def _plain_part(part: Any) -> Any:
    annotations = part.get("annotations") if isinstance(part, dict) else None
    if not isinstance(annotations, list):
        return part
    return {**part, "annotations": [one for one in annotations if not (isinstance(one, dict) and "content" in one)]}


def _cleaned(message: Message) -> Message:
    annotations = message.get("annotations")
    ours = isinstance(message.get("references"), list) or (
        isinstance(annotations, list) and bool(annotations) and all(map(_has_passage, annotations))
    )
    return {key: value for key, value in message.items() if key not in OURS} if ours else message


def _has_passage(annotation: Any) -> bool:
    """Ours say what stands there; OpenAI's have no such field."""
    citation = annotation.get("url_citation") if isinstance(annotation, dict) else None
    return isinstance(citation, dict) and "content" in citation
