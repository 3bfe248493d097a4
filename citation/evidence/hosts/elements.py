"""Passages in XML-like elements: Open WebUI, Perplexica, LibreChat uploads, LobeChat, PrivateGPT, Chatbox, Anthropic.

Hosts do not escape the text of a passage, so a passage may contain tags. Elements are separated only where a closing
tag is followed by a line break and the next opening tag, and only the last element may lack its closing tag, because
hosts truncate.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from .prompt_evidence import HostPassage, MarkerSyntax, PromptEvidence
from .turn import MAX_TRIES, Turn, find_line, without_attached_files

Place = Literal["user", "system", "tool"]

MAX_OPENING = 4_000  # characters of an opening tag; a longer one is text
MAX_CLOSING_TAGS = 4  # closing tags in a row: a child, an element, a wrapper, and one around it
MAX_TAG_NAME = 80  # characters
_CLOSING_TAG = re.compile(r"<(?:/[\w-]*>?)?$")
_ATTRIBUTE = re.compile(r"""([\w:-]+)=("[^"]*"|'[^']*'|.*?)(?=\s+[\w:-]+=|\s*/?$)""", re.DOTALL)
_CDATA_OPENING = "<![CDATA["
_CDATA = re.compile(r"<!\[CDATA\[(.*?)(?:\]\]>|$)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ElementFormat:
    """How one host writes passages as elements."""

    host: str
    places: tuple[Place, ...]
    signature: str  # a literal that this host writes before the wrapper
    opening: str  # the opening of the wrapper around all elements
    closing: str
    tag: str
    label: str = ""  # the attribute that holds the label
    body: str = ""  # the child element that holds the text; empty if the element itself does
    fields: Mapping[str, str] = field(default_factory=dict)  # attribute or child element -> field of evidence
    syntax: MarkerSyntax = MarkerSyntax.NONE
    consecutive: bool = False  # labels are 1, 2, … in the order of their first use
    leads: bool = False  # a user message begins with the signature; the user's own text follows the wrapper


FORMATS = (
    ElementFormat(
        "open-webui",
        ("user", "system"),
        "### Task:",
        "<context>",
        "</context>",
        "source",
        label="id",
        fields={"name": "title", "resource-id": "document_id"},
        syntax=MarkerSyntax.BRACKETS,
        consecutive=True,
        leads=True,
    ),
    ElementFormat(
        "perplexica",
        ("system",),
        "search_results",
        "<search_results note=",
        "</search_results>",
        "result",
        label="index",
        fields={"title": "title", "url": "url"},
        syntax=MarkerSyntax.BRACKETS,
        consecutive=True,
    ),
    ElementFormat(
        "librechat",
        ("system",),
        "The user has attached",
        "<context>",
        "</context>",
        "contextItem",
    ),
    ElementFormat(
        "lobechat",
        ("tool",),
        "<knowledge_base_search_results",
        "<knowledge_base_search_results",
        "</knowledge_base_search_results>",
        "chunk",
        fields={"fileId": "document_id", "fileName": "file_name"},
    ),
    ElementFormat(
        "lobechat",
        ("tool",),
        "<searchResults",
        "<searchResults",
        "</searchResults>",
        "item",
        fields={"title": "title", "url": "url"},
    ),
    ElementFormat(
        "privategpt",
        ("tool", "system"),
        "<node id='[",
        "<nodes>",
        "</nodes>",
        "node",
        label="id",
        syntax=MarkerSyntax.BRACKETS,
    ),
    ElementFormat(
        "chatbox",
        ("user",),
        "<FILE_CONTENT>",
        "<ATTACHMENT_FILE>",
        "",
        "ATTACHMENT_FILE",
        body="FILE_CONTENT",
        fields={"FILE_NAME": "file_name"},
    ),
    ElementFormat(
        "anthropic-documents",
        ("user", "system"),
        "<document_content>",
        "<documents>",
        "</documents>",
        "document",
        body="document_content",
        fields={"source": "file_name"},
    ),
)


@dataclass(frozen=True, slots=True)
class Source:
    """A `<source>` element of Open WebUI. `passage`: None if the element has no text, as for the results of tools."""

    label: str
    attributes: Mapping[str, str]
    passage: HostPassage | None


def sources_of_open_webui(text: str) -> tuple[list[Source], str] | None:
    """Return the `<source>` elements in Open WebUI's prompt and the question after them; None if there are none."""
    form = FORMATS[0]
    if not text.lstrip().startswith(form.signature) or (wrapper := _wrapper(form, text)) is None:
        return None
    elements, rest = _elements(form, text, wrapper)
    read = [(_attributes(opening), _passage(form, opening, body)) for opening, body in elements]
    sources = [Source(values.get(form.label, ""), values, passage) for values, passage in read]
    order = [*dict.fromkeys(source.label for source in sources)]
    if not sources or order != [str(number) for number in range(1, len(order) + 1)]:
        return None
    return sources, without_attached_files(rest).strip()


def recognise_elements(turn: Turn) -> PromptEvidence | None:
    """Return the evidence of the first format that fits."""
    for form in FORMATS:
        for place, text in _texts(turn, form.places):
            if form.signature in text and (found := _read(form, place, text)):
                passages, rest = found
                return PromptEvidence(form.host, passages, rest if place == "user" else turn.user, form.syntax)
    return None


def _texts(turn: Turn, places: Sequence[Place]) -> Iterator[tuple[Place, str]]:
    for place in places:
        match place:
            case "user":
                yield place, turn.user
            case "system":
                yield from ((place, text) for text in turn.system)
            case "tool":
                yield from ((place, text) for text in turn.tools)


def _read(form: ElementFormat, place: Place, text: str) -> tuple[tuple[HostPassage, ...], str] | None:
    """Return the passages and the user's own text after them."""
    if place == "user" and form.leads and not text.lstrip().startswith(form.signature):
        return None
    wrapper = _wrapper(form, text)
    if wrapper is None:
        return None
    elements, rest = _elements(form, text, wrapper)
    passages = tuple(filter(None, (_passage(form, opening, body) for opening, body in elements)))
    if len(passages) < len(elements) or not passages or not _labels_fit(form, passages):
        return None
    return passages, without_attached_files(rest).strip()


def _wrapper(form: ElementFormat, text: str) -> int | None:
    """Return the offset of the first element: the wrapper's opening directly followed by an element."""
    start = 0
    for _ in range(MAX_TRIES):
        if (at := find_line(text, form.opening, start)) < 0:
            break
        if form.opening == f"<{form.tag}>":
            return at
        inner = text.find(">", at) + 1 if not form.opening.endswith(">") else at + len(form.opening)
        first = inner + len(text[inner:]) - len(text[inner:].lstrip())
        if inner and re.match(rf"<{form.tag}[\s>]", text[first : first + len(form.tag) + 2]):
            return first
        start = at + len(form.opening)
    return None


def _elements(form: ElementFormat, text: str, start: int) -> tuple[list[tuple[str, str]], str]:
    """Return (opening tag, body) of the sibling elements from an offset on, and the text after the wrapper."""
    sibling = re.compile(rf"</{form.tag}>[ \t]*\n\s*(?=<{form.tag}[\s>])")
    last = re.compile(rf"</{form.tag}>\s*(?:{re.escape(form.closing)}|$)" if form.closing else rf"</{form.tag}>\s*$")
    end = last.search(text, start)
    inside, rest = (text[start : end.start()], text[end.end() :]) if end else (_without_partial_tag(text[start:]), "")
    found: list[tuple[str, str]] = []
    at = 0
    while length := _opening_length(inside[at : at + MAX_OPENING]):  # 0: the opening tag itself is truncated
        inner = at + length
        after = sibling.search(inside, inner)
        found.append((inside[at:inner], inside[inner : after.start() if after else len(inside)]))
        if after is None:
            break
        at = after.end()
    if end is None and found and not _content(found[-1][1]).strip():
        found.pop()
    return found, rest


def _without_partial_tag(text: str) -> str:
    """Remove closing tags, whole or cut, from the end of a truncated text."""
    for _ in range(MAX_CLOSING_TAGS):
        text = text.rstrip()
        if not (tag := _CLOSING_TAG.search(text, max(0, len(text) - MAX_TAG_NAME))):
            break
        text = text[: tag.start()]
    return text


def _opening_length(text: str) -> int:
    """Return the length of an opening tag; a `>` inside quotation marks does not end it."""
    quoted = re.match(r"""<[\w:-]+(?:\s+[\w:-]+=(?:"[^"]*"|'[^']*'))*\s*/?>""", text)
    return quoted.end() if quoted else text.find(">") + 1


def _passage(form: ElementFormat, opening: str, body: str) -> HostPassage | None:
    """Return the passage of an element; None if it has no text or lacks its label."""
    values = _attributes(opening)
    if form.body:
        values |= {name: _child(body, name) for name in form.fields}
        body = _child(body, form.body)
    text = _content(body)
    label = values.get(form.label, "").strip("[]") if form.label else ""
    if not text.strip() or (form.label and not label):
        return None
    fields = {name: values[key] for key, name in form.fields.items() if values.get(key)}
    return HostPassage(label, text.strip(), fields)


def _attributes(opening: str) -> dict[str, str]:
    """Return the attributes of an opening tag."""
    named = re.match(r"<[\w:-]+\s*", opening)
    attributes = opening[named.end() :].rstrip().removesuffix(">") if named else ""
    return {match.group(1): match.group(2).strip("\"'") for match in _ATTRIBUTE.finditer(attributes)}


def _content(body: str) -> str:
    """Return the text of an element, without the CDATA section around it; nothing if the section's opening is cut."""
    begins = body.lstrip()
    if not begins.startswith("<!"):
        return body
    return "\n".join(_CDATA.findall(body)) if begins.startswith(_CDATA_OPENING) else ""


def _child(body: str, name: str) -> str:
    """Return the text of a child element; it ends at its last closing tag, or with the body if that was truncated."""
    _, opened, rest = body.partition(f"<{name}>")
    inner, closed, _ = rest.rpartition(f"</{name}>")
    return (inner if closed else rest).strip() if opened else ""


def _labels_fit(form: ElementFormat, passages: Sequence[HostPassage]) -> bool:
    if not form.consecutive:
        return True
    order = list(dict.fromkeys(passage.label for passage in passages))
    return order == [str(number) for number in range(1, len(order) + 1)]
