"""Passages in XML-like elements: Open WebUI, Perplexica, LibreChat uploads, LobeChat, PrivateGPT, Chatbox, Anthropic.

Hosts do not escape the text of a passage, so a passage may contain tags. Elements are separated only where a closing
tag is followed by a line break and the next opening tag, and only the last element may lack its closing tag, because
hosts truncate. Some hosts group the elements of one file.
"""

import itertools
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from .ambiguity import Checked
from .element_checks import Element, Siblings, check_elements
from .element_formats import FORMATS, OPEN_WEBUI, ElementFormat
from .prompt_evidence import Candidate, HostPassage, PromptEvidence, Refusal
from .turn import MAX_TRIES, Place, Turn, find_line, position, without_attached_files

MAX_OPENING_CHARACTERS = 4_000  # characters of an opening tag; a longer one is text
MAX_CLOSING_TAGS = 4  # closing tags in a row: a child, an element, a wrapper, and one around it
MAX_TAG_NAME_CHARACTERS = 80
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


@dataclass(frozen=True, slots=True)
class Sources:
    """The `<source>` elements in Open WebUI's prompt, what is wrong with them, and the question after them."""

    sources: tuple[Source, ...]
    refusal: Refusal | None
    question: str


def sources_of_open_webui(text: str) -> Sources | None:
    """Return the `<source>` elements in Open WebUI's prompt; None if there are none."""
    form = OPEN_WEBUI
    if not text.lstrip().startswith(form.signature) or (wrapper := _wrapper(form, text)) is None:
        return None
    siblings = _siblings(form, text, wrapper)
    passages = [_passage(form, element) for element in siblings.elements]
    sources = tuple(
        Source(passage.label, element.attributes, passage if passage.text else None)
        for element, passage in zip(siblings.elements, passages, strict=True)
    )
    checked = check_elements(form, siblings, passages)
    return Sources(sources, checked.refusal, without_attached_files(siblings.after).strip()) if sources else None


def recognise_elements(turn: Turn) -> list[Candidate]:
    """Return the evidence of each format that fits."""
    candidates = [
        candidate for form in FORMATS for place in form.places if (candidate := _recognise(form, place, turn))
    ]
    return [candidate for candidate in candidates if candidate.evidence.passages or candidate.evidence.refusal]


def _recognise(form: ElementFormat, place: Place, turn: Turn) -> Candidate | None:
    """Return the evidence of one format: of the first message that has it, or of all results of tools."""
    texts = [(number, text) for number, text in enumerate(turn.texts(place)) if form.signature in text]
    results = [(number, read) for number, text in texts if (read := _read(form, place, text))]
    if not results:
        return None
    used = [read for _, read in results] if place == "tool" else [results[0][1]]
    checked = [read.checked for read in used]
    evidence = PromptEvidence(
        form.host,
        tuple(passage for result in checked for passage in result.passages),
        used[0].question if place == "user" else turn.user,
        form.syntax,
        next((result.refusal for result in checked if result.refusal), None),
        tuple(label for result in checked for label in result.refused_labels),
    )
    return Candidate(position(place, results[0][0], used[0].start), evidence)


class _Reading(NamedTuple):
    """The content of one message: where the wrapper begins, the passages, and the user's own text around them."""

    start: int
    checked: Checked
    question: str


def _read(form: ElementFormat, place: Place, text: str) -> _Reading | None:
    """Return what a message contains; None if the form does not fit, or if all passages are empty."""
    if place == "user" and form.leads and not text.lstrip().startswith(form.signature):
        return None
    wrapper = _wrapper(form, text)
    if wrapper is None or (form.leads and text.find(form.signature, 0, wrapper.start) < 0):
        return None
    siblings = _siblings(form, text, wrapper)
    passages = [_passage(form, element) for element in siblings.elements]
    if not any(passage.text for passage in passages):
        return None
    before = "" if form.leads else text[: wrapper.start]
    question = f"{before}\n{without_attached_files(siblings.after)}".strip()
    return _Reading(wrapper.start, check_elements(form, siblings, passages), question)


class _Wrapper(NamedTuple):
    """Where the wrapper begins, where its first element does, and the fields of the first group."""

    start: int
    first: int
    fields: Mapping[str, str]


def _wrapper(form: ElementFormat, text: str) -> _Wrapper | None:
    """Find the wrapper's opening with an element directly after it."""
    lead = re.compile(rf"\s*+(?:{form.lead}\s*+)?(?=<{form.tag}[\s>])", re.DOTALL)
    start = 0
    for _ in range(MAX_TRIES):
        if (position := find_line(text, form.opening, start)) < 0:
            break
        if form.opening == f"<{form.tag}>":
            return _Wrapper(position, position, {}) if re.compile(form.begin).match(text, position) else None
        inner = text.find(">", position) + 1 if not form.opening.endswith(">") else position + len(form.opening)
        if inner and (led := lead.match(text, inner)):
            return _Wrapper(position, led.end(), _found_fields(led))
        start = position + len(form.opening)
    return None


