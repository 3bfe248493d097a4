"""Ids in a provider's answer by which its client may refer to it later.

They are read from the places where the provider writes them. Arguments of tools, metadata and text may contain ids
that the client has chosen.
"""

import re
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import aclosing
from typing import Any

from citestream.providers.events import Relayed
from citestream.providers.scheduler import Work, join
from citestream.providers.transport import EventSplitter
from citestream.providers.wire.json_steps import loads_in_steps
from citestream.providers.wire.json_text import as_list, as_object

from ..storage.known_ids import Record

MAX_READ_BYTES = 32 * 2**20  # maximum size of a whole answer that is read; a longer one has images
# Fields of which one is in each event with ids. Most events continue a text and need not be decoded.
_MAY_HAVE_IDS = re.compile(rb'"(?:response|item|container|file_id|audio|content_block)"\s*:')
ID_FIELDS = ("id", "file_id", "container_id")


async def recorded(relayed: Relayed, record: Record, event_bytes: int) -> AsyncGenerator[bytes, None]:
    """Yield the body of an answer. Its ids are recorded before the client receives them.

    `event_bytes`: limit of one event.
    """
    splitter, parts, size = EventSplitter(event_bytes) if relayed.events else None, list[bytes](), 0
    async with aclosing(relayed.body) as body:
        async for data in body:
            if splitter:
                for payload in splitter.feed(data):
                    if _MAY_HAVE_IDS.search(payload):
                        record(await _ids_of(payload))
            elif (size := size + len(data)) <= MAX_READ_BYTES:
                parts.append(data)
            yield data
    if parts:
        record(await _ids_of(await join(parts)))


async def _ids_of(payload: bytes) -> list[str]:
    try:
        value, _ = await Work("read_provider").run(loads_in_steps(payload, replace=True))
    except ValueError:
        return []
    return [*dict.fromkeys(ids_in(as_object(value)))]


def ids_in(value: Mapping[str, Any]) -> Iterator[str]:
    """Yield the ids in an answer, or in an event of a stream, of the APIs of OpenAI and Anthropic."""
    for inner in (value, as_object(value.get("response")), as_object(value.get("message"))):
        yield from _of_answer(inner)
    yield from _of_item(as_object(value.get("item")))
    yield from _of_block(as_object(value.get("content_block")))
    yield from _id(as_object(as_object(value.get("delta")).get("container")))
    for choice in map(as_object, as_list(value.get("choices"))):
        for message in (as_object(choice.get("message")), as_object(choice.get("delta"))):
            yield from _id(as_object(message.get("audio")))


def _of_answer(answer: Mapping[str, Any]) -> Iterator[str]:
    if answer.get("object") == "response":
        yield from _id(answer)
    for name in ("conversation", "container"):
        yield from _id(as_object(answer.get(name)))
    for item in map(as_object, as_list(answer.get("output"))):
        yield from _of_item(item)
    for block in map(as_object, as_list(answer.get("content"))):
        yield from _of_block(block)


def _of_item(item: Mapping[str, Any]) -> Iterator[str]:
    """Yield the ids of an output item of the Responses API."""
    yield from _id(item)
    for part in map(as_object, as_list(item.get("content"))):
        for annotation in map(as_object, as_list(part.get("annotations"))):
            yield from _id(annotation)
    for result in map(as_object, as_list(item.get("results"))):
        yield from _id(result)


def _of_block(block: Mapping[str, Any]) -> Iterator[str]:
    """Yield the ids of files that a tool of Anthropic has written."""
    for output in map(as_object, as_list(as_object(block.get("content")).get("content"))):
        yield from _id(output)


def _id(value: Mapping[str, Any]) -> Iterator[str]:
    yield from (received for name in ID_FIELDS if isinstance(received := value.get(name), str) and received)
