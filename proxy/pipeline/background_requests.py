"""Housekeeping: what chat pages ask for themselves: titles, tags, follow-up questions, search queries, emojis.

They come through the same endpoint as questions, but nobody reads citations in a title, and a title would suffer from
excerpts and rules. A request is taken for one only where its last user message is a prompt that a page is known to
send, so a question is never mistaken for one; a page whose prompts were edited gets evidence as before.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from citestream.providers.events import Message

from .job import question

MAX_PROMPT = 400  # characters of a prompt's beginning that are looked at


@dataclass(frozen=True, slots=True)
class Prompt:
    """How a page's prompt begins and ends, in small letters, white space as single spaces."""

    begins: str
    holds: str = ""  # also within its first MAX_PROMPT characters
    ends: str = ""


KNOWN = (
    # Open WebUI: title, tags, follow-ups, queries, image prompts. Its prompt for questions with documents begins alike,
    # but has no chat history at its end.
    Prompt("### task:", ends="</chat_history>"),
    Prompt("### task:", holds="autocompletion system"),
    Prompt("your task is to reflect the speaker's likely facial expression through a fitting emoji"),
    # LibreChat
    Prompt("analyze this conversation and provide:", holds="title in the detected language"),
    Prompt("provide a concise, 5-word-or-less title for the conversation"),
    Prompt("please generate a concise, 5-word-or-less title for the conversation"),
    # NextChat
    Prompt("please generate a four to five word title summarizing our conversation"),
    Prompt("summarize the discussion briefly in 200 words or less to use as a prompt for future context"),
)

# Open WebUI's names of its tasks, in `metadata.task`, where something in between passes them on.
TASKS = frozenset(
    f"{name}_generation" for name in ("title", "tags", "follow_up", "emoji", "query", "image_prompt", "autocomplete")
)


def is_housekeeping(messages: Sequence[Message], params: Mapping[str, Any], more: Sequence[str] = ()) -> bool:
    """Whether a chat page asks for itself. `more`: how further prompts begin."""
    metadata = params.get("metadata")
    task = metadata.get("task") if isinstance(metadata, Mapping) else None
    if isinstance(task, str) and task in TASKS:
        return True
    asked = question(list(messages)).strip()
    begins, ends = _plain(asked[:MAX_PROMPT]), _plain(asked[-MAX_PROMPT:])
    known = (*KNOWN, *(Prompt(_plain(beginning[:MAX_PROMPT])) for beginning in more))
    return any(
        begins.startswith(prompt.begins) and prompt.holds in begins and ends.endswith(prompt.ends) for prompt in known
    )


def _plain(text: str) -> str:
    return " ".join(text.lower().replace("’", "'").split())
