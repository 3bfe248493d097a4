"""Earlier responses, and items of them, to which a request refers instead of repeating them.

OpenAI's servers store both unless a request says `store: false`, and clients rely on it. The Vercel AI SDK refers to
its own earlier calls and answers by default; if a call is missing, its result belongs to nothing and is refused.
"""

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import partial
from itertools import chain
from typing import Any

from citestream.citation.evidence import FieldError

from ...pipeline.request.long_input import read_input
from ...storage import STORED_FIELDS
from ..extensions import Body

Fields = dict[str, Any]
Find = Callable[[str], Awaitable[Fields | None]]

CONVERSATION = "conversation:"  # begins the names of stored conversations
OWN_ID = re.compile(r"[a-z]+_([0-9a-f]{32})(?:_|$)")  # ids of items contain the key of their response
CALLS = frozenset({"function_call", "custom_tool_call"})
RESULTS = frozenset({"function_call_output", "custom_tool_call_output"})
OMITTED_TYPES = frozenset({"reasoning", "image_generation_call"})  # no model takes the reasoning of another
PAGE_ITEMS, MAX_PAGE_ITEMS = 20, 100  # the limits of OpenAI
MAX_RESPONSES = 100  # limit per request; a look-up that finds nothing takes 0.1 s
OMITTED_FIELDS = frozenset({"id", "status"})  # only the server that stores an item knows them


def conversation_key(response_id: str) -> str:
    """Return the key under which the conversation of a response is stored. It is never the id of an answer."""
    return f"{CONVERSATION}{response_id}"


def is_own_response(response_id: str) -> bool:
    """Return whether an id is one of a response that Citestream has built."""
    return response_id.startswith("resp_") and bool(OWN_ID.fullmatch(response_id))


def conversation(body: Mapping[str, Any], response: Fields) -> Fields:
    """Return what later requests may refer to, {} if the request has `store: false`.

    The references of the response are stored by themselves.
    """
    if body.get("store") is False:
        return {}
    fields = {key: value for key, value in response.items() if key not in ("output", *STORED_FIELDS)}
    return {"input": items_of(body.get("input")), "output": response["output"], "response": fields}


def input_list(response_id: str, stored: Fields, query: Mapping[str, str]) -> Fields:
    """Return a page of the input of a stored response. Raises FieldError for a wrong limit.

    The items get ids, because clients require them. They cannot be referred to.
    """
    key = response_id.removeprefix("resp_")
    items = [
        {**_with_parts(item), "id": item.get("id") or f"in_{key}_{position}"}
        for position, item in enumerate(stored["input"])
        if isinstance(item, dict)
    ]
    if query.get("order", "desc") != "asc":
        items.reverse()
    limit = query.get("limit", str(PAGE_ITEMS))
    if not (limit.isdecimal() and 1 <= int(limit) <= MAX_PAGE_ITEMS):
        raise FieldError("limit", f"must be an integer from 1 to {MAX_PAGE_ITEMS}")
    if after := query.get("after"):
        start = next((position for position, item in enumerate(items, 1) if item["id"] == after), len(items))
        items = items[start:]
    page = items[: int(limit)]
    ends = {"first_id": page[0]["id"], "last_id": page[-1]["id"]} if page else {"first_id": None, "last_id": None}
    return {"object": "list", "data": page, "has_more": len(page) < len(items), **ends}


async def insert_stored(body: Body, find: Find) -> Body:
    """Return the request with stored items in place of references to them.

    Unknown references stay, because the provider may know them. Raises FieldError if one item is referred to twice or
    items come from more than MAX_RESPONSES responses, so that a small request cannot cause unbounded work.
    """
    items = body.get("input")
    if isinstance(items, list):
        references = await read_input(partial(_references, items), items)
        if references:
            body = {**body, "input": await _insert_items(items, references, find)}
    previous = body.get("previous_response_id")
    if not isinstance(previous, str) or not OWN_ID.match(previous):
        return body
    stored = await find(conversation_key(previous))
    if not stored:
        return body
    return await continued(body, stored)


