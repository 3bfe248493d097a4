"""Unlinking: what the policy for links does to texts in a chunk that are not the cited answer."""

from typing import Any

from citestream.citation.link_policy import LinkDefangers
from citestream.providers.events import Chunk

Fields = dict[str, Any]

TEXTS = ("content", "reasoning", "reasoning_content", "thinking", "refusal")  # of a delta, shown as Markdown by pages
# Lists of objects with texts: OpenRouter's and LiteLLM's thoughts.
LISTS = {"reasoning_details": ("text", "summary"), "thinking_blocks": ("thinking",)}
OBJECTS = {"audio": ("transcript",)}  # OpenAI's, of what is said


def unlinked(chunk: Chunk, beside: LinkDefangers | None) -> Chunk:
    """The chunk, no links in its texts; as it is where nothing is to be taken apart."""
    if beside is None:
        return chunk
    return chunk | {"choices": [_choice(choice, beside) for choice in chunk.get("choices") or ()]}


def _choice(choice: Fields, beside: LinkDefangers) -> Fields:
    index, delta = choice.get("index", 0), choice.get("delta") or {}
    changed = _texts(delta, TEXTS, index, beside)
    for name, texts in LISTS.items():
        if isinstance(items := delta.get(name), list):
            changed[name] = [_within(item, name, texts, index, beside) for item in items]
    for name, texts in OBJECTS.items():
        if name in delta:
            changed[name] = _within(delta[name], name, texts, index, beside)
    return choice | {"delta": delta | changed} if changed else choice


def _within(value: Any, name: str, texts: tuple[str, ...], index: int, beside: LinkDefangers) -> Any:
    return value | _texts(value, texts, index, beside, f"{name}.") if isinstance(value, dict) else value


def _texts(fields: Fields, names: tuple[str, ...], index: int, beside: LinkDefangers, below: str = "") -> Fields:
    """Those that are there, changed."""
    return {name: beside.feed(index, below + name, fields[name]) for name in names if isinstance(fields.get(name), str)}
