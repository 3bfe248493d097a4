"""Passages in XML-like elements: Open WebUI, Perplexica, LibreChat uploads, LobeChat, PrivateGPT, Chatbox, Anthropic.

Hosts do not escape the text of a passage, so a passage may contain tags. Elements are separated only where a closing
tag is followed by a line break and the next opening tag, and only the last element may lack its closing tag, because
hosts truncate. Some hosts group the elements of one file.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from .element_formats import FORMATS, OPEN_WEBUI, ElementFormat
from .prompt_evidence import HostPassage, PromptEvidence, are_consecutive
from .turn import MAX_TRIES, Place, Turn, find_line, without_attached_files

MAX_OPENING = 4_000  # characters of an opening tag; a longer one is text
MAX_CLOSING_TAGS = 4  # closing tags in a row: a child, an element, a wrapper, and one around it
MAX_TAG_NAME = 80  # characters
_CLOSING_TAG = re.compile(r"<(?:/[\w-]*>?)?$")
_NEXT_ATTRIBUTE = r"\s++[\w:-]++=|\s*+/?\Z"
# A value without quotation marks goes up to the next attribute. Linear time: no character begins two searches.
_ATTRIBUTE = re.compile(
    rf"""(?<![\w:-])([\w:-]++)=
    ((?:"[^"]*+"|'[^']*+')(?={_NEXT_ATTRIBUTE}) | (?:[^\s/]|/(?!\Z)|\s++(?![\w:-]++=|/?\Z))*+)""",
    re.VERBOSE,
)
_CDATA_OPENING, _CDATA_CLOSING = "<![CDATA[", "]]>"


@dataclass(frozen=True, slots=True)
class Source:
    """A `<source>` element of Open WebUI. `passage`: None if the element has no text, as for the results of tools."""

    label: str
    attributes: Mapping[str, str]
    passage: HostPassage | None


def sources_of_open_webui(text: str) -> tuple[list[Source], str] | None:
    """Return the `<source>` elements in Open WebUI's prompt and the question after them; None if there are none."""
    form = OPEN_WEBUI
    if not text.lstrip().startswith(form.signature) or (wrapper := _wrapper(form, text)) is None:
        return None
    elements, rest = _elements(form, text, wrapper)
    read = [(_attributes(element.opening), _passage(form, element)) for element in elements]
    sources = [
        Source(values.get(form.label, ""), values, passage if passage and passage.text else None)
        for values, passage in read
    ]
    if not sources or not are_consecutive([*dict.fromkeys(source.label for source in sources)]):
        return None
    return sources, without_attached_files(rest).strip()


def recognise_elements(turn: Turn) -> PromptEvidence | None:
    """Return the evidence of the first format that fits."""
    for form in FORMATS:
        for place in form.places:
            texts = [text for text in turn.texts(place) if form.signature in text]
            found = [read for text in texts if (read := _read(form, place, text))]
            if found:
                passages = [passage for read, _ in found for passage in read] if place == "tool" else found[0][0]
                question = found[0][1] if place == "user" else turn.user
                return PromptEvidence(form.host, tuple(passages), question, form.syntax) if passages else None
    return None


def _read(form: ElementFormat, place: Place, text: str) -> tuple[tuple[HostPassage, ...], str] | None:
    """Return the passages that are not empty, and the user's own text around them; None if the form does not fit."""
    if place == "user" and form.leads and not text.lstrip().startswith(form.signature):
        return None
    wrapper = _wrapper(form, text)
    if wrapper is None:
        return None
    elements, after = _elements(form, text, wrapper)
    found = [_passage(form, element) for element in elements]
    passages = [passage for passage in found if passage]
    labels = [*dict.fromkeys(passage.label for passage in passages)]
    if len(passages) < len(found) or (form.consecutive and not are_consecutive(labels)):
        return None
    before = "" if form.leads else text[: wrapper.start]
    question = f"{before}\n{without_attached_files(after)}".strip()
    return tuple(passage for passage in passages if passage.text), question


class _Wrapper(NamedTuple):
    """Where the wrapper begins, where its first element does, and the fields of the first group."""

    start: int
    first: int
    fields: Mapping[str, str]


class _Element(NamedTuple):
    """The opening tag and the body of an element, and the fields of its group."""

    opening: str
    body: str
    fields: Mapping[str, str]


