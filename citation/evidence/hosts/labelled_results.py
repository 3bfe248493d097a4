"""Tool results to whose passages a host gave labels: Open WebUI, LibreChat, Onyx and Morphic.

All results of the turn are read together, because the labels count over several calls or name the call. Each host is
recognised by the form of its results and by a second signal in the prompt or in the labels themselves. Results of
other tools in the same turn are left out.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from .ambiguity import Checked, check_order, only_first, repeats, without
from .elements import Source, sources_of_open_webui
from .prompt_evidence import Candidate, HostPassage, MarkerSyntax, PromptEvidence, Refusal
from .turn import Turn, position

Entry = Mapping[str, Any]

MAX_ENTRIES = 1000  # maximum number in one result; longer lists are no search results


def recognise_labelled_results(turn: Turn) -> list[Candidate]:
    """Return the evidence of each host whose labels are in the tool results."""
    recognisers = (_open_webui, _librechat, _onyx, _morphic) if turn.tools else ()
    return [candidate for recogniser in recognisers if (candidate := recogniser(turn))]


# Open WebUI

_JSON_OBJECT = re.compile(r"\s*(?:\[\s*)?\{")  # also one that is cut; a page can begin with a link: "[Menu](…)"


def _open_webui(turn: Turn) -> Candidate | None:
    """Join the results of native tools with the `<source>` elements without text, which contain their labels."""
    read = sources_of_open_webui(turn.user)
    if read is None or all(source.passage for source in read.sources):
        return None
    passages_found, used = _joined_results(turn, read.sources)
    pages = [source for source in read.sources if _is_page(source) and source.label not in used]
    if page := _fetched_page(turn, pages):
        passages_found.append(page)
    elif pages:  # a page that looks like a result may name any source that has only a name
        named = {
            source.label for source in read.sources if not source.passage and not source.attributes.get("resource-id")
        }
        passages_found = [passage for passage in passages_found if passage.label not in named]
    if not passages_found:
        return None
    refusal = read.refusal
    if refusal is Refusal.REPEATED_LABELS and not any(source.passage for source in read.sources):
        refusal = None  # no passage can have written these elements
    passages = () if refusal else tuple(passages_found)
    evidence = PromptEvidence("open-webui", passages, read.question, MarkerSyntax.BRACKETS, refusal)
    return Candidate(position("user"), evidence)


def _joined_results(turn: Turn, sources: Sequence[Source]) -> tuple[list[HostPassage], set[str]]:
    """Return the passages in the prompt and in results of tools, and the labels that results have.

    An element names the file of an entry (`resource-id`), or else its name or address. A page that a tool fetched can
    look like a result. It cannot name a file, whose id only the host knows.
    """
    labels: dict[str, str] = {}
    for source in sources:
        if value := source.attributes.get("resource-id") or source.attributes.get("name"):
            labels.setdefault(value, source.label)
    passages = [passage for source in sources if (passage := source.passage)]
    used: set[str] = set()
    for text in turn.tools:
        for entry in _entries(_decoded(text)):
            if (key := _open_webui_key(entry, labels)) and (passage := _passage(entry, labels[key], "content")):
                used.add(labels[key])
                passages.append(passage)
    return passages, used


def _is_page(source: Source) -> bool:
    return source.passage is None and source.attributes.get("name", "").startswith("http")


def _fetched_page(turn: Turn, pages: Sequence[Source]) -> HostPassage | None:
    """Return the page that a tool fetched. It is plain text, and belongs to the only address that no entry has."""
    plain = [text for text in turn.tools if not _entries(_decoded(text)) and not _JSON_OBJECT.match(text)]
    if len(plain) == len(pages) == 1 and plain[0].strip():
        return HostPassage(pages[0].label, plain[0].strip(), {"url": pages[0].attributes["name"]})
    return None


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
_FILE_NEXT = re.compile(r"\n{1,2}---\n(?=File: )")  # a rule in the text of a file separates nothing
_WEB_HEADING = re.compile(r"^=== [\w ]+, Turn \d+ ===$", re.MULTILINE)
_WEB_BLOCK = re.compile(
    r"# \w+ \d+: \"(?P<title>[^\n]*)\"\s*\n(?:Citation )?Anchor: (?P<label>(?:\ue202|\\ue202)turn\d+[a-z]+\d+)[^\n]*\n"
    r"URL: (?P<url>[^\n]*)\n(?P<text>.*)",
    re.DOTALL,
)
_WEB_NEXT = re.compile(r"\n(?=# \w+ \d+: \"|=== [\w ]+, Turn \d+ ===)")
_ANCHOR = re.compile(r"(?:\ue202|\\ue202)turn\d{1,4}[a-z]{1,12}\d{1,4}")


def _librechat(turn: Turn) -> Candidate | None:
    """Read the blocks of the file search and of the web search, each with the anchor that is its label."""
    results: list[tuple[int, Checked]] = []
    for number, text in enumerate(turn.tools):
        if text.lstrip().startswith("File: ") and "\nAnchor: " in text and _ANCHOR.search(text):
            parts = _FILE_NEXT.split(text.strip())
            results.append((number, _blocks(_FILE_BLOCK, parts, [*_FILE_NEXT.finditer(text)])))
        elif _WEB_HEADING.match(text.lstrip()) and _ANCHOR.search(text):
            parts = [part for part in _WEB_NEXT.split(text.strip()) if not _WEB_HEADING.fullmatch(part.strip())]
            results.append((number, _blocks(_WEB_BLOCK, parts)))
    if not results:
        return None
    passages = [passage for _, result in results for passage in result.passages]
    names: dict[str, set[str]] = {}
    for passage in passages:
        names.setdefault(passage.label, set()).add(repr(passage.fields))
    doubtful = {index for index, passage in enumerate(passages) if passage.label and len(names[passage.label]) > 1}
    checked = without(passages, doubtful, Refusal.REPEATED_LABELS)
    refusal = checked.refusal or next((result.refusal for _, result in results if result.refusal), None)
    used = {passage.label for passage in checked.passages}
    anchors = [anchor for number, _ in results for anchor in _ANCHOR.findall(turn.tools[number])] if refusal else []
    refused = tuple(anchor for anchor in dict.fromkeys(anchors) if anchor not in used)
    evidence = PromptEvidence("librechat", checked.passages, turn.user, MarkerSyntax.ANCHOR, refusal, refused)
    return Candidate(position("tool", results[0][0]), evidence) if checked.passages or refusal else None


def _blocks(pattern: re.Pattern[str], parts: Sequence[str], separators: Sequence[re.Match[str]] = ()) -> Checked:
    """Return the passages of blocks that can be cited. The host does not cite a block without an anchor.

    `separators`: what is between the blocks, if the host always writes the same.
    """
    blocks = [pattern.fullmatch(part.strip("\n")) for part in parts]
    passages = [_block_passage(block) for block in blocks if block and block["label"]]
    labels = [passage.label for passage in passages]
    by_kind: dict[str, list[str]] = {}
    for label in labels:
        kind = label.rstrip("0123456789")
        by_kind.setdefault(kind, []).append(label.removeprefix(kind))
    orders = [check_order(numbers, 0) for numbers in by_kind.values()]
    begins = bool(blocks and blocks[0] and blocks[0]["label"])
    if not begins or None in blocks or len({separator[0] for separator in separators}) > 1:
        return only_first(passages if begins else (), Refusal.UNEXPECTED_FORMAT)
    if any(orders):
        return only_first(passages, Refusal.UNEXPECTED_LABELS)
    return without(passages, repeats(labels), Refusal.REPEATED_LABELS)


def _block_passage(block: re.Match[str]) -> HostPassage:
    fields = {key: value.strip() for key, value in block.groupdict().items() if value and key not in _OWN_GROUPS}
    return HostPassage(block["label"], block["text"].strip(), fields)


_OWN_GROUPS = ("label", "text")


# Onyx

_CITATION_RULE = re.compile(r"(?i)\bcit(?:e|es|ed|ing|ations?)\b")


def _onyx(turn: Turn) -> Candidate | None:
    """Read `{"results": [{"document": 1, "content": …}]}` if the system message asks for citations such as `[1]`."""
    if not any("[1]" in text and _CITATION_RULE.search(text) for text in turn.system):
        return None
    passages_found: list[HostPassage] = []
    first = -1
    for number, text in enumerate(turn.tools):
        value = _decoded(text)
        entries = _entries(value.get("results")) if isinstance(value, dict) else []
        passages = [
            _passage(entry, str(entry["document"]), "content") for entry in entries if _is_number(entry.get("document"))
        ]
        if len(passages) == len(entries):
            first = number if first < 0 and any(passages) else first
            passages_found += [passage for passage in passages if passage]
    evidence = PromptEvidence("onyx", tuple(passages_found), turn.user, MarkerSyntax.BRACKETS)
    return Candidate(position("tool", first), evidence) if passages_found else None


# Morphic


def _morphic(turn: Turn) -> Candidate | None:
    """Read `{"results": […], "toolCallId": …}` if the system message asks for `[number](#toolCallId)`."""
    if not any("(#toolCallId)" in text for text in turn.system):
        return None
    passages: list[HostPassage] = []
    first = -1
    for message_number, text in enumerate(turn.tools):
        value = _decoded(text)
        call = value.get("toolCallId") if isinstance(value, dict) else None
        if not isinstance(call, str) or not re.fullmatch(r"[\w.:-]{1,100}", call):
            continue
        for number, entry in enumerate(_entries(value.get("results")), 1):
            if passage := _passage(entry, f"[{number}](#{call})", "content"):
                first = message_number if first < 0 else first
                passages.append(passage)
    evidence = PromptEvidence("morphic", tuple(passages), turn.user, MarkerSyntax.LINK)
    return Candidate(position("tool", first), evidence) if passages else None


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
