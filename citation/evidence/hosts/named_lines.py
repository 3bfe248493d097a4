"""Passages as lines `name: text`: the azure-search-openai-demo and applications made from it."""

import re
from itertools import islice

from .ambiguity import only_first
from .prompt_evidence import Candidate, HostPassage, MarkerSyntax, PromptEvidence, Refusal
from .turn import MAX_TRIES, Turn, find_line, position

_HEADING = "Sources:"
_CITATIONS = re.compile(r"Possible citations for current question:\s*(.+)")


def recognise_named_lines(turn: Turn) -> list[Candidate]:
    """Return the lines after the last `Sources:` if the system message lists their names as possible citations."""
    names = {name for text in turn.system for name in _possible_citations(text)}
    heading = turn.user.rfind(f"\n{_HEADING}")
    if not names or heading < 0 or find_line(turn.user, _HEADING, heading + 1) != heading + 1:
        return []
    lines = [line for line in turn.user[heading + 1 + len(_HEADING) :].split("\n") if line.strip()]
    read = [_passage(line, names) for line in lines]
    passages = [passage for passage in read if passage]
    if not read or read[0] is None or not any(passage.text for passage in passages):
        return []
    checked = only_first(passages, Refusal.UNEXPECTED_FORMAT if None in read else None)
    evidence = PromptEvidence(
        "azure-search-openai-demo",
        checked.passages,
        turn.user[:heading].strip(),
        MarkerSyntax.BRACKETS,
        checked.refusal,
        checked.refused_labels,
    )
    return [Candidate(position("user", 0, heading), evidence)]


def _possible_citations(text: str) -> list[str]:
    possible = _CITATIONS.search(text)
    if possible is None:
        return []
    bracketed = [part.partition("[")[2] for part in possible[1].split("]")[:-1]]
    return [name for name in bracketed if name] or re.split(r",\s*", possible[1].strip())


def _passage(line: str, names: set[str]) -> HostPassage | None:
    """Split at the colon after a known name; names may contain colons themselves. The passage may be empty."""
    colons = islice(re.finditer(":", line), MAX_TRIES)
    name = max((line[: colon.start()] for colon in colons if line[: colon.start()] in names), key=len, default=None)
    if name is None:
        return None
    text = line[len(name) + 1 :].strip()
    page = re.search(r"#page=(\d{1,9})$", name)
    return HostPassage(name, text, {"file_name": name} | ({"page_number": int(page.group(1))} if page else {}))
