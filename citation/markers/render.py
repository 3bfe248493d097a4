"""Rendering of our markers and reference list. Names and URLs are escaped so that they cannot break the Markdown."""

import re
from collections.abc import Iterable
from typing import assert_never
from urllib.parse import quote

from ..evidence import Evidence
from ..link_policy import LinkDefanger
from ..options import MarkerStyle

LINKABLE = ("http://", "https://")  # no other scheme becomes a link: no javascript:, data: or file:
LIST_HEADING = "**References**"


def render(number: int, evidence: Evidence, style: MarkerStyle, target: str = "") -> str:
    """Return one marker. `number` is the shown number, which may differ from the evidence number.

    `target`: the address to which a link leads if the evidence has no URL.
    """
    target = link_url(evidence) or target
    match style:
        case "number":
            return f"[{number}]"
        case "link":
            return f"[[{number}]]({target})" if target else f"[{number}]"
        case "ragflow":
            return f"[ID:{number - 1}]"  # a 0-based position in the list of chunks
        case "name":
            return f"[{_escaped(_name(evidence))}]({target or identifier(evidence)})"
        case "none":
            return ""
        case _:
            assert_never(style)


def link_url(evidence: Evidence) -> str:
    """Return the http(s) URL of the evidence, escaped for a Markdown link, or ""."""
    url = (evidence.url or "").strip()
    return _encoded(url, _UNSAFE_IN_URL) if url.lower().startswith(LINKABLE) else ""


_SCRIPT = re.compile(r"[\x00-\x20]*(?:javascript|vbscript|data):", re.IGNORECASE)


def given_url(evidence: Evidence) -> str | None:
    """Return the URL as the client sent it, or None if a browser would execute it."""
    url = evidence.url
    # Browsers ignore leading control characters, tabs and line breaks.
    return None if url is None or _SCRIPT.match(re.sub(r"[\t\n\r]", "", url)) else url


def identifier(evidence: Evidence) -> str:
    """Return the id as a link target: unique, and not a URL of any scheme."""
    return _encoded(evidence.id, _UNSAFE_IN_ID)


def reference_list(entries: Iterable[tuple[int, Evidence, str]]) -> str:
    """Return the Markdown list of references that `references_in_text` appends.

    `entries`: shown numbers, evidence, and the addresses to which they are linked, if any.
    """
    lines = [f"- [{number}] {_entry(evidence, target)}" for number, evidence, target in entries]
    return "\n\n".join(["", LIST_HEADING, "\n".join(lines)]) + "\n" if lines else ""


def allowed_urls(evidence: Evidence) -> set[str]:
    """Return the URL of the evidence as given and as our markers write it."""
    target = link_url(evidence)
    return {target, (evidence.url or "").strip()} if target else set()


def _entry(evidence: Evidence, target: str) -> str:
    name = _name(evidence)
    if not target:  # a bare name could itself be rendered as a link; the text of a link cannot
        defanger = LinkDefanger()
        name = defanger.feed(name) + defanger.flush()
    name = _escaped(name)
    page = f", page {evidence.page_number}" if evidence.page_number is not None else ""
    return (f"[{name}]({target})" if target else name) + page


def _name(evidence: Evidence) -> str:
    return evidence.file_name or evidence.title or evidence.id


# Characters that would end a link, a table cell or a line, and invisible ones
_UNSAFE = "\\s\\x00-\\x1f\\x7f-\\x9f()<>\\[\\]\\\\|\"'`{}^*\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff"
_UNSAFE_IN_URL = re.compile(f"[{_UNSAFE}]")
_UNSAFE_IN_ID = re.compile(f"[{_UNSAFE}:%]")  # with a colon it could be a URL of any scheme


_CONTROLS = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)  # including those for text direction


def _encoded(text: str, unsafe: re.Pattern[str]) -> str:
    return unsafe.sub(lambda match: quote(match[0], safe=""), text)


def _escaped(name: str) -> str:
    """Escape a name for Markdown, and for HTML, because some pages insert it unescaped."""
    plain = _CONTROLS.sub("", " ".join(name.split())).replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\\[\]|`*])", r"\\\1", plain)
