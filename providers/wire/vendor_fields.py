"""Fields of a chunk with what only one vendor's API has, such as Anthropic's blocks."""

from typing import Any

from .chunk_limits import MAX_CHOICES, MAX_ENTRIES
from .json_text import as_object

# The translators of these APIs add them to chunks, and client APIs trust them.
VENDORS = ("anthropic", "google", "ollama")


def remove_vendor_fields(chunk: dict[str, Any]) -> None:
    """Remove what a server with OpenAI's API presents as fields of another API.

    `extra_content.google` of a tool call stays: Google's own server with OpenAI's API sends signatures there.
    """
    choices = chunk.get("choices")
    parts: list[Any] = [chunk]
    for choice in choices[:MAX_CHOICES] if isinstance(choices, list) else ():
        if isinstance(choice, dict):
            parts += (choice, choice.get("delta"), choice.get("message"))
    for fields in parts:
        if isinstance(fields, dict):
            for name in VENDORS:
                fields.pop(name, None)
            calls = fields.get("tool_calls")
            for call in calls[:MAX_ENTRIES] if isinstance(calls, list) else ():
                extra = as_object(call).get("extra_content")
                if isinstance(extra, dict):
                    extra.pop("anthropic", None)
