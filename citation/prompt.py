"""Prompt: put the numbered evidence and the rules for citing it into the messages, for every provider alike.

The rules go behind the first system message, the excerpts in front of the last user message, so that everything a
provider's prompt cache knows keeps its place. Strict alternation of roles and a single system message stay what they
were.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from math import ceil
from string import Template
from typing import Any

from .defuse import FRAME, defuse, defuse_line
from .evidence import Evidence, FieldError
from .markers import forget

Message = dict[str, Any]

MAX_URL = 500  # characters of an address in a header; a longer one is a query nobody reads


@dataclass(frozen=True, slots=True)
class Templates:
    """The texts of the prompt. `evidence` has `$excerpts`, and may have `$nonce`; the others are taken as they are."""

    system: str  # the rules, with those for citing
    unmarked: str  # the rules for an answer that must not have markers, such as JSON
    evidence: str  # what stands around the excerpts

    def __post_init__(self) -> None:
        """Refuse a template that would leave the excerpts out."""
        if "excerpts" not in Template(self.evidence).get_identifiers():
            raise FieldError("evidence", "must contain $excerpts")

    @classmethod
    def load(cls, system: str | None = None, unmarked: str | None = None, evidence: str | None = None) -> "Templates":
        """The package's own texts, but for those given."""
        given = {"system": system, "unmarked": unmarked, "evidence": evidence}
        return replace(_own(), **{name: text for name, text in given.items() if text is not None})


@dataclass(frozen=True, slots=True)
class Injected:
    """The messages to send, and which evidence is in them."""

    messages: list[Message]
    injected: tuple[Evidence, ...]
    dropped: tuple[Evidence, ...]


def inject(
    messages: Sequence[Message],
    evidence: Sequence[Evidence],
    *,
    templates: Templates | None = None,
    nonce: str,
    budget_tokens: int,
    ask_markers: bool = True,
) -> Injected:
    """Put the evidence into a copy of the messages.

    `nonce`: unguessable, new for each request. `budget_tokens`: what rules and excerpts may take together, estimated;
    what does not fit is dropped, lowest score first. If nothing fits, the messages stay as they are.
    """
    templates = templates or _own()
    rules = templates.system if ask_markers else templates.unmarked
    framed = {item.number: excerpt(item, nonce) for item in evidence}
    room = budget_tokens - estimate_tokens(rules) - estimate_tokens(templates.evidence)
    kept, dropped = fit(evidence, {number: estimate_tokens(text) for number, text in framed.items()}, room)
    if not kept:
        return Injected([dict(message) for message in messages], (), dropped)
    block = _block(templates.evidence, nonce, [framed[item.number] for item in kept])
    return Injected(
        _with_excerpts(_with_rules([_forgotten(message) for message in messages], rules.strip()), block),
        kept,
        dropped,
    )


def excerpts_block(evidence: Sequence[Evidence], nonce: str) -> str:
    """All excerpts as a message shows them."""
    return _block(_own().evidence, nonce, [excerpt(item, nonce) for item in evidence])


def excerpt(evidence: Evidence, nonce: str) -> str:
    """One excerpt as the model sees it: a header that says what it is, and its text, between delimiters."""
    tag = f"{FRAME}-{nonce}"
    return "\n".join([f"<{tag}>", *_header(evidence, nonce), defuse(evidence.text, nonce).strip("\n"), f"</{tag}>"])


def estimate_tokens(text: str) -> int:
    """About how many tokens a text takes, from its UTF-8 length, without a tokenizer.

    4 ASCII characters a token; 1.8 characters of scripts with two bytes (Cyrillic, Arabic); 1.2 of those with three
    (Han, Devanagari, Thai). That is the larger side of what vocabularies of 100,000 to 250,000 tokens need.
    """
    size = len(text.encode("utf-8", "replace"))
    plain = len(text.encode("ascii", "ignore"))
    return ceil(plain / 4 + (size - plain) * 0.28)


