"""Rewriting: a conversation whose last question leans on what was said before, as one query that stands alone."""

import asyncio
import logging
from contextlib import aclosing

from citestream.providers.errors import ProviderError
from citestream.providers.events import ChatRequest, Message, TextDelta

from ..model_routes import Route
from .job import text_of

TURNS = 6  # messages that the model is shown: what a question can lean on
TURN_CHARACTERS = 2_000  # of each; answers are long, and their beginning says what they are about
LONGEST = 500  # characters of a query; what is longer is an answer

RULES = """You turn the last question of a conversation into one search query that can be understood without the \
conversation. Replace pronouns and allusions by what they stand for. Keep the language of the question, names and \
numbers. Write the query and nothing else."""

log = logging.getLogger("citestream")


async def rewritten(route: Route, messages: list[Message], seconds: float) -> str:
    """The query; "" where the last question stands alone already, or the model fails or takes too long."""
    turns = [message for message in messages if message.get("role") in ("user", "assistant")]
    turns = [turn for turn in turns if text_of(turn.get("content")).strip()]
    if sum(turn["role"] == "user" for turn in turns) < 2:
        return ""
    try:
        async with asyncio.timeout(seconds):
            said = " ".join((await _asked(route, turns[-TURNS:])).split()).strip("\"'“”„«» ")
    except (ProviderError, TimeoutError) as error:
        log.warning("a question could not be rewritten: %s", type(error).__name__)
        return ""
    return said if len(said) <= LONGEST else ""


async def _asked(route: Route, turns: list[Message]) -> str:
    told = "\n\n".join(f"{turn['role']}: {text_of(turn['content'])[:TURN_CHARACTERS]}" for turn in turns)
    messages = [{"role": "system", "content": RULES}, {"role": "user", "content": f"{told}\n\nThe query:"}]
    request = ChatRequest(route.model, messages, {"temperature": 0})
    async with aclosing(route.stream(request)) as events:
        return "".join([event.text async for event in events if isinstance(event, TextDelta) and not event.choice])
