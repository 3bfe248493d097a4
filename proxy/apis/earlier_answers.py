"""Remove Citestream's fields from earlier answers that clients send back as messages.

Clients send back all fields that they received. Strict servers (Groq, Mistral) refuse fields that they do not know.
"""

from typing import Any

from citestream.providers.events import Message

# The fields of all dialects. LiteLLM's SDK collects unknown fields in provider_specific_fields.
ADDED_FIELDS = frozenset({"references", "annotations", "reference", "graph_data", "provider_specific_fields"})


def strip_messages(messages: list[Message]) -> list[Message]:
    """Return the messages without Citestream's fields. Annotations of a provider are kept."""
    return [_strip_message(message) if message["role"] == "assistant" else message for message in messages]


def strip_items(items: list[Any]) -> list[Any]:
    """Return items of the Responses API without Citestream's annotations, which are on the parts of an item."""
    return [
        {**item, "content": [_strip_part(part) for part in item["content"]]}
        if isinstance(item, dict) and item.get("role") == "assistant" and isinstance(item.get("content"), list)
        else item
        for item in items
    ]


def _strip_part(part: Any) -> Any:
    annotations = part.get("annotations") if isinstance(part, dict) else None
    if not isinstance(annotations, list):
        return part
    return {
        **part,
        "annotations": [
            annotation for annotation in annotations if not (isinstance(annotation, dict) and "content" in annotation)
        ],
    }


def _strip_message(message: Message) -> Message:
    annotations = message.get("annotations")
    is_ours = isinstance(message.get("references"), list) or (
        isinstance(annotations, list) and bool(annotations) and all(map(_has_content, annotations))
    )
    return {key: value for key, value in message.items() if key not in ADDED_FIELDS} if is_ours else message


def _has_content(annotation: Any) -> bool:
    """Return whether an annotation contains the cited passage. OpenAI's annotations have no such field."""
    citation = annotation.get("url_citation") if isinstance(annotation, dict) else None
    return isinstance(citation, dict) and "content" in citation