def _wrapper(form: ElementFormat, text: str) -> _Wrapper | None:
    """Find the wrapper's opening with an element directly after it."""
    lead = re.compile(rf"\s*+(?:{form.lead}\s*+)?(?=<{form.tag}[\s>])", re.DOTALL)
    start = 0
    for _ in range(MAX_TRIES):
        if (at := find_line(text, form.opening, start)) < 0:
            break
        if form.opening == f"<{form.tag}>":
            return _Wrapper(at, at, {})
        inner = text.find(">", at) + 1 if not form.opening.endswith(">") else at + len(form.opening)
        if inner and (led := lead.match(text, inner)):
            return _Wrapper(at, led.end(), _found_fields(led))
        start = at + len(form.opening)
    return None


def _found_fields(match: re.Match[str]) -> Mapping[str, str]:
    return {name: value.strip() for name, value in match.groupdict().items() if value and value.strip()}


def _elements(form: ElementFormat, text: str, wrapper: _Wrapper) -> tuple[list[_Element], str]:
    """Return the sibling elements in the wrapper, and the text after it."""
    group = rf"(?:({form.group})\s*)?" if form.group else "()"
    sibling = re.compile(rf"</{form.tag}>[ \t]*\n\s*{group}(?=<{form.tag}[\s>])")
    last = re.compile(rf"</{form.tag}>\s*(?:{form.closing}|$)" if form.closing else rf"</{form.tag}>\s*$", re.DOTALL)
    end = last.search(text, wrapper.first)
    inside = text[wrapper.first : end.start()] if end else _without_partial_tag(form, text[wrapper.first :])
    found: list[_Element] = []
    at, fields = 0, wrapper.fields
    while length := _opening_length(inside[at : at + MAX_OPENING]):  # 0: the opening tag itself is truncated
        inner = at + length
        after = sibling.search(inside, inner)
        found.append(_Element(inside[at:inner], inside[inner : after.start() if after else len(inside)], fields))
        if after is None:
            break
        at = after.end()
        if after[1]:
            fields = _found_fields(after)
    if end is None and found and not _content(found[-1].body).strip():
        found.pop()
    return found, text[end.end() :] if end else ""


def _without_partial_tag(form: ElementFormat, text: str) -> str:
    """Remove tags, whole or cut, from the end of a truncated text: those after the last element, and closing tags."""
    beyond = re.search(rf"</{form.tag}>(?:\s*+<[^<>]*+>?+)*+\s*$", text[-MAX_OPENING:])
    if beyond:
        text = text[: max(0, len(text) - MAX_OPENING) + beyond.start()]
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


def _passage(form: ElementFormat, element: _Element) -> HostPassage | None:
    """Return the passage of an element, possibly empty; None if it lacks its label."""
    values, body = _attributes(element.opening), element.body
    if form.body:
        values |= {name: _child(body, name) for name in form.fields}
        body = _child(body, form.body)
    label = values.get(form.label, "").strip("[]") if form.label else ""
    if form.label and not label:
        return None
    fields = {name: values[key] for key, name in form.fields.items() if values.get(key)}
    return HostPassage(label, _content(body).strip(), {**element.fields, **fields})


def _attributes(opening: str) -> dict[str, str]:
    """Return the attributes of an opening tag."""
    named = re.match(r"<[\w:-]+\s*", opening)
    attributes = opening[named.end() :].rstrip().removesuffix(">") if named else ""
    return {match.group(1): match.group(2).strip("\"'") for match in _ATTRIBUTE.finditer(attributes)}


def _content(body: str) -> str:
    """Return the text of an element, without the CDATA section around it; nothing if the section's opening is cut.

    The text of the section is not escaped, so the section ends at the last end that it contains.
    """
    begins = body.lstrip()
    if not begins.startswith("<!"):
        return body
    inner, closed, _ = begins.removeprefix(_CDATA_OPENING).rpartition(_CDATA_CLOSING)
    if not begins.startswith(_CDATA_OPENING):
        return ""
    return inner if closed else begins.removeprefix(_CDATA_OPENING)


def _child(body: str, name: str) -> str:
    """Return the text of a child element; it ends at its last closing tag, or with the body if that was truncated."""
    _, opened, rest = body.partition(f"<{name}>")
    inner, closed, _ = rest.rpartition(f"</{name}>")
    return (inner if closed else rest).strip() if opened else ""
