"""Tool results to whose passages a host gave labels: Open WebUI, LibreChat, Onyx and Morphic.

All results of the turn are read together, because the labels count over several calls or name the call. Each host is
recognised by the form of its results and by a second signal in the prompt or in the labels themselves. Results of
other tools in the same turn are left out.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from .elements import sources_of_open_webui
from .prompt_evidence import HostPassage, MarkerSyntax, PromptEvidence
from .turn import Turn

Entry = Mapping[str, Any]

MAX_ENTRIES = 1000  # maximum number in one result; longer lists are no search results


def recognise_labelled_results(turn: Turn) -> PromptEvidence | None:
    """Return the evidence of the first host whose labels are in the tool results."""
    if not turn.tools:
        return None
    for recogniser in (_open_webui, _librechat, _onyx, _morphic):
        if found := recogniser(turn):
            return found
    return None


# Open WebUI

_JSON_OBJECT = re.compile(r"\s*(?:\[\s*)?\{")  # also one that is cut; a page can begin with a link: "[Menu](…)"


def _open_webui(turn: Turn) -> PromptEvidence | None:
    """Join the results of native tools with the `<source>` elements without text, which contain their labels.

    An element names the file of an entry (`resource-id`), or else its name or address. A page that a tool fetched is
    plain text: it belongs to the only element with an address that no entry has.
    """
    read = sources_of_open_webui(turn.user)
    if read is None:
        return None
    sources, question = read
    labels: dict[str, str] = {}
    for source in sources:
        for key in ("resource-id", "name"):
            if value := source.attributes.get(key):
                labels.setdefault(value, source.label)
    found = [passage for source in sources if (passage := source.passage)]
    used: set[str] = set()
    plain: list[str] = []
    for text in turn.tools:
        entries = _entries(_decoded(text))
        if not entries and not _JSON_OBJECT.match(text):
            plain.append(text)
        for entry in entries:
            if (key := _open_webui_key(entry, labels)) and (passage := _passage(entry, labels[key], "content")):
                used.add(labels[key])
                found.append(passage)
    pages = [one for one in sources if one.attributes.get("name", "").startswith("http") and one.label not in used]
    pages = [one for one in pages if one.passage is None]
    if len(plain) == len(pages) == 1 and plain[0].strip():
        found.append(HostPassage(pages[0].label, plain[0].strip(), {"url": pages[0].attributes["name"]}))
    if not found or all(source.passage for source in sources):
        return None
    return PromptEvidence("open-webui", tuple(found), question, MarkerSyntax.BRACKETS)


def _open_webui_key(entry: Entry, labels: Mapping[str, str]) -> str:
    """Return the value by which an element names this entry."""
    values = (entry.get(key) for key in ("file_id", "id", "source", "filename", "url", "link"))
    return next((value for value in values if isinstance(value, str) and value in labels), "")


# LibreChat

_FILE_BLOCK = re.compile(
    r"File: (?P<file_name>[^\n]*)\n(?:(?!Anchor: |Content: )[^\n:]{1,40}: [^\n]*\n)*"
    r"(?:Anchor: (?P<label>(?:\ue202|\\ue202)turn\d+file\d+)[^\n]*\n)?"
    r"(?:(?!Content: )[^\n:]{1,40}: [^\n]*\n)*Content: (?P<text>.*)",
    re.DOTALL,
)
_FILE_NEXT = re.compile(r"\n---\n(?=File: )")  # a rule in the text of a file separates nothing
_WEB_HEADING = re.compile(r"^=== [\w ]+, Turn \d+ ===$", re.MULTILINE)
_WEB_BLOCK = re.compile(
    r"# \w+ \d+: \"(?P<title>[^\n]*)\"\s*\n(?:Citation )?Anchor: (?P<label>(?:\ue202|\\ue202)turn\d+[a-z]+\d+)[^\n]*\n"
    r"URL: (?P<url>[^\n]*)\n(?P<text>.*)",
    re.DOTALL,
)
_WEB_NEXT = re.compile(r"\n(?=# \w+ \d+: \"|=== [\w ]+, Turn \d+ ===)")


def _librechat(turn: Turn) -> PromptEvidence | None:
    """Read the blocks of the file search and of the web search, each with the anchor that is its label."""
    found: list[HostPassage] = []
    for text in turn.tools:
        if text.lstrip().startswith("File: ") and "\nAnchor: " in text:
            found += _blocks(_FILE_BLOCK, _FILE_NEXT.split(text.strip()))
        elif _WEB_HEADING.match(text.lstrip()) and "nchor: " in text:
            parts = [part for part in _WEB_NEXT.split(text.strip()) if part.startswith("# ")]
            found += _blocks(_WEB_BLOCK, parts)
    return PromptEvidence("librechat", tuple(found), turn.user, MarkerSyntax.ANCHOR) if found else None


def _blocks(pattern: re.Pattern[str], parts: list[str]) -> list[HostPassage]:
    """Return the passages of blocks; none if one of them has another form. A block without an anchor has no label."""
    found = []
    for part in parts:
        block = pattern.fullmatch(part.strip("\n"))
        if block is None:
            return []
        fields = {key: value.strip() for key, value in block.groupdict().items() if value and key not in _OWN_GROUPS}
        if block["text"].strip():
            found.append(HostPassage(block["label"] or "", block["text"].strip(), fields))
    return found


_OWN_GROUPS = ("label", "text")


# Onyx

_CITATION_RULE = re.compile(r"(?i)\bcit(?:e|es|ed|ing|ations?)\b")


def _onyx(turn: Turn) -> PromptEvidence | None:
    """Read `{"results": [{"document": 1, "content": …}]}` if the system message asks for citations such as `[1]`."""
    if not any("[1]" in text and _CITATION_RULE.search(text) for text in turn.system):
        return None
    found: list[HostPassage] = []
    for text in turn.tools:
        value = _decoded(text)
        entries = _entries(value.get("results")) if isinstance(value, dict) else []
        passages = [
            _passage(entry, str(entry["document"]), "content") for entry in entries if _is_number(entry.get("document"))
        ]
        if len(passages) == len(entries):
            found += [passage for passage in passages if passage]
    return PromptEvidence("onyx", tuple(found), turn.user, MarkerSyntax.BRACKETS) if found else None


# Morphic


def _morphic(turn: Turn) -> PromptEvidence | None:
    """Read `{"results": […], "toolCallId": …}` if the system message asks for `[number](#toolCallId)`."""
    if not any("(#toolCallId)" in text for text in turn.system):
        return None
    found: list[HostPassage] = []
    for text in turn.tools:
        value = _decoded(text)
        call = value.get("toolCallId") if isinstance(value, dict) else None
        if not isinstance(call, str) or not re.fullmatch(r"[\w.:-]{1,100}", call):
            continue
        for number, entry in enumerate(_entries(value.get("results")), 1):
            if passage := _passage(entry, f"[{number}](#{call})", "content"):
                found.append(passage)
    return PromptEvidence("morphic", tuple(found), turn.user, MarkerSyntax.LINK) if found else None


# JSON of all hosts

_FIELDS = {
    "file_id": "document_id",
    "filename": "file_name",
    "source": "file_name",
    "title": "title",
    "url": "url",
    "link": "url",
}


def _passage(entry: Entry, label: str, text: str) -> HostPassage | None:
    content = entry.get(text)
    if not isinstance(content, str) or not content.strip():
        return None
    fields = {
        field: value for key, field in _FIELDS.items() if isinstance(value := entry.get(key), str) and value.strip()
    }
    return HostPassage(label, content.strip(), fields)


def _decoded(text: str) -> Any:
    """Return the JSON value of a result; None if it is something else."""
    if text.lstrip()[:1] not in ("[", "{"):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _entries(value: Any) -> list[Entry]:
    """Return a list of objects, an object as a list of one; nothing if the value is something else."""
    entries = [value] if isinstance(value, dict) else value
    if not isinstance(entries, list) or len(entries) > MAX_ENTRIES:
        return []
    return entries if all(isinstance(entry, dict) for entry in entries) else []


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0
