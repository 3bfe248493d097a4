"""Prompt: put the numbered evidence and the rules for citing it into the messages, for every provider alike.

The rules go behind the first system message, the excerpts in front of the last user message, so that everything a
provider's prompt cache knows keeps its place. Strict alternation of roles and a single system message stay what they
were. Evidence that a tool brought stays in the tool's own message: models look there for the result of their call.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from importlib.resources import files
from string import Template
from typing import Any

from ..markers import forget
from .budget import estimate_tokens, fit
from .evidence import Evidence, FieldError
from .sanitize import FRAME, defuse, defuse_line

Message = dict[str, Any]

LEFT_OUT = "There is no room for the result of this call."
MAX_URL = 500  # characters of an address in a header; a longer one is a query nobody reads


@dataclass(frozen=True, slots=True)
class Templates:
    """The texts of the prompt. Those around excerpts have `$excerpts`, and may have `$nonce`."""

    system: str  # the rules, with those for citing
    unmarked: str  # the rules for an answer that must not have markers, such as JSON
    evidence: str  # what stands around the excerpts in front of the question
    results: str  # what stands around those in a tool's message

    def __post_init__(self) -> None:
        """Refuse a template that would leave the excerpts out."""
        for name in ("evidence", "results"):
            if "excerpts" not in Template(getattr(self, name)).get_identifiers():
                raise FieldError(name, "must contain $excerpts")

    @classmethod
    def load(cls, **given: str) -> "Templates":
        """The package's own texts, but for those given by their name."""
        return replace(_own(), **given)


@dataclass(frozen=True, slots=True)
class Results:
    """Evidence that a tool's message brought and keeps."""

    message: int  # its place among the messages
    numbers: tuple[int, ...]
    nonce: str  # unguessable, and the same for the same result: a provider's prompt cache knows the message
    rest: str = ""  # what else the tool said
    age: int = 0  # user messages after it


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
    results: Sequence[Results] = (),
) -> Injected:
    """Put the evidence into a copy of the messages.

    `nonce`: unguessable, new for each request. `budget_tokens`: what rules and excerpts may take together, estimated;
    what does not fit is dropped, that of the earliest turn first, then the lowest score. If nothing fits, the messages
    stay as they are. `results`: where evidence has its place already; the same may be in several messages.
    """
    templates = templates or _own()
    rules = templates.system if ask_markers else templates.unmarked
    placed = {number for result in results for number in result.numbers}
    framed = {item.number: excerpt(item, nonce) for item in evidence}
    costs = {number: estimate_tokens(text) for number, text in framed.items()}
    repeated = Counter(number for result in results for number in result.numbers)
    room = budget_tokens - estimate_tokens(rules) - estimate_tokens(templates.evidence)
    room -= len(results) * estimate_tokens(templates.results)
    kept, dropped = fit(evidence, {n: cost * max(1, repeated[n]) for n, cost in costs.items()}, room, _ages(results))
    if not kept:
        return Injected([dict(message) for message in messages], (), dropped)
    told = [_forgotten(message) for message in messages]
    for result in results:
        told[result.message] = _with_results(told[result.message], result, kept, templates.results)
    told = _with_rules(told, rules.strip())
    if frames := [framed[item.number] for item in kept if item.number not in placed]:
        told = _with_excerpts(told, _block(templates.evidence, nonce, frames))
    return Injected(told, kept, dropped)


def excerpts_block(evidence: Sequence[Evidence], nonce: str) -> str:
    """All excerpts as a message shows them."""
    return _block(_own().evidence, nonce, [excerpt(item, nonce) for item in evidence])


def excerpt(evidence: Evidence, nonce: str) -> str:
    """One excerpt as the model sees it: a header that says what it is, and its text, between delimiters."""
    tag = f"{FRAME}-{nonce}"
    return "\n".join([f"<{tag}>", *_header(evidence, nonce), defuse(evidence.text, nonce).strip("\n"), f"</{tag}>"])


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


def _ages(results: Sequence[Results]) -> dict[int, int]:
    """How many turns ago each piece of evidence was last brought."""
    ages: dict[int, int] = {}
    for result in results:
        for number in result.numbers:
            ages[number] = min(result.age, ages.get(number, result.age))
    return ages


def _with_results(message: Message, result: Results, kept: Sequence[Evidence], template: str) -> Message:
    """A tool's message with its passages as excerpts; pictures and the like stay."""
    frames = [excerpt(item, result.nonce) for item in kept if item.number in result.numbers]
    text = _block(template, result.nonce, frames).strip("\n") if frames else LEFT_OUT
    if result.rest:
        text += f"\n\n{defuse(result.rest, result.nonce)}"
    content = message.get("content")
    others = [part for part in content if not _is_text(part)] if isinstance(content, list) else []
    return {**message, "content": [{"type": "text", "text": text}, *others] if others else text}


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
    texts = {one.name: (folder / f"{one.name}.md").read_text("utf-8") for one in fields(Templates)}
    return Templates(**texts)
