"""Unlabelled text between two fixed lines, by configuration only: LlamaIndex, LangChain, Dify and others.

Such text has no labels and few signs of its own, so nothing of this is recognised unless the operator names the fence.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from .prompt_evidence import Candidate, HostPassage, PromptEvidence
from .turn import Place, Turn, find_line, position


@dataclass(frozen=True, slots=True)
class Fence:
    """Two literals around the context. Each begins a line; text between them is split at blank lines.

    Without a closing one, the context goes to the end of a system message. In a message of the user it could be
    anything.
    """

    opening: str
    closing: str = ""


# Fences of well-known hosts, which a configuration can name instead of writing them out.
KNOWN = {
    "llamaindex": Fence("Context information is below.\n---------------------\n", "---------------------"),
    "langchain": Fence("----------------\n"),
    "n8n": Fence("----------------\nContext:"),
    "flowise": Fence("------------\n", "------------"),
    "dify": Fence("<context>", "</context>"),
    "kotaemon": Fence("CONTEXT:\n----", "----"),
    "continue": Fence("```", "Use the above documentation"),
}


def recognise_fences(turn: Turn, fences: Sequence[Fence]) -> list[Candidate]:
    """Return the text inside the first configured fence, in the system messages or the last user message."""
    texts: list[tuple[Place, int, str]] = [("user", 0, turn.user)]
    texts += [("system", number, text) for number, text in enumerate(turn.system)]
    for fence in fences:
        for place, number, text in texts if fence.closing else texts[1:]:
            start_of_fence = find_line(text, fence.opening)
            start = start_of_fence + len(fence.opening)
            end = find_line(text, fence.closing, start) if fence.closing else len(text)
            if start_of_fence < 0 or end < 0:
                continue
            passages = tuple(HostPassage("", part.strip()) for part in text[start:end].split("\n\n") if part.strip())
            if passages:
                question = (
                    (text[:start_of_fence] + text[end + len(fence.closing) :]).strip() if place == "user" else turn.user
                )
                return [Candidate(position(place, number, start_of_fence), PromptEvidence("fence", passages, question))]
    return []