def fit(
    evidence: Sequence[Evidence], costs: dict[int, int], room: int
) -> tuple[tuple[Evidence, ...], tuple[Evidence, ...]]:
    """What fits into `room` tokens and what is dropped, both in number order.

    First goes what would not fit alone, then what has no score, from the end, then from the lowest score up.
    """
    kept = [item for item in evidence if costs[item.number] <= room]
    total = sum(costs[item.number] for item in kept)
    for item in sorted(kept, key=_worth):
        if total <= room:
            break
        total -= costs[item.number]
        kept.remove(item)
    numbers = {item.number for item in kept}
    return tuple(kept), tuple(item for item in evidence if item.number not in numbers)


def _worth(evidence: Evidence) -> tuple[bool, float, int]:
    return (evidence.score is not None, evidence.score or 0.0, -evidence.number)


def _header(evidence: Evidence, nonce: str) -> Iterable[str]:
    name = evidence.file_name or evidence.title or ""
    place = [defuse_line(name, nonce)] if name else []
    if evidence.page_number is not None:
        place.append(f"page {evidence.page_number}")
    if evidence.chunk_index is not None:
        place.append(f"chunk {evidence.chunk_index}")
    yield f"[{evidence.number}] {', '.join(place)}".rstrip()
    if evidence.title and evidence.title != name:
        yield f"Title: {defuse_line(evidence.title, nonce)}"
    if evidence.url:
        yield f"URL: {defuse_line(evidence.url, nonce, MAX_URL)}"
    if evidence.is_generated_artifact:
        yield f"Generated: {defuse_line(evidence.artifact_kind or 'retrieval aid', nonce)}"


def _block(template: str, nonce: str, framed: Iterable[str]) -> str:
    text = Template(template).safe_substitute(nonce=nonce, excerpts="\n\n".join(framed))
    return text.rstrip("\n") + "\n\n"


def _forgotten(message: Message) -> Message:
    """An earlier answer without its markers; any other message as it is."""
    content = message.get("content")
    if message.get("role") != "assistant" or not content:
        return dict(message)
    if isinstance(content, str):
        return {**message, "content": forget(content)}
    parts = [{**part, "text": forget(part["text"])} if _is_text(part) else part for part in content]
    return {**message, "content": parts}


def _with_rules(messages: list[Message], rules: str) -> list[Message]:
    """The rules behind the first system message, or as one."""
    for message in messages:
        if message.get("role") in ("system", "developer"):
            content = message.get("content")
            if isinstance(content, list):
                message["content"] = [*content, {"type": "text", "text": rules}]
            else:
                message["content"] = f"{content}\n\n{rules}" if content else rules
            return messages
    return [{"role": "system", "content": rules}, *messages]


def _with_excerpts(messages: list[Message], block: str) -> list[Message]:
    """The excerpts in front of the last user message's text; without such a message, as one behind the system's."""
    for message in reversed(messages):
        if message.get("role") == "user":
            message["content"] = _prefixed(message.get("content"), block)
            return messages
    opening = next((i for i, m in enumerate(messages) if m.get("role") not in ("system", "developer")), len(messages))
    return [*messages[:opening], {"role": "user", "content": block.rstrip("\n")}, *messages[opening:]]


def _prefixed(content: Any, block: str) -> Any:
    if not isinstance(content, list):
        return block + (content or "")
    for index, part in enumerate(content):
        if _is_text(part):
            return [*content[:index], {**part, "text": block + part["text"]}, *content[index + 1 :]]
    return [{"type": "text", "text": block.rstrip("\n")}, *content]


def _is_text(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") == "text" and isinstance(part.get("text"), str)


@cache
def _own() -> Templates:
    folder = files(__package__) / "prompts"
    texts = {name: (folder / f"{name}.md").read_text("utf-8") for name in ("system", "unmarked", "evidence")}
    return Templates(**texts)
