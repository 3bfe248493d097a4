"""Keep prompts the same from request to request, so that a provider's prompt cache stays effective."""

import hmac
from collections.abc import Sequence
from typing import Any

from citestream.citation.evidence import Evidence
from citestream.citation.text.steps import Steps
from citestream.providers.events import Message
from citestream.providers.wire.anthropic.content_blocks import CACHE_CONTROL
from citestream.providers.wire.json_text import as_object
from citestream.providers.wire.openai_messages import content_parts

NONCE_BYTES = 4


def has_cached_prefix(messages: Sequence[Message]) -> bool:
    """Return whether a client marks a message for the prompt cache, or has system messages within a conversation.

    Neither the messages before the mark nor the order of messages may change from one request to the next.
    """
    return any(map(_is_marked, messages))


def _is_marked(message: Message) -> bool:
    if message.get("role") in ("system", "developer"):
        return "anthropic" in message  # in its place within a conversation
    parts: list[Any] = [message, *content_parts(message.get("content"))]
    return any(CACHE_CONTROL in part or CACHE_CONTROL in as_object(part.get("anthropic")) for part in parts)


def evidence_nonce(secret: bytes, evidence: Sequence[Evidence]) -> Steps[str]:
    """Return a nonce for the excerpts. It is the same for the same evidence, for all requests of a tool loop.

    `secret`: unknown to the authors of the evidence.
    """
    digest = hmac.new(secret, digestmod="sha256")
    for item in evidence:
        for text in (item.text, item.title, item.file_name, item.url):
            digest.update(f"{text or ''}\0".encode("utf-8", "surrogatepass"))
        yield None
    return digest.hexdigest()[: 2 * NONCE_BYTES]
