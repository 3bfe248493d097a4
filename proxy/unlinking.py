"""Unlinking: what the policy for links does to texts in a chunk that are not the cited answer."""

from typing import Any

from citation.links import Unlinkers
from providers.events import Chunk

Fields = dict[str, Any]

TEXTS = ("content", "reasoning", "reasoning_content", "thinking", "refusal")  # of a delta, shown as Markdown by pages
DETAILS = "reasoning_details"  # OpenRouter's: a list of objects
DETAIL_TEXTS = ("text", "summary")


def unlinked(chunk: Chunk, beside: Unlinkers | None) -> Chunk:
    """The chunk, no links in its texts; as it is where nothing is to be taken apart."""
    if beside is None:
        return chunk
    return chunk | {"choices": [_choice(choice, beside) for choice in chunk.get("choices") or ()]}


def _choice(choice: Fields, beside: Unlinkers) -> Fields:
    index, delta = choice.get("index", 0), choice.get("delta") or {}
    texts: Fields = {
        name: beside.passing(index, name, delta[name]) for name in TEXTS if isinstance(delta.get(name), str)
    }
    details = delta.get(DETAILS)
    if isinstance(details, list):
        texts[DETAILS] = [_detail(index, detail, beside) for detail in details]
    return choice | {"delta": delta | texts} if texts else choice


def _detail(index: int, detail: Any, beside: Unlinkers) -> Any:
    if not isinstance(detail, dict):
        return detail
    names = [name for name in DETAIL_TEXTS if isinstance(detail.get(name), str)]
    return detail | {name: beside.passing(index, f"{DETAILS}.{name}", detail[name]) for name in names}
