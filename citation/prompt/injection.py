"""Injection of the numbered evidence and the citation rules into the messages, the same for every provider.

The rules are added to the first system message and the excerpts before the last user message. Roles still alternate,
and there is still one system message. Evidence from a tool stays in the tool's message, where models expect the result
of their call. If a client marks a prefix of its messages for the provider's prompt cache, rules and excerpts follow all
messages instead, so that the prefix of the next request is the same.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from importlib.resources import files
from string import Template
from typing import Any

from ..evidence import Evidence, FieldError
from ..text.steps import Steps, complete, completed
from .budget import estimate_tokens, fit_budget
from .history import strip_history_in_steps
from .sanitize import FRAME, sanitize_in_steps, sanitize_line

Message = dict[str, Any]

OMITTED_RESULT = "There is no room for the result of this call."
_SEARCHED_MESSAGES = 5_000  # messages whose roles are compared in a step: 1 ms
MAX_URL_CHARACTERS = (
    500  # characters of a URL in a header; the rest of a longer one is a query that does not help the model
)


@dataclass(frozen=True, slots=True)
class Templates:
    """The texts of the prompt. Those with excerpts contain `$excerpts` and may contain `$nonce`."""

    system: str  # the rules, including those for citations
    unmarked: str  # the rules for an answer without markers, such as JSON
    evidence: str  # the text around the excerpts before the question
    results: str  # the text around the excerpts in a tool's message

    def __post_init__(self) -> None:
        """Raise FieldError if a template does not contain the excerpts."""
        for name in ("evidence", "results"):
            if "excerpts" not in Template(getattr(self, name)).get_identifiers():
                raise FieldError(name, "must contain $excerpts")

    @classmethod
    def load(cls, **replacements: str) -> "Templates":
        """Return the default texts, replaced by those given."""
        return replace(_defaults(), **replacements)


@dataclass(frozen=True, slots=True)
class ToolEvidence:
    """Evidence from a tool's message, which stays in that message."""

    message: int  # position among the messages
    numbers: tuple[int, ...]
    nonce: str  # unguessable, and the same for the same result, so that the prompt cache stays valid
    remainder: str = ""  # the other content of the result
    age: int = 0  # number of user messages after it
    lead: str = ""  # text before the result, which stays in its place


@dataclass(frozen=True, slots=True)
class Injected:
    """The messages to send, and the evidence that is in them."""

    messages: list[Message]
    injected: tuple[Evidence, ...]
    dropped: tuple[Evidence, ...]


def inject_in_steps(
    messages: Sequence[Message],
    evidence: Sequence[Evidence],
    *,
    templates: Templates | None = None,
    nonce: str,
    budget_tokens: int,
    ask_markers: bool = True,
    results: Sequence[ToolEvidence] = (),
    keep_prefix: bool = False,
    note: str = "",
) -> Steps[Injected]:
    """Return a copy of the messages with the evidence.

    `nonce`: unguessable for the authors of the evidence. `budget_tokens`: estimated maximum of rules and excerpts
    together. Evidence that does not fit is dropped, from the earliest turn first, then by lowest score. If nothing
    fits, the messages stay unchanged. `results`: evidence that is already in tool messages, possibly in several.
    `keep_prefix`: add rules and excerpts after the messages instead of inside them. `note`: what earlier answers have
    after their unsupported sentences.
    """
    templates = templates or _defaults()
    rules = templates.system if ask_markers else templates.unmarked
    framed: dict[int, str] = {}
    for item in evidence:
        framed[item.number] = yield from _excerpt(item, nonce)
        yield None
    placed = Counter(number for result in results for number in result.numbers)  # several results may have the same
    room = budget_tokens - estimate_tokens(rules) - estimate_tokens(templates.evidence)
    room -= len(results) * estimate_tokens(templates.results)
    costs = {number: estimate_tokens(text) * max(1, placed[number]) for number, text in framed.items()}
    included, dropped = fit_budget(evidence, costs, room, _ages(results))
    if not included:
        return Injected([dict(message) for message in messages], (), dropped)
    prepared: list[Message] = []
    for message in messages:
        prepared.append((yield from _without_markers(message, note)))
        yield None
    for result in results:
        prepared[result.message] = yield from _with_results(
            prepared[result.message], result, included, templates.results
        )
    yield None
    excerpts = [framed[item.number] for item in included if item.number not in placed]
    if keep_prefix:
        block = _block(templates.results, nonce, excerpts) if excerpts else ""
        prepared = yield from _with_appended(prepared, f"{rules.strip()}\n\n{block}".strip())
        return Injected(prepared, included, dropped)
    prepared = yield from _with_rules(prepared, rules.strip())
    if excerpts:
        prepared = yield from _with_excerpts(prepared, _block(templates.evidence, nonce, excerpts))
    return Injected(prepared, included, dropped)


inject = completed(inject_in_steps)


def excerpts_block(evidence: Sequence[Evidence], nonce: str) -> str:
    """Return all excerpts with the text around them."""
    return _block(_defaults().evidence, nonce, [excerpt(item, nonce) for item in evidence])


def excerpt(evidence: Evidence, nonce: str) -> str:
    """Return one excerpt for the model: a header with its source, and its text, between delimiters."""
    return complete(_excerpt(evidence, nonce))


def _excerpt(evidence: Evidence, nonce: str) -> Steps[str]:
    tag = f"{FRAME}-{nonce}"
    text = yield from sanitize_in_steps(evidence.text, nonce)
    return "\n".join([f"<{tag}>", *_header(evidence, nonce), text.strip("\n"), f"</{tag}>"])


