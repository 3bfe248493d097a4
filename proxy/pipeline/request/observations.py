"""Observations of smolagents: tool results that are sent as messages of the user.

The agent writes its calls into the text of the assistant, and the results into the next message, which begins with
`Observation:`. Both signs are necessary, since a person may begin a question with that word.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

LEAD = "Observation:\n"
MAX_SEARCHED_CHARACTERS = 100_000  # characters at the end of a message in which its calls are searched; 0.1 ms
CALLS = "Calling tools:\n[{"

_NAME = re.compile(r"'function': \{'name': '([\w.-]{1,100})'")


def observation(messages: Sequence[Mapping[str, Any]], position: int) -> str:
    """Return the tool result in the user message at this position, "" if it is none."""
    message = messages[position]
    if message.get("role") != "user" or not position or messages[position - 1].get("role") != "assistant":
        return ""
    text = first_text(message.get("content"))
    if not text.startswith(LEAD):
        return ""
    called = CALLS in first_text(messages[position - 1].get("content"))[-MAX_SEARCHED_CHARACTERS:]
    return text.removeprefix(LEAD) if called else ""


def called_tool(messages: Sequence[Mapping[str, Any]], position: int) -> str:
    """Return the name of the tool whose result is at this position, "" if several were called."""
    text = first_text(messages[position - 1].get("content"))
    names = set(_NAME.findall(text[text.rfind(CALLS) :]))
    return names.pop() if len(names) == 1 else ""


def first_text(content: Any) -> str:
    """Return the text of a message, or its only text part; "" if there are several."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = [part.get("text") for part in parts if isinstance(part, dict) and part.get("type") == "text"]
    return texts[0] if len(texts) == 1 and isinstance(texts[0], str) else ""
