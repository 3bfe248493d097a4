"""Shared by provider tests: send a request to a provider and record its answer."""

from collections.abc import Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

from citestream.providers import provider
from citestream.providers.errors import ProviderError
from citestream.providers.events import ChatRequest, Event, Finish, Idle, OtherDelta, Provider, TextDelta, Usage
from citestream.providers.transport import Retries, Timeouts
from tests.upstreams import anthropic, gemini, openai

TIMEOUTS = Timeouts(connect=20.0, first_token=100.0, idle=100.0)
NO_RETRIES = Retries(most=0)
QUESTION = [{"role": "user", "content": "When does water boil?"}]
MODELS = {"openai": openai.MODEL, "ollama": "llama3.2", "gemini": gemini.MODEL, "anthropic": anthropic.MODEL}
KEYS = {"openai": openai.KEY, "ollama": "", "gemini": gemini.KEY, "anthropic": anthropic.KEY}


@dataclass
class Answer:
    """The recorded answer to a request."""

    events: list[Event] = field(default_factory=list)
    error: ProviderError | None = None

    def text(self, choice: int = 0) -> str:
        return "".join(event.text for event in self.events if isinstance(event, TextDelta) and event.choice == choice)

    @property
    def reasons(self) -> dict[int, str]:
        return {event.choice: event.reason for event in self.events if isinstance(event, Finish)}

    @property
    def usage(self) -> dict[str, Any] | None:
        return next((event.chunk["usage"] for event in self.events if isinstance(event, Usage)), None)

    @property
    def others(self) -> list[dict[str, Any]]:
        """The deltas that are not text."""
        return [
            choice["delta"]
            for event in self.events
            if isinstance(event, OtherDelta)
            for choice in event.chunk["choices"]
        ]

    @property
    def kinds(self) -> list[str]:
        return [type(event).__name__ for event in self.events]


def make_provider(kind: str, url: str, **settings: Any) -> Provider:
    """Create a provider of a kind for a server."""
    base = f"{url}/v1" if kind == "openai" else url
    return provider(
        kind, base_url=base, **{"api_key": KEYS[kind], "timeouts": TIMEOUTS, "retries": NO_RETRIES, **settings}
    )


async def ask(provider: Provider, params: Mapping[str, Any] | None = None, **request: Any) -> Answer:
    """Send one request. Return the events, and the error if there is one."""
    answer = Answer()
    model = MODELS.get(provider.native, "scripted")
    question = ChatRequest(**{"model": model, "messages": QUESTION, "params": params or {}, **request})
    try:
        async with aclosing(provider.stream(question)) as events:
            async for event in events:
                if not isinstance(event, Idle):
                    answer.events.append(event)
    except ProviderError as error:
        answer.error = error
    return answer


async def ask_server(kind: str, url: str, params: Mapping[str, Any] | None = None, **settings: Any) -> Answer:
    """Send one request with a new provider."""
    provider = make_provider(kind, url, **settings)
    try:
        return await ask(provider, params)
    finally:
        await provider.aclose()
