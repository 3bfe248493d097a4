"""Read what a client sent with a function that cannot be divided: in a thread if it is long."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from citestream.providers.scheduler import Work, scheduler
from citestream.providers.wire.json_steps import is_large

T = TypeVar("T")

LONG_INPUT_CHARACTERS = (
    100_000  # characters and values; recognising the evidence of a host takes up to 0.6 ms per 1,000
)
LARGE_BODY_BYTES = 256 * 2**10  # bytes of JSON, whose values are checked in up to 8 ms
MANY_ENTRIES = 1_000  # checking them takes 2 ms


async def read_input(read: Callable[[], T], entries: Any) -> T:
    """Return `read()`, which reads these messages or tools. They may be of any type, since they are not checked yet."""
    return await _read(read, is_long=is_long(entries))


async def parse_body(parse: Callable[[], T], body: Mapping[str, Any], size: int) -> T:
    """Return `parse()`, which parses this body of a request. `size`: bytes of its JSON."""
    return await _read(parse, is_long=size > LARGE_BODY_BYTES or is_long(body.get("messages")))


async def _read(read: Callable[[], T], *, is_long: bool) -> T:
    if is_long:
        return await scheduler().in_thread(read)
    with Work("parse_request"):
        return read()


def is_long(entries: Any) -> bool:
    """Return whether there are many messages, parts or tools, or long ones."""
    return isinstance(entries, list) and (len(entries) > MANY_ENTRIES or is_large(entries, LONG_INPUT_CHARACTERS))
