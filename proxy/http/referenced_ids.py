"""Ids in a request that refer to what a provider stores: responses, files, caches, containers, prompts.

With the key of the operator, a provider returns the data of every client. So with several clients, such an id is
accepted only from the client that received it. Names of fields are compared without underscores and case, because
Gemini accepts `cachedContent` and `cached_content`.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from citestream.citation.text.steps import Steps

Place = tuple[Any, ...]  # keys and indexes from the body to a value

STEP_VALUES = 2_000  # values that are searched in a step: 1 ms

_IDS = frozenset(
    {
        *("previousresponseid", "conversation", "conversationid", "fileid", "fileids", "vectorstoreid"),
        *("vectorstoreids", "container", "containerid", "promptid", "skillid", "responseid", "cachedcontent"),
        *("filesearchstorenames", "ragfileids"),
    }
)
_OBJECTS = frozenset({"conversation", "container", "prompt", "audio", "voice"})  # with a field `id`
_ADDRESSES = frozenset(
    {
        *("fileuri", "uri", "url", "imageurl", "fileurl", "filedata"),
        *("ragcorpus", "ragcorpora", "datastore", "engine", "corpus"),
    }
)
# Addresses of files of an account. All others are public ones, which the provider fetches without its keys.
_ACCOUNT_FILE = re.compile(
    r"\s*(gs://|s3://|(projects/|corpora/|fileSearchStores/|files/))|.*(generativelanguage|aiplatform)\.googleapis\.com",
    re.IGNORECASE | re.DOTALL,
)
# Values of the model or of a schema, in which a field of any name may be.
_OPAQUE = frozenset(
    {
        *("args", "arguments", "metadata", "parameters", "parametersjsonschema", "inputschema", "schema", "jsonschema"),
        *("responseschema", "responsejsonschema", "response", "labels", "evidence"),
    }
)
# Items of the Responses API that contain what they say. The provider looks up all others by their id.
_COMPLETE_ITEMS = frozenset(
    {"message", "function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output"}
)
ITEM_DEPTH = 2  # keys of the place of an item: `input`, and its index
MAX_FOUND = 10_000  # ids of a request; far more than are looked up
MAX_ADDRESS_CHARACTERS = 2_000  # characters of an address; longer ones contain the data


def referenced_ids(body: Mapping[str, Any]) -> Steps[list[tuple[Place, str]]]:
    """Return the ids in a request that refer to stored data, with their places; at most MAX_FOUND and a few more."""
    ids: list[tuple[Place, str]] = []
    open_values: list[Iterator[tuple[Place, Any]]] = [iter([((), body)])]
    count = 0
    while open_values and len(ids) <= MAX_FOUND:
        count += 1
        if count % STEP_VALUES == 0:
            yield None
        if (entry := next(open_values[-1], None)) is None:
            open_values.pop()
            continue
        place, value = entry
        if isinstance(value, Mapping):
            if len(place) == ITEM_DEPTH and place[0] == "input":
                ids += _of_item(place, value)
            open_values.append(_fields(place, value, ids))
        elif isinstance(value, list):
            open_values.append(_elements(place, value))
    return ids


def path(place: Place) -> str:
    """Return a place in the usual notation: `input[2].file_id`."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place)
    return text.removeprefix(".")


def _fields(place: Place, value: Mapping[str, Any], ids: list[tuple[Place, str]]) -> Iterator[tuple[Place, Any]]:
    """Add the ids of an object to `ids`. Yield its values that may contain others."""
    calls_tool = str(value.get("type", "")).endswith("tool_use")
    for key, inner in value.items():
        name = str(key).replace("_", "").lower()
        here = (*place, key)
        if name in _IDS or name in _ADDRESSES:
            ids += [
                (text_place, text)
                for text_place, text in _texts(here, inner)
                if name in _IDS or _is_account_file(name, text)
            ]
        if name in _OBJECTS and isinstance(inner, Mapping) and isinstance(inner.get("id"), str):
            ids.append(((*here, "id"), inner["id"]))
        is_opaque = name in _OPAQUE or (calls_tool and name == "input")
        yield here, None if is_opaque else inner


def _elements(place: Place, values: list[Any]) -> Iterator[tuple[Place, Any]]:
    return (((*place, index), element) for index, element in enumerate(values))


def _texts(place: Place, value: Any) -> Iterator[tuple[Place, str]]:
    """Yield a text, or the texts of a list."""
    if isinstance(value, str):
        yield place, value
    elif isinstance(value, list):
        yield from (((*place, index), text) for index, text in enumerate(value) if isinstance(text, str))


def _of_item(place: Place, item: Mapping[str, Any]) -> list[tuple[Place, str]]:
    kind, item_id = item.get("type") or ("message" if "role" in item else "item_reference"), item.get("id")
    return [((*place, "id"), item_id)] if isinstance(item_id, str) and kind not in _COMPLETE_ITEMS else []


def _is_account_file(name: str, address: str) -> bool:
    if name == "fileuri" and "://" not in address:
        return True
    return len(address) <= MAX_ADDRESS_CHARACTERS and bool(_ACCOUNT_FILE.match(address))
