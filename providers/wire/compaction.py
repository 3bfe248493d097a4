"""The content of a compaction: the messages that take the place of a conversation, as one text.

The Responses API calls it `encrypted_content`, because clients must not depend on its form. It is not encrypted: it has
nothing that the client has not sent or may not read, and a client that changes it changes its own conversation.
"""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error
from collections.abc import Iterable

from ..events import Message
from .json_text import WrongField, as_list, as_object, dumps

PREFIX = "citestream.1."  # the version of this form
ROLES = ("user", "assistant")  # a summary of what users wrote must not become an instruction of the operator


def compaction_content(messages: Iterable[Message]) -> str:
    """Return the content for messages of users and assistants that have text only."""
    pairs = [[message["role"], message["content"]] for message in messages]
    return PREFIX + urlsafe_b64encode(dumps(pairs)).decode()


def compacted_messages(content: object, path: str) -> list[Message]:
    """Return the messages of a content. Raises WrongField with this path if another server made it, or it is broken."""
    if not isinstance(content, str) or not content.startswith(PREFIX):
        raise WrongField(path, "can be read only by the server that made it; send the conversation itself")
    try:
        pairs = json.loads(urlsafe_b64decode(content.removeprefix(PREFIX)))
    except (Error, ValueError, RecursionError):
        raise WrongField(path, "is not complete") from None
    messages = [dict(zip(("role", "content"), as_list(pair), strict=False)) for pair in as_list(pairs)]
    if not all(
        as_object(message).get("role") in ROLES and isinstance(message.get("content"), str) for message in messages
    ):
        raise WrongField(path, "is not complete")
    return messages
