"""Read what a client sent with a function that cannot be divided: in a thread if it is long."""

from collections.abc import Callable
from typing import Any, TypeVar

from citestream.providers.scheduler import Work, scheduler

from .questions import text_of

T = TypeVar("T")

LONG_INPUT = 100_000  # characters; recognising the evidence of a host takes up to 0.6 ms per 1,000
MANY_MESSAGES = 1_000  # or parts of messages; checking them takes 2 ms


async def read_input(read: Callable[[], T], messages: Any) -> T:
    """Return `read()`, which reads these messages. They are not checked yet and may be anything."""
    if is_long(messages):
        return await scheduler().in_thread(read)
    with Work("parse_request"):
        return read()


def is_long(messages: Any) -> bool:
    """Return whether there are many messages or parts, or long ones."""
    if not isinstance(messages, list):
        return False
    if len(messages) > MANY_MESSAGES:
        return True
    contents = [message.get("content") for message in messages if isinstance(message, dict)]
    if sum(len(content) for content in contents if isinstance(content, list)) > MANY_MESSAGES:
        return True
    return sum(len(text_of(content)) for content in contents) > LONG_INPUT