async def continued(body: Body, stored: Fields) -> Body:
    """Return a request with a stored conversation in place of the id of its last response. Raises FieldError."""
    others = {key: value for key, value in body.items() if key != "previous_response_id"}
    return others | {"input": await read_input(partial(_continued, stored, body.get("input")), stored["output"])}


def _continued(stored: Fields, added: Any) -> list[Any]:
    """Return the items of a stored conversation and those that a request adds. Raise FieldError for a lone result."""
    before = [*stored["input"], *chain.from_iterable(map(_as_input, stored["output"]))]
    items = items_of(added)
    calls = {str(item.get("call_id")) for item in chain(before, items) if _type_of(item) in CALLS}
    for position, item in enumerate(items):
        if _type_of(item) in RESULTS and str(item.get("call_id")) not in calls:
            raise FieldError(f"input[{position}].call_id", "belongs to no call of the conversation")
    return [*before, *items]


def _type_of(item: Any) -> str:
    return str(item.get("type")) if isinstance(item, dict) else ""


def _references(items: list[Any]) -> dict[str, int]:
    """Return the ids that the items refer to, with the position of each reference. Raise FieldError."""
    positions: dict[str, int] = {}
    responses: set[str] = set()  # keys that are looked up, whether they exist or not
    for position, item in enumerate(items):
        if not (item_id := _reference(item)):
            continue
        if item_id in positions:
            raise FieldError(f"input[{position}].id", "is referred to twice")
        positions[item_id] = position
        if own := OWN_ID.match(item_id):
            responses.add(own[1])
            if len(responses) > MAX_RESPONSES:
                raise FieldError(f"input[{position}].id", f"refers to one response more than {MAX_RESPONSES}")
    return positions


async def _insert_items(items: list[Any], references: dict[str, int], find: Find) -> list[Any]:
    """Return the items with those that are stored in place of the references to them."""
    stored_items: dict[str, Fields] = {}
    for response in await read_input(partial(_responses, references), items):
        stored = await find(conversation_key(f"resp_{response}")) or {}
        stored_items |= {item["id"]: item for item in stored.get("output", ())}
    return await read_input(partial(_inserted, items, references, stored_items), items)


def _responses(item_ids: Iterable[str]) -> list[str]:
    """Return the keys of the responses to which these items belong."""
    return list(dict.fromkeys(own[1] for own in map(OWN_ID.match, item_ids) if own))


def _inserted(items: list[Any], references: dict[str, int], stored_items: dict[str, Fields]) -> list[Any]:
    inserted: list[Any] = []
    copied = 0
    for item_id, position in references.items():
        if item_id in stored_items:
            inserted += [*items[copied:position], *_as_input(stored_items[item_id])]
            copied = position + 1
    return [*inserted, *items[copied:]]


def _reference(item: Any) -> str:
    """Return the id that an item consists of, an empty string if the item has content."""
    alone = isinstance(item, dict) and item.get("type", "item_reference") == "item_reference" and "role" not in item
    return item["id"] if alone and isinstance(item.get("id"), str) else ""


def _with_parts(item: Fields) -> Fields:
    """Return an item with its type, and a message with parts instead of a text."""
    item = {"type": "message", **item}
    if item["type"] != "message":
        return item
    kind = "output_text" if item.get("role") == "assistant" else "input_text"
    content = item.get("content")
    parts = [{"type": kind, "text": content}] if isinstance(content, str) else content
    return {"status": "completed", **item, "content": parts}


def _as_input(item: Fields) -> list[Fields]:
    if item["type"] in OMITTED_TYPES and not item.get("encrypted_content"):
        return []
    return [{key: value for key, value in item.items() if key not in OMITTED_FIELDS}]


def items_of(given: Any) -> list[Any]:
    """Return the input of a request as items."""
    if isinstance(given, list):
        return given
    return [{"role": "user", "content": given}] if given else []
