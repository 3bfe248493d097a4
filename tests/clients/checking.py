"""Compare the reports of the clients with the answers that were sent to them."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.clients import upstreams

Seen = dict[str, Any]

# Answers of the extractive provider and of the scripted providers to the question and evidence of case.json.
CITED = "🚀 The Saturn V was 110.6 metres tall. [1] Apollo 12 was struck by lightning twice. [2]"
TEXTS = {"extractive": CITED, "openai": f"{CITED} The Moon is hollow.", "ollama": f"{CITED} The Moon is hollow."}
TEXTS["structured"] = upstreams.STRUCTURED
TEXTS["gemini"] = TEXTS["small"] = TEXTS["litellm"] = TEXTS["anthropic"] = TEXTS["openai"]
WRITTEN = len(upstreams.ANSWER)
USAGES: dict[str, Seen] = {
    "openai": {"input": 20, "output": WRITTEN, "cached": 16, "reasoning": 3},
    "ollama": {"input": 26, "output": WRITTEN},
    "gemini": {"input": 12, "output": WRITTEN, "cached": 8},
    "anthropic": {"input": 24, "output": 30, "cached": 8},
}
USAGES["litellm"] = USAGES["openai"]
# The text that `references_in_text` appends.
LIST = "\n\n**References**\n\n- [1] moon.md\n- [2] [Apollo 12](https://example.org/apollo-12)"
# All names that clients use for the first and the second reference.
NAMES = {
    **dict.fromkeys(("urn:citestream:evidence:moon", "moon.md"), 1),
    **dict.fromkeys(("https://example.org/apollo-12", "Apollo 12"), 2),
}
MARKERS = ["[1]", "[2]"]
SENTENCES = ["🚀 The Saturn V was 110.6 metres tall.", "Apollo 12 was struck by lightning twice."]
CALL = {"name": "weather", "arguments": {"city": "Zürich"}}
# The last sentence is incomplete, so it has no decision and no marker.
BROKEN = "🚀 The Saturn V was 110.6 metres tall. [1] Apollo 12 was struck by lightning"


@dataclass(frozen=True)
class Row:
    """A line of the matrix: one way to use a client, and its faults."""

    client: str
    version: str
    way: str
    cells: dict[str, str]
    faults: list[str] = field(default_factory=list)


def checked(reported: Seen, extractive_usage: Seen) -> list[Row]:
    """Return a row for each way that a script reports. `extractive_usage`: the usage of a request without a client."""
    return [_row(reported, found, {**USAGES, "extractive": extractive_usage}) for found in reported["ways"]]


def _row(reported: Seen, found: Seen, usages: dict[str, Seen]) -> Row:
    faults: list[str] = []
    by_model = found["seen"]
    for model, seen in by_model.items():
        provider = model.split("/")[0]
        faults += [f"{model}: {fault}" for fault in _answer_faults(seen, TEXTS[provider], usages.get(provider, {}))]
    cells = {
        "text": "intact",
        "usage": "intact" if any("usage" in seen for seen in by_model.values()) else "not shown",
        "references by": found["via"],
    }
    for name, check in CHECKS.items():
        seen = found.get(name, {"failed": "not checked"})
        fault = seen["failed"] if _failed(seen) else check(seen)
        cells[name] = "no" if fault else seen["type"] if name == "error" else "yes"
        if name not in found:
            cells[name] = ""
        elif fault:
            faults.append(f"{name}: {fault}")
    cells["does not show"] = ", ".join(next(iter(by_model.values())).get("not_returned", ()))
    return Row(reported["client"], reported["version"], found["way"], cells, faults)


def _answer_faults(seen: Seen, text: str, usage: Seen) -> list[str]:
    if _failed(seen):
        return [seen["failed"]]
    faults = (
        [] if seen["text"].removesuffix("\n").removesuffix(LIST) == text else [f"text {seen['text']!r} is not {text!r}"]
    )
    for count, value in seen.get("usage", {}).items():
        if (value or 0) != usage.get(count, 0):  # a missing count is 0 or None
            faults.append(f"usage {count} is {value}, not {usage.get(count, 0)}")
    numbers = [NAMES.get(name) for name in seen["references"]]
    if numbers != [1, 2]:
        faults.append(f"references {seen['references']}")
    if seen.get("text_at_offsets", MARKERS) not in (MARKERS, SENTENCES):
        faults.append(f"the text at the offsets is {seen['text_at_offsets']}")
    faults += [
        f"returns {name}, which the matrix says it does not: {value}"
        for name, value in seen.get("not_returned", {}).items()
        if value
    ]
    return faults


def _failed(seen: Any) -> bool:
    return isinstance(seen, dict) and "failed" in seen


def _calls(seen: list[Seen]) -> str:
    calls = [
        {
            **call,
            "arguments": json.loads(call["arguments"]) if isinstance(call["arguments"], str) else call["arguments"],
        }
        for call in seen
    ]
    return "" if calls == [CALL] else f"{calls} is not {[CALL]}"


def _reasoning(seen: str) -> str:
    return "" if seen == upstreams.REASONING else f"{seen!r} is not {upstreams.REASONING!r}"


def _retrieved(seen: Seen) -> str:
    return "; ".join(_answer_faults(seen, TEXTS["openai"], {}))


def _second_turn(seen: str) -> str:
    return "" if seen == TEXTS["openai"] else f"{seen!r} is not {TEXTS['openai']!r}"


def _error(seen: Seen) -> str:
    return "" if "nobody/nothing" in seen["message"] else f"message {seen['message']!r} does not name the model"


def _broken(seen: Seen) -> str:
    return "" if seen.get("text", BROKEN) == BROKEN else f"text before the error is {seen['text']!r}, not {BROKEN!r}"


def _cancelled(seen: bool) -> str:
    return "" if seen else "the provider's stream was not closed"


CHECKS: dict[str, Callable[[Any], str]] = {
    "calls": _calls,
    "reasoning": _reasoning,
    "retrieved": _retrieved,
    "second_turn": _second_turn,
    "error": _error,
    "broken": _broken,
    "cancelled": _cancelled,
}
