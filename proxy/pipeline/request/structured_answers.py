"""Requests whose answer is structured: the arguments of a tool call, or JSON in a fence."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from citestream.providers.events import Message

from .questions import question, text_of

# Functions with which agents return their answer: pydantic-ai's `final_result` and `final_result_<type>`, and the
# `final_answer` of smolagents.
ANSWER_FUNCTIONS = ("final_result", "final_answer")

# The end of the prompt of instructor's mode for JSON in Markdown.
FENCED_JSON_PROMPT = "return the correct json response within a ```json codeblock"
PROMPT_END_CHARACTERS = 200  # characters at the end of the last question in which that prompt is searched

# An answer that is one JSON string, or one line of YAML, is also prose, so the prompt decides what it is.
FORMATS = re.compile(r"\b(?:json|ya?ml|csv|tsv|xml)\b", re.IGNORECASE | re.ASCII)
MAX_INSTRUCTIONS_CHARACTERS = 4_000  # characters at both ends of a prompt in which a format is searched


def answer_functions(params: Mapping[str, Any]) -> frozenset[str]:
    """Return the functions whose calls carry the answer: the one that must be called, and known names of agents.

    `params`: of a request, in the form of OpenAI's API.
    """
    tools = params.get("tools")
    names = map(_name, tools if isinstance(tools, list) else ())
    answering = {name for name in names if name.startswith(ANSWER_FUNCTIONS)}
    return frozenset(answering | ({forced} if (forced := forced_function(params)) else set()))


def forced_function(params: Mapping[str, Any]) -> str:
    """Return the name of the only function that the answer may call, and must; "" if there is none.

    Clients such as instructor force a function to get an answer in its form.
    """
    choice, tools = params.get("tool_choice"), params.get("tools")
    if isinstance(choice, Mapping):
        return _name(choice)
    if choice in ("required", "any") and isinstance(tools, list) and len(tools) == 1:
        return _name(tools[0])
    return ""


def asks_for_fenced_json(messages: Sequence[Message]) -> bool:
    """Return whether the last question asks for JSON in a fence, in the words of instructor."""
    return FENCED_JSON_PROMPT in question(messages)[-PROMPT_END_CHARACTERS:].lower()


def asks_for_data(messages: Sequence[Message]) -> bool:
    """Return whether the last question or the system message mentions a format such as JSON."""
    first = messages[0] if messages else {}
    system = text_of(first.get("content")) if first.get("role") in ("system", "developer") else ""
    prompts = (question(messages), system)
    return any(
        FORMATS.search(text[:MAX_INSTRUCTIONS_CHARACTERS] + "\n" + text[-MAX_INSTRUCTIONS_CHARACTERS:])
        for text in prompts
    )


def _name(tool: Any) -> str:
    """Return the name of the function of a tool or of a tool choice."""
    function = tool.get("function") if isinstance(tool, dict) else None
    name = function.get("name") if isinstance(function, dict) else None
    return name if isinstance(name, str) else ""
