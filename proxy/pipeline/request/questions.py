"""The question of a conversation: its text, whether a chat page asks it for itself, and the search query for it."""

import asyncio
import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from citestream.citation.evidence.hosts import without_attached_files
from citestream.citation.text.queries.follow_ups import refers_back
from citestream.providers.errors import ProviderError
from citestream.providers.events import ChatRequest, Message, TextDelta

from ...model_routes import Route
from .agent_context import without_agent_context
from .observations import observation

MAX_PROMPT_CHARACTERS = (
    400  # characters at both ends of a prompt that are compared with the known prompts of chat pages
)

REWRITTEN_MESSAGES = 6  # messages that the rewriting model reads: what a follow-up question can refer to
REWRITTEN_CHARACTERS = 2_000  # per message; the beginning of an answer shows its topic
MAX_PARTS = 1_000  # parts of a message in which its question is read; people write fewer
# What agents add is searched in this many characters of a message: half of them from its start, half from its end.
MAX_READ = 32_000  # 6 ms
MAX_READ_IN_ALL = 2 * MAX_READ  # total of the messages that are read for one question, with the costs below
MESSAGE_COST_CHARACTERS = 100  # characters that could be read in the time for a message
OBSERVATION_COST = 500
MAX_MESSAGES = 10_000  # messages after the question, such as calls of an agent and their results; 1 ms
MAX_EARLIER = 3  # earlier questions in a query; more of them would hide the last one
MAX_QUERY_CHARACTERS = 500  # characters of a query; a longer text is an answer

REWRITE_PROMPT = """You turn the last question of a conversation into one search query that can be understood without \
the conversation. Replace pronouns and allusions by what they stand for. Keep the language of the question, names and \
numbers. Write the query and nothing else."""

log = logging.getLogger("citestream")


@dataclass(frozen=True, slots=True)
class PagePrompt:
    """The start and end of a chat page's prompt, in lower case, with single spaces."""

    start: str
    contains: str = ""  # within the first MAX_PROMPT_CHARACTERS
    end: str = ""


KNOWN_PROMPTS = (
    # Open WebUI: title, tags, follow-ups, queries, image prompts. Its prompt for questions about documents starts the
    # same way, but does not end with the chat history.
    PagePrompt("### task:", end="</chat_history>"),
    PagePrompt("### task:", contains="autocompletion system"),
    PagePrompt("your task is to reflect the speaker's likely facial expression through a fitting emoji"),
    # LibreChat
    PagePrompt("analyze this conversation and provide:", contains="title in the detected language"),
    PagePrompt("provide a concise, 5-word-or-less title for the conversation"),
    PagePrompt("please generate a concise, 5-word-or-less title for the conversation"),
    # NextChat
    PagePrompt("please generate a four to five word title summarizing our conversation"),
    PagePrompt("summarize the discussion briefly in 200 words or less to use as a prompt for future context"),
)

# Open WebUI's names of its tasks, in `metadata.task`, if a proxy in between forwards them.
TASKS = frozenset(
    f"{name}_generation" for name in ("title", "tags", "follow_up", "emoji", "query", "image_prompt", "autocomplete")
)


def question(messages: Sequence[Message]) -> str:
    """Return the text of the last user message that is not a tool result, without what a host or an agent added."""
    return next(_asked(messages), "")


def _asked(messages: Sequence[Message]) -> Iterator[str]:
    """Yield the texts of user messages that are not tool results, without what hosts and agents added to them.

    The last one comes first. A conversation may have 100,000 messages, and most callers need only that one. Messages
    that consist of such additions are left out. A limit of the characters bounds the time to 12 ms.
    """
    remaining = MAX_READ_IN_ALL
    for position in range(len(messages) - 1, max(-1, len(messages) - 1 - MAX_MESSAGES), -1):
        if remaining <= 0:
            return
        if messages[position].get("role") != "user":
            continue
        if observation(messages, position):
            remaining -= OBSERVATION_COST
            continue
        content = messages[position].get("content")
        text = _both_ends(text_of(content[:MAX_PARTS] if isinstance(content, list) else content))
        remaining -= len(text) + MESSAGE_COST_CHARACTERS
        text = without_attached_files(text)
        asked = without_agent_context(text)
        if asked.strip() or not text.strip():
            yield asked


