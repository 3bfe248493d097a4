"""Render: how a citation of ours looks. Whatever a name or an address contains, the Markdown around it stays intact."""

import re
from collections.abc import Iterable
from typing import assert_never
from urllib.parse import quote

from ..evidence import Evidence
from ..link_policy import Unlinker
from ..options import MarkerStyle

LINKABLE = ("http://", "https://")  # nothing else becomes a link: no javascript:, no data:, no file:
LIST_HEADING = "**References**"


def render(number: int, evidence: Evidence, style: MarkerStyle) -> str:
    """One marker. `number` is the one shown, which may differ from the evidence's own."""
    match style:
        case "number":
            return f"[{number}]"
        case "link":
            target = address(evidence)
            return f"[[{number}]]({target})" if target else f"[{number}]"
        case "ragflow":
            return f"[ID:{number - 1}]"  # a position in the list of chunks, which counts from 0
        case "name":
            return f"[{_escaped(_name(evidence))}]({address(evidence) or identifier(evidence)})"
        case "none":
            return ""
        case _:
            assert_never(style)


def address(evidence: Evidence) -> str:
    """The evidence's web address, safe between the parentheses of a link, or nothing."""
    url = (evidence.url or "").strip()
    return _encoded(url, _UNSAFE_IN_URL) if url.lower().startswith(LINKABLE) else ""


_SCRIPT = re.compile(r"[\x00-\x20]*(?:javascript|vbscript|data):", re.IGNORECASE)


def given_url(evidence: Evidence) -> str | None:
    """The evidence's address for whoever asked to have it back; not one that a browser would run."""
    url = evidence.url
    # As browsers read one: without what stands before it, without tabs and line breaks in it
    return None if url is None or _SCRIPT.match(re.sub(r"[\t\n\r]", "", url)) else url


def identifier(evidence: Evidence) -> str:
    """Its id as the target of a link: no address of any scheme, and no two alike."""
    return _encoded(evidence.id, _UNSAFE_IN_ID)


def reference_list(entries: Iterable[tuple[int, Evidence]]) -> str:
    """What `references_in_text` appends: a Markdown list of the numbers shown and what they stand for."""
    lines = [f"- [{number}] {_entry(evidence)}" for number, evidence in entries]
    return "\n\n".join(["", LIST_HEADING, "\n".join(lines)]) + "\n" if lines else ""


def web_addresses(evidence: Evidence) -> set[str]:
    """The evidence's web address as given and as our markers write it; none where it has none."""
    target = address(evidence)
    return {target, (evidence.url or "").strip()} if target else set()


def _entry(evidence: Evidence) -> str:
    name, target = _name(evidence), address(evidence)
    if not target:  # the text of a link holds no other link; a name alone could be one
        unlinker = Unlinker()
        name = unlinker.feed(name) + unlinker.flush()
    name = _escaped(name)
    page = f", page {evidence.page_number}" if evidence.page_number is not None else ""
    return (f"[{name}]({target})" if target else name) + page


def _name(evidence: Evidence) -> str:
    return evidence.file_name or evidence.title or evidence.id


# What would end a link, a table cell or the line, and what cannot be seen
_UNSAFE = "\\s\\x00-\\x1f\\x7f-\\x9f()<>\\[\\]\\\\|\"'`{}^*\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff"
_UNSAFE_IN_URL = re.compile(f"[{_UNSAFE}]")
_UNSAFE_IN_ID = re.compile(f"[{_UNSAFE}:%]")  # with a colon it could be an address of any scheme


_TURNING = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")  # controls, of direction too


def _encoded(text: str, unsafe: re.Pattern[str]) -> str:
    return unsafe.sub(lambda found: quote(found[0], safe=""), text)


def _escaped(name: str) -> str:
    """As text, for Markdown and, since some pages insert what they have as it is, for HTML."""
    plain = _TURNING.sub("", " ".join(name.split())).replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\\[\]|`*])", r"\\\1", plain)
