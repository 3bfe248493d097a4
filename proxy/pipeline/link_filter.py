"""Apply the policy for links to the texts of a chunk that are not the cited answer, such as reasoning."""

from typing import Any

from citestream.citation.link_policy import LinkDefangers
from citestream.providers.events import Chunk

from .merge_deltas import REASONING

Fields = dict[str, Any]

TEXTS = ("content", *REASONING, "refusal")  # fields that pages render as Markdown
# Lists of objects with texts: the reasoning of OpenRouter and LiteLLM.
LISTS = {"reasoning_details": ("text", "summary"), "thinking_blocks": ("thinking",)}
OBJECTS = {"audio": ("transcript",)}  # OpenAI's spoken answers


def remove_links(chunk: Chunk, defangers: LinkDefangers | None) -> Chunk:
    """Return the chunk without links in its texts. None: return it unchanged."""
    if defangers is None:
        return chunk
    return chunk | {"choices": [_choice(choice, defangers) for choice in chunk.get("choices") or ()]}


def _choice(choice: Fields, defangers: LinkDefangers) -> Fields:
    index, delta = choice.get("index", 0), choice.get("delta") or {}
    changed = _texts(delta, TEXTS, index, defangers)
    for name, texts in LISTS.items():
        if isinstance(items := delta.get(name), list):
            changed[name] = [_nested(item, name, texts, index, defangers) for item in items]
    for name, texts in OBJECTS.items():
        if name in delta:
            changed[name] = _nested(delta[name], name, texts, index, defangers)
    return choice | {"delta": delta | changed} if changed else choice


def _nested(value: Any, name: str, texts: tuple[str, ...], index: int, defangers: LinkDefangers) -> Any:
    return value | _texts(value, texts, index, defangers, f"{name}.") if isinstance(value, dict) else value


def _texts(fields: Fields, names: tuple[str, ...], index: int, defangers: LinkDefangers, path: str = "") -> Fields:
    """Return those of the named fields that are texts, without links."""
    return {
        name: defangers.feed(index, path + name, fields[name]) for name in names if isinstance(fields.get(name), str)
    }