def _both_ends(text: str) -> str:
    """Return a long text without its middle. People write a question before or after what they add to it."""
    return text if len(text) <= MAX_READ else f"{text[: MAX_READ // 2]}\n{text[-MAX_READ // 2 :]}"


def search_query(messages: Sequence[Message]) -> tuple[str, bool]:
    """Return the query for the last question, and whether it contains earlier questions.

    A question that refers to the one before it ("How often has it flown?") is searched together with that one, and with
    those to which that one refers.
    """
    asked = _asked(messages)
    parts = [next(asked, "")]
    if not parts[0].strip():  # for example, a picture
        return "", False
    for earlier in asked:
        if len(parts) > MAX_EARLIER or not refers_back(parts[0], earlier[:MAX_QUERY_CHARACTERS]):
            break
        parts.insert(0, earlier[:MAX_QUERY_CHARACTERS])
    return "\n".join(parts), len(parts) > 1


def text_of(content: Any) -> str:
    """Return the text of a message's content, which is a string or a list of parts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(part["text"] for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str))


def is_background_request(messages: Sequence[Message], params: Mapping[str, Any], more: Sequence[str] = ()) -> bool:
    """Return whether a chat page asks for itself: for a title, tags, follow-up questions, search queries, emojis.

    Such a request uses the same endpoint as questions, but its answer needs no citations, and evidence would make it
    worse. Only prompts that chat pages are known to send are recognized, so that no question is mistaken for one.
    `more`: the start of further prompts.
    """
    metadata = params.get("metadata")
    task = metadata.get("task") if isinstance(metadata, Mapping) else None
    if isinstance(task, str) and task in TASKS:
        return True
    asked = question(messages).strip()
    start, end = _normalized(asked[:MAX_PROMPT_CHARACTERS]), _normalized(asked[-MAX_PROMPT_CHARACTERS:])
    prompts = (*KNOWN_PROMPTS, *(PagePrompt(_normalized(beginning[:MAX_PROMPT_CHARACTERS])) for beginning in more))
    return any(
        start.startswith(prompt.start) and prompt.contains in start and end.endswith(prompt.end) for prompt in prompts
    )


def _normalized(text: str) -> str:
    return " ".join(text.lower().replace("’", "'").split())


async def rewrite_question(route: Route, messages: Sequence[Message], seconds: float) -> str:
    """Return the last question as a search query that can be understood without the conversation.

    Return "" if there is only one question, or if the model fails or takes longer than `seconds`.
    """
    turns = [message for message in messages if message.get("role") in ("user", "assistant")]
    turns = [turn for turn in turns if text_of(turn.get("content")).strip()]
    if sum(turn["role"] == "user" for turn in turns) < 2:
        return ""
    try:
        async with asyncio.timeout(seconds):
            answer = await _ask_for_query(route, turns[-REWRITTEN_MESSAGES:])
    except (ProviderError, TimeoutError) as error:
        log.warning("rewriting a question failed: %s", type(error).__name__)
        return ""
    query = " ".join(answer.split()).strip("\"'“”„«» ")
    return query if len(query) <= MAX_QUERY_CHARACTERS else ""


async def _ask_for_query(route: Route, turns: Sequence[Message]) -> str:
    history = "\n\n".join(f"{turn['role']}: {text_of(turn['content'])[:REWRITTEN_CHARACTERS]}" for turn in turns)
    messages = [{"role": "system", "content": REWRITE_PROMPT}, {"role": "user", "content": f"{history}\n\nThe query:"}]
    request = ChatRequest(route.model, messages, {"temperature": 0})
    async with aclosing(route.stream(request)) as events:
        return "".join([event.text async for event in events if isinstance(event, TextDelta) and not event.choice])
