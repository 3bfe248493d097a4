"""A language model as a judge: one request, one line, and a probability if the provider returns log-probabilities."""

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from ..errors import Rejected
from ..events import ChatRequest, Event, Message, TextDelta, Usage

Stream = Callable[[ChatRequest], AsyncGenerator[Event, None]]

# From the most to the least that a provider may accept. Reasoning models refuse `temperature` and `max_tokens`, many
# servers refuse log-probabilities. The first set with which the model replies is used from then on.
PARAMETERS: tuple[Mapping[str, Any], ...] = (
    {"temperature": 0, "max_tokens": 24, "logprobs": True, "top_logprobs": 5},
    {"temperature": 0, "max_tokens": 24},
    {"max_completion_tokens": 2_000},  # a reasoning model's tokens count before it answers
    {},
)
MAX_REPLY_CHARACTERS = (
    80  # characters after which the stream is closed: the first line decides, and a verbose model costs money
)
CHARACTERS_PER_TOKEN = 4  # mean of English text; used if a provider does not report usage


@dataclass(frozen=True, slots=True)
class Reply:
    """The reply to one question."""

    text: str
    top: Sequence[Mapping[str, Any]] = ()  # alternatives for the first token with their log-probabilities
    tokens: int = 0  # prompt and reply together


class LanguageModelJudge:
    """Ask one model. Concurrent calls are independent."""

    def __init__(self, stream: Stream, model: str) -> None:
        """`stream`: as `Provider.stream`. `model`: the provider's own name for it."""
        self._stream = stream
        self._model = model
        self._accepted = 0  # index into PARAMETERS

    async def ask(self, messages: list[Message]) -> Reply:
        """Return the reply. Raise ProviderError.

        Fewer parameters are used from now on only if the model replies with them: a server may refuse a question for
        its content, which must not change how others are asked.
        """
        attempt = self._accepted
        while True:
            try:
                reply = await self._reply(ChatRequest(self._model, messages, PARAMETERS[attempt]))
            except Rejected as error:
                attempt += 1
                if error.status not in _REFUSED_PARAMETERS or attempt == len(PARAMETERS):
                    raise
            else:
                self._accepted = max(self._accepted, attempt)
                return reply

    async def _reply(self, request: ChatRequest) -> Reply:
        text, tokens = "", 0
        top: Sequence[Mapping[str, Any]] = ()
        async with aclosing(self._stream(request)) as events:
            async for event in events:
                if isinstance(event, TextDelta) and not event.choice:
                    top = top or _top(event)
                    text += event.text
                elif isinstance(event, Usage):
                    tokens = _total(event) or tokens
                if len(text) > MAX_REPLY_CHARACTERS:
                    break
        return Reply(text, top, tokens or _estimate(request.messages, text))


_REFUSED_PARAMETERS = frozenset({400, 422})  # status codes of servers that do not accept a parameter


def _top(event: TextDelta) -> tuple[Mapping[str, Any], ...]:
    """Return the alternatives for the first token that is not blank."""
    for choice in event.chunk.get("choices") or ():
        for token in (choice.get("logprobs") or {}).get("content") or ():
            if str(token.get("token", "")).strip():
                return tuple(token.get("top_logprobs") or (token,))
    return ()


def _total(event: Usage) -> int:
    usage = event.chunk.get("usage") or {}
    total = usage.get("total_tokens")
    return total if isinstance(total, int) else 0


def _estimate(messages: Sequence[Message], text: str) -> int:
    return (sum(len(str(message["content"])) for message in messages) + len(text)) // CHARACTERS_PER_TOKEN
