"""What a request refers to instead of sending it again: earlier responses, and items of theirs.

OpenAI's servers keep both unless a request says `store: false`. Clients rely on it: the Vercel AI SDK refers to its own
earlier calls and answers unless it is told not to, and a call that is missing makes its result an orphan.
"""

import re
from collections.abc import Awaitable, Callable, Mapping
from itertools import chain
from typing import Any

from citestream.citation.evidence import FieldError

from ..extensions import Body

Fields = dict[str, Any]
Find = Callable[[str], Awaitable[Fields | None]]

OURS = re.compile(r"[a-z]+_([0-9a-f]{32})(?:_|$)")  # items are named after their response
NOT_TOLD = frozenset({"reasoning", "image_generation_call"})  # kinds of items: no model takes another's thoughts
MOST_RESPONSES = 100  # whose items one request may refer to: looking for one that is gone takes a tenth of a second
NOT_REPEATED = frozenset({"id", "status"})  # of an item: they mean something only to the server that keeps it


def kept_as(response: str) -> str:
    """The name of a response's conversation, which is no id of an answer."""
    return f"conversation:{response}"


def conversation(body: Mapping[str, Any], output: list[Fields]) -> Fields:
    """What later requests may refer to; nothing where this one asked that nothing be kept."""
    return {} if body.get("store") is False else {"input": _items(body.get("input")), "output": output}


async def recalled(body: Body, find: Find) -> Body:
    """The request with what we keep in the place of what refers to it. All else is left to a provider that may know.

    Raises FieldError for an item that is referred to twice, so that no request can be blown up, and for items of
    more than MOST_RESPONSES responses, so that none is looked after for hours.
    """
    items = body.get("input")
    if isinstance(items, list) and any(map(_referred, items)):
        body = {**body, "input": await _in_place(items, find)}
    previous = body.get("previous_response_id")
    if not isinstance(previous, str) or not OURS.match(previous) or not (kept := await find(kept_as(previous))):
        return body
    said = [*kept["input"], *chain.from_iterable(map(_repeated, kept["output"])), *_items(body.get("input"))]
    return {key: value for key, value in body.items() if key != "previous_response_id"} | {"input": said}


async def _in_place(items: list[Any], find: Find) -> list[Any]:
    known: dict[str, Fields] = {}
    asked: set[str] = set()
    responses: set[str] = set()  # that were looked up, found or not
    found: list[Any] = []
    for position, item in enumerate(items):
        if not (name := _referred(item)):
            found.append(item)
            continue
        if name in asked:
            raise FieldError(f"input[{position}].id", "is referred to twice")
        asked.add(name)
        if (ours := OURS.match(name)) and ours[1] not in responses:
            responses.add(ours[1])
            if len(responses) > MOST_RESPONSES:
                raise FieldError(f"input[{position}].id", f"refers to one response more than {MOST_RESPONSES}")
            kept = await find(kept_as(f"resp_{ours[1]}")) or {}
            known |= {one["id"]: one for one in kept.get("output", ())}
        found += _repeated(known[name]) if name in known else [item]
    return found


def _referred(item: Any) -> str:
    """The id that an item consists of; empty for an item that says something itself."""
    alone = isinstance(item, dict) and item.get("type", "item_reference") == "item_reference" and "role" not in item
    return item["id"] if alone and isinstance(item.get("id"), str) else ""


def _repeated(item: Fields) -> list[Fields]:
    told = {key: value for key, value in item.items() if key not in NOT_REPEATED}
    return [] if item["type"] in NOT_TOLD else [told]


def _items(given: Any) -> list[Any]:
    if isinstance(given, list):
        return given
    return [{"role": "user", "content": given}] if given else []
