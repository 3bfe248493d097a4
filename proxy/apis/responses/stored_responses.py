"""Earlier responses, and items of them, to which a request refers instead of repeating them.

OpenAI's servers store both unless a request says `store: false`, and clients rely on it. The Vercel AI SDK refers to
its own earlier calls and answers by default; if a call is missing, its result belongs to nothing and is refused.
"""

import re
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from itertools import chain
from typing import Any

from citestream.citation.evidence import FieldError

from ...pipeline.request.long_input import read_input
from ..extensions import Body

Fields = dict[str, Any]
Find = Callable[[str], Awaitable[Fields | None]]

CONVERSATION = "conversation:"  # begins the names of stored conversations
OWN_ID = re.compile(r"[a-z]+_([0-9a-f]{32})(?:_|$)")  # ids of items contain the key of their response
OMITTED_TYPES = frozenset({"reasoning", "image_generation_call"})  # no model takes the reasoning of another
MAX_RESPONSES = 100  # limit per request; a look-up that finds nothing takes 0.1 s
OMITTED_FIELDS = frozenset({"id", "status"})  # only the server that stores an item knows them


def conversation_key(response_id: str) -> str:
    """Return the key under which the conversation of a response is stored. It is never the id of an answer."""
    return f"{CONVERSATION}{response_id}"


def conversation(body: Mapping[str, Any], output: list[Fields]) -> Fields:
    """Return what later requests may refer to, {} if the request has `store: false`."""
    return {} if body.get("store") is False else {"input": _items(body.get("input")), "output": output}


async def insert_stored(body: Body, find: Find) -> Body:
    """Return the request with stored items in place of references to them.

    Unknown references stay, because the provider may know them. Raises FieldError if one item is referred to twice or
    items come from more than MAX_RESPONSES responses, so that a small request cannot cause unbounded work.
    """
    items = body.get("input")
    if isinstance(items, list) and await read_input(partial(_has_references, items), items):
        body = {**body, "input": await _insert_items(items, find)}
    previous = body.get("previous_response_id")
    if not isinstance(previous, str) or not OWN_ID.match(previous):
        return body
    stored = await find(conversation_key(previous))
    if not stored:
        return body
    rest = {key: value for key, value in body.items() if key != "previous_response_id"}
    return rest | {"input": await read_input(partial(_continued, stored, body.get("input")), stored["output"])}


def _continued(stored: Fields, added: Any) -> list[Any]:
    """Return the items of a stored conversation and those that a request adds."""
    return [*stored["input"], *chain.from_iterable(map(_as_input, stored["output"])), *_items(added)]


async def _insert_items(items: list[Any], find: Find) -> list[Any]:
    known: dict[str, Fields] = {}
    seen: set[str] = set()
    responses: set[str] = set()  # keys that were looked up, found or not
    inserted: list[Any] = []
    for position, item in enumerate(items):
        if not (item_id := _reference(item)):
            inserted.append(item)
            continue
        if item_id in seen:
            raise FieldError(f"input[{position}].id", "is referred to twice")
        seen.add(item_id)
        if (own := OWN_ID.match(item_id)) and own[1] not in responses:
            responses.add(own[1])
            if len(responses) > MAX_RESPONSES:
                raise FieldError(f"input[{position}].id", f"refers to one response more than {MAX_RESPONSES}")
            stored = await find(conversation_key(f"resp_{own[1]}")) or {}
            known |= {one["id"]: one for one in stored.get("output", ())}
        inserted += _as_input(known[item_id]) if item_id in known else [item]
    return inserted


def _has_references(items: list[Any]) -> bool:
    return any(map(_reference, items))


def _reference(item: Any) -> str:
    """Return the id that an item consists of, an empty string if the item has content."""
    alone = isinstance(item, dict) and item.get("type", "item_reference") == "item_reference" and "role" not in item
    return item["id"] if alone and isinstance(item.get("id"), str) else ""


def _as_input(item: Fields) -> list[Fields]:
    if item["type"] in OMITTED_TYPES:
        return []
    return [{key: value for key, value in item.items() if key not in OMITTED_FIELDS}]


def _items(given: Any) -> list[Any]:
    if isinstance(given, list):
        return given
    return [{"role": "user", "content": given}] if given else []