def _found_fields(match: re.Match[str]) -> Mapping[str, str]:
    return {name: value.strip() for name, value in match.groupdict().items() if value and value.strip()}


def _siblings(form: ElementFormat, text: str, wrapper: _Wrapper) -> Siblings:
    """Return the sibling elements in the wrapper, and the text after it."""
    group = rf"({form.group})\s*" if form.group else "(?!)"
    sibling = re.compile(rf"</{form.tag}>([ \t]*\n\s*)(?:{group})?(?=<{form.tag}[\s>])")
    last = re.compile(rf"</{form.tag}>\s*(?:{form.closing}|$)" if form.closing else rf"</{form.tag}>\s*$", re.DOTALL)
    end = last.search(text, wrapper.first)
    inside = text[wrapper.first : end.start()] if end else _without_partial_tag(form, text[wrapper.first :])
    after = text[end.end() :] if end else ""
    boundaries = [*sibling.finditer(inside)]
    starts = [0, *(boundary.end() for boundary in boundaries)]
    ends = [*(boundary.start() for boundary in boundaries), len(inside)]
    groups = itertools.accumulate(boundaries, _fields_of_group, initial=wrapper.fields)
    pieces = [_element(inside[start:stop], fields) for start, stop, fields in zip(starts, ends, groups, strict=True)]
    if end is None and not _content(pieces[-1].body if pieces[-1] else "").strip():
        pieces.pop()  # the opening tag itself may be truncated
    total = re.search(form.total, text[: wrapper.first]) if form.total else None
    return Siblings(
        elements=tuple(element for element in pieces if element),
        broken=None in pieces or bool(sibling.search(after) or last.search(after)),
        gaps=tuple(boundary[1] for boundary in boundaries if not (form.group and boundary[2])),
        groups=1 + sum(bool(form.group and boundary[2]) for boundary in boundaries),
        total=int(total[1]) if total else None,
        after=after,
    )


def _fields_of_group(fields: Mapping[str, str], boundary: re.Match[str]) -> Mapping[str, str]:
    """Return the fields of the group that begins at this boundary, or those of the group that continues."""
    return _found_fields(boundary) if boundary.re.groups > 1 and boundary[2] else fields


def _element(piece: str, fields: Mapping[str, str]) -> Element | None:
    """Return the element; None if its opening tag does not end."""
    length = _opening_length(piece[:MAX_OPENING_CHARACTERS])
    return Element(_attributes(piece[:length]), piece[length:], fields) if length else None


def _without_partial_tag(form: ElementFormat, text: str) -> str:
    """Remove tags, whole or cut, from the end of a truncated text: those after the last element, and closing tags."""
    beyond = re.search(rf"</{form.tag}>(?:\s*+<[^<>]*+>?+)*+\s*$", text[-MAX_OPENING_CHARACTERS:])
    if beyond:
        text = text[: max(0, len(text) - MAX_OPENING_CHARACTERS) + beyond.start()]
    for _ in range(MAX_CLOSING_TAGS):
        text = text.rstrip()
        if not (tag := _CLOSING_TAG.search(text, max(0, len(text) - MAX_TAG_NAME_CHARACTERS))):
            break
        text = text[: tag.start()]
    return text


def _opening_length(text: str) -> int:
    """Return the length of an opening tag; a `>` inside quotation marks does not end it."""
    quoted = re.match(r"""<[\w:-]+(?:\s+[\w:-]+=(?:"[^"]*"|'[^']*'))*\s*/?>""", text)
    return quoted.end() if quoted else text.find(">") + 1


def _passage(form: ElementFormat, element: Element) -> HostPassage:
    """Return the passage of an element, possibly empty, and without a label if the element has none."""
    values, body = dict(element.attributes), element.body
    if form.body:
        head = body.partition(f"<{form.body}>")[0]  # the text of a passage cannot set the fields
        values |= {name: _child(head, name) for name in form.fields}
        body = _child(body, form.body)
    label = values.get(form.label, "").strip("[]") if form.label else ""
    fields = {name: values[key] for key, name in form.fields.items() if values.get(key)}
    return HostPassage(label, _content(body).strip(), {**element.fields, **fields})


def _attributes(opening: str) -> dict[str, str]:
    """Return the attributes of an opening tag, without those that occur twice: a title can contain an attribute."""
    named = re.match(r"<[\w:-]+\s*", opening)
    attributes = opening[named.end() :].rstrip().removesuffix(">") if named else ""
    matches = [*_ATTRIBUTE.finditer(attributes)]
    counts = Counter(match.group(1) for match in matches)
    return {match.group(1): match.group(2).strip("\"'") for match in matches if counts[match.group(1)] == 1}


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
    _, opened, content = body.partition(f"<{name}>")
    inner, closed, _ = content.rpartition(f"</{name}>")
    return (inner if closed else content).strip() if opened else ""