def _header(evidence: Evidence, nonce: str) -> Iterable[str]:
    name = evidence.file_name or evidence.title or ""
    place = [sanitize_line(name, nonce)] if name else []
    if evidence.page_number is not None:
        place.append(f"page {evidence.page_number}")
    if evidence.chunk_index is not None:
        place.append(f"chunk {evidence.chunk_index}")
    yield f"[{evidence.number}] {', '.join(place)}".rstrip()
    if evidence.title and evidence.title != name:
        yield f"Title: {sanitize_line(evidence.title, nonce)}"
    if evidence.url:
        yield f"URL: {sanitize_line(evidence.url, nonce, MAX_URL_CHARACTERS)}"
    if evidence.is_generated_artifact:
        yield f"Generated: {sanitize_line(evidence.artifact_kind or 'retrieval aid', nonce)}"


def _block(template: str, nonce: str, framed: Iterable[str]) -> str:
    text = Template(template).safe_substitute(nonce=nonce, excerpts="\n\n".join(framed))
    return text.rstrip("\n") + "\n\n"


def _without_markers(message: Message, note: str) -> Steps[Message]:
    """Return a copy of the message; of an earlier answer without its markers and notes."""
    content = message.get("content")
    if message.get("role") != "assistant" or not content:
        return dict(message)
    if isinstance(content, str):
        return {**message, "content": (yield from strip_history_in_steps(content, note))}
    parts = list(content)
    for index, part in enumerate(parts):
        if _is_text(part):
            parts[index] = {**part, "text": (yield from strip_history_in_steps(part["text"], note))}
    return {**message, "content": parts}


def _ages(results: Sequence[ToolEvidence]) -> dict[int, int]:
    """Return for each evidence number how many turns ago it was last received."""
    ages: dict[int, int] = {}
    for result in results:
        for number in result.numbers:
            ages[number] = min(result.age, ages.get(number, result.age))
    return ages


def _with_results(
    message: Message, result: ToolEvidence, included: Sequence[Evidence], template: str
) -> Steps[Message]:
    """Return a tool's message with excerpts instead of its passages; other parts, such as images, stay."""
    excerpts = []
    for item in included:
        if item.number in result.numbers:
            excerpts.append((yield from _excerpt(item, result.nonce)))
            yield None
    text = result.lead + (_block(template, result.nonce, excerpts).strip("\n") if excerpts else OMITTED_RESULT)
    if result.remainder:
        remaining = yield from sanitize_in_steps(result.remainder, result.nonce)
        text += f"\n\n{remaining}"
    content = message.get("content")
    further_parts = [part for part in content if not _is_text(part)] if isinstance(content, list) else []
    return {**message, "content": [{"type": "text", "text": text}, *further_parts] if further_parts else text}


def _with_rules(messages: list[Message], rules: str) -> Steps[list[Message]]:
    """Append the rules to the first system message, or add one."""
    position = yield from _find(messages, _is_system)
    if position == len(messages):
        return [{"role": "system", "content": rules}, *messages]
    message = messages[position]
    content = message.get("content")
    if isinstance(content, list):
        message["content"] = [*content, {"type": "text", "text": rules}]
    else:
        message["content"] = f"{content}\n\n{rules}" if content else rules
    return messages


def _with_excerpts(messages: list[Message], block: str) -> Steps[list[Message]]:
    """Insert the excerpts before the text of the last user message, or as a new one after the system messages."""
    later = yield from _find(reversed(messages), _is_user)
    if later < len(messages):
        message = messages[-1 - later]
        message["content"] = _prefixed(message.get("content"), block)
        return messages
    opening = yield from _find(messages, lambda message: not _is_system(message))
    return [*messages[:opening], {"role": "user", "content": block.rstrip("\n")}, *messages[opening:]]


def _with_appended(messages: list[Message], text: str) -> Steps[list[Message]]:
    """Append a text to the last message of the user, or as a new one if results of tools follow that message."""
    part = {"type": "text", "text": text}
    end = len(messages) - (yield from _find(reversed(messages), _is_asking))
    message = messages[end - 1] if end else {}
    if not _is_user(message):
        return [*messages[:end], {"role": "user", "content": [part]}, *messages[end:]]
    content = message.get("content")
    parts = content if isinstance(content, list) else [{"type": "text", "text": content}] if content else []
    return [*messages[: end - 1], {**message, "content": [*parts, part]}, *messages[end:]]


def _find(messages: Iterable[Message], is_wanted: Callable[[Message], bool]) -> Steps[int]:
    """Return the number of messages before the first wanted one. A conversation may have a million messages."""
    position = -1
    for position, message in enumerate(messages):
        if is_wanted(message):
            return position
        if position % _SEARCHED_MESSAGES == _SEARCHED_MESSAGES - 1:
            yield None
    return position + 1


def _is_system(message: Message) -> bool:
    return message.get("role") in ("system", "developer")


def _is_user(message: Message) -> bool:
    return message.get("role") == "user"


def _is_asking(message: Message) -> bool:
    """Return whether an answer follows the message."""
    return message.get("role") in ("user", "tool", "function")


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
def _defaults() -> Templates:
    folder = files(__package__) / "templates"
    texts = {template.name: (folder / f"{template.name}.md").read_text("utf-8") for template in fields(Templates)}
    return Templates(**texts)
