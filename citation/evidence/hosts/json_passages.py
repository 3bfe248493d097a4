"""Passages as JSON after a fixed heading: Cherry Studio and Onyx.

JSON in tool results is read by `tool_results`; here are only the hosts that put JSON into a message of the user.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from .prompt_evidence import Candidate, HostPassage, MarkerSyntax, PromptEvidence, Refusal
from .turn import Turn, find_line, position

_CHERRY_RULES, _CHERRY_HEADING = "## Citation Rules:", "## Reference Materials:"
_ONYX_LEAD_IN = "Here are some documents provided for context"
_OPENING_FENCE = re.compile(r"\s*(?:```(?:json)?[ \t]*\n)?\s*")
_CHERRY_QUESTION = re.compile(r"## My question is:\s*(.*?)(?=\n## |\Z)", re.DOTALL)


def recognise_json(turn: Turn) -> list[Candidate]:
    """Return the evidence of Cherry Studio and of Onyx."""
    return [candidate for candidate in (_cherry_studio(turn), _onyx(turn)) if candidate]


def _cherry_studio(turn: Turn) -> Candidate | None:
    """Read an array of objects with `id` and `content` below the heading, in a fence or bare."""
    text = turn.user
    rules, heading = find_line(text, _CHERRY_RULES), find_line(text, _CHERRY_HEADING)
    if rules < 0 or heading < 0:
        return None
    entries = _decode(text, heading + len(_CHERRY_HEADING))
    names = {"sourceUrl": "url", "title": "title"}
    entries = entries if isinstance(entries, list) else [None]
    passages = [_passage(entry, "id", "content", names) for entry in entries]
    asked = _CHERRY_QUESTION.search(text)
    evidence = _evidence("cherry-studio", passages, asked.group(1).strip() if asked else turn.user)
    return Candidate(position("user", 0, min(rules, heading)), evidence) if evidence else None


def _onyx(turn: Turn) -> Candidate | None:
    """Read `{"documents": [{"document": 1, "contents": …}]}` in the message before the question."""
    for number, text in enumerate(turn.context):
        lead_in = find_line(text, _ONYX_LEAD_IN)
        begins = text.find("{", lead_in) if lead_in >= 0 else -1
        value = _decode(text, begins) if begins >= 0 else None
        entries = value.get("documents") if isinstance(value, dict) else None
        if isinstance(entries, list):
            names = {"title": "title", "url": "url", "source": "file_name"}
            evidence = _evidence(
                "onyx", [_passage(entry, "document", "contents", names) for entry in entries], turn.user
            )
            return Candidate(position("context", number, lead_in), evidence) if evidence else None
    return None


def _evidence(host: str, passages: list[HostPassage | None], question: str) -> PromptEvidence | None:
    """Return the passages that are not empty; none of them if an entry cannot be read."""
    if None in passages:
        return PromptEvidence(host, (), question, MarkerSyntax.BRACKETS, Refusal.UNEXPECTED_FORMAT)
    used = tuple(passage for passage in passages if passage and passage.text.strip())
    return PromptEvidence(host, used, question, MarkerSyntax.BRACKETS) if used else None


def _decode(text: str, start: int) -> Any:
    """Return the JSON value at an offset, after an opening fence if there is one; None if there is no value."""
    fence = _OPENING_FENCE.match(text, start)
    try:
        value, _ = json.JSONDecoder().raw_decode(text, fence.end() if fence else start)
    except (ValueError, RecursionError):
        return None
    return value


def _passage(entry: Any, label: str, text: str, names: Mapping[str, str]) -> HostPassage | None:
    if not isinstance(entry, dict) or not isinstance(entry.get(text), str):
        return None
    number = entry.get(label)
    if not isinstance(number, int) or isinstance(number, bool):
        return None
    fields = {name: entry[key] for key, name in names.items() if isinstance(entry.get(key), str) and entry[key]}
    return HostPassage(str(number), entry[text], fields)
